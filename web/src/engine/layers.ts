/** Norms and feed-forward layers, applied to each position separately. */

import type { Arithmetic } from "./arithmetic";
import { elementary } from "./elementary";
import { matrix, product } from "./matrix";
import { coveredLanes, normalise } from "./norms";
import { type Activation, type ActivationFunction, GATED, type Gated } from "./types";
import type { FeedForward, Matrix, Norm } from "./types";
import { EngineError, general } from "./words";

/** Return the values as they are, or refuse them where the machine's arithmetic overflowed. */
export function finite(A: Arithmetic, x: Matrix, name: string): Matrix {
  if (A.native && !x.values.every(Number.isFinite)) throw overflow(A, name);
  return x;
}

/** Return the refusal of a number that is not finite. */
export function overflow(A: Arithmetic, name: string): EngineError {
  return new EngineError(
    `${name}: ${A.text} overflowed; smaller weights or Softmax(shifted=True) avoid it, ` +
      "and a finite arithmetic such as Float.like('float16') saturates instead",
  );
}

/** Return the function that an activation is: that of its gate, where there is one. */
export function functionOf({ activation }: FeedForward): ActivationFunction {
  return isGated(activation) ? GATED[activation] : activation;
}

export const isGated = (activation: Activation): activation is Gated => Object.hasOwn(GATED, activation);

/** Return the activations, (positions × neurons): what W_2 reads. */
export function neurons(A: Arithmetic, layer: FeedForward, h: Matrix): Matrix {
  const result = product(A, layer.W_1, h, layer.b_1);
  const name = functionOf(layer);
  const z = result.values;
  if (name === "relu") for (let n = 0; n < z.length; n++) z[n] = z[n] > 0 || z[n] !== z[n] ? z[n] : 0;
  else for (let n = 0; n < z.length; n++) z[n] = elementary(A, name, z[n]);
  if (layer.W_3) {
    const gates = product(A, layer.W_3, h, layer.b_3).values;
    for (let n = 0; n < z.length; n++) z[n] = A.nearest(z[n] * gates[n]);
  }
  return result;
}

/** Return a stream, from position `first` on, after a norm; lanes outside it pass unchanged. */
export function normed(
  A: Arithmetic,
  norm: Norm | null,
  h: Matrix,
  lanes: readonly string[],
  name: string,
  first = 0,
): Matrix {
  if (norm === null) return h;
  const covered = coveredLanes(norm, lanes);
  const result = { ...h, values: h.values.slice() };
  const x = new Float64Array(covered.length);
  const roots = matrix(h.rows, 1).values;
  for (let t = 0; t < h.rows; t++) {
    const row = t * h.columns;
    for (let n = 0; n < x.length; n++) x[n] = h.values[row + covered[n]];
    roots[t] = normalise(A, norm, x);
    if (!Number.isFinite(roots[t])) throw overflow(A, name);
    for (let n = 0; n < x.length; n++) result.values[row + covered[n]] = x[n];
  }
  const t = roots.indexOf(0);
  if (t >= 0) {
    throw new EngineError(
      `${name}: the square root is 0 at position ${first + t}, because the mean square and eps=${general(norm.eps)} are 0 in ` +
        `${A.text}; write an eps of at least ${general(A.smallest)}`,
    );
  }
  return result;
}
