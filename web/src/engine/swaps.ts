/**
 * Replacing values of a run on their way, as `ablate` and `patch` of the Python package do: everything behind the place
 * is computed again.
 */

import { matrix } from "./matrix";
import type { Matrix, Run, Site, Swap } from "./types";

/** Return the values of a site after the swaps there, in their order; `before` is the stream one stage before. */
export function swapped(swaps: readonly Swap[], site: Site, old: Matrix, before: Matrix | null): Matrix {
  let result = old;
  for (const swap of swaps) {
    if (!isSame(swap.site, site)) continue;
    result = { ...result, values: result.values.slice() };
    const { columns } = result;
    swap.positions.forEach((position, p) => {
      swap.columns.forEach((column, c) => {
        const place = position * columns + column;
        result.values[place] =
          swap.values === null ? before!.values[place] : swap.values.values[p * swap.columns.length + c];
      });
    });
  }
  return result;
}

/** Return the values of a matrix at some positions and columns, as a swap holds them. */
export function taken(source: Matrix, positions: readonly number[], columns: readonly number[]): Matrix {
  const result = matrix(positions.length, columns.length);
  positions.forEach((position, p) => {
    columns.forEach((column, c) => {
      result.values[p * columns.length + c] = source.values[position * source.columns + column];
    });
  });
  return result;
}

/** Say whether two sites are the same. */
export const isSame = (one: Site, other: Site): boolean =>
  one.kind === other.kind && one.block === other.block && one.index === other.index;

/** Return the first block that a swap changes; −1 for the embedding. */
export const firstBlock = (swaps: readonly Swap[]): number => Math.min(...swaps.map(({ site }) => site.block));

/** Say whether a head is off at a position: its output was replaced by zeros. */
export function isHeadOff(run: Run, block: number, head: number, position: number): boolean {
  return run.swaps.some(({ site, positions, values }) => {
    const here = site.kind === "head" && site.block === block && site.index === head && positions.includes(position);
    return here && values!.values.every((value) => value === 0);
  });
}
