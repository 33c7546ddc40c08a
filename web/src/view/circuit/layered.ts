/** A layered graph: an order within each column in which edges cross little, and places near their neighbours. */

/** A point of the graph: a part, or the bend of an edge in a column that it passes. */
export interface Point {
  readonly column: number;
  readonly size: number; // across the flow, in pixels
}

/** A piece of an edge, from a point to one in the next column. */
export type Piece = readonly [from: Point, to: Point];

const SWEEPS = 8;

/** Return the middle of each point across the flow: no two of a column overlap, and the least is at 0. */
export function placed(points: readonly Point[], pieces: readonly Piece[], gap: number): Map<Point, number> {
  const columns: Point[][] = [];
  for (const point of points) (columns[point.column] ??= []).push(point);
  const beside = neighbours(pieces);
  const ordered = inOrder(columns, beside, pieces);
  const found = new Map<Point, number>();
  for (const column of ordered) {
    let at = 0;
    for (const point of column) {
      found.set(point, at + point.size / 2);
      at += point.size + gap;
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 === 0 ? ordered : [...ordered].reverse()) {
      const wanted = column.map((point) => mean(allOf(beside, point), found) ?? found.get(point)!);
      apart(column, wanted, gap).forEach((middle, n) => found.set(column[n], middle));
    }
  }
  const least = Math.min(...points.map((point) => found.get(point)! - point.size / 2));
  for (const point of points) found.set(point, found.get(point)! - least);
  return found;
}

interface Neighbours {
  readonly before: readonly Point[];
  readonly after: readonly Point[];
}

function neighbours(pieces: readonly Piece[]): Map<Point, Neighbours> {
  const found = new Map<Point, { before: Point[]; after: Point[] }>();
  const of = (point: Point): { before: Point[]; after: Point[] } => {
    const known = found.get(point) ?? { before: [], after: [] };
    found.set(point, known);
    return known;
  };
  for (const [from, to] of pieces) {
    of(from).after.push(to);
    of(to).before.push(from);
  }
  return found;
}

function allOf(beside: ReadonlyMap<Point, Neighbours>, point: Point): readonly Point[] {
  const known = beside.get(point);
  return known === undefined ? [] : [...known.before, ...known.after];
}

/** Sort each column by the mean place of its neighbours, forth and back; keep the order with the fewest crossings. */
function inOrder(
  columns: readonly (readonly Point[])[],
  beside: ReadonlyMap<Point, Neighbours>,
  pieces: readonly Piece[],
): readonly (readonly Point[])[] {
  let [best, now] = [columns, columns];
  let least = crossings(columns, pieces);
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
    const forth = sweep % 2 === 0;
    const next = now.map((column) => [...column]);
    for (const c of next.keys()) {
      const place = forth ? c : next.length - 1 - c;
      const places = placesIn(next[forth ? place - 1 : place + 1] ?? []);
      const means = new Map(
        next[place].map((point, n) => [
          point,
          mean(beside.get(point)?.[forth ? "before" : "after"] ?? [], places) ?? n,
        ]),
      );
      next[place].sort((one, other) => means.get(one)! - means.get(other)!);
    }
    now = next;
    const found = crossings(now, pieces);
    if (found < least) [best, least] = [now, found];
  }
  return best;
}

function crossings(columns: readonly (readonly Point[])[], pieces: readonly Piece[]): number {
  const places = placesIn(...columns);
  const between: (readonly [number, number])[][] = [];
  for (const [from, to] of pieces) (between[from.column] ??= []).push([places.get(from)!, places.get(to)!]);
  let found = 0;
  for (const pairs of between) {
    pairs?.forEach(([a, b], n) => {
      for (let m = 0; m < n; m++) if ((a - pairs[m][0]) * (b - pairs[m][1]) < 0) found++;
    });
  }
  return found;
}

const placesIn = (...columns: readonly (readonly Point[])[]): Map<Point, number> =>
  new Map(columns.flatMap((column) => column.map((point, n) => [point, n] as const)));

function mean(points: readonly Point[], at: ReadonlyMap<Point, number>): number | null {
  const known = points.flatMap((point) => at.get(point) ?? []);
  return known.length === 0 ? null : known.reduce((sum, x) => sum + x, 0) / known.length;
}

/** Return middles in this order without overlaps, with their mean where it was wanted. */
function apart(column: readonly Point[], wanted: readonly number[], gap: number): number[] {
  const found: number[] = [];
  column.forEach((point, n) => {
    const least = n === 0 ? -Infinity : found[n - 1] + (column[n - 1].size + point.size) / 2 + gap;
    found.push(Math.max(wanted[n], least));
  });
  const shift = (total(wanted) - total(found)) / Math.max(1, found.length);
  return found.map((middle) => middle + shift);
}

const total = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0);
