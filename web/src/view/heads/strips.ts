/** Weights as strips: what is written in a cell. */

import type { Numbers } from "../facts/numbers";

const LEAST_WRITTEN = 0.1;

/** Return a weight in few letters: ".93", "1"; "" for a small one, whose colour says enough. */
export function weightText(weight: number, numbers: Numbers): string {
  if (Math.abs(weight) < LEAST_WRITTEN) return "";
  if (weight < 0 || weight > 1) return numbers.short(weight);
  return weight >= 0.995 ? "1" : weight.toFixed(2).slice(1);
}
