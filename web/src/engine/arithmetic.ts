/**
 * Number systems with their rounding. Members travel as float64, which is exact: a member has at most 25 bits, so a
 * product of two is exact, and rounding a sum, a quotient or a root in float64 first never changes the member that is
 * nearest to the exact result (the argument stands in `arithmetic/rounding.py` of the Python package).
 */

import { brief, EngineError } from "./words";

export type Ties = "zero" | "even" | "away";

interface Sizes {
  readonly precision: number; // bits of a significand
  readonly least: number; // the smallest exponent
  readonly infinity: number;
  readonly fixed: boolean;
}

const MAX_PRECISION = 25;
const MAX_EXPONENT_BITS = 10;
const HARDWARE = new Map<string, Sizes>([
  ["float16", { precision: 11, least: -14, infinity: 65504, fixed: false }],
  ["bfloat16", { precision: 8, least: -126, infinity: 255 * 2 ** 120, fixed: false }],
  ["e4m3", { precision: 4, least: -6, infinity: 448, fixed: false }],
  ["e5m2", { precision: 3, least: -14, infinity: 57344, fixed: false }],
]);

const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer); // little endian, as every machine that runs a browser

/** A number system: each operation is the exact real result, rounded once, with ties as `ties` says. */
export class Arithmetic {
  readonly infinity: number;
  readonly smallest: number;
  readonly native: 0 | 32 | 64; // bits of the machine's arithmetic; 0 for a finite one
  readonly fixed: boolean;
  readonly mode: number; // of ties: 0 to zero, 1 to even, 2 away from zero
  readonly halves: Float64Array; // half the distance between members, by the exponent in the bits of a float64
  readonly magics: Float64Array; // adding this and taking it away again leaves a multiple of that distance
  /**
   * A factor that moves a tie to where it goes, and nothing else across a midpoint: a product or a sum of two members
   * that is no tie is further from one than 2^−51 of itself.
   */
  readonly nudge: number;
  readonly settled = new Map<string, number>(); // functions of members that took more than float64 to round

  constructor(
    readonly text: string,
    sizes: Sizes | 32 | 64,
    ties: Ties = "zero",
  ) {
    this.native = typeof sizes === "number" ? sizes : 0;
    this.mode = ["zero", "even", "away"].indexOf(ties);
    this.nudge = [1 - 2 ** -52, 1, 1 + 2 ** -52][this.mode];
    this.halves = new Float64Array(this.native ? 0 : 2048);
    this.magics = new Float64Array(this.native ? 0 : 2048);
    if (typeof sizes === "number") {
      this.infinity = sizes === 64 ? Number.MAX_VALUE : (2 - 2 ** -23) * 2 ** 127;
      this.smallest = sizes === 64 ? Number.MIN_VALUE : 2 ** -149;
      this.fixed = false;
      return;
    }
    this.infinity = sizes.infinity;
    this.smallest = 2 ** (sizes.least - sizes.precision + 1);
    this.fixed = sizes.fixed;
    for (let bits = 0; bits < 2048; bits++) {
      const exponent = Math.min(Math.max(bits - 1023, sizes.least), 600) - sizes.precision + 1;
      const step = sizes.fixed ? this.smallest : 2 ** exponent;
      this.halves[bits] = step / 2;
      this.magics[bits] = step * MAGIC;
    }
  }

  /** Return the member nearest to x, which is not NaN. */
  nearest(x: number): number {
    if (this.native) return (this.native === 32 ? Math.fround(x) : x) + 0;
    if (x >= this.infinity) return this.infinity;
    if (x <= -this.infinity) return -this.infinity;
    scratch[0] = x;
    const place = (words[1] >>> 20) & 2047;
    const magic = this.magics[place];
    const even = x + magic - magic;
    const rest = x - even;
    const half = this.halves[place];
    return (rest === half || rest === -half ? tie(x, even, half, this.mode) : even) + 0; // + 0: there is no −0
  }

  /** Return the member nearest to a sum of two members: in fixed point it is one already, or beyond ∞. */
  nearestSum(x: number): number {
    if (!this.fixed) return this.nearest(x);
    return x > this.infinity ? this.infinity : x < -this.infinity ? -this.infinity : x;
  }

  /** Return the nearest member of a number that need not be the result of an operation; beyond ∞ it is ∞. */
  round(x: number): number {
    return this.nearest(Math.min(Math.max(x, -this.infinity), this.infinity));
  }

  /** Say whether a number is a member. */
  contains(x: number): boolean {
    return Number.isFinite(x) && this.nearest(x) === x;
  }

  /**
   * Add weight ⊗ value to each total, for a row of values from a place on: totals[n] ⊕ weight ⊗ values[from + n]. A
   * sum is a left fold, so this is called once for each of its terms, in their order; a weight 0 may be left out in a
   * finite arithmetic, since adding 0 and multiplying by 0 change nothing.
   */
  accumulate(totals: Float64Array, weight: number, values: Float64Array, from: number, count: number): void {
    if (this.native) this.accumulateNative(totals, weight, values, from, count);
    else if (this.fixed) this.accumulateFixed(totals, weight, values, from, count);
    else this.accumulateFloat(totals, weight, values, from, count);
  }

  private accumulateNative(totals: Float64Array, weight: number, values: Float64Array, from: number, count: number) {
    if (this.native === 64) for (let n = 0; n < count; n++) totals[n] += weight * values[from + n];
    else {
      for (let n = 0; n < count; n++) totals[n] = Math.fround(totals[n] + Math.fround(weight * values[from + n]));
    }
  }

  /** Without a branch, which a processor would often guess wrong: (|x + ∞| − |x − ∞|) / 2 is x, kept within ±∞. */
  private accumulateFixed(totals: Float64Array, weight: number, values: Float64Array, from: number, count: number) {
    const { infinity, nudge } = this;
    const magic = this.magics[0];
    for (let n = 0; n < count; n++) {
      const product = weight * values[from + n] * nudge + magic - magic;
      const total = totals[n] + (Math.abs(product + infinity) - Math.abs(product - infinity)) / 2;
      totals[n] = (Math.abs(total + infinity) - Math.abs(total - infinity)) / 2;
    }
  }

  private accumulateFloat(totals: Float64Array, weight: number, values: Float64Array, from: number, count: number) {
    const { infinity, nudge, magics } = this;
    for (let n = 0; n < count; n++) {
      let x = weight * values[from + n] * nudge;
      scratch[0] = x;
      let magic = magics[(words[1] >>> 20) & 2047];
      x = x + magic - magic;
      x = ((x > infinity ? infinity : x < -infinity ? -infinity : x) + totals[n]) * nudge;
      scratch[0] = x;
      magic = magics[(words[1] >>> 20) & 2047];
      x = x + magic - magic;
      totals[n] = x > infinity ? infinity : x < -infinity ? -infinity : x;
    }
  }
}

const MAGIC = 1.5 * 2 ** 52;

/** Return what a tie x goes to: towards zero (0), to the even neighbour, which is known (1), or away from zero (2). */
function tie(x: number, even: number, half: number, mode: number): number {
  if (mode === 1) return even;
  return x > 0 === (mode === 2) ? x + half : x - half;
}

const FORM =
  /^\s*([a-z0-9]+)\s*(?:\(\s*(?:([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*)?(?:(?:,|(?<=\())\s*ties\s*=\s*([a-z]+)\s*)?\)\s*)?$/;
const known = new Map<string, Arithmetic>();

/** Return the arithmetic of a text form: `fixed(4,4)`, `float(4,3,ties=even)`, `float16`, `float64`. */
export function parseArithmetic(given: unknown): Arithmetic {
  const before = typeof given === "string" ? known.get(given) : undefined;
  if (before) return before;
  const match = typeof given === "string" && given.length <= 100 ? FORM.exec(given.toLowerCase()) : null;
  const found = match && read(match, (given as string).includes("("));
  if (!found) {
    const formats = [...HARDWARE.keys()].join(", ");
    throw new EngineError(
      `${brief(given, 120)} is not an arithmetic: write fixed(4,4), float(4,3), one of ${formats} (each also with ` +
        "ties=even or ties=away, as in fixed(4,4,ties=even)), float32 or float64",
    );
  }
  if (!known.has(found.text)) known.set(found.text, found);
  return known.get(found.text) ?? found;
}

function read([, name, first, second, rule]: RegExpExecArray, bracket: boolean): Arithmetic | null {
  const ties = (rule ?? "zero") as Ties;
  const a = Number(first);
  const b = Number(second);
  const sized = first !== undefined;
  const tieText = ties === "zero" ? "" : `ties=${ties}`;
  if ((sized && ["fixed", "float", "twos"].includes(name)) || (!sized && HARDWARE.has(name))) {
    if (!["zero", "even", "away"].includes(ties)) {
      throw new EngineError(`ties=${brief(ties)} is not a tie rule: write one of zero, even, away`);
    }
  }
  const text = `${name}(${[String(a), String(b), tieText].filter(Boolean).join(",")})`;
  if (sized && name === "float") {
    whole("exponent_bits", a, "Float", 1, MAX_EXPONENT_BITS);
    whole("significand_bits", b, "Float", 2, MAX_PRECISION);
    const infinity = (2 ** b - 1) * 2 ** (2 ** (a - 1) - b);
    return new Arithmetic(text, { precision: b, least: -(2 ** (a - 1)), infinity, fixed: false }, ties);
  }
  if (sized && (name === "fixed" || name === "twos")) {
    const kind = name === "fixed" ? "Fixed" : "TwosComplement";
    whole("integer_bits", a, kind, 0, MAX_PRECISION);
    whole("fraction_bits", b, kind, 0, MAX_PRECISION);
    if (a + b < 1 || a + b > MAX_PRECISION) {
      throw new EngineError(
        `${text} has ${a + b} bits besides the sign: between 1 and ${MAX_PRECISION} are exact in a float64 carrier, ` +
          "wider systems are not",
      );
    }
    if (name === "twos") {
      throw new EngineError(`${text} is not symmetric about 0, so no transformer runs in it: write Fixed(…)`);
    }
    const infinity = (2 ** (a + b) - 1) * 2 ** -b;
    return new Arithmetic(text, { precision: a + b, least: a - 1, infinity, fixed: true }, ties);
  }
  const format = HARDWARE.get(name);
  if (format && !sized) return new Arithmetic(name + (tieText && `(${tieText})`), format, ties);
  if (name === "float32" && !bracket) return new Arithmetic(name, 32);
  return name === "float64" && !bracket ? new Arithmetic(name, 64) : null;
}

function whole(name: string, value: number, kind: string, least: number, most: number): void {
  if (value >= least && value <= most) return;
  throw new EngineError(
    `${name}=${value} of ${kind} must be a whole number from ${least} to ${most}: ` +
      "only that many bits are exact in a float64 carrier",
  );
}
