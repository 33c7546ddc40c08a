/** Functions that are not rational, rounded correctly: always the member nearest to the exact real value. */

import type { Arithmetic } from "./arithmetic";
import { ENCLOSED, nearestTo } from "./exact";

export type Elementary = "exp" | "gelu" | "gelu_tanh" | "silu";

const DOUBT = 2 ** -38; // the float64 results err by far less
const STEEP = Math.sqrt(2 / Math.PI);

/** Return the complementary error function in float64: by its series near 0, by its continued fraction far out. */
function erfc(x: number): number {
  if (x < -6) return 2;
  const bell = Math.exp(-x * x) / Math.sqrt(Math.PI);
  if (x < 2) {
    let term = 2 * x;
    let total = 0;
    for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(total); n += 2) {
      total += term;
      term *= (2 * x * x) / n;
    }
    return 1 - bell * total;
  }
  let rest = x;
  for (let n = 60; n > 0; n--) rest = x + n / 2 / rest;
  return bell / rest;
}

/** Return a function in float64. */
function close(name: Elementary, x: number): number {
  if (name === "exp") return Math.exp(x);
  if (name === "gelu") return 0.5 * x * erfc(-x / Math.SQRT2);
  return x / (1 + Math.exp(name === "silu" ? -x : -2 * STEEP * (x + 0.044715 * x * x * x)));
}

/** Return a function of a member, rounded once; in the machine's arithmetic, as float64 has it. */
export function elementary(A: Arithmetic, name: Elementary, x: number): number {
  if (x === 0) return name === "exp" ? A.nearest(1) : 0;
  const near = close(name, x);
  if (A.native) return A.nearest(near);
  const low = A.nearest(near * (1 - DOUBT));
  if (low === A.nearest(near * (1 + DOUBT))) return low;
  const key = name + x;
  const found = A.settled.get(key) ?? nearestTo(A, (bits) => ENCLOSED[name](x, bits));
  if (A.settled.size < 1 << 16) A.settled.set(key, found);
  return found;
}
