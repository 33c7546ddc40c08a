/** A model from tensors and one JSON object: it has the fields of each part under their names, a part names its kind. */

import type { Arithmetic } from "../engine/arithmetic";
import type { AddedPositions, AttentionPositions, Matrix, Model } from "../engine/types";
import { parseArithmetic } from "./arithmetic";
import { readChain } from "./chain";
import { check, type Numbers } from "./checks";
import { readContainer, type Tensor } from "./container";
import { type Field, names, type Part } from "./fields";
import { type Json, type JsonObject, parseJson } from "./json";
import { type Kind, KINDS, TRANSFORMER } from "./kinds";
import { refuse, shown } from "./refusal";
import { readStory } from "./story";

const FORMAT_VERSION = 1n;
const MAX_PARTS = 1 << 16;

/** Return the model in the bytes of a .safetensors file of Weightsmith; refuse anything else. */
export function readModel(bytes: Uint8Array): Model {
  const { tensors, metadata: text } = readContainer(bytes);
  const size = text.length + [...tensors.values()].reduce((total, tensor) => total + tensor.bytes.length, 0);
  const metadata = parseJson(text, "its metadata", size);
  const [chain, story] = [metadata.get("chain") ?? null, metadata.get("story") ?? null];
  metadata.delete("chain");
  metadata.delete("story");
  if (chain !== null && story !== null) refuse("structure", "it has a chain and a story, which is not played");
  checkVersion(metadata, tensors);
  const A = parseArithmetic(metadata.get("arithmetic") ?? "");
  const arrays = new Map([...tensors].map(([name, tensor]) => [name, numbersOf(name, tensor, A)]));
  if (!Array.isArray(metadata.get("vocabulary"))) refuse("structure", "its vocabulary is not a list");
  checkCount(metadata);
  const reading = new Reading(metadata, new Map(arrays));
  const found = reading.part(TRANSFORMER, metadata, "") as Found;
  const [left] = reading.arrays.keys();
  if (left !== undefined) refuse("structure", `it has a tensor that belongs nowhere: ${shown(left)}`);
  reading.checkSizes();
  const model = modelOf(found, A);
  check(model, arrays);
  return chain === null ? { ...model, story: readStory(story, model) } : { ...model, chain: readChain(chain, model) };
}

function checkVersion(metadata: JsonObject, tensors: Map<string, Tensor>): void {
  const [version, listed] = [metadata.get("version"), metadata.get("tensors")];
  if (version !== FORMAT_VERSION) refuse("structure", `it has format version ${shown(version)}, not ${FORMAT_VERSION}`);
  const alike = Array.isArray(listed) && listed.length === tensors.size && new Set(listed).size === tensors.size;
  if (!alike || !listed.every((name) => tensors.has(name as string))) {
    refuse("structure", "its tensors are not those that its metadata lists");
  }
  metadata.delete("version");
  metadata.delete("tensors");
}

/** Return the numbers of a tensor, without −0. */
function numbersOf(name: string, { dtype, shape, bytes }: Tensor, A: Arithmetic): Numbers {
  if (dtype !== (A.native === 32 ? "F32" : "F64")) {
    refuse("structure", `tensor ${shown(name)} has dtype ${dtype}, which is not that of ${A.text}`);
  }
  const { buffer } = bytes.slice();
  const values = dtype === "F32" ? Float64Array.from(new Float32Array(buffer)) : new Float64Array(buffer);
  let odd = 0; // the sum of x − x, which is 0 for every finite number: one test for all of them
  for (let n = 0; n < values.length; n++) {
    values[n] += 0;
    odd += values[n] - values[n];
  }
  return odd === 0 ? { shape, values } : refuse("structure", `tensor ${shown(name)} has a weight that is not finite`);
}

/** Refuse more parts than a model has: each takes its time to be checked. */
function checkCount(metadata: JsonObject): void {
  let level: JsonObject[] = [metadata];
  for (let count = 0; level.length > 0;) {
    count += level.length;
    if (count > MAX_PARTS) refuse("structure", `it has more than ${MAX_PARTS} parts`);
    level = level.flatMap((each) => [...each.values()].flat().filter((item) => item instanceof Map));
  }
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** Reads parts: each has all of its fields and arrays, and no others. Arrays are taken out as they are used. */
class Reading {
  private readonly sizes: ReadonlyMap<string, number>; // of axes that the whole model shares
  private readonly sized: [name: string, numbers: Numbers, axes: readonly string[], sizes: Map<string, number>][] = [];

  constructor(
    metadata: JsonObject,
    readonly arrays: Map<string, Numbers>,
  ) {
    const [tokens, lanes, classes] = ["vocabulary", "lanes", "classes"].map((name) => lengthOf(metadata.get(name)));
    this.sizes = new Map(Object.entries({ tokens, lanes, classes }));
  }

  part({ fields = {}, arrays = {}, check }: Kind, values: JsonObject, name: string): object {
    const prefix = name && `${name}.`;
    const wanted = Object.keys(fields).filter((key) => !("absent" in fields[key]));
    const missing = wanted.find((key) => !values.has(key));
    const unknown = [...values.keys()].find((key) => !Object.hasOwn(fields, key));
    if (missing !== undefined) refuse("structure", `${name || "the metadata"} lacks the key ${missing}`);
    if (unknown !== undefined) refuse("structure", `${name || "the metadata"} has the unknown key ${shown(unknown)}`);
    const given = new Map([...values].map(([key, value]) => [key, this.field(value, prefix + key)]));
    const own = Object.entries(arrays).map(([array, axes]) => {
      const shared = array === "output" && given.get("tied") === true; // the embedding is the output
      const optional = axes.endsWith("?") && (array !== "output" || shared);
      return { array, axes: axes.replace("?", "").split(" "), numbers: this.taken(prefix + array, optional) };
    });
    const found: Record<string, unknown> = {};
    for (const [key, read] of Object.entries(fields)) {
      found[key] = given.has(key) ? read(given.get(key)!, prefix + key) : read.absent;
    }
    const sizes = new Map(this.sizes).set("covered", lengthOf(found.lanes) || this.sizes.get("lanes")!);
    for (const { array, axes, numbers } of own) {
      found[array] = numbers && withAxes(prefix + array, numbers, axes);
      if (numbers && !name.startsWith("edits.")) this.sized.push([prefix + array, numbers, axes, sizes]);
    }
    return (check?.(found as never) ?? found) as object;
  }

  private taken(name: string, optional: boolean): Numbers | null {
    const found = this.arrays.get(name) ?? null;
    this.arrays.delete(name);
    return found === null && !optional ? refuse("structure", `the tensor ${shown(name)} is missing`) : found;
  }

  /** Refuse arrays whose axes of one name have not one size. What an edit replaced is as it was, in a smaller model. */
  checkSizes(): void {
    for (const [name, { shape }, axes, sizes] of this.sized) {
      const wanted = axes.map((axis, n) => sizes.get(axis) ?? shape[n]);
      if (wanted.some((size, n) => size !== shape[n])) {
        const text = `${name} has shape (${shape.join(", ")}), and it must be (${wanted.join(", ")})`;
        refuse("model", `${text}: ${axes.join(", ")}`);
      }
      axes.forEach((axis, n) => sizes.set(axis, shape[n]));
    }
  }

  private field(value: Json, name: string): Field {
    if (Array.isArray(value) && value.some((item) => item instanceof Map)) {
      return value.map((item, n) => this.field(item, `${name}.${n}`) as Json | Part);
    }
    if (!(value instanceof Map)) return value;
    const named = value.get("kind");
    value.delete("kind");
    const kind = typeof named === "string" ? KINDS.get(named) : undefined;
    if (kind === undefined) return refuse("structure", `${name} has the unknown kind ${shown(named)}`);
    return { ...this.part(kind, value, name), kind: named as string };
  }
}

/** Return an array with one axis as a vector, one with two as a matrix. */
function withAxes(name: string, { shape, values }: Numbers, axes: readonly string[]): Float64Array | Matrix {
  if (shape.length !== axes.length) refuse("model", `${name} has not the axes ${axes.join(", ")}`);
  return axes.length === 1 ? values : { rows: shape[0], columns: shape[1], values };
}

/** The fields of a transformer as they are read. */
interface Found extends Omit<
  Model,
  "arithmetic" | "classes" | "output" | "added_positions" | "attention_positions" | "chain" | "story"
> {
  readonly classes: Field;
  readonly output: Matrix | null;
  readonly positions: readonly [AddedPositions | null, AttentionPositions | null];
}

function modelOf({ positions, output, ...found }: Found, arithmetic: Arithmetic): Model {
  const { vocabulary, embedding, readout, tied } = found;
  if (readout !== null) checkReadout(found, output);
  const classes = readout === null ? names(false)(found.classes, "classes") : [];
  if (tied && (classes.length !== vocabulary.length || classes.some((name, n) => name !== vocabulary[n]))) {
    refuse("model", "with a tied output, the classes must be the vocabulary");
  }
  if (tied && output?.values.some((value, n) => value !== embedding.values[n])) {
    refuse("model", "the output is tied to the embedding, and it is another");
  }
  const [added_positions, attention_positions] = positions;
  const whole = { ...found, arithmetic, classes, output: tied ? embedding : output!, chain: null, story: null };
  return { ...whole, added_positions, attention_positions };
}

/** Refuse an output beside the readout that stands in its place. */
function checkReadout(
  { tied, output_bias, classes }: Omit<Found, "output" | "positions">,
  output: Matrix | null,
): void {
  const outputs = tied || output_bias !== null || (output !== null && output.values.length > 0);
  if (outputs || !Array.isArray(classes) || classes.length > 0)
    refuse("model", "a readout stands in place of an output");
}
