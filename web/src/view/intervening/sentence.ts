/** The sentence about a run with changes beside the run as it is. */

import { stepName } from "../difference";
import { tokenAt } from "../facts/tokens";
import type { Piece } from "../facts/sentence";
import type { View } from "../view.svelte";

const MOST_LANES = 2;

/** Return the sentence for the step that is shown, as pieces. */
export function changedSentence(view: View): Piece[] {
  const pair = view.pair!;
  const { first } = pair;
  if (first === null) {
    const exactly = view.numbers.infinity === null ? "in every digit" : "bit for bit";
    return [
      words("The changes make no difference: A and B are "),
      name("equal"),
      words(` ${exactly}, at every sublayer.`),
    ];
  }
  const here = pair.counts[view.step];
  const start = [
    name(String(here)),
    words(` of ${pair.partners * pair.lanes.length} values ${here === 1 ? "differs" : "differ"} here. `),
  ];
  const nothing = [words(view.step < first.step ? "Nothing differs here yet. " : "Nothing differs here. ")];
  const rows = pair.differences(first.step).filter(({ position }) => position === first.position);
  const lanes = rows
    .slice(0, MOST_LANES)
    .flatMap(({ lane, a, b }, n): Piece[] => [
      words(n === 0 ? "" : "; "),
      name(lane.name),
      words(n === 0 ? " is " : " "),
      name(view.numbers.short(a)),
      words(n === 0 ? " in A, " : ", "),
      name(view.besideNumbers!.short(b)),
      words(n === 0 ? " in B" : ""),
    ]);
  const where = first.step === view.step ? [] : [words("the "), name(stepName(view, first.step)), words(", ")];
  return [
    ...(here === 0 ? nothing : start),
    words("A and B part at "),
    ...where,
    { kind: "token", text: tokenAt(view.run.tokens, first.position) },
    words(": "),
    ...lanes,
    words("."),
  ];
}

const words = (text: string): Piece => ({ kind: "words", text });
const name = (text: string): Piece => ({ kind: "name", text });
