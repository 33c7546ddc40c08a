/** Where a story meets other parts of the page that may be there: the panels of presenter mode, and interventions. */

import type { StoryStep } from "../../engine";
import type { Page } from "../page.svelte";

/** The parts of the page that a step sets, by their names there. */
interface Joined {
  readonly presenting?: { panels: readonly string[] };
  readonly changes?: { take: (off: readonly string[], set: readonly string[]) => void };
}

/** Show the panels of a step in presenter mode. */
export function joinPanels(page: Page, panels: readonly string[]): void {
  const { presenting } = page as Page & Joined;
  if (presenting !== undefined && panels.length > 0) presenting.panels = [...panels];
}

/** Switch off the parts that a step names, and set its cells; null: none. */
export function joinChanges(page: Page, step: Pick<StoryStep, "off" | "set"> | null): void {
  const { changes } = page as Page & Joined;
  changes?.take(step?.off ?? [], step?.set ?? []);
}
