/** What must hold of a model: the one place that compares shapes, names and values with each other. */

import type { Arithmetic } from "../engine/arithmetic";
import { type Numbers, place } from "./numbers";
import type { Attention, AttentionPositions, Block, Matrix, Model, Norm } from "../engine/types";
import { EngineError, listed, named } from "../engine/words";
import { brief, decimal } from "./words";

/** Refuse a model whose parts do not fit, naming the part; `arrays` are all that it was read from. */
export function check(model: Model, A: Arithmetic, arrays: Map<string, Numbers>): void {
  const lanes = model.lanes.length;
  const { added_positions: added, attention_positions: shared } = model;
  if (added?.kind === "Table") {
    const { rows, columns } = added.values;
    if (columns !== lanes) {
      throw new EngineError(
        `positions has shape (${rows}, ${columns}), and it must be (any, ${lanes}): (max_length, lanes)`,
      );
    }
    if (rows === 0) throw new EngineError("positions is a table without rows: at least one position is needed");
  }
  shape("embedding", model.embedding, model.vocabulary.length, lanes);
  shape("output", model.output, model.classes.length, lanes);
  length("output_bias", model.output_bias, model.classes.length);
  if (shared) checkMask(shared, model.mask);
  model.blocks.forEach((block, b) => checkBlock(model, block, `blocks.${b}`));
  checkNorm("final_norm", model.final_norm, model.lanes);
  checkFlags(model);
  for (const [name, { shape, values }] of arrays) {
    const n = values.findIndex((x) => !A.contains(x));
    if (n >= 0 && !(model.tied && name === "output")) {
      throw new EngineError(
        `${name}${place(n, shape)} = ${decimal(values[n])} is not a member of ${A.text}; the nearest member is ` +
          `${decimal(A.round(values[n]))}: write arithmetic.round(…) around the array`,
      );
    }
  }
  checkReadout(model, A);
}

function shape(name: string, array: Matrix | null, rows: number, columns: number): void {
  if (array && (array.rows !== rows || array.columns !== columns)) {
    throw new EngineError(`${name} has shape (${array.rows}, ${array.columns}), and it must be (${rows}, ${columns})`);
  }
}

function length(name: string, array: Float64Array | null, wanted: number): void {
  if (array && array.length !== wanted) {
    throw new EngineError(`${name} has shape (${array.length},), and it must be (${wanted})`);
  }
}

function checkBlock(model: Model, block: Block, name: string): void {
  const lanes = model.lanes.length;
  const { attention, feed_forward: layer } = block;
  if (attention) {
    length(`${name}.attention.b_O`, attention.b_O, lanes);
    checkHeads(model, attention, `${name}.attention`);
  }
  if (layer) {
    const neurons = layer.W_1.rows;
    const inside = `${name}.feed_forward`;
    shape(`${inside}.W_1`, layer.W_1, neurons, lanes);
    length(`${inside}.b_1`, layer.b_1, neurons);
    shape(`${inside}.W_2`, layer.W_2, lanes, neurons);
    length(`${inside}.b_2`, layer.b_2, lanes);
    shape(`${inside}.W_3`, layer.W_3, neurons, lanes);
    length(`${inside}.b_3`, layer.b_3, neurons);
  }
  checkNorm(`${name}.attention_norm`, block.attention_norm, model.lanes);
  checkNorm(`${name}.feed_forward_norm`, block.feed_forward_norm, model.lanes);
}

function checkHeads(model: Model, attention: Attention, name: string): void {
  const { attention_positions: shared, mask } = model;
  const lanes = model.lanes.length;
  if (shared?.kind === "Alibi" && shared.place !== null) {
    throw new EngineError(
      `positions=Alibi(place=(${shared.place.join(", ")})) is the slope of one head: ` +
        "write Head(positions=Alibi(place=…)), or Alibi() for all heads",
    );
  }
  if (shared?.kind === "Alibi" && shared.slopes && shared.slopes.length !== attention.heads.length) {
    throw new EngineError(
      `positions has ${shared.slopes.length} slopes, and ${name} has ${attention.heads.length} heads: ` +
        "write a slope for each head, or Alibi()",
    );
  }
  attention.heads.forEach((head, n) => {
    const inside = `${name}.heads.${n}`;
    const [keys, values] = [head.W_Q.rows, head.W_V.rows];
    shape(`${inside}.W_Q`, head.W_Q, keys, lanes);
    shape(`${inside}.W_K`, head.W_K, keys, lanes);
    shape(`${inside}.W_V`, head.W_V, values, lanes);
    shape(`${inside}.W_O`, head.W_O, lanes, values);
    length(`${inside}.b_Q`, head.b_Q, keys);
    length(`${inside}.b_K`, head.b_K, keys);
    length(`${inside}.b_V`, head.b_V, values);
    const scheme = head.positions ?? shared;
    if (scheme) {
      checkMask(scheme, mask);
      checkScheme(scheme, inside, keys, values);
    }
  });
}

function checkMask(scheme: AttentionPositions, mask: string): void {
  if (scheme.kind === "Relative" && mask !== "causal") {
    throw new EngineError("relative positions need mask='causal': only there is every distance i − j at least 0");
  }
}

function checkScheme(scheme: AttentionPositions, name: string, keys: number, values: number): void {
  if (scheme.kind === "Relative") {
    if (scheme.keys.columns !== keys) {
      throw new EngineError(`${name}.W_K gives keys of size ${keys}, positions.keys has ${scheme.keys.columns}`);
    }
    if (scheme.values && scheme.values.columns !== values) {
      throw new EngineError(
        `${name}.W_V gives values of size ${values}, positions.values has ${scheme.values.columns}`,
      );
    }
  } else if (scheme.kind === "Rotary") {
    if (scheme.size === null && keys % 2) {
      const some = keys > 1 ? `, or Rotary(size=${keys - 1})` : "";
      throw new EngineError(
        `${name}.W_K gives keys of size ${keys}, and rotary positions turn pairs: write an even key size${some}`,
      );
    }
    if (scheme.size !== null && scheme.size > keys) {
      throw new EngineError(
        `${name}.W_K gives keys of size ${keys}, and Rotary(size=${scheme.size}) turns more than that`,
      );
    }
  }
}

function checkNorm(name: string, norm: Norm | null, lanes: readonly string[]): void {
  if (norm === null) return;
  const covered = norm.lanes ?? lanes;
  length(`${name}.gain`, norm.gain, covered.length);
  length(`${name}.bias`, norm.bias, covered.length);
  const known = new Map(lanes.map((lane, n) => [lane, n]));
  const unknown = covered.find((lane) => !known.has(lane));
  if (unknown !== undefined) {
    throw new EngineError(`${name} is limited to the lane ${named(unknown)}, which is not one of ${listed(lanes)}`);
  }
  const numbers = covered.map((lane) => known.get(lane) as number);
  if (numbers.some((n, i) => i > 0 && n < numbers[i - 1])) {
    const chosen = new Set(covered);
    const instead = brief(
      lanes.filter((lane) => chosen.has(lane)),
      200,
    );
    throw new EngineError(`${name} has its lanes out of order, and their order is the order of sums: write ${instead}`);
  }
}

/** See that a readout reads lanes that there are, and that every code can occur. */
function checkReadout({ readout, lanes }: Model, A: Arithmetic): void {
  if (readout === null) return;
  const unknown = readout.lanes.find((lane) => !lanes.includes(lane));
  if (unknown !== undefined) {
    throw new EngineError(`there is no lane ${named(unknown)}: the lanes are ${listed(lanes)}`);
  }
  for (const { code } of readout.entries) {
    const wrong = code.find((x) => !A.contains(x));
    if (wrong !== undefined) {
      throw new EngineError(
        `the code (${code.map(decimal).join(", ")}${code.length === 1 ? "," : ""}) of the readout is not a member of ` +
          `${A.text}, so no lane can hold it; the nearest member is ${decimal(A.round(wrong))}`,
      );
    }
  }
}

/** See that flags are some: 0 or 1 from the position table, and written by nothing. */
function checkFlags(model: Model): void {
  if (!model.flags.length) return;
  const places = new Map(model.lanes.map((lane, n) => [lane, n]));
  const flags = model.flags.map((flag) => {
    const place = places.get(flag);
    if (place !== undefined) return place;
    throw new EngineError(`there is no lane ${named(flag)}: the lanes are ${listed(model.lanes)}`);
  });
  const table = model.added_positions?.kind === "Table" ? model.added_positions.values : null;
  const wrong = nonzero(model.embedding, (x) => x !== 0);
  const odd = table ? nonzero(table, (x) => x !== 0 && x !== 1) : null;
  for (const lane of flags) {
    if (wrong[lane] || odd === null || odd[lane]) {
      throw new EngineError(
        `the lane ${named(model.lanes[lane])} is no flag: it must be 0 or 1 in a position table, 0 in the embedding`,
      );
    }
  }
  model.blocks.forEach((block, b) => {
    const written = writtenLanes(model, block, places);
    const flag = flags.find((lane) => written[lane]);
    if (flag !== undefined) {
      throw new EngineError(`the lane ${named(model.lanes[flag])} is no flag: block ${b} writes to it`);
    }
  });
}

/** Say of each column whether some number in it passes a test. */
function nonzero(x: Matrix, test: (value: number) => boolean): boolean[] {
  const result = new Array<boolean>(x.columns).fill(false);
  for (let n = 0; n < x.values.length; n++) if (test(x.values[n])) result[n % x.columns] = true;
  return result;
}

/** Say of each lane whether a block writes to it. */
function writtenLanes(model: Model, block: Block, places: Map<string, number>): boolean[] {
  const result = new Array<boolean>(model.lanes.length).fill(false);
  const mark = (values: Float64Array | null, columns: number): void =>
    values?.forEach((x, n) => {
      if (x !== 0) result[Math.floor(n / columns)] = true;
    });
  for (const head of block.attention?.heads ?? []) mark(head.W_O.values, head.W_O.columns);
  mark(block.attention?.b_O ?? null, 1);
  if (block.feed_forward) mark(block.feed_forward.W_2.values, block.feed_forward.W_2.columns);
  mark(block.feed_forward?.b_2 ?? null, 1);
  for (const norm of [block.attention_norm, block.feed_forward_norm]) {
    if (norm && block.norm_placement === "post") {
      for (const lane of norm.lanes ?? model.lanes) result[places.get(lane) as number] = true;
    }
  }
  return result;
}
