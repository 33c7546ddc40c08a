/** One attention head: scores, weights, and the weighted sum of values. */

import type { Arithmetic } from "./arithmetic";
import { elementary } from "./elementary";
import { finite, overflow } from "./layers";
import { below, matrix, product, transposed } from "./matrix";
import { offset, penalties, rotated } from "./positions";
import type { AttentionPositions, Head, HeadRun, Matrix, Weighting } from "./types";
import { EngineError, general } from "./words";

/** Which head this is: its place among those of its block, and how messages name it. */
export interface Place {
  readonly head: number;
  readonly heads: number;
  readonly name: string;
}

/** The keys and values of a head at the positions before those that are run. */
export interface HeadPast {
  readonly keys: Matrix;
  readonly values: Matrix;
}

/**
 * Run one head on a stream (positions × lanes), which follows a scheme of positions. With a past, the stream has only
 * the positions after it, and so do the rows of the result; the columns of scores and weights are all positions.
 */
export function runHead(
  A: Arithmetic,
  head: Head,
  scheme: AttentionPositions | null,
  causal: boolean,
  h: Matrix,
  at: Place,
  past: HeadPast | null = null,
): HeadRun {
  const first = past?.keys.rows ?? 0;
  let q = product(A, head.W_Q, h, head.b_Q);
  let k = product(A, head.W_K, h, head.b_K);
  let v = product(A, head.W_V, h, head.b_V);
  if (scheme?.kind === "Rotary") [q, k] = [rotated(A, scheme, q, first), rotated(A, scheme, k, first)];
  if (past) [k, v] = [below(past.keys, k), below(past.values, v)];
  const sights = Array.from({ length: h.rows }, (_, i) => sightOf(head, causal, first + i, k.rows));
  const scores = finite(A, scored(A, scheme, sights, q, k, at), at.name);
  const { weights, empty } = weighed(A, head.weighting, scores, sights, at.name);
  const offsets = scheme?.kind === "Relative" ? scheme.values : null;
  const mixed = taken(A, weights, v, offsets, sights);
  return { scores, weights, empty, keys: k, values: v, mixed, output: product(A, head.W_O, mixed) };
}

/** The positions that a reader sees: from `first` up to `end`, which is none of them. */
export interface Sight {
  readonly first: number;
  readonly end: number;
}

/**
 * Return what a reader sees in a head. A strict one sees, under any mask, only earlier positions; one with a window none
 * that is `window` or more before the reader.
 */
export function sightOf({ strict, window }: Head, causal: boolean, reader: number, positions: number): Sight {
  const first = window === null ? 0 : Math.max(0, reader - window + 1);
  return { first, end: strict ? reader : causal ? reader + 1 : positions };
}

/** Return ⟨q_i, k_j⟩ for the visible j, as the scheme says. There may be more keys than queries: these are the last. */
function scored(
  A: Arithmetic,
  scheme: AttentionPositions | null,
  sights: readonly Sight[],
  q: Matrix,
  k: Matrix,
  at: Place,
): Matrix {
  const n = k.rows;
  const first = n - q.rows;
  const result = matrix(q.rows, n);
  const away = scheme?.kind === "Alibi" ? penalties(A, scheme, at, n) : null;
  const offsets = scheme?.kind === "Relative" ? scheme.keys : null;
  const keys = transposed(k).values;
  const met = new Float64Array(k.columns);
  for (let i = 0; i < q.rows; i++) {
    const { first: from, end } = sights[i];
    if (offsets) {
      for (let j = from; j < end; j++) {
        offset(A, k, j, offsets, first + i - j, met);
        for (let c = 0; c < k.columns; c++) keys[c * n + j] = met[c];
      }
    }
    const row = result.values.subarray(i * n + from, i * n + end);
    for (let c = 0; c < q.columns; c++) {
      const query = q.values[i * q.columns + c];
      if (query !== 0 || A.native) A.accumulate(row, query, keys, c * n + from, row.length);
    }
    for (let j = 0; j < row.length; j++) {
      row[j] = away ? A.nearestSum(row[j] + away[Math.abs(first + i - from - j)]) : row[j] + 0;
    }
  }
  return result;
}

/** Turn each row of scores into weights on the visible positions, and list the rows with an empty softmax. */
function weighed(
  A: Arithmetic,
  weighting: Weighting,
  scores: Matrix,
  sights: readonly Sight[],
  name: string,
): { weights: Matrix; empty: boolean[] } {
  const n = scores.columns;
  const weights = matrix(scores.rows, n);
  const empty: boolean[] = [];
  const tops: number[] = [];
  for (let i = 0; i < scores.rows; i++) {
    const { first, end } = sights[i];
    const seen = end - first;
    const row = scores.values.subarray(i * n + first, i * n + end);
    const into = weights.values.subarray(i * n + first, i * n + end);
    tops.push(row.reduce((most, x) => (x > most ? x : most), -Infinity));
    if (weighting.kind === "Softmax") {
      const z = exponentials(A, row, into, weighting.shifted ? tops[i] : null);
      if (!Number.isFinite(z)) throw overflow(A, name);
      empty.push(z === 0);
      for (let j = 0; j < seen; j++) {
        into[j] = z === 0 ? (weighting.empty === "uniform" ? A.nearest(1 / seen) : 0) : A.nearest(into[j] / z);
      }
    } else {
      empty.push(false);
      if (seen > 0) choose(A, weighting.kind, row, into, tops[i]);
    }
  }
  const at = empty.indexOf(true);
  if (at >= 0 && weighting.kind === "Softmax" && weighting.empty === "error") {
    const position = n - scores.rows + at; // rows begin after the past
    if (sights[at].first === sights[at].end) {
      throw new EngineError(
        `${name}, position ${position}: a strict head sees only what is before, and here that is nothing; write ` +
          "Softmax(empty='zero'), for no attention there",
      );
    }
    throw new EngineError(
      `${name}, position ${position}: every exp(score) rounds to 0 in ${A.text}, the largest score is ` +
        `${general(tops[at])}; write Softmax(shifted=True), or Softmax(empty='zero') or Softmax(empty='uniform') ` +
        "to say what is meant",
    );
  }
  return { weights, empty };
}

/** Write the exponentials of scores, less the largest if that is given, and return their sum. */
function exponentials(A: Arithmetic, row: Float64Array, into: Float64Array, top: number | null): number {
  let z = 0;
  for (let j = 0; j < row.length; j++) {
    into[j] = elementary(A, "exp", top === null ? row[j] : A.nearestSum(row[j] - top));
    z = A.nearestSum(z + into[j]);
  }
  return z;
}

/** Write the weights of hard attention: on the largest scores, or on the first or the last of them. */
function choose(A: Arithmetic, kind: string, row: Float64Array, into: Float64Array, top: number): void {
  if (kind === "LeftmostHard") into[row.indexOf(top)] = A.round(1);
  else if (kind === "RightmostHard") into[row.lastIndexOf(top)] = A.round(1);
  else {
    const part = A.round(1 / row.reduce((count, x) => count + (x === top ? 1 : 0), 0));
    for (let j = 0; j < row.length; j++) if (row[j] === top) into[j] = part;
  }
}

/** Return Σ_j weight_ij ⊗ v_j, where a table may add to the values by distance. */
function taken(A: Arithmetic, weights: Matrix, v: Matrix, offsets: Matrix | null, sights: readonly Sight[]): Matrix {
  const n = weights.columns;
  const first = n - weights.rows;
  const result = matrix(weights.rows, v.columns);
  const met = new Float64Array(v.columns);
  for (let i = 0; i < weights.rows; i++) {
    const row = result.values.subarray(i * v.columns, (i + 1) * v.columns);
    for (let j = sights[i].first; j < sights[i].end; j++) {
      const weight = weights.values[i * n + j];
      if (weight === 0 && !A.native) continue;
      if (offsets) offset(A, v, j, offsets, first + i - j, met);
      if (offsets) A.accumulate(row, weight, met, 0, v.columns);
      else A.accumulate(row, weight, v.values, j * v.columns, v.columns);
    }
    for (let c = 0; c < v.columns; c++) row[c] += 0; // there is no −0
  }
  return result;
}
