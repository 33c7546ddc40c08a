/** Whether the page is light or dark where an element stands: colours that are computed depend on it. */

import type { Theme } from "../facts/scale";

/** Tell the theme around an element, now and whenever it changes. Return how to stop. */
export function watchTheme(element: Element, tell: (theme: Theme) => void): () => void {
  const page = element.closest("[data-weightsmith]");
  const look = () => tell(page?.getAttribute("data-theme") === "dark" ? "dark" : "light");
  look();
  const observer = new MutationObserver(look);
  if (page !== null) observer.observe(page, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
