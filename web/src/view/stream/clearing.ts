/** Which neurons of a layer only clear a lane; looked up once for each layer, as every step asks for all of them. */

import type { FeedForward } from "../../engine";
import { upTo } from "../facts/cells";
import { clearedLane } from "../facts/neurons";

const known = new WeakMap<FeedForward, readonly (number | null)[]>();

/** Return for each neuron the lane that it takes away, if it does nothing else; else null. */
export function clearedLanes(layer: FeedForward): readonly (number | null)[] {
  const lanes = known.get(layer) ?? upTo(layer.W_1.rows).map((neuron) => clearedLane(layer, neuron));
  known.set(layer, lanes);
  return lanes;
}
