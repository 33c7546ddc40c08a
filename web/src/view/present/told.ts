/** What a story gives to presenter mode: the caption of its step, and the way to the others. */

import type { Piece } from "../facts/sentence";
import type { Page } from "../page.svelte";
import { piecesOf } from "../story/pieces";

export interface Told {
  /** The author's caption; tokens are pieces of their own. */
  readonly caption: readonly Piece[];
  readonly step: number;
  /** For each step of the story, the block that it is about; −1 for the embedding. */
  readonly blocks: readonly number[];
  readonly go: (step: number) => void;
}

/** Return the story that plays; null without one. Then the steps are the sublayers, and the caption is their sentence. */
export function toldBy({ telling, view }: Page): Told | null {
  const { now, step, story } = telling;
  if (now === null || step === null || story === null || view === null || !telling.there) return null;
  const blocks = story.steps.map(({ stage }) => view.run.stages[stage].block);
  return { caption: piecesOf(now.text), step, blocks, go: (place) => telling.go(place) };
}
