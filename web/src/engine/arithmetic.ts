/**
 * Number systems with their rounding. Members travel as float64, which is exact: a member has at most 25 bits, so a
 * product of two is exact, and rounding a sum, a quotient or a root in float64 first never changes the member that is
 * nearest to the exact result (the argument stands in `arithmetic/rounding.py` of the Python package).
 */

export type Ties = "zero" | "even" | "away";

export interface Sizes {
  readonly precision: number; // bits of a significand
  readonly least: number; // the smallest exponent
  readonly infinity: number;
  readonly fixed: boolean;
}

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

  /**
   * Without a branch, which a processor would often guess wrong: (|x + ∞| − |x − ∞|) / 2 is x, kept within ±∞. A product
   * with a weight of at most 1 stays there by itself.
   */
  private accumulateFixed(totals: Float64Array, weight: number, values: Float64Array, from: number, count: number) {
    const { infinity, nudge } = this;
    const magic = this.magics[0];
    const small = Math.abs(weight) <= 1;
    for (let n = 0; n < count; n++) {
      let product = weight * values[from + n] * nudge + magic - magic;
      if (!small) product = (Math.abs(product + infinity) - Math.abs(product - infinity)) / 2;
      const total = totals[n] + product;
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
