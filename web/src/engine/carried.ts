/** The changes that a page carries for a run of `ws.ablate` or `ws.patch`: parts and lanes by their names. */

import { type Change, checkedValue, laneNamed, type Part, partNamed, partOff } from "./changes";
import { checkedTokens } from "./run";
import type { Model, Site } from "./types";

/** A change as Python writes it (`studio/changes.py`). */
export type CarriedChange =
  | { readonly kind: "off"; readonly site: string; readonly positions: readonly number[] | null }
  | {
      readonly kind: "set";
      readonly site: string;
      readonly position: number;
      readonly lane: string;
      readonly value: number;
    }
  | {
      readonly kind: "take";
      readonly site: string;
      readonly positions: readonly number[] | null;
      readonly lanes: readonly string[] | null;
      readonly input: readonly string[];
    }
  | {
      readonly kind: "values";
      readonly site: string;
      readonly positions: readonly number[];
      readonly columns: readonly number[];
      readonly values: readonly (readonly number[])[];
    };

/** Return the changes; refuse what the model does not have. */
export function carriedChanges(model: Model, given: readonly CarriedChange[]): Change[] {
  return given.map((change): Change => {
    switch (change.kind) {
      case "off":
        return partOff(partNamed(model, change.site), change.positions);
      case "set": {
        const [lane, value] = [laneNamed(model, change.lane), checkedValue(model, change.value)];
        return { kind: "set", part: partNamed(model, change.site), position: change.position, lane, value };
      }
      case "take": {
        const lanes = change.lanes?.map((lane) => laneNamed(model, lane)) ?? null;
        const tokens = checkedTokens(model, change.input);
        return { kind: "take", part: partNamed(model, change.site), positions: change.positions, lanes, tokens };
      }
      case "values": {
        const { positions, columns } = change;
        const numbers = change.values.flat().map((value) => checkedValue(model, value));
        const values = { rows: positions.length, columns: columns.length, values: Float64Array.from(numbers) };
        return { kind: "carried", swap: { site: siteNamed(model, change.site), positions, columns, values } };
      }
    }
  });
}

/** Return a site by its name; that of a layer's activations is "block 0 activations". */
function siteNamed(model: Model, text: string): Site {
  const layer = /^block (\d{1,9}) activations$/.exec(text);
  if (layer === null) return partNamed(model, text) as Part & Site;
  return { kind: "activations", block: Number(layer[1]), index: 0 };
}
