/** One position through a norm, and every number on the way. */

import type { Arithmetic } from "./arithmetic";
import type { Norm } from "./types";

/** What a norm computes at one position. The arrays have an entry for each lane that the norm covers. */
export interface NormSteps {
  readonly norm: Norm;
  readonly covered: readonly number[]; // its lanes, as places in the stream
  readonly before: Float64Array;
  readonly sums: Float64Array; // of the values so far; none for RMSNorm
  readonly mean: number | null; // null for RMSNorm
  readonly centred: Float64Array; // less the mean; as before for RMSNorm
  readonly squares: Float64Array;
  readonly squareSums: Float64Array; // of the squares so far
  readonly count: number; // of the lanes, rounded to a member
  readonly spread: number; // the mean square
  readonly eps: number; // rounded to a member
  readonly root: number; // √(spread + eps): σ, or the root mean square
  readonly divided: Float64Array; // over the root
  readonly after: Float64Array; // times the gain, plus the bias
}

/** Takes numbers on the way. */
export type Note = (moment: "mean" | "spread" | "root" | "divided", values: Float64Array | number) => void;

const unnoted: Note = () => undefined;

/** Return the places of the lanes that a norm covers. */
export function coveredLanes(norm: Norm, lanes: readonly string[]): number[] {
  const place = new Map(lanes.map((lane, j) => [lane, j]));
  return (norm.lanes ?? lanes).map((lane) => place.get(lane) as number);
}

/** Normalise the values of one position where they stand; return the root, which is 0 or not finite where it fails. */
export function normalise(A: Arithmetic, norm: Norm, x: Float64Array, note: Note = unnoted): number {
  const [m, eps] = [A.round(x.length), A.round(norm.eps)];
  if (norm.kind === "LayerNorm") {
    let total = 0;
    for (let n = 0; n < x.length; n++) total = A.nearestSum(total + x[n]);
    const mean = A.nearest(total / m);
    for (let n = 0; n < x.length; n++) x[n] = A.nearestSum(x[n] - mean);
    note("mean", mean);
  }
  let spread = 0;
  for (let n = 0; n < x.length; n++) spread = A.nearestSum(spread + A.nearest(x[n] * x[n]));
  spread = A.nearest(spread / m);
  note("spread", spread);
  if (!Number.isFinite(spread)) return spread;
  const root = A.nearest(Math.sqrt(A.nearestSum(spread + eps)));
  note("root", root);
  for (let n = 0; n < x.length; n++) x[n] = A.nearest(x[n] / root);
  note("divided", x);
  for (let n = 0; norm.gain && n < x.length; n++) x[n] = A.nearest(x[n] * norm.gain[n]);
  for (let n = 0; norm.bias && n < x.length; n++) x[n] = A.nearestSum(x[n] + norm.bias[n]);
  return root;
}

/** Return every number on the way of one position, a row of the stream, through a norm that runs there. */
export function normSteps(A: Arithmetic, norm: Norm, row: Float64Array, lanes: readonly string[]): NormSteps {
  const covered = coveredLanes(norm, lanes);
  const before = Float64Array.from(covered, (lane) => row[lane]);
  const after = before.slice();
  const found: { mean: number | null; spread: number; root: number; divided: Float64Array } = {
    ...{ mean: null, spread: 0, root: 0, divided: before },
  };
  normalise(A, norm, after, (moment, value) => {
    if (typeof value !== "number") found.divided = value.slice();
    else if (moment !== "divided") found[moment] = value;
  });
  const { mean } = found;
  const centred = mean === null ? before : before.map((x) => A.nearestSum(x - mean));
  const squares = centred.map((x) => A.nearest(x * x));
  const sums = mean === null ? new Float64Array(0) : sumsSoFar(A, before);
  return {
    ...{ norm, covered, before, sums, centred, squares, squareSums: sumsSoFar(A, squares), after, ...found },
    ...{ count: A.round(covered.length), eps: A.round(norm.eps) },
  };
}

function sumsSoFar(A: Arithmetic, values: Float64Array): Float64Array {
  let total = 0;
  return values.map((x) => (total = A.nearestSum(total + x)));
}
