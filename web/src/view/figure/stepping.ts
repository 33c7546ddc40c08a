/** What the two buttons of a figure step through: the sublayers that its panel shows, or the steps of a story. */

import { stepName } from "../difference";
import type { Piece } from "../facts/sentence";
import type { Page } from "../page.svelte";
import type { View } from "../view.svelte";
import { FIGURE_PANELS, STORY } from "./panels";

export interface Stepping {
  readonly step: number; // among `count`
  readonly count: number;
  readonly name: string;
  /** The caption of a story; null: the sentence about the sublayer. */
  readonly caption: readonly Piece[] | null;
  /** The panel to show. */
  readonly panel: string;
  readonly go: (step: number) => void;
}

/** A story that plays, as far as a figure needs it. */
interface Telling {
  readonly story: { readonly steps: readonly { readonly text: string; readonly panels?: readonly string[] }[] } | null;
  readonly step: number | null;
  readonly go: (step: number) => void;
}

/** Return what a figure steps through. */
export function steppingOf(page: Page, view: View, panel: string): Stepping {
  const here = Math.min(view.step, view.steps.length - 1);
  const { telling } = page as Page & { readonly telling?: Telling };
  if (telling?.story && telling.step !== null && telling.step >= 0) {
    const { steps } = telling.story;
    const { text, panels } = steps[telling.step];
    return {
      ...{ step: telling.step, count: steps.length, name: stepName(view, here), caption: pieces(text) },
      panel:
        panel === STORY
          ? panelAt(
              view,
              panels?.find((name) => Object.hasOwn(FIGURE_PANELS, name)),
            )
          : panel,
      go: (step) => telling.go(Math.max(0, Math.min(step, steps.length - 1))),
    };
  }
  const chosen = panel === STORY ? "stream" : panel;
  const places = placesOf(view, chosen);
  const step = Math.max(0, places.indexOf(nearest(places, here)));
  return {
    ...{ step, count: places.length, name: stepName(view, here), caption: null, panel: chosen },
    go: (to) => view.go(places[Math.max(0, Math.min(to, places.length - 1))]),
  };
}

/** Return the steps of the timeline at which a panel has something to show; all, where it never has. */
export function placesOf(view: View, panel: string): number[] {
  const { kind } = FIGURE_PANELS[panel];
  const every = view.steps.map((_, place) => place);
  const some = every.filter((place) => kind === null || view.steps[place].kind === kind);
  return some.length === 0 ? every : some;
}

/** Return the place that is nearest to a step; of two, the later one. */
export function nearest(places: readonly number[], step: number): number {
  return places.reduce((best, place) => (Math.abs(place - step) <= Math.abs(best - step) ? place : best));
}

/** Return a panel that has something to show at this step. */
function panelAt(view: View, wanted: string | undefined): string {
  const kind = wanted === undefined ? null : FIGURE_PANELS[wanted].kind;
  return wanted === undefined || (kind !== null && view.here.kind !== kind) ? "stream" : wanted;
}

/** Return a caption with its tokens, which stand between backquotes. */
function pieces(text: string): Piece[] {
  const parts = text.split("`").map((part, n): Piece => ({ kind: n % 2 === 1 ? "token" : "words", text: part }));
  return parts.filter((piece) => piece.text !== "");
}
