/** Numbers that people type into a cell: read, and rounded into the model's arithmetic, which is said. */

import type { Model } from "../../engine";
import { MINUS } from "../facts/numbers";

export type Read =
  | { readonly value: number; readonly note: string } // the note says what was rounded; "" where nothing was
  | { readonly value: null; readonly note: string }; // the note says what is wrong

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?$/i;
const INFINITE = /^([+-]?)(∞|inf|infinity)$/i;

/** Return the number in a text. */
export function readValue({ arithmetic: A }: Model, typed: string): Read {
  const text = typed.trim();
  const plain = text.replaceAll(MINUS, "-");
  const infinite = INFINITE.exec(plain);
  if (infinite !== null) {
    if (A.native) return { value: null, note: `${A.text} has no ∞ to compute with: write a number.` };
    return { value: infinite[1] === "-" ? -A.infinity : A.infinity, note: "" };
  }
  if (!NUMBER.test(plain)) {
    const hint = /^[+-]?\d+,\d+$/.test(plain) ? plain.replace(",", ".") : `0.5 or ${MINUS}2`;
    const given = text === "" ? "An empty field" : `“${text.slice(0, 40)}”`;
    return { value: null, note: `${given} is not a number: write one, such as ${hint}.` };
  }
  const wanted = Number(plain);
  const value = A.round(wanted);
  if (Math.abs(wanted) > A.infinity) {
    const end = A.native ? `the largest number of ${A.text}` : `∞ of ${A.text}`;
    return { value, note: `${text} is beyond ${end}: ${proper(value)} is used.` };
  }
  if (value === wanted) return { value, note: "" };
  return { value, note: `${text} is not a number of ${A.text}: the nearest, ${proper(value)}, is used.` };
}

/** Return a number as the field shows it. */
export const proper = (value: number): string => String(value).replaceAll("-", MINUS);

/** The slider of a value: from, to, and the least step. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Return the range of a slider that reaches 0, 1 and the values that the lane has, with room beyond. */
export function rangeOf({ arithmetic: A }: Model, values: readonly number[]): Range {
  const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
  const [from, to] = [low < 0 ? 1.5 * Math.min(low, -1) : 0, 1.5 * high].map((end) => A.round(end));
  const fine = 10 ** Math.floor(Math.log10((to - from) / 100));
  return { from, to, step: A.fixed ? Math.max(A.smallest, Math.round(fine / A.smallest) * A.smallest) : fine };
}
