/** What heads moved: from which position to which, with which weight and score, and into which lanes. */

import type { HeadRun, Matrix, Run } from "../../engine";
import { cell, rowOf, upTo } from "./cells";
import { headsByAmount } from "./reads";
import { attentionStage, readBy, valueOffsets, valuesFor } from "./reading";

/** What a head took from one position and added to another. */
export interface Move {
  readonly block: number;
  readonly head: number;
  readonly source: number;
  readonly target: number;
  readonly weight: number;
  readonly score: number;
  /** By lane, what it would add with weight 1. Not rounded: what the stream took in, its differences say. */
  readonly unweighted: Float64Array;
}

/** A lane and an amount. */
export interface Amount {
  readonly lane: number;
  readonly amount: number;
}

/** Return what a head moved, for each pair of positions with a weight that is not 0, by target and then by source. */
export function movesOf(run: Run, block: number, head: number, targets = upTo(run.tokens.length)): Move[] {
  const { weights, scores } = run.heads[block][head];
  return targets.flatMap((target) => {
    const adds = added(run, block, head, target);
    return upTo(run.tokens.length)
      .filter((source) => cell(weights, target, source) !== 0)
      .map((source) => ({
        block,
        head,
        source,
        target,
        weight: cell(weights, target, source),
        score: cell(scores, target, source),
        unweighted: rowOf(adds, source),
      }));
  });
}

const known = new WeakMap<HeadRun, Matrix>(); // what positions add, where it is the same for every target

/** Return what every position would add to a target with weight 1, (positions × lanes): its value through W_O. */
function added(run: Run, block: number, head: number, target: number): Matrix {
  const { W_O } = run.model.blocks[block].attention!.heads[head];
  if (valueOffsets(run, block, head) !== null) return timesTransposed(valuesFor(run, block, head, target), W_O);
  const one = run.heads[block][head];
  const found = known.get(one) ?? timesTransposed(one.values, W_O);
  known.set(one, found);
  return found;
}

/** Return A · Bᵀ, summed in the machine's arithmetic. */
export function timesTransposed(A: Matrix, B: Matrix): Matrix {
  const values = new Float64Array(A.rows * B.rows);
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < B.rows; j++) {
      let sum = 0;
      for (let k = 0; k < A.columns; k++) sum += A.values[i * A.columns + k] * B.values[j * B.columns + k];
      values[i * B.rows + j] = sum;
    }
  }
  return { rows: A.rows, columns: B.rows, values };
}

/** Return the lanes that a move adds to, in their order, with the amounts: weight · W_O · value, not rounded. */
export function lanesMoved(move: Move): Amount[] {
  return upTo(move.unweighted.length)
    .map((lane) => ({ lane, amount: move.weight * move.unweighted[lane] }))
    .filter(({ amount }) => amount !== 0);
}

/** Say whether a move brought anything: a head may attend to a position that has nothing for it. */
export function bringsSomething(move: Move): boolean {
  return move.unweighted.some((amount) => move.weight * amount !== 0);
}

/** What went from one lane of the source into one of the target. */
export interface Path {
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

/** Return what went from which lane to which, the largest first; what biases and positions add is left out. */
export function pathsOf(run: Run, move: Move): Path[] {
  const { W_O, W_V } = run.model.blocks[move.block].attention!.heads[move.head];
  const read = rowOf(readBy(run, attentionStage(move.block)), move.source);
  const paths: Path[] = [];
  for (let to = 0; to < W_O.rows; to++) {
    for (let from = 0; from < W_V.columns; from++) {
      if (read[from] === 0) continue;
      let through = 0;
      for (let k = 0; k < W_O.columns; k++) through += cell(W_O, to, k) * cell(W_V, k, from);
      const amount = move.weight * through * read[from];
      if (amount !== 0) paths.push({ from, to, amount });
    }
  }
  return paths.sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
}

const takenIn = new WeakMap<HeadRun, readonly number[]>();

/** Return how much each position takes in through a head: the amounts of all lanes, without their signs. */
function amountsTakenIn(run: Run, block: number, head: number): readonly number[] {
  const one = run.heads[block][head];
  const amounts = takenIn.get(one) ?? sumsTakenIn(run, block, head);
  takenIn.set(one, amounts);
  return amounts;
}

function sumsTakenIn(run: Run, block: number, head: number): number[] {
  const { weights } = run.heads[block][head];
  const sizes = new Map<Matrix, Float64Array>(); // by source: mostly they are the same for every target
  return upTo(run.tokens.length).map((target) => {
    const adds = added(run, block, head, target);
    const bySource = sizes.get(adds) ?? Float64Array.from(upTo(adds.rows), (source) => sizeOf(rowOf(adds, source)));
    sizes.set(adds, bySource);
    return bySource.reduce((sum, size, source) => sum + size * Math.abs(cell(weights, target, source)), 0);
  });
}

function sizeOf(amounts: Float64Array): number {
  return amounts.reduce((sum, amount) => sum + Math.abs(amount), 0);
}

/** Return the positions that take something in through any head of a block. */
export function positionsThatRead(run: Run, block: number): number[] {
  const amounts = upTo(run.heads[block].length).map((head) => amountsTakenIn(run, block, head));
  return upTo(run.tokens.length).filter((position) => amounts.some((head) => head[position] > 0));
}

const MOST_TOGETHER = 4; // up to 4 heads are shown together; of more, the one that moved most

/** Return the heads of a block in view: the chosen one, or all up to four, or the one that moved most, at a position or anywhere. */
export function headsInView(run: Run, block: number, chosen: number | null, position: number | null = null): number[] {
  const heads = upTo(run.heads[block].length);
  if (chosen !== null && chosen < heads.length) return [chosen];
  if (heads.length <= MOST_TOGETHER) return heads;
  return headsByAmount(run, block, position).slice(0, 1);
}
