/** What one position reads through the heads of a block, and which heads wrote a cell of the stream. */

import type { Run } from "../../engine";
import { cell, rowOf, upTo } from "./cells";
import { valuesFor } from "./reading";

export const LEAST_ARC = 0.18; // smaller weights have no arc
export const NEXT_TO_NOTHING = 0.04; // of the largest amount: less than this share counts as nothing

/** A weight of a head that is large enough for an arc. */
export interface Read {
  readonly head: number;
  readonly source: number;
  readonly target: number;
  readonly weight: number;
  readonly moves: boolean; // false: it brings next to nothing
}

/** Return the weights of a reader from `LEAST_ARC` on, head by head. */
export function readsOf(run: Run, block: number, reader: number): Read[] {
  const found = run.heads[block].flatMap(({ weights }, head) =>
    upTo(run.tokens.length)
      .map((source) => ({ head, source, target: reader, weight: cell(weights, reader, source) }))
      .filter(({ weight }) => Math.abs(weight) >= LEAST_ARC)
      .map((read) => ({ ...read, amount: amountBrought(run, block, read) })),
  );
  const most = Math.max(0, ...found.map(({ amount }) => amount));
  return found.map(({ amount, ...read }) => ({ ...read, moves: amount > NEXT_TO_NOTHING * most }));
}

/** Return every weight of a head that is not 0: for a head that reads so many positions that none has an arc. */
export function fanOf(run: Run, block: number, head: number, reader: number): Read[] {
  return upTo(run.tokens.length)
    .map((source) => ({ head, source, target: reader, weight: cell(run.heads[block][head].weights, reader, source) }))
    .filter(({ weight }) => weight !== 0)
    .map((read) => ({ ...read, moves: amountBrought(run, block, read) > 0 }));
}

/** Return how much a weight brings: the amounts of all lanes, without their signs. */
function amountBrought(run: Run, block: number, { head, source, target, weight }: Omit<Read, "moves">): number {
  const { W_O } = run.model.blocks[block].attention!.heads[head];
  const value = rowOf(valuesFor(run, block, head, target), source);
  let sum = 0;
  for (let lane = 0; lane < W_O.rows; lane++) {
    let amount = 0;
    for (let k = 0; k < W_O.columns; k++) amount += cell(W_O, lane, k) * value[k];
    sum += Math.abs(amount * weight);
  }
  return sum;
}

/** Return how much a head adds to the stream at a position: the amounts of all lanes, without their signs. */
export function amountWritten(run: Run, block: number, head: number, position: number): number {
  return rowOf(run.heads[block][head].output, position).reduce((sum, amount) => sum + Math.abs(amount), 0);
}

/** Return how much a head adds to the stream at all positions together. */
export function amountWrittenAnywhere(run: Run, block: number, head: number): number {
  return run.heads[block][head].output.values.reduce((sum, amount) => sum + Math.abs(amount), 0);
}

/** Return the heads of a block, those that add most to the stream first: at a position, or anywhere. */
export function headsByAmount(run: Run, block: number, position: number | null = null): number[] {
  const amounts = run.heads[block].map((_, head) =>
    position === null ? amountWrittenAnywhere(run, block, head) : amountWritten(run, block, head, position),
  );
  return upTo(amounts.length).sort((one, other) => amounts[other] - amounts[one] || one - other);
}

/** Return the heads that wrote a cell of the stream, the largest amount first; none after other sublayers. */
export function headsThatWrote(run: Run, stage: number, position: number, lane: number): readonly number[] {
  const { kind, block } = run.stages[stage];
  if (kind !== "attention") return NOBODY;
  const heads = run.heads[block];
  if (heads.length === 1) return cell(heads[0].output, position, lane) === 0 ? NOBODY : FIRST;
  const sizes = heads.map(({ output }) => Math.abs(cell(output, position, lane)));
  const least = NEXT_TO_NOTHING * Math.max(...sizes);
  return upTo(heads.length)
    .filter((head) => sizes[head] > least)
    .sort((one, other) => sizes[other] - sizes[one]);
}
const NOBODY: readonly number[] = [];
const FIRST: readonly number[] = [0];

/** Return the head to look at: the chosen one, or that which adds most at a position. */
export function headToShow(run: Run, block: number, chosen: number | null, position: number): number {
  return chosen !== null && chosen < run.heads[block].length ? chosen : headsByAmount(run, block, position)[0];
}
