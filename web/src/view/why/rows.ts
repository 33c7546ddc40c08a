/** Sums as rows of a table, and short formulas for small ones. */

import type { Sum } from "../facts/folding";
import type { Numbers } from "../facts/numbers";
import { laneGroups } from "../lanegroups";
import type { View } from "../view.svelte";
import type { Row } from "./SumTable.svelte";

/** Return the rows of a sum over things with names; the bias is the last one. */
export function rowsOf(sum: Sum, name: (place: number) => string, bias = "bias"): Row[] {
  const rows: Row[] = sum.terms.map(({ place, value, weight, product, sum: soFar }) => {
    return { key: place, name: name(place), value, weight, term: product, sum: soFar };
  });
  if (sum.bias === null || sum.bias === 0) return rows;
  const term = { value: sum.bias, cut: "exact" } as const;
  return [...rows, { key: "bias", name: bias, value: null, weight: null, term, sum: sum.result }];
}

/** A piece of a formula: text, or the name of a lane that is read. */
export interface Piece {
  readonly text: string;
  readonly lane: boolean;
}

const MOST_READ = 2; // lanes in a formula that stands in a cell

/** Return a small sum as a formula such as "1 − Tower" or "1000 Eiffel − 1000"; null for a long or a trivial one. */
export function formulaOf(view: View, sum: Sum, numbers: Numbers): Piece[] | null {
  const { terms } = sum;
  const bias = sum.bias ?? 0;
  if (terms.length === 0 || terms.length > MOST_READ) return null;
  if (terms.length === 1 && terms[0].weight === 1 && bias === 0) return null;
  const pieces: Piece[] = [];
  const add = (amount: number, lane: string | null): void => {
    const first = pieces.length === 0;
    const size = Math.abs(amount);
    const sign = amount < 0 ? (first ? "−" : " − ") : first ? "" : " + ";
    const factor = lane === null ? numbers.short(size) : size === 1 ? "" : `${numbers.short(size)} `;
    pieces.push({ text: sign + factor, lane: false });
    if (lane !== null) pieces.push({ text: lane, lane: true });
  };
  const biasFirst = bias > 0 && terms[0].weight < 0;
  if (biasFirst) add(bias, null);
  for (const { place, weight } of terms) add(weight, shortLane(view, place));
  if (!biasFirst && bias !== 0) add(bias, null);
  return pieces;
}

/** Return the name of a lane without the prefix of its group. */
export function shortLane(view: View, lane: number): string {
  const name = view.model.lanes[lane];
  const prefix = laneGroups(view.model).find(({ lanes }) => lanes.includes(lane))?.prefix ?? "";
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : name;
}
