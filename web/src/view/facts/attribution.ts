/** Where a logit comes from: every part of the stream at a position, and what it adds to the logit. */

import type { Model, Norm, Run } from "../../engine";
import { cell, rowOf, upTo } from "./cells";
import { logitsAt } from "./lens";
import { addedPosition, attentionStage, feedForwardStage, valuesFor } from "./reading";

export interface Part {
  readonly kind: "embedding" | "position" | "head" | "neuron" | "feed-forward" | "block" | "bias";
  readonly amount: number;
  readonly block: number | null;
  readonly place: number | null; // which head or neuron of the block
  readonly source: number | null; // from which position a head took it; null: from all of them
  readonly name: string; // the token there, or which bias it is, or the name of the neuron
}

/** A logit after a stage as a sum of parts: the embedding, the position, then block by block heads and neurons, the output's bias. */
export interface Attribution {
  readonly wanted: string;
  readonly position: number;
  readonly stage: number;
  readonly logit: number; // as if the run ended there
  readonly parts: readonly Part[];
  readonly residue: number; // what rounding on the way took or gave: the logit less the sum of the parts
}

/** A direction in the stream: how much the logit gains for 1 in each lane. */
type Direction = Float64Array;

/** What a sublayer or a norm adds, and the direction before it. */
interface Step {
  readonly direction: Direction;
  readonly parts: readonly Part[];
}

/**
 * Split the logit of a class into embedding, position, each head from each position, each neuron and each bias. At an
 * earlier stage, that is the logit as if the run ended there, and its parts are those up to the stage.
 *
 * Weights, activations and the spread by which a norm divides are taken as they came out in this run; with these fixed
 * the logit is linear in the parts, which are computed in float64. They add up to the logit where nothing was rounded.
 */
export function attribute(
  run: Run,
  wanted: string,
  position = run.tokens.length - 1,
  stage = run.stream.length - 1,
): Attribution {
  const { model } = run;
  const place = model.classes.indexOf(wanted);
  const logit = logitsAt(run, stage, position)[place];
  const outputBias =
    model.output_bias === null ? [] : [part("bias", model.output_bias[place], { name: "output bias" })];
  const last = () => rowOf(run.stream[stage], position);
  const norm = backThrough(model, model.final_norm, last, rowOf(model.output, place), "bias of the final norm", null);
  const groups: (readonly Part[])[] = [[...norm.parts, ...outputBias]];
  let direction = norm.direction;
  for (const b of upTo(model.blocks.length).reverse()) {
    for (const [reached, back] of [
      [feedForwardStage(b), backThroughNeurons],
      [attentionStage(b), backThroughHeads],
    ] as const) {
      if (reached > stage) continue;
      const step = back(run, b, position, direction);
      groups.push(step.parts);
      direction = step.direction;
    }
  }
  groups.push(startParts(run, position, direction));
  const parts = groups.reverse().flat();
  return { wanted, position, stage, logit, parts, residue: logit - parts.reduce((sum, { amount }) => sum + amount, 0) };
}

/** Return the parts that matter most, by absolute value; equal ones in order. */
export function largestParts(attribution: Attribution, count: number): Part[] {
  const parts = attribution.parts.filter(({ amount }) => amount !== 0);
  return parts.sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount)).slice(0, count);
}

/** Return the parts with each head as one, from wherever it took it, and each feed-forward layer with its b_2. */
export function byHead(attribution: Attribution): Part[] {
  return merged(attribution, (one) => {
    if (one.kind === "head") return part("head", 0, { block: one.block, place: one.place });
    const inLayer = one.kind === "neuron" || (one.kind === "bias" && one.name === `block ${one.block}, b_2`);
    return inLayer ? part("feed-forward", 0, { block: one.block }) : one;
  });
}

function merged(attribution: Attribution, whole: (one: Part) => Part): Part[] {
  const sums = new Map<string, Part>();
  for (const one of attribution.parts) {
    const { kind, block, place, source, name } = whole(one);
    const key = JSON.stringify([kind, block, place, source, name]);
    const before = sums.get(key)?.amount ?? 0;
    sums.set(key, { kind, block, place, source, name, amount: before + one.amount });
  }
  return [...sums.values()];
}

/** Say where a part comes from. */
export function partText({ kind, block, place, source, name }: Part): string {
  if (kind === "head") return `block ${block}, head ${place}${source === null ? "" : `, from ${name} at ${source}`}`;
  if (kind === "neuron") return `block ${block}, ${name || `neuron ${place}`}`;
  if (kind === "feed-forward") return `block ${block}, feed-forward`;
  if (kind === "block") return `block ${block}`;
  return kind === "embedding" ? `embedding of ${name}` : kind === "bias" ? name : "position";
}

/** Return the stage of the stream that a part leads to, so that a click can go there. */
export function stageOfPart(one: Part): number {
  if (one.block === null) return 0;
  return one.kind === "head" || / b_O$| attention norm$/.test(one.name)
    ? attentionStage(one.block)
    : feedForwardStage(one.block);
}

function part(kind: Part["kind"], amount: number, rest: Partial<Part> = {}): Part {
  return { kind, amount, block: null, place: null, source: null, name: "", ...rest };
}

function startParts(run: Run, position: number, direction: Direction): Part[] {
  const { model } = run;
  const token = run.tokens[position];
  const embedded = dot(rowOf(model.embedding, model.vocabulary.indexOf(token)), direction);
  const start = [part("embedding", embedded, { name: token })];
  const added = addedPosition(model, position);
  return added === null ? start : [...start, part("position", dot(added, direction))];
}

function backThroughNeurons(run: Run, b: number, position: number, direction: Direction): Step {
  const block = run.model.blocks[b];
  const layer = block.feed_forward;
  if (layer === null) return { direction, parts: [] };
  const activations = rowOf(run.activations[b], position);
  const sums = () =>
    rowOf(run.stream[attentionStage(b)], position).map(
      (value, lane) => value + (dot(rowOf(layer.W_2, lane), activations) + layer.b_2[lane]),
    );
  const norm = block.norm_placement === "post" ? block.feed_forward_norm : null;
  const after = backThrough(run.model, norm, sums, direction, `block ${b}, bias of the feed-forward norm`, b);
  const neurons = Array.from(activations, (activation, place) => {
    let gain = 0;
    for (let lane = 0; lane < layer.W_2.rows; lane++) gain += after.direction[lane] * cell(layer.W_2, lane, place);
    return part("neuron", activation * gain, { block: b, place, name: layer.names[place] ?? "" });
  });
  const bias = biasPart(layer.b_2, after.direction, `block ${b}, b_2`, b);
  return { direction: after.direction, parts: [...neurons, ...bias, ...after.parts] };
}

function backThroughHeads(run: Run, b: number, position: number, direction: Direction): Step {
  const block = run.model.blocks[b];
  const attention = block.attention;
  if (attention === null) return { direction, parts: [] };
  const before = rowOf(run.stream[attentionStage(b) - 1], position);
  const sums = () =>
    before.map((value, lane) => {
      const outputs = run.heads[b].reduce((sum, head) => sum + cell(head.output, position, lane), 0);
      return value + outputs + (attention.b_O?.[lane] ?? 0);
    });
  const norm = block.norm_placement === "post" ? block.attention_norm : null;
  const after = backThrough(run.model, norm, sums, direction, `block ${b}, bias of the attention norm`, b);
  const heads = run.heads[b].flatMap((head, place) => {
    const { W_O } = attention.heads[place];
    const gains = new Float64Array(W_O.columns);
    for (let lane = 0; lane < W_O.rows; lane++) {
      for (let k = 0; k < W_O.columns; k++) gains[k] += after.direction[lane] * cell(W_O, lane, k);
    }
    const values = valuesFor(run, b, place, position);
    return run.tokens.map((name, source) => {
      const amount = cell(head.weights, position, source) * dot(rowOf(values, source), gains);
      return part("head", amount, { block: b, place, source, name });
    });
  });
  const bias = attention.b_O === null ? [] : biasPart(attention.b_O, after.direction, `block ${b}, b_O`, b);
  return { direction: after.direction, parts: [...heads, ...bias, ...after.parts] };
}

/** Return the direction before a norm of the given vector, and the part of the norm's bias. */
function backThrough(
  model: Model,
  norm: Norm | null,
  given: () => Float64Array,
  direction: Direction,
  name: string,
  block: number | null,
): Step {
  if (norm === null) return { direction, parts: [] };
  const x = given();
  const places = (norm.lanes ?? model.lanes).map((lane) => model.lanes.indexOf(lane));
  const inside = Float64Array.from(places, (place) => direction[place]);
  const parts = norm.bias === null ? [] : biasPart(norm.bias, inside, name, block);
  const centred = norm.kind === "LayerNorm";
  const mean = centred ? average(Float64Array.from(places, (place) => x[place])) : 0;
  const squares = Float64Array.from(places, (place) => (x[place] - mean) ** 2);
  const spread = Math.sqrt(average(squares) + model.arithmetic.nearest(norm.eps));
  const steep = inside.map((gain, n) => (gain * (norm.gain?.[n] ?? 1)) / spread);
  const middle = centred ? average(steep) : 0;
  const before = direction.slice();
  places.forEach((place, n) => (before[place] = steep[n] - middle));
  return { direction: before, parts };
}

function biasPart(bias: Float64Array, direction: Direction, name: string, block: number | null): Part[] {
  return bias.some((value) => value !== 0) ? [part("bias", dot(bias, direction), { block, name })] : [];
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let n = 0; n < one.length; n++) sum += one[n] * other[n];
  return sum;
}

function average(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
