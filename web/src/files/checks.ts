/** What must hold of a model as a whole: schemes of positions, norms, flags, members of the arithmetic. */

import type { AttentionPositions, Block, Model, Norm } from "../engine/types";
import { listed, named } from "../engine/words";
import { columnsWith, writtenLanes } from "../engine/written";
import { refuse } from "./refusal";

/** An array as it was stored, as numbers: one axis or two. */
export interface Numbers {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** Refuse a model whose parts do not fit, naming the part; `arrays` are all that it was read from. */
export function check(model: Model, arrays: Map<string, Numbers>): void {
  const { arithmetic: A, attention_positions: shared, final_norm, readout } = model;
  const lanes: Lanes = new Map(model.lanes.map((lane, n) => [lane, n]));
  if (shared) checkMask(shared, model.mask);
  model.blocks.forEach((block, b) => checkBlock(model, lanes, block, `blocks.${b}`));
  checkNorm("final_norm", final_norm, lanes);
  checkFlags(model, lanes);
  for (const [name, { values }] of arrays) {
    const odd = values.find((x) => !A.contains(x));
    if (odd !== undefined && !(model.tied && name === "output")) {
      refuse("model", `${name} holds ${odd}, which is not a member of ${A.text}`);
    }
  }
  if (readout === null) return;
  for (const lane of readout.lanes) laneNumber(lanes, lane);
  const code = readout.entries.find((entry) => entry.code.some((x) => !A.contains(x)))?.code;
  if (code !== undefined) refuse("model", `the code (${code.join(", ")}) of the readout is not in ${A.text}`);
}

type Lanes = ReadonlyMap<string, number>; // their numbers, by name

function laneNumber(lanes: Lanes, lane: string): number {
  return (
    lanes.get(lane) ?? refuse("model", `there is no lane ${named(lane)}: the lanes are ${listed([...lanes.keys()])}`)
  );
}

function checkBlock({ attention_positions: shared, mask }: Model, lanes: Lanes, block: Block, name: string): void {
  checkNorm(`${name}.attention_norm`, block.attention_norm, lanes);
  checkNorm(`${name}.feed_forward_norm`, block.feed_forward_norm, lanes);
  if (block.attention === null) return;
  const { heads } = block.attention;
  if (shared?.kind === "Alibi" && shared.place !== null) {
    refuse("model", "the slope of one head is shared by all: Alibi(place=…) belongs to a head");
  }
  if (shared?.kind === "Alibi" && shared.slopes && shared.slopes.length !== heads.length) {
    refuse("model", `positions has ${shared.slopes.length} slopes, and ${name} has ${heads.length} heads`);
  }
  heads.forEach(({ positions, W_Q, W_V }, n) => {
    const scheme = positions ?? shared;
    if (scheme === null) return;
    checkMask(scheme, mask);
    checkScheme(scheme, `${name}.attention.heads.${n}`, W_Q.rows, W_V.rows);
  });
}

function checkMask(scheme: AttentionPositions, mask: string): void {
  if (scheme.kind === "Relative" && mask !== "causal") refuse("model", "relative positions need a causal mask");
}

function checkScheme(scheme: AttentionPositions, name: string, keys: number, values: number): void {
  if (scheme.kind === "Relative") {
    if (scheme.keys.columns !== keys || (scheme.values && scheme.values.columns !== values)) {
      refuse("model", `relative positions have not the key size ${keys} and the value size ${values} of ${name}`);
    }
  } else if (scheme.kind === "Rotary" && (scheme.size === null ? keys % 2 !== 0 : scheme.size > keys)) {
    refuse("model", `rotary positions cannot turn pairs of the ${keys} coordinates of ${name}`);
  } else if (scheme.kind === "Rotary" && scheme.scales !== null && scheme.scales.length !== (scheme.size ?? keys) / 2) {
    refuse("model", `rotary positions have ${scheme.scales.length} scales, one for each pair of ${name}`);
  }
}

function checkNorm(name: string, norm: Norm | null, lanes: Lanes): void {
  if (norm === null || norm.lanes === null) return;
  const numbers = norm.lanes.map((lane) => laneNumber(lanes, lane));
  if (numbers.some((n, i) => i > 0 && n < numbers[i - 1])) {
    refuse("model", `${name} has its lanes out of order, and their order is the order of sums`);
  }
}

/** Check that each flag is 0 or 1 in the position table, 0 in the embedding, and written by no block. */
function checkFlags(model: Model, lanes: Lanes): void {
  const { added_positions: added, blocks, embedding, flags } = model;
  if (flags.length === 0) return;
  const table = added?.kind === "Table" ? added.values : null;
  const spoilt = columnsWith(embedding, (x) => x !== 0);
  const odd = table && columnsWith(table, (x) => x !== 0 && x !== 1);
  const written = blocks.map((block) => writtenLanes(model, block));
  for (const flag of flags) {
    const lane = laneNumber(lanes, flag);
    if (spoilt.has(lane) || odd === null || odd.has(lane)) {
      refuse("model", `the flag ${named(flag)} is not 0 or 1 in the position table, and 0 in the embedding`);
    }
    const block = written.findIndex((found) => found.has(lane));
    if (block >= 0) refuse("model", `block ${block} writes to the flag ${named(flag)}`);
  }
}
