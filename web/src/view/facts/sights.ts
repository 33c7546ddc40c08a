/** What a position sees in a head: all positions, those before it, or those in a window. */

import { type Run, type Sight, sightOf } from "../../engine";
import { upTo } from "./cells";

/** Return what a reader sees in a head of a run. */
export function sightIn({ model, tokens }: Run, block: number, head: number, reader: number): Sight {
  return sightOf(model.blocks[block].attention!.heads[head], model.mask === "causal", reader, tokens.length);
}

export const isSeen = ({ first, end }: Sight, source: number): boolean => source >= first && source < end;

/** Return the positions that are seen, in their order. */
export const seenIn = ({ first, end }: Sight): number[] => upTo(end - first).map((n) => first + n);
