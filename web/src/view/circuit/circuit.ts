/** The circuit that came with a page: edges between parts of the model, checked before anything is drawn. */

import { EngineError, isKnown, type Model } from "../../engine";
import { brief, letters } from "../../engine/words";

/** What writes to the stream or reads it, by the name that TransformerLens gives to it. */
export interface Part {
  readonly kind: "embed" | "pos_embed" | "head" | "mlp" | "unembed";
  readonly block: number; // −1 where it has none
  readonly index: number; // of a head; 0 elsewhere
  readonly name: string;
}

export type Input = "q" | "k" | "v" | "in";

/** What one part writes, read by an input of another. */
export interface Edge {
  readonly from: Part;
  readonly to: Part;
  readonly input: Input;
  readonly lanes: readonly string[]; // that both share
  readonly witness: Witness | null; // null for a silent edge: without it every answer stays
}

/** An input, and its answer at a position: with the edge and without. */
export interface Witness {
  readonly tokens: readonly string[];
  readonly position: number;
  readonly answer: string;
  readonly without: string;
}

export interface Circuit {
  readonly upTo: number; // the longest inputs on which edges were cut
  readonly pairs: number; // of a writer and a reader, whether or not they share a lane
  readonly live: readonly Edge[];
  readonly silent: readonly Edge[];
}

const MOST_EDGES = 20_000;
const MOST_LETTERS = 200; // of an answer
const INPUTS: Readonly<Record<Part["kind"], readonly string[]>> = {
  ...{ embed: [], pos_embed: [], head: ["q", "k", "v"], mlp: ["in"], unembed: ["in"] },
};

/** Return the circuit of a model; refuse what the model does not have. */
export function checkedCircuit(model: Model, given: unknown): Circuit {
  const { up_to, pairs, live, silent } = record(given, "it");
  const found = {
    upTo: whole(up_to, "up_to", 1),
    pairs: whole(pairs, "pairs"),
    live: list(live, "live").map((edge) => edgeOf(model, edge, true)),
    silent: list(silent, "silent").map((edge) => edgeOf(model, edge, false)),
  };
  const names = [...found.live, ...found.silent].map(edgeName);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  return twice === undefined ? found : refuse(`the edge ${brief(twice)} is there twice`);
}

/** Return the name of an edge: "embed → blocks.0.attn.head.1.q". */
export const edgeName = ({ from, to, input }: Edge): string =>
  `${from.name} → ${to.name}${input === "in" ? "" : `.${input}`}`;

/** Return the stage of the stream that has what a part writes, and of the output one more than all. */
export const stageOf = (model: Model, { kind, block }: Part): number =>
  kind === "unembed" ? 2 * model.blocks.length + 1 : block < 0 ? 0 : 2 * block + (kind === "head" ? 1 : 2);

/** Return the stage of the stream that a part reads. */
function readAt(model: Model, part: Part): number {
  const block = model.blocks[part.block];
  const entry = part.kind === "mlp" && block.parallel && block.attention !== null;
  return entry ? 2 * part.block : stageOf(model, part) - 1;
}

function edgeOf(model: Model, given: unknown, live: boolean): Edge {
  const edge = record(given, "an edge");
  const [from, to] = [partOf(model, edge.from), partOf(model, edge.to)];
  const input = text(edge.input, "the input of an edge");
  if (!INPUTS[to.kind].includes(input)) refuse(`${to.name} has no input ${brief(input)}`);
  if (from.kind === "unembed" || stageOf(model, from) > readAt(model, to)) {
    refuse(`${to.name} is not behind ${from.name}`);
  }
  const lanes = list(edge.lanes, "lanes").map((lane) => text(lane, "a lane"));
  const odd = lanes.find((lane, n) => !model.lanes.includes(lane) || lanes.indexOf(lane) !== n);
  if (odd !== undefined) refuse(`there is no lane ${brief(odd)}, or it is listed twice`);
  return { from, to, input: input as Input, lanes, witness: live ? witnessOf(model, edge) : null };
}

function witnessOf(model: Model, edge: Readonly<Record<string, unknown>>): Witness {
  const tokens = list(edge.witness, "a witness").map((token) => text(token, "a token"));
  const unknown = tokens.find((token) => !isKnown(model, token));
  if (unknown !== undefined) refuse(`${brief(unknown)} is not a token`);
  const position = whole(edge.position, "a position");
  if (position >= tokens.length) refuse(`there is no position ${position} in an input of ${tokens.length} tokens`);
  return { tokens, position, answer: text(edge.answer, "an answer"), without: text(edge.without, "an answer") };
}

function partOf(model: Model, given: unknown): Part {
  const name = text(given, "a part");
  if (name === "embed" || name === "unembed") return { kind: name, block: -1, index: 0, name };
  if (name === "pos_embed" && model.added_positions !== null) return { kind: name, block: -1, index: 0, name };
  const form = /^blocks\.(0|[1-9]\d{0,8})\.(?:attn\.head\.(0|[1-9]\d{0,8})|mlp)$/.exec(name);
  const block = form === null ? undefined : model.blocks[Number(form[1])];
  const isHead = form?.[2] !== undefined;
  const index = Number(form?.[2] ?? 0);
  const there = isHead ? index < (block?.attention?.heads.length ?? 0) : (block?.feed_forward ?? null) !== null;
  if (form === null || !there) return refuse(`there is no part ${brief(name)}`);
  return { kind: isHead ? "head" : "mlp", block: Number(form[1]), index, name };
}

const refuse = (why: string): never => {
  throw new EngineError(`The circuit in this page does not belong to its model: ${why}`);
};

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Record<string, unknown>) : refuse(`${what} is no object`);
}

function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) return refuse(`${what} is no list`);
  return value.length <= MOST_EDGES ? value : refuse(`${what} has ${value.length} entries; the limit is ${MOST_EDGES}`);
}

function text(value: unknown, what: string): string {
  const fits = typeof value === "string" && value.length <= 2 * MOST_LETTERS && letters(value) <= MOST_LETTERS;
  return fits ? value : refuse(`${what} is no text of at most ${MOST_LETTERS} letters`);
}

function whole(value: unknown, what: string, least = 0): number {
  const fits = Number.isSafeInteger(value) && (value as number) >= least;
  return fits ? (value as number) : refuse(`${what} is no whole number from ${least} on`);
}
