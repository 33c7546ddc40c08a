/** What the key Enter explains: the chosen cell, or the strongest score or neuron of the step. */

import { bringsSomething, headsInView, movesOf } from "../facts/moved";
import { firedAt } from "../facts/neurons";
import type { View } from "../view.svelte";
import type { Explained } from "./why.svelte";

/** Return what there is to explain at the step in view; null where there is nothing. */
export function subjectOf(view: View): Explained | null {
  const { run, position, stage, here, why } = view;
  if (why.what !== null && why.what.kind !== "cell") return why.what; // Enter again closes it
  if (view.lane !== null) return cellAt(view, position, view.lane);
  if (here.kind === "attention" && here.block !== null) return scoreAt(view, here.block);
  if (here.kind === "feed-forward" && here.block !== null) {
    const fired = firedAt(run, here.block, position);
    const neuron = view.neuron ?? fired[0]?.neuron;
    return neuron === undefined ? null : { kind: "neuron", block: here.block, neuron, position };
  }
  return stage === 0 && view.lanesShown.length > 0 ? cellAt(view, position, view.lanesShown[0]) : null;
}

/** Return the cell of the stream that is shown at a position and lane. */
export function cellAt(view: View, position: number, lane: number, stage = view.stage): Explained {
  let there = stage;
  while (!view.run.stages[there].present) there--;
  return { kind: "cell", stage: there, position, lane };
}

/** Return the score of the chosen or the strongest head for the source that the position reads most. */
function scoreAt({ run, position, head }: View, block: number): Explained | null {
  const moves = headsInView(run, block, head).flatMap((place) => movesOf(run, block, place, [position]));
  const rank = (brings: boolean, weight: number): number => (brings ? 2 : 0) + weight;
  const best = moves.sort((a, b) => rank(bringsSomething(b), b.weight) - rank(bringsSomething(a), a.weight))[0];
  if (best === undefined && run.heads[block].length === 0) return null;
  const place = best ?? { head: head ?? 0, source: position };
  return { kind: "score", block, head: place.head, reader: position, source: place.source };
}
