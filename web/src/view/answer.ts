/** The decision in a few words: how clear it is. */

import type { Margin } from "./facts/lens";
import type { Numbers } from "./facts/numbers";

/** Return "ahead by 3.47", "∞ against 0", "tie: the first class wins"; "" where there is only one class. */
export function decidedBy(logits: Float64Array, margin: Margin, numbers: Numbers): string {
  if (margin.second === null) return "";
  if (margin.tied > 1) return "tie: the first class wins";
  const [first, second] = [logits[margin.first], logits[margin.second]];
  if (numbers.isInfinite(first) || numbers.isInfinite(second))
    return `${numbers.short(first)} against ${numbers.short(second)}`;
  return `ahead by ${numbers.short(margin.by)}`;
}
