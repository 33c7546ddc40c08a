/** Arrays of numbers as files hold them. */

/** An array as it was stored, as numbers: one axis or two. */
export interface Numbers {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** Return where in an array a number is, as Python writes it. */
export const place = (n: number, shape: readonly number[]): string =>
  shape.length === 1 ? `[${n}]` : `[${Math.floor(n / shape[1])}, ${n % shape[1]}]`;
