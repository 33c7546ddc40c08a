/** Rounding into the arithmetic of a model, and the vectors of positions that are rounded so. */

import { infinityOf, type Model } from "../../engine";
import { rowOf } from "./cells";

/** Return the member of the model's arithmetic that is nearest to a number. */
export function rounded(model: Model, value: number): number {
  const infinity = infinityOf(model);
  return infinity === null ? value : Math.max(-infinity, Math.min(infinity, value));
}

/** Return what is added to the embedding at a position; null where nothing is. */
export function addedPosition(model: Model, position: number): Float64Array | null {
  const scheme = model.added_positions;
  if (scheme === null) return null;
  if (scheme.kind === "Table") return rowOf(scheme.values, position);
  const lanes = model.lanes.length;
  return Float64Array.from(model.lanes, (_, lane) => {
    const angle = position / scheme.base ** ((2 * Math.floor(lane / 2)) / lanes);
    return rounded(model, lane % 2 === 0 ? Math.sin(angle) : Math.cos(angle));
  });
}
