/** The vectors of positions, rounded into the arithmetic of their model. */

import type { Model } from "../../engine";
import { waves } from "../../engine/positions";
import { rowOf } from "./cells";

/** Return what is added to the embedding at a position; null where nothing is. */
export function addedPosition(model: Model, position: number): Float64Array | null {
  const scheme = model.added_positions;
  if (scheme === null) return null;
  if (scheme.kind === "Table") return rowOf(scheme.values, position);
  const lanes = model.lanes.length;
  return rowOf(waves(model.arithmetic, scheme.base, lanes, position + 1), position).subarray(0, lanes);
}
