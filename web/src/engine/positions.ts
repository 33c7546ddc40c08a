/** The tables of positions: in a finite arithmetic every entry is the exact real value, rounded once. */

import type { Arithmetic } from "./arithmetic";
import { inversePower, nearestTo, pi, type Rate, scaled, turnOf, wave } from "./exact";
import { matrix } from "./matrix";
import type { AttentionPositions, Matrix } from "./types";

const BITS = 192; // of an angle; float64 holds the remainder after whole turns
const SCALE = 2 ** -BITS;
const DOUBT = 2 ** -48; // sines, cosines and products of float64 err by less
const TABLES = 64; // that are kept
const tables = new Map<string, Matrix>();

/** Return the cached table of a key with at least `rows` rows; make it if it is missing or too short. */
function kept(key: string, rows: number, make: (rows: number) => Matrix): Matrix {
  const found = tables.get(key);
  if (found && found.rows >= rows) return found;
  const made = make(2 ** Math.ceil(Math.log2(rows)));
  if (tables.size >= TABLES) tables.clear();
  tables.set(key, made);
  return made;
}

/**
 * Return sin and cos, side by side, of t / base^(2p/size) for each pair p of lanes, at the first positions. The angles of
 * a pair may be multiplied by a scale.
 */
export function waves(
  A: Arithmetic,
  base: number,
  size: number,
  length: number,
  scales: readonly number[] | null = null,
): Matrix {
  const pairs = Math.ceil(size / 2);
  return kept(`waves ${A.text} ${base} ${size} ${scales?.join() ?? ""}`, length, (rows) => {
    const table = matrix(rows, 2 * pairs);
    for (let p = 0; p < pairs; p++) fillPair(A, { base, p: 2 * p, q: size, scale: scales?.[p] ?? 1 }, p, table);
    return table;
  });
}

function fillPair(A: Arithmetic, rate: Rate, p: number, table: Matrix): void {
  const turn = turnOf(rate, BITS);
  const whole = 2n * pi(BITS);
  let angle = 0n;
  for (let t = 0; t < table.rows; t++, angle += turn) {
    if (angle >= whole) angle %= whole;
    const x = Number(angle) * SCALE;
    const entry = (near: number, doubt: number, cosine: boolean): number =>
      A.native ? A.nearest(near) : nearestTo(A, near - doubt, near + doubt, (bits) => wave(t, rate, cosine, bits));
    const at = t * table.columns + 2 * p;
    table.values[at] = entry(Math.sin(x), DOUBT * Math.min(x, 1), false);
    table.values[at + 1] = entry(Math.cos(x), t ? DOUBT : 0, true);
  }
}

/** Return −slope·distance for each distance; without slopes, that of a head of several is 2^(−8·(head + 1)/heads). */
export function penalties(
  A: Arithmetic,
  scheme: AttentionPositions & { kind: "Alibi" },
  at: { readonly head: number; readonly heads: number },
  length: number,
): Float64Array {
  const [head, heads] = scheme.place ?? [at.head, at.heads];
  const given = scheme.slopes === null ? null : scheme.slopes.length === 1 ? scheme.slopes[0] : scheme.slopes[head];
  const exact = given !== null || (8 * (head + 1)) % heads === 0;
  const slope = given ?? 2 ** ((-8 * (head + 1)) / heads);
  return kept(`slope ${A.text} ${slope} ${exact}`, length, (rows) => {
    const table = matrix(1, rows);
    for (let d = 0; d < rows; d++) table.values[d] = penalty(A, slope, d, exact ? null : [8 * (head + 1), heads]);
    return { rows, columns: 1, values: table.values };
  }).values;
}

function penalty(A: Arithmetic, slope: number, distance: number, power: [number, number] | null): number {
  if (A.native) return A.round(-slope * distance + 0);
  const near = -slope * distance;
  return nearestTo(A, near * (1 - DOUBT), near * (1 + DOUBT), (bits) => {
    const far = BigInt(distance);
    if (power) return { near: -far * inversePower(2, ...power, bits), error: far << 16n };
    const most = 4096; // slopes are float64: these many bits hold them whole
    return { near: (-far * scaled(slope, most)) >> BigInt(most - bits), error: bits === most ? 0n : 1n };
  });
}

/** Return queries or keys from position `first` on, turned pair by pair of coordinates as their positions say. */
export function rotated(
  A: Arithmetic,
  scheme: AttentionPositions & { kind: "Rotary" },
  x: Matrix,
  first: number,
): Matrix {
  const size = scheme.size ?? x.columns;
  const pairs = size / 2;
  if (pairs === 0) return x;
  const table = waves(A, scheme.base, size, first + x.rows, scheme.scales);
  const result = { ...x, values: x.values.slice() };
  for (let t = 0; t < x.rows; t++) {
    const row = (first + t) * table.columns;
    for (let p = 0; p < pairs; p++) {
      const [one, other] = scheme.pairing === "halves" ? [p, p + pairs] : [2 * p, 2 * p + 1];
      const a = x.values[t * x.columns + one];
      const b = x.values[t * x.columns + other];
      const sin = table.values[row + 2 * p];
      const cos = table.values[row + 2 * p + 1];
      result.values[t * x.columns + one] = A.nearestSum(A.nearest(a * cos) - A.nearest(b * sin)) + 0;
      result.values[t * x.columns + other] = A.nearestSum(A.nearest(b * cos) + A.nearest(a * sin)) + 0;
    }
  }
  return result;
}

/** Return x ⊕ the row of a table for a distance: beyond the table its last row. */
export function offset(
  A: Arithmetic,
  x: Matrix,
  row: number,
  table: Matrix,
  distance: number,
  into: Float64Array,
): void {
  const from = Math.min(distance, table.rows - 1) * table.columns;
  for (let c = 0; c < x.columns; c++) {
    into[c] = A.nearestSum(x.values[row * x.columns + c] + table.values[from + c]);
  }
}
