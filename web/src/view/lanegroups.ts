/**
 * Lanes in groups. Lanes are never reordered, because their order is the order of every sum; so a group is a run of
 * neighbours that share a reason, and the reason is the first of these that holds for a lane:
 *
 * 1. the answer: the output reads exactly one lane for each class, and this is one of them, or the readout reads it.
 *    Where the last step of the model's provenance is a normal form, the group has the form's name;
 * 2. a flag: the model lists it among its flags;
 * 3. a prefix: at least two neighbours begin with the same word, or three with the same words ("right not …": the
 *    longest such prefix), as composing and the library name them. The rows then leave the prefix out;
 * 4. its source: the token (the embedding writes it), the position (a table writes it), a block, or nothing.
 */

import type { Matrix, Model } from "../engine";
import { remembered } from "../engine/remembered";
import { firstWriters } from "./facts/changes";

export interface LaneGroup {
  readonly name: string;
  readonly prefix: string; // what rows leave out
  readonly lanes: readonly number[];
}

const FORMS: readonly (readonly [string, string])[] = [
  ["signed_infinity_form(", "±∞ form"],
  ["infinity_form(", "∞ form"],
  ["zero_one_form(", "0-1 form"],
];

/** Return the groups of a model's lanes, in lane order. */
export const laneGroups = remembered((model: Model): readonly LaneGroup[] => groupsOf(model));

function groupsOf(model: Model): LaneGroup[] {
  const answer = answerLanes(model);
  const flags = new Set(model.flags);
  const prefixes = sharedPrefixes(model.lanes);
  const sources = sourceNames(model);
  const groups: { name: string; prefix: string; lanes: number[] }[] = [];
  model.lanes.forEach((lane, place) => {
    const prefix = answer.has(place) || flags.has(lane) ? "" : prefixes[place];
    const name = answer.has(place) ? formName(model) : flags.has(lane) ? "flags" : prefix.trim() || sources[place];
    const last = groups.at(-1);
    if (last?.name === name && last.prefix === prefix) last.lanes.push(place);
    else groups.push({ name, prefix, lanes: [place] });
  });
  return groups;
}

function formName(model: Model): string {
  if (model.readout !== null) return "readout";
  const last = model.provenance.at(-1) ?? "";
  return FORMS.find(([start]) => last.startsWith(start))?.[1] ?? "answer";
}

/** Return the lanes that are the answer: those of a readout, or one for each class, read by the output with weight 1. */
function answerLanes(model: Model): Set<number> {
  const { output, readout } = model;
  if (readout !== null) return new Set(readout.lanes.map((lane) => model.lanes.indexOf(lane)));
  const found = new Set<number>();
  for (let row = 0; row < output.rows; row++) {
    const values = output.values.subarray(row * output.columns, (row + 1) * output.columns);
    const read = values.findIndex((value) => value !== 0);
    if (read < 0 || values[read] !== 1 || values.some((value, place) => value !== 0 && place !== read))
      return new Set();
    found.add(read);
  }
  const isLanguageModel = model.classes.length > 3; // there the lanes of the words say more under their own names
  return isLanguageModel || found.size !== model.classes.length ? new Set() : found;
}

/** Return the prefix of each lane with its blank, "" where none is shared with a neighbour. */
function sharedPrefixes(lanes: readonly string[]): string[] {
  const words = lanes.map((lane) => lane.split(" "));
  const start = (lane: number, count: number): string =>
    words[lane].length > count ? words[lane].slice(0, count).join(" ") + " " : "";
  const shared = (lane: number, count: number, least: number): boolean => {
    const prefix = start(lane, count);
    if (prefix === "") return false;
    let [first, last] = [lane, lane];
    while (first > 0 && start(first - 1, count) === prefix) first--;
    while (last + 1 < lanes.length && start(last + 1, count) === prefix) last++;
    return last - first + 1 >= least;
  };
  return lanes.map((_, lane) => {
    for (let count = words[lane].length - 1; count > 1; count--) if (shared(lane, count, 3)) return start(lane, count);
    return shared(lane, 1, 2) ? start(lane, 1) : "";
  });
}

/** Return for each lane the first block that writes it, as `firstWriters` does. */
export const writersOf = remembered(firstWriters);

function sourceNames(model: Model): string[] {
  const writers = writersOf(model);
  const table = model.added_positions?.kind === "Table" ? model.added_positions.values : null;
  const everywhere = model.added_positions?.kind === "Sinusoidal";
  return model.lanes.map((_, lane) => {
    if (anyInColumn(model.embedding, lane)) return "token";
    if (everywhere || (table !== null && anyInColumn(table, lane))) return "position";
    return writers[lane] === null ? "not written" : "written by blocks";
  });
}

function anyInColumn(matrix: Matrix, column: number): boolean {
  for (let place = column; place < matrix.values.length; place += matrix.columns) {
    if (matrix.values[place] !== 0) return true;
  }
  return false;
}
