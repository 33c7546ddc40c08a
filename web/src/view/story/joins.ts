/** Where a story meets other parts of the page: presenter mode, and interventions. */

import type { StoryStep } from "../../engine";
import type { Page } from "../page.svelte";
import { panelsNamed } from "../present/presenting.svelte";

type Part = readonly [name: string, text: string]; // of an address

/** Show the panels of a step in presenter mode. */
export function joinPanels(page: Page, panels: readonly string[]): void {
  const known = panelsNamed(panels.join());
  if (known !== null) page.presenting.panels = known;
}

/** Say whether presenter mode shows a blank screen, which any key ends. */
export function isBlank(page: Page): boolean {
  return page.presenting.blank;
}

/** Switch off the parts that a step names, and set its cells; null: none. Return whether the model must run again. */
export function joinChanges(page: Page, step: Pick<StoryStep, "off" | "set"> | null): boolean {
  const { changes } = page;
  const named = (name: string, texts: readonly string[] = []): Part[] => texts.map((text) => [name, text]);
  const parts = [...named("off", step?.off), ...named("set", step?.set)];
  if (JSON.stringify(changes.parts) === JSON.stringify(parts)) return false;
  changes.read(parts);
  return true;
}
