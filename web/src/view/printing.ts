/**
 * Printing: the page as it stands on the screen, in light colours, and so small that the stream is on the first sheet.
 *
 * A drawing cannot be broken: a browser moves one that does not fit to the next sheet, and leaves the first one blank.
 * And drawings keep the size that they have on the screen, because no script runs while the sheets are laid out.
 */

import { flushSync } from "svelte";
import type { Page } from "./page.svelte";
import "./printing.css";

const [WIDTH, HEIGHT] = [1040, 690]; // pixels of a sheet on its side: the smaller of A4 and Letter, without margins
const LEAST_ZOOM = 0.4;

/** Prepare a page whenever it is printed; return the function that ends this. */
export function printable(root: HTMLElement, page: Page): () => void {
  let chosen: Page["themeChosen"] = null;
  const before = (): void => {
    chosen = page.themeChosen;
    if (page.theme === "dark") flushSync(() => (page.themeChosen = "light"));
    const { left, top, width } = root.getBoundingClientRect();
    const stream = root.querySelector("[role=grid]")?.getBoundingClientRect();
    const height = stream === undefined ? HEIGHT : stream.bottom - top;
    const zoom = Math.min(1, WIDTH / (width + Math.min(left, 20)), HEIGHT / height);
    root.style.width = `${width}px`;
    root.style.maxWidth = "none";
    root.style.setProperty("zoom", String(Math.max(LEAST_ZOOM, zoom)));
  };
  const after = (): void => {
    root.style.width = root.style.maxWidth = "";
    root.style.removeProperty("zoom");
    page.themeChosen = chosen;
  };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  return () => {
    removeEventListener("beforeprint", before);
    removeEventListener("afterprint", after);
  };
}
