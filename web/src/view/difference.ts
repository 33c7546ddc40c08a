/** The sentence about two runs: how many values differ at this step, and the first difference. */

import { normName } from "./facts/normsteps";
import { count } from "./facts/numbers";
import type { Piece } from "./facts/sentence";
import { tokenAt } from "./facts/tokens";
import { changedSentence } from "./intervening/sentence";
import type { View } from "./view.svelte";

/** Return the sentence for the step that is shown, as pieces. */
export function differenceSentence(view: View): Piece[] {
  if (view.changes?.shown) return changedSentence(view);
  const pair = view.pair!;
  const { first } = pair;
  const alone = Math.max(pair.a.tokens.length, pair.b.tokens.length) - pair.partners;
  const aside =
    alone === 0
      ? ""
      : ` (inputs are aligned at their ends; ${count(alone, "position has", "positions have")} no partner)`;
  if (first === null) {
    const exactly = view.numbers.infinity === null ? "in every digit" : "bit for bit";
    return [words("The two runs are "), name("equal"), words(` ${exactly}, at every sublayer${aside}.`)];
  }
  const here = pair.counts[view.step];
  const start =
    here === 0
      ? [words(view.step < first.step ? "Nothing differs here yet" : "Nothing differs here")]
      : [
          name(String(here)),
          words(` of ${pair.partners * pair.lanes.length} values ${here === 1 ? "differs" : "differ"} here`),
        ];
  const numbers = [view.numbers, view.besideNumbers!] as const;
  const { a, b, lane, position } = first;
  return [
    ...start,
    words(`${aside}. The first difference is at the `),
    name(stepName(view, first.step)),
    words(`, position ${position} `),
    { kind: "token", text: tokenAt(view.run.tokens, position) },
    ...inB(view, position),
    words(", lane "),
    name(lane.name),
    words(
      `: ${lane.a < 0 ? "no such lane" : numbers[0].short(a)} against ${lane.b < 0 ? "no such lane" : numbers[1].short(b)}.`,
    ),
  ];
}

/** Return the token of B at a position of A, and its position, where they are other ones. */
function inB(view: View, position: number): Piece[] {
  const { shift } = view.pair!;
  const token = view.beside!.tokens[position - shift];
  if (shift === 0 && token === view.run.tokens[position]) return [];
  const where = shift === 0 ? " (in B " : ` (in B position ${position - shift} `;
  return [words(where), { kind: "token", text: tokenAt(view.beside!.tokens, position - shift) }, words(")")];
}

/** Return the name of a step: "embedding", "attention of block 1", "feed-forward of block 2 of B", "final norm". */
export function stepName(view: View, step: number): string {
  const { kind, block, besideBlock, norm } = view.steps[step];
  if (kind === "embedding") return kind;
  if (norm !== null) return normName(norm);
  return block === null ? `${kind} of block ${besideBlock} of B` : `${kind} of block ${block}`;
}

function words(text: string): Piece {
  return { kind: "words", text };
}

function name(text: string): Piece {
  return { kind: "name", text };
}
