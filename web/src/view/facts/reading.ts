/** What the sublayers of a block read: the stream before them, or its norm where one stands in front. */

import type { Matrix, Norm, Run } from "../../engine";
import { cell } from "./cells";

export const attentionStage = (block: number): number => 1 + 2 * block;
export const feedForwardStage = (block: number): number => 2 + 2 * block;

/** Return what the sublayer that leads to a stage reads, (positions × lanes). */
export function readBy(run: Run, stage: number): Matrix {
  const { kind, block } = run.stages[stage];
  const { norm_placement, attention_norm, feed_forward_norm } = run.model.blocks[block];
  const norm = kind === "attention" ? attention_norm : feed_forward_norm;
  const before = run.stream[stage - 1];
  return norm_placement === "pre" && norm !== null ? normed(run, norm, before) : before;
}

/** Return the values (positions × value size) that a position takes in through a head. */
export function valuesFor(run: Run, block: number, head: number, reader: number): Matrix {
  const { values } = run.heads[block][head];
  const own = run.model.blocks[block].attention!.heads[head].positions;
  const scheme = own ?? run.model.attention_positions;
  if (scheme?.kind !== "Relative" || scheme.values === null) return values;
  const offsets = scheme.values;
  const nearest = (source: number) => Math.max(0, Math.min(reader - source, offsets.rows - 1));
  const moved = values.values.map((value, n) => {
    const source = Math.floor(n / values.columns);
    return value + cell(offsets, nearest(source), n % values.columns);
  });
  return { ...values, values: moved };
}

/** Say whether a position takes in the same values through a head as every other does. */
export function valuesAreShared(run: Run, block: number, head: number): boolean {
  const own = run.model.blocks[block].attention!.heads[head].positions;
  const scheme = own ?? run.model.attention_positions;
  return scheme?.kind !== "Relative" || scheme.values === null;
}

function normed(_run: Run, _norm: Norm, before: Matrix): Matrix {
  return before;
}
