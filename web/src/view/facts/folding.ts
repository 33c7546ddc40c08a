/** Sums as the engine folds them: every product and every partial sum, with what rounding did to it. */

import type { Matrix, Model } from "../../engine";
import { cell } from "./cells";

type Arithmetic = Model["arithmetic"];

/** What happened to an exact result: nothing, it was rounded, or it was beyond ∞. The machine's rounding is not told. */
export type Cut = "exact" | "rounded" | "saturated";

/** The result of one operation, and what happened to the exact one. */
export interface Result {
  readonly value: number;
  readonly cut: Cut;
}

/** Return a ⊗ b. */
export function times(A: Arithmetic, a: number, b: number): Result {
  const exact = a * b; // float64 holds the product of two members
  const value = A.nearest(exact);
  return { value, cut: cutOf(A, exact, value !== exact) };
}

/** Return a ⊕ b. */
export function plus(A: Arithmetic, a: number, b: number): Result {
  const near = a + b;
  const value = A.nearestSum(near) + 0;
  const back = near - a; // Knuth: what float64 lost of the exact sum
  const lost = a - (near - back) + (b - back);
  return { value, cut: cutOf(A, near, value !== near || lost !== 0) };
}

function cutOf(A: Arithmetic, exact: number, differs: boolean): Cut {
  if (A.native || !differs) return "exact";
  return Math.abs(exact) > A.infinity ? "saturated" : "rounded";
}

/** One term of a sum: weight ⊗ value, and the sum up to it. */
export interface Term {
  readonly place: number; // of the lane, neuron or head lane
  readonly weight: number;
  readonly value: number;
  readonly product: Result;
  readonly sum: Result;
}

/** A sum of products in index order, with a bias at the end. Terms with weight 0 add nothing and are left out. */
export interface Sum {
  readonly terms: readonly Term[];
  readonly dot: number; // of all terms
  readonly bias: number | null;
  readonly result: Result;
}

/** Return Σ weight ⊗ value ⊕ bias, term by term. */
export function folded(
  A: Arithmetic,
  weights: ArrayLike<number>,
  values: ArrayLike<number>,
  bias: number | null = null,
): Sum {
  const terms: Term[] = [];
  let sum = 0;
  for (let place = 0; place < weights.length; place++) {
    const [weight, value] = [weights[place], values[place]];
    if (weight === 0) continue;
    const product = times(A, weight, value);
    const next = plus(A, sum, product.value);
    sum = next.value;
    terms.push({ place, weight, value, product, sum: next });
  }
  const result: Result = bias === null ? { value: sum, cut: "exact" } : plus(A, sum, bias);
  return { terms, dot: sum, bias, result };
}

/** Return row r of W x ⊕ b, term by term. */
export function rowSum(A: Arithmetic, W: Matrix, r: number, x: Float64Array, b: Float64Array | null): Sum {
  return folded(A, W.values.subarray(r * W.columns, (r + 1) * W.columns), x, b === null ? null : b[r]);
}

/** Return column c of a matrix as weights. */
export function columnWeights(W: Matrix, column: number): Float64Array {
  return Float64Array.from({ length: W.rows }, (_, row) => cell(W, row, column));
}

/** Say whether anything was rounded or cut on the way of a sum. */
export function wasCut({ terms, result }: Sum): boolean {
  return result.cut !== "exact" || terms.some(({ product, sum }) => product.cut !== "exact" || sum.cut !== "exact");
}
