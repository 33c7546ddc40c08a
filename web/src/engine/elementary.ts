/** Functions that are not rational, rounded correctly: always the member nearest to the exact real value. */

import type { Arithmetic } from "./arithmetic";
import { ENCLOSED, type Enclosed, nearestTo } from "./exact";

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
  return nearestTo(A, near * (1 - DOUBT), near * (1 + DOUBT), (bits) => enclosed(name, x, bits));
}

const known = new Map<string, Enclosed>(); // a run asks for the same ones again and again
const MOST_KNOWN = 1 << 14;

function enclosed(name: Elementary, x: number, bits: number): Enclosed {
  const key = `${name} ${x} ${bits}`;
  const found = known.get(key) ?? ENCLOSED[name](x, bits);
  if (known.size < MOST_KNOWN) known.set(key, found);
  return found;
}
