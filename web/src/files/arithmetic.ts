/** The text forms of arithmetics. */

import { Arithmetic, type Sizes, type Ties } from "../engine/arithmetic";
import { refuse, shown } from "./refusal";

const MAX_PRECISION = 25; // bits that stay exact in a float64
const MAX_EXPONENT_BITS = 10;
const HARDWARE = new Map<string, Sizes>([
  ["float16", { precision: 11, least: -14, infinity: 65504, fixed: false }],
  ["bfloat16", { precision: 8, least: -126, infinity: 255 * 2 ** 120, fixed: false }],
  ["e4m3", { precision: 4, least: -6, infinity: 448, fixed: false }],
  ["e5m2", { precision: 3, least: -14, infinity: 57344, fixed: false }],
]);
const NATIVE = new Map<string, 32 | 64>([
  ["float32", 32],
  ["float64", 64],
]);
const TIES: readonly string[] = ["zero", "even", "away"];
const FORM =
  /^\s*([a-z0-9]+)\s*(?:\(\s*(?:([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*)?(?:(?:,|(?<=\())\s*ties\s*=\s*([a-z]+)\s*)?\)\s*)?$/;

/** Return the arithmetic of a text form: `fixed(4,4)`, `float(4,3,ties=even)`, `float16`, `float64`. */
export function parseArithmetic(given: unknown): Arithmetic {
  const match = typeof given === "string" && given.length <= 100 ? FORM.exec(given.toLowerCase()) : null;
  const found = match && read(match, (given as string).includes("("));
  return found ?? refuse("arithmetic", `no arithmetic of the page is called ${shown(given)}`);
}

function read([, name, first, second, rule]: RegExpExecArray, bracket: boolean): Arithmetic | null {
  const native = NATIVE.get(name);
  if (native !== undefined) return bracket ? null : new Arithmetic(name, native);
  const ties = rule ?? "zero";
  if (!TIES.includes(ties)) return null;
  const tieText = ties === "zero" ? "" : `ties=${ties}`;
  const format = HARDWARE.get(name);
  if (first === undefined)
    return format ? new Arithmetic(name + (tieText && `(${tieText})`), format, ties as Ties) : null;
  const [a, b] = [Number(first), Number(second)];
  const sizes = name === "fixed" ? fixed(a, b) : name === "float" ? float(a, b) : null;
  const text = `${name}(${[a, b, tieText].filter((part) => part !== "").join(",")})`;
  return sizes && new Arithmetic(text, sizes, ties as Ties);
}

function fixed(integer: number, fraction: number): Sizes | null {
  const precision = integer + fraction;
  if (precision < 1 || precision > MAX_PRECISION) return null;
  return { precision, least: integer - 1, infinity: (2 ** precision - 1) * 2 ** -fraction, fixed: true };
}

function float(exponent: number, precision: number): Sizes | null {
  if (exponent < 1 || exponent > MAX_EXPONENT_BITS || precision < 2 || precision > MAX_PRECISION) return null;
  const half = 2 ** (exponent - 1);
  return { precision, least: -half, infinity: (2 ** precision - 1) * 2 ** (half - precision), fixed: false };
}
