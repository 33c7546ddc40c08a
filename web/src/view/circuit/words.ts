/** Parts and edges of a circuit in words. */

import type { Edge, Input, Part } from "./circuit";
import { NAMES } from "./picture";

const INPUTS: Readonly<Record<Input, string>> = { q: "queries", k: "keys", v: "values", in: "" };

/** Return a part as people call it: "head 1 of block 0", "tokens". */
export function partText({ kind, block, index }: Part): string {
  if (kind === "head") return `head ${index} of block ${block}`;
  return kind === "mlp" ? `${NAMES.mlp} of block ${block}` : NAMES[kind];
}

/** Return an edge in words: "positions → head 0 of block 1, its keys". */
export function edgeText({ from, to, input }: Edge): string {
  return `${partText(from)} → ${partText(to)}${input === "in" ? "" : `, its ${INPUTS[input]}`}`;
}
