/** What the page and a figure share with the window around them: the address, and whether it is light or dark. */

import { readPresented, readSight } from "./address";
import type { Page } from "./page.svelte";

const PAUSE = 120; // milliseconds without a change before the address is written

/**
 * Keep the view in the address; return what follows an address that was edited by hand or by the Back button.
 * `more` is what the address says beyond the view. Call it while a component is set up.
 */
export function keepAddress(page: Page, more = ""): () => void {
  let written = "";
  $effect(() => {
    if (!page.usesAddress || page.view === null) return;
    const address = `#${page.address}${more}`;
    const timer = setTimeout(() => {
      written = address;
      try {
        history.replaceState(history.state, "", written);
      } catch {
        // a page inside another document, as in a notebook, has no URL
      }
    }, PAUSE);
    return () => clearTimeout(timer);
  });
  return () => {
    if (!page.usesAddress || location.hash === written) return;
    const sight = readSight(location.hash);
    if (sight !== null) page.show(sight);
    else page.presenting.take(readPresented(location.hash));
  };
}

/** Give the theme to the element around the page and to the view; follow the reader's system. */
export function keepTheme(page: Page, host: HTMLElement): void {
  $effect.pre(() => {
    host.dataset.theme = page.theme;
    if (page.view !== null) page.view.theme = page.theme;
  });
  $effect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = (): void => void (page.systemIsDark = system.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  });
}
