/** The arithmetic of a model, and the vectors of positions that are rounded into it. */

import type { Model } from "../../engine";
import { type Arithmetic, parseArithmetic } from "../../engine/arithmetic";
import { waves } from "../../engine/positions";
import { rowOf } from "./cells";

const known = new WeakMap<Model, Arithmetic>();

/** Return the arithmetic of a model. */
export function arithmeticOf(model: Model): Arithmetic {
  const found = known.get(model) ?? parseArithmetic(model.arithmetic);
  known.set(model, found);
  return found;
}

/** Return what is added to the embedding at a position; null where nothing is. */
export function addedPosition(model: Model, position: number): Float64Array | null {
  const scheme = model.added_positions;
  if (scheme === null) return null;
  if (scheme.kind === "Table") return rowOf(scheme.values, position);
  const lanes = model.lanes.length;
  return rowOf(waves(arithmeticOf(model), scheme.base, lanes, position + 1), position).subarray(0, lanes);
}
