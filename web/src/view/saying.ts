/** The sentence about the current step, of one run or of two. */

import { differenceSentence } from "./difference";
import { type Piece, sentenceFor } from "./facts/sentence";
import type { View } from "./view.svelte";

export function sentenceAt(view: View): readonly Piece[] {
  return view.pair === null
    ? sentenceFor(view.run, view.stage, view.position, view.here.norm)
    : differenceSentence(view);
}
