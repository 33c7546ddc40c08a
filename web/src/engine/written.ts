/** Which lanes are written: by a block, or by a table. */

import type { Block, Matrix, Model } from "./types";

/** Return the columns of a matrix in which some number passes a test. */
export function columnsWith({ columns, values }: Matrix, test: (value: number) => boolean): Set<number> {
  const found = new Set<number>();
  for (let n = 0; n < values.length; n++) if (test(values[n])) found.add(n % columns);
  return found;
}

/** Return the lanes that a block writes to. */
export function writtenLanes({ lanes }: Model, block: Block): Set<number> {
  const { attention, feed_forward: layer } = block;
  const found = new Set<number>();
  const mark = (values: Float64Array | null | undefined, columns = 1): void =>
    values?.forEach((x, n) => x !== 0 && found.add(Math.floor(n / columns)));
  for (const { W_O } of attention?.heads ?? []) mark(W_O.values, W_O.columns);
  mark(attention?.b_O);
  mark(layer?.W_2.values, layer?.W_2.columns);
  mark(layer?.b_2);
  const numbers = new Map(lanes.map((lane, n) => [lane, n]));
  for (const norm of block.norm_placement === "post" ? [block.attention_norm, block.feed_forward_norm] : []) {
    for (const lane of norm === null ? [] : (norm.lanes ?? lanes)) found.add(numbers.get(lane)!);
  }
  return found;
}
