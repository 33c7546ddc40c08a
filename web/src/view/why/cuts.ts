/** How rounding is shown beside a number. */

import type { Cut, Result } from "../facts/folding";
import type { Numbers } from "../facts/numbers";

/** The mark beside a number that is not the exact result: "≈" where it was rounded, "cut" where it was beyond ∞. */
export const MARKS: Record<Cut, string> = { exact: "", rounded: "≈", saturated: "cut" };

/** Return what the marks mean, of those that occur; "" where none does. */
export function legendOf(cuts: Iterable<Cut>, numbers: Numbers): string {
  const found = new Set(cuts);
  const parts = [
    ...(found.has("rounded") ? ["≈ rounded"] : []),
    ...(found.has("saturated") ? [`cut: beyond ∞ = ${numbers.infinity}, so it stays there`] : []),
  ];
  return parts.join("; ");
}

/** Return a number in full with what happened to it, for a tip. */
export function resultTitle({ value, cut }: Result, numbers: Numbers): string {
  const happened = { exact: "", rounded: " (rounded)", saturated: " (cut at ∞)" }[cut];
  return `${numbers.exact(value)}${happened}`;
}

/** Return a product as part of a written sum: " + 0.7 × 0.8", " − 0.2 × 0.1". */
export function writtenTerm(numbers: Numbers, value: number, weight: number, first: boolean): string {
  const minus = weight < 0;
  const sign = first ? (minus ? "−" : "") : minus ? " − " : " + ";
  const left = value < 0 ? `(${numbers.short(value)})` : numbers.short(value);
  return `${sign}${left} × ${numbers.short(Math.abs(weight))}`;
}
