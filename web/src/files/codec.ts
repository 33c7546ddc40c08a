/** A model from tensors and one JSON object: it has the fields of each part under their names, a part names its kind. */

import type { Arithmetic } from "../engine/arithmetic";
import { parseArithmetic } from "./arithmetic";
import { check } from "./checks";
import { type Numbers, place } from "./numbers";
import { readContainer, type Tensor } from "./container";
import { type Json, type JsonObject, parseJson } from "./json";
import type {
  AddedPositions,
  Attention,
  AttentionPositions,
  Block,
  FeedForward,
  Head,
  Matrix,
  Model,
} from "../engine/types";
import type { Entry, Norm, Readout, Value, Weighting } from "../engine/types";
import { EngineError, isPrintable, letters, named } from "../engine/words";
import { brief, grouped, shown } from "./words";

const FORMAT_VERSION = 1n;
const MAX_PARTS = 1 << 16;
const MAX_NAME = 200;
const MAX_TEXT = 2000;
const MAX_TOKENIZER = 24 * 2 ** 20;
const MAX_LENGTH = 1 << 20;
const MAX_NUMBER = 1e30;
const MAX_HEADS = 65536n; // of which a slope may be one
const MAX_CODES = 1 << 16;
const LARGEST_WHOLE = 1n << 53n;

/** A part that was read, with its kind; the fields that it may lack are after the colon, as are arrays. */
interface Part {
  readonly kind: string;
  readonly part: unknown;
}
type Field = Json | Part | (Json | Part)[];

interface Kind {
  readonly fields: string; // "eps lanes", with those that older files lack in brackets
  readonly arrays: string; // "W_1 [W_3]", with those that may be absent in brackets
  readonly build: (given: Given) => unknown;
}

const KINDS = new Map<string, Kind>([
  ["Softmax", { fields: "shifted empty", arrays: "", build: softmax }],
  ["AverageHard", { fields: "", arrays: "", build: () => ({ kind: "AverageHard" }) }],
  ["LeftmostHard", { fields: "", arrays: "", build: () => ({ kind: "LeftmostHard" }) }],
  ["RightmostHard", { fields: "", arrays: "", build: () => ({ kind: "RightmostHard" }) }],
  ["Table", { fields: "", arrays: "values", build: (g) => ({ kind: "Table", values: g.matrix("values") }) }],
  ["Sinusoidal", { fields: "max_length base", arrays: "", build: sinusoidal }],
  ["Relative", { fields: "", arrays: "keys [values]", build: relative }],
  ["Rotary", { fields: "base pairing size", arrays: "", build: rotary }],
  ["Alibi", { fields: "slopes [place]", arrays: "", build: alibi }],
  ["LayerNorm", { fields: "eps lanes", arrays: "[gain] [bias]", build: (g) => norm(g, "LayerNorm") }],
  ["RMSNorm", { fields: "eps lanes", arrays: "[gain]", build: (g) => norm(g, "RMSNorm") }],
  [
    "Head",
    { fields: "weighting [positions] [strict] [name]", arrays: "W_Q W_K W_V W_O [b_Q] [b_K] [b_V]", build: head },
  ],
  ["Attention", { fields: "heads", arrays: "[b_O]", build: attention }],
  ["FeedForward", { fields: "activation [names]", arrays: "W_1 b_1 W_2 b_2 [W_3] [b_3] [keys]", build: feedForward }],
  [
    "Block",
    {
      fields: "attention feed_forward attention_norm feed_forward_norm norm_placement origin [parallel]",
      arrays: "",
      build: block,
    },
  ],
  ["Readout", { fields: "lanes table", arrays: "", build: readout }],
  ["Edit", { fields: "text block first count before created digest", arrays: "", build: edit }],
]);
const TRANSFORMER: Kind = {
  fields:
    "arithmetic vocabulary lanes positions blocks classes mask final_norm [tied] flags provenance [edits] [tokenizer] " +
    "[readout]",
  arrays: "embedding [output] [output_bias]",
  build: transformer,
};

/** Return the model in the bytes of a .safetensors file of Weightsmith; refuse anything else. */
export function readModel(bytes: Uint8Array): Model {
  const { tensors, metadata: text } = readContainer(bytes);
  const size = text.length + [...tensors.values()].reduce((total, tensor) => total + tensor.bytes.length, 0);
  const metadata = parseJson(text, "its metadata", size);
  const version = metadata.get("version");
  metadata.delete("version");
  if (version !== FORMAT_VERSION) {
    throw new EngineError(
      `it has format version ${brief(version)}, and this Weightsmith reads version ${FORMAT_VERSION}`,
    );
  }
  const list = metadata.get("tensors");
  metadata.delete("tensors");
  const names = Array.isArray(list) && list.every((name) => typeof name === "string") ? new Set(list) : null;
  if (!Array.isArray(list) || list.length !== tensors.size || names?.size !== tensors.size) {
    throw new EngineError("the tensors in it are not those that its metadata lists");
  }
  if (!list.every((name) => tensors.has(name as string))) {
    throw new EngineError("the tensors in it are not those that its metadata lists");
  }
  const A = parseArithmetic(metadata.get("arithmetic") ?? "");
  const arrays = new Map([...tensors].map(([name, tensor]) => [name, numbersOf(name, tensor, A)]));
  if (!Array.isArray(metadata.get("vocabulary"))) throw new EngineError("its vocabulary is not a list");
  checkCount(metadata);
  const left = new Map(arrays);
  const model = part(TRANSFORMER, metadata, left, "") as Model;
  if (left.size) throw new EngineError(`it has a tensor that belongs nowhere: ${brief([...left.keys()].sort()[0])}`);
  check(model, A, arrays);
  return model;
}

/** Return the numbers of a tensor, without −0. */
function numbersOf(name: string, { dtype, shape, bytes }: Tensor, A: Arithmetic): Numbers {
  const wanted = A.native === 32 ? "F32" : "F64";
  if (dtype !== wanted) {
    const types = { F32: "float32", F64: "float64" } as Record<string, string>;
    throw new EngineError(
      `tensor ${brief(name)} has dtype ${types[dtype]}, and ${A.text} is stored as ${types[wanted]}`,
    );
  }
  const { buffer } = bytes.slice();
  const values = dtype === "F32" ? Float64Array.from(new Float32Array(buffer)) : new Float64Array(buffer);
  let odd = 0; // the sum of x − x, which is 0 for every finite number: one test for all of them
  for (let n = 0; n < values.length; n++) {
    values[n] += 0;
    odd += values[n] - values[n];
  }
  if (odd === 0) return { shape, values };
  const n = values.findIndex((x) => !Number.isFinite(x));
  const value = String(values[n]).replace("NaN", "nan").replace("Infinity", "inf");
  throw new EngineError(
    `tensor ${brief(name)} is ${value} at ${place(n, shape)}: every weight must be a finite number`,
  );
}

/** Refuse more parts than a model has: each takes its time to be checked. */
function checkCount(metadata: JsonObject): void {
  let level: JsonObject[] = [metadata];
  for (let count = 0; level.length;) {
    count += level.length;
    if (count > MAX_PARTS) throw new EngineError("it has more than 65,536 parts");
    level = level.flatMap((each) => [...each.values()].flat().filter((item) => item instanceof Map));
  }
}

/** Return a part: it has all of its fields and arrays, and no others. */
function part(kind: Kind, values: JsonObject, arrays: Map<string, Numbers>, name: string): unknown {
  const fields = kind.fields.split(" ").filter(Boolean);
  const known = new Set(fields.map((field) => field.replace(/[[\]]/g, "")));
  const wanted = fields.filter((field) => !field.startsWith("["));
  const odd = [...wanted.filter((key) => !values.has(key)), ...[...values.keys()].filter((key) => !known.has(key))];
  if (odd.length) {
    const first = odd.sort()[0];
    const problem = wanted.includes(first) ? "lacks the key" : "has the unknown key";
    throw new EngineError(`${name || "the metadata"} ${problem} ${brief(first)}`);
  }
  const prefix = name && `${name}.`;
  const built = new Map<string, Field>();
  for (const [key, value] of values) built.set(key, field(value, arrays, prefix + key));
  const own = new Map<string, Numbers>();
  for (const each of kind.arrays.split(" ").filter(Boolean)) {
    const array = each.replace(/[[\]]/g, "");
    const found = arrays.get(prefix + array);
    arrays.delete(prefix + array);
    if (found) own.set(array, found);
    else if (!each.startsWith("[") || (array === "output" && built.get("tied") !== true)) {
      throw new EngineError(`the tensor ${brief(prefix + array)} is missing`);
    }
  }
  return kind.build(new Given(built, own));
}

function field(value: Json, arrays: Map<string, Numbers>, name: string): Field {
  if (Array.isArray(value) && value.some((item) => item instanceof Map)) {
    return value.map((item, n) => field(item, arrays, `${name}.${n}`) as Json | Part);
  }
  if (!(value instanceof Map)) return value;
  const named = value.get("kind");
  value.delete("kind");
  const kind = typeof named === "string" ? KINDS.get(named) : undefined;
  if (kind === undefined) throw new EngineError(`${name} has the unknown kind ${brief(named)}`);
  return { kind: named as string, part: part(kind, value, arrays, name) };
}

/** What was given for the fields and arrays of a part; each method returns one, or refuses it. */
class Given {
  constructor(
    private readonly fields: Map<string, Field>,
    private readonly arrays: Map<string, Numbers>,
  ) {}

  get(name: string): Field {
    return this.fields.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  numbers(name: string, axes: number): Numbers | null {
    const found = this.arrays.get(name) ?? null;
    if (found && found.shape.length !== axes) {
      throw new EngineError(`${name} must have ${axes} axes, and its shape is (${found.shape.join(", ")})`);
    }
    return found;
  }

  vector(name: string): Float64Array | null {
    return this.numbers(name, 1)?.values ?? null;
  }

  matrix(name: string): Matrix {
    return this.matrixOrNull(name) as Matrix;
  }

  matrixOrNull(name: string): Matrix | null {
    const found = this.numbers(name, 2);
    return found && { rows: found.shape[0], columns: found.shape[1], values: found.values };
  }

  /** Return a field that is one of some texts. */
  choice<T extends string>(name: string, what: string, choices: readonly T[]): T {
    const given = this.get(name);
    if (choices.includes(given as T)) return given as T;
    throw new EngineError(`${what.replace("…", brief(given))}: write one of ${choices.join(", ")}`);
  }

  truth(name: string, what: string): boolean {
    const given = this.get(name);
    if (typeof given === "boolean") return given;
    throw new EngineError(`${what}(${name}=${brief(given)}): write True or False`);
  }

  /** Return a field that is a number within its bounds. */
  number(name: string, within: (x: number) => boolean, refusal: (given: string) => string): number {
    const x = realNumber(this.get(name));
    if (x === null || !within(x)) throw new EngineError(refusal(brief(this.get(name))));
    return x;
  }

  /** Return a field that is a part of one of some kinds, or null. */
  part<T>(name: string, kinds: readonly string[], what: string): T | null {
    const given = this.get(name);
    if (given === null) return null;
    if (isPart(given) && kinds.includes(given.kind)) return given.part as T;
    throw new EngineError(
      `${what}(${name}=${isPart(given) ? given.kind + "(…)" : brief(given)}): write ${kinds[0]}(…)`,
    );
  }

  /** Return a field that is a list of parts of one kind. */
  parts<T>(name: string, kind: string, what: string): T[] {
    return this.list(name, what, kind).map((item) => {
      if (isPart(item) && item.kind === kind) return item.part as T;
      throw new EngineError(`${what} must hold ${kind}, and it holds ${isPart(item) ? item.kind : brief(item)}`);
    });
  }

  /** Return a field that is a list of texts. */
  texts(name: string, what: string, most: number, each: string): string[] {
    return this.list(name, what, "str").map((item) => {
      if (typeof item !== "string") throw new EngineError(`${what} must hold str, and it holds ${brief(item)}`);
      return checkedText(item, each, true, most);
    });
  }

  list(name: string, what: string, kind: string): (Json | Part)[] {
    const given = this.get(name);
    if (Array.isArray(given)) return given;
    throw new EngineError(`${what} must be a tuple of ${kind}, and it is ${brief(given)}`);
  }

  names(name: string, what: string, printable: boolean): string[] {
    return checkedNames(this.get(name), what, printable);
  }
}

const isPart = (value: unknown): value is Part =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map);

/** Return a whole or a real number; null for anything else. */
const realNumber = (value: unknown): number | null =>
  typeof value === "bigint" || typeof value === "number" ? Number(value) : null;

/** Return the names of a list; refuse none at all, duplicates, empty, over-long and (for lanes) invisible ones. */
function checkedNames(given: Field, what: string, printable: boolean): string[] {
  if (!Array.isArray(given)) {
    throw new EngineError(`${what} must be a list or tuple of names, and it is ${brief(given)}`);
  }
  if (!given.length) throw new EngineError(`${what} is empty: at least one name is needed`);
  const seen = new Set<string>();
  for (const each of given) {
    const name = checkedText(each, `a name in ${what}`, printable, MAX_NAME);
    if (!name) throw new EngineError(`a name in ${what} is empty`);
    seen.add(name);
  }
  if (seen.size < given.length) {
    const twice = given.find((name) => !seen.delete(name as string)) as string;
    throw new EngineError(`${what} has ${named(twice)} twice: names must differ`);
  }
  return given as string[];
}

/** Refuse what is not a text, is too long, is not valid Unicode or, if asked, has invisible characters. */
function checkedText(text: unknown, what: string, printable: boolean, most: number): string {
  if (typeof text !== "string") {
    throw new EngineError(`${what} must be a text, and it is ${isPart(text) ? text.kind : brief(text)}`);
  }
  if (letters(text) > most) {
    const begin = brief(Array.from(text.slice(0, 80)).slice(0, 40).join(""));
    throw new EngineError(`${what} has ${letters(text)} characters, at most ${most} are allowed: ${begin}…`);
  }
  if (/\p{Cs}/u.test(text) || (printable && !isPrintable(text))) {
    throw new EngineError(`${what} has characters that cannot be shown: ${brief(text, 200)}`);
  }
  return text;
}

// The kinds

const SCHEMES = ["Relative", "Rotary", "Alibi"];
const NORMS = ["LayerNorm", "RMSNorm"];

function softmax(given: Given): Weighting {
  const shifted = given.truth("shifted", "Softmax");
  return { kind: "Softmax", shifted, empty: given.choice("empty", "Softmax(empty=…)", ["zero", "uniform", "error"]) };
}

function base(given: Given, kind: string): number {
  return given.number(
    "base",
    (x) => x > 1 && x < MAX_NUMBER,
    (value) => `${kind}(base=${value}): write a number above 1`,
  );
}

function sinusoidal(given: Given): AddedPositions {
  const length = given.get("max_length");
  if (typeof length !== "bigint" || length < 1n || length > MAX_LENGTH) {
    throw new EngineError(`Sinusoidal(max_length=${brief(length)}): write a whole number from 1 to ${MAX_LENGTH}`);
  }
  return { kind: "Sinusoidal", max_length: Number(length), base: base(given, "Sinusoidal") };
}

function relative(given: Given): AttentionPositions {
  const keys = given.matrix("keys");
  const values = given.matrixOrNull("values");
  if (keys.rows === 0) throw new EngineError("Relative(keys) needs at least one row, for distance 0");
  if (values && values.rows !== keys.rows) {
    throw new EngineError(
      `Relative(keys, values) has ${keys.rows} rows of keys and ${values.rows} of values: ` +
        "write a row of each for every distance",
    );
  }
  return { kind: "Relative", keys, values };
}

function rotary(given: Given): AttentionPositions {
  const size = given.get("size");
  if (size !== null && (typeof size !== "bigint" || size < 2n || size % 2n !== 0n)) {
    throw new EngineError(`Rotary(size=${brief(size)}): coordinates turn in pairs, so write an even number`);
  }
  const pairing = given.choice("pairing", "Rotary(pairing=…)", ["halves", "neighbours"]);
  return { kind: "Rotary", base: base(given, "Rotary"), pairing, size: size === null ? null : Number(size) };
}

function alibi(given: Given): AttentionPositions {
  const slopes = given.get("slopes");
  const place = placeOfHead(given.get("place"), slopes);
  if (slopes === null) return { kind: "Alibi", slopes, place };
  if (!Array.isArray(slopes) || !slopes.length) {
    throw new EngineError(`Alibi(slopes=${brief(slopes)}): write a tuple of numbers, one for each head`);
  }
  const numbers = slopes.map((slope) => {
    const x = realNumber(slope);
    if (x !== null && x >= 0 && x < MAX_NUMBER) return x;
    throw new EngineError(
      `Alibi(slopes=…) holds ${isPart(slope) ? slope.kind : brief(slope)}: write numbers from 0 on`,
    );
  });
  return { kind: "Alibi", slopes: numbers, place };
}

function placeOfHead(place: Field, slopes: Field): readonly [number, number] | null {
  if (place === null) return null;
  const [head, heads] = Array.isArray(place) ? place : [];
  const isPair = Array.isArray(place) && place.length === 2;
  if (slopes !== null || !isPair || typeof head !== "bigint" || typeof heads !== "bigint") {
    const given = brief(place as Json);
    throw new EngineError(`Alibi(place=${given}): write the head's number and how many there are, such as (0, 3)`);
  }
  if (head < 0n || head >= heads || heads > MAX_HEADS) {
    throw new EngineError(
      `Alibi(place=(${head}, ${heads})): of n heads, the numbers are 0 to n − 1, and n ≤ ${grouped(Number(MAX_HEADS))}`,
    );
  }
  return [Number(head), Number(heads)];
}

function norm(given: Given, kind: "LayerNorm" | "RMSNorm"): Norm {
  const eps = given.number(
    "eps",
    (x) => x >= 0 && x < MAX_NUMBER,
    (value) => `${kind}(eps=${value}): write a small number such as 1e-5`,
  );
  const lanes = given.get("lanes") === null ? null : given.names("lanes", `the lanes of ${kind}`, true);
  return { kind, eps, gain: given.vector("gain"), bias: given.vector("bias"), lanes };
}

function head(given: Given): Head {
  const weighting = given.part<Weighting>(
    "weighting",
    ["Softmax", "AverageHard", "LeftmostHard", "RightmostHard"],
    "Head",
  );
  if (weighting === null)
    throw new EngineError("Head(weighting=None): write Softmax(), AverageHard() or another weighting");
  const positions = given.part<AttentionPositions>("positions", SCHEMES, "Head");
  if (positions?.kind === "Alibi" && positions.place === null && positions.slopes?.length !== 1) {
    throw new EngineError("Head(positions=Alibi(…)) has one slope, for this head: write Alibi((0.5,))");
  }
  const [W_Q, W_K, W_V, W_O] = ["W_Q", "W_K", "W_V", "W_O"].map((name) => given.matrix(name));
  const [b_Q, b_K, b_V] = ["b_Q", "b_K", "b_V"].map((name) => given.vector(name));
  const strict = given.has("strict") && given.truth("strict", "Head");
  const name = given.has("name") ? checkedText(given.get("name"), "the name of a head", true, MAX_NAME) : "";
  return { W_Q, W_K, W_V, W_O, weighting, b_Q, b_K, b_V, positions, strict, name };
}

function attention(given: Given): Attention {
  return { heads: given.parts<Head>("heads", "Head", "Attention(heads=…)"), b_O: given.vector("b_O") };
}

function feedForward(given: Given): FeedForward {
  const kinds = ["relu", "gelu", "gelu_tanh", "silu", "reglu", "swiglu"] as const;
  const activation = given.choice("activation", "FeedForward(activation=…)", kinds);
  const [W_1, W_2] = [given.matrix("W_1"), given.matrix("W_2")];
  const W_3 = given.matrixOrNull("W_3");
  if ((activation === "reglu" || activation === "swiglu") !== (W_3 !== null) || (!W_3 && given.vector("b_3"))) {
    throw new EngineError(
      `FeedForward(activation=${brief(activation)}) with${W_3 ? "" : "out"} W_3: ` +
        "reglu, swiglu need W_3, the others have none",
    );
  }
  const texts = given.has("names")
    ? given.texts("names", "FeedForward(names=…)", MAX_NAME, "the name of a neuron")
    : [];
  if (texts.length && texts.length !== W_1.rows) {
    throw new EngineError(`FeedForward has ${texts.length} names for ${W_1.rows} neurons: write one for each`);
  }
  const keys = given.matrixOrNull("keys");
  if (keys && (keys.rows !== W_1.rows || keys.columns !== W_1.columns)) {
    throw new EngineError(
      `keys has shape (${keys.rows}, ${keys.columns}), and it must be that of W_1, (${W_1.rows}, ${W_1.columns})`,
    );
  }
  const [b_1, b_2] = ["b_1", "b_2"].map((name) => given.vector(name) as Float64Array);
  const b_3 = given.vector("b_3") ?? (W_3 && new Float64Array(W_3.rows));
  const names = texts.some(Boolean) ? texts : [];
  return { W_1, b_1, W_2, b_2, activation, W_3, b_3, names, keys: keys?.values.some(Boolean) ? keys : null };
}

function block(given: Given): Block {
  const attention = given.part<Attention>("attention", ["Attention"], "Block");
  const feed_forward = given.part<FeedForward>("feed_forward", ["FeedForward"], "Block");
  const attention_norm = given.part<Norm>("attention_norm", NORMS, "Block");
  const feed_forward_norm = given.part<Norm>("feed_forward_norm", NORMS, "Block");
  for (const [name, there] of Object.entries({ attention: attention_norm && !attention })) {
    if (there) throw new EngineError(`Block(${name}_norm=…) without ${name}: a norm belongs to a sublayer`);
  }
  if (feed_forward_norm && !feed_forward) {
    throw new EngineError("Block(feed_forward_norm=…) without feed_forward: a norm belongs to a sublayer");
  }
  const norm_placement = given.choice("norm_placement", "Block(norm_placement=…)", ["pre", "post"]);
  const parallel = given.has("parallel") && given.truth("parallel", "Block");
  if (parallel && norm_placement === "post") {
    throw new EngineError(
      "Block(parallel=True, norm_placement='post'): the norms of a parallel block stand before its sublayers: " +
        "write norm_placement='pre', or parallel=False",
    );
  }
  const origin = checkedText(given.get("origin"), "Block(origin=…)", true, MAX_TEXT);
  return { attention, feed_forward, attention_norm, feed_forward_norm, norm_placement, parallel, origin };
}

/** Check an edit, which the page does not show. */
function edit(given: Given): null {
  checkedText(given.get("text"), "the text of an edit", true, MAX_TEXT);
  checkedText(given.get("digest"), "the digest of an edit", true, 64);
  for (const name of ["block", "first", "count"]) {
    const value = given.get(name);
    if (typeof value !== "bigint" || value < 0n) {
      throw new EngineError(`Edit(${name}=${brief(value)}): write a whole number, 0 or more`);
    }
  }
  given.part("before", ["FeedForward"], "Edit");
  given.truth("created", "Edit");
  return null;
}

function transformer(given: Given): Model {
  const vocabulary = given.names("vocabulary", "vocabulary", false);
  const lanes = given.names("lanes", "lanes", true);
  const tied = given.has("tied") && given.truth("tied", "Transformer");
  const embedding = given.matrix("embedding");
  const own = given.matrixOrNull("output");
  const read = given.part<Readout>("readout", ["Readout"], "Transformer");
  const output_bias = given.vector("output_bias");
  if (read !== null) checkReadout(given.get("classes"), tied, own, output_bias);
  const classes = read === null ? given.names("classes", "classes", false) : [];
  if (tied && (classes.length !== vocabulary.length || classes.some((name, n) => name !== vocabulary[n]))) {
    throw new EngineError("tied=True makes the vocabulary the classes: leave out classes, or write tied=False");
  }
  if (tied && own && !sameNumbers(own, embedding)) {
    throw new EngineError(
      "tied=True makes the embedding the output, and the output given is another: write output=None, or tied=False",
    );
  }
  const blocks = given.parts<Block>("blocks", "Block", "blocks");
  const flags = given.list("flags", "flags", "str").map((flag) => {
    if (typeof flag !== "string") throw new EngineError("flags must hold str");
    return flag;
  });
  const provenance = given.texts("provenance", "provenance", MAX_TEXT, "a line of provenance");
  if (given.has("edits")) given.parts("edits", "Edit", "edits");
  if (given.has("tokenizer")) checkedText(given.get("tokenizer"), "the tokenizer", false, MAX_TOKENIZER);
  const mask = given.choice("mask", "mask=…", ["causal", "full"]);
  const [added_positions, attention_positions] = positions(given.get("positions"));
  const final_norm = given.part<Norm>("final_norm", NORMS, "Transformer");
  const arithmetic = parseArithmetic(given.get("arithmetic"));
  return {
    ...{ arithmetic, vocabulary, lanes, embedding, added_positions, attention_positions, blocks, classes, mask },
    ...{ output: tied ? embedding : (own as Matrix), output_bias, final_norm, tied },
    ...{ flags, provenance, readout: read },
  };
}

/** Refuse what a readout stands for. */
function checkReadout(classes: Field, tied: boolean, output: Matrix | null, bias: Float64Array | null): void {
  if (tied || bias !== null || (output !== null && output.values.length > 0)) {
    throw new EngineError("a readout stands for the output: leave out output, output_bias and tied, or readout");
  }
  if (!Array.isArray(classes) || classes.length) {
    throw new EngineError(`a readout stands for classes=${brief(classes)}: leave out one of the two`);
  }
}

/** Read lanes and a table of codes and values, in the order of the codes. */
function readout(given: Given): Readout {
  const lanes = given.names("lanes", "the lanes of the readout", true);
  const table = given.get("table");
  if (!Array.isArray(table) || !table.every((entry) => Array.isArray(entry) && entry.length === 2)) {
    const instead = "write a mapping from codes to values, such as {(0,): 'no', (1,): 'yes'}";
    throw new EngineError(`table=${brief(table)}: ${instead}`);
  }
  if (table.length < 1 || table.length > MAX_CODES) {
    throw new EngineError(`the table of the readout has ${grouped(table.length)} codes: write 1 to 65,536`);
  }
  const seen = new Set<string>();
  const entries = (table as [Json, Json][]).map(([written, value]) => {
    const code = readCode(written, lanes.length);
    if (seen.has(code.join())) {
      throw new EngineError(`the table of the readout has the code ${brief(written)} twice: each stands for one value`);
    }
    seen.add(code.join());
    return { code, ...readValue(value) };
  });
  const first = (a: readonly number[], b: readonly number[]): number => a.reduce((found, x, n) => found || x - b[n], 0);
  entries.sort((a, b) => first(a.code, b.code));
  const known = new Map<unknown, Entry>(); // True, 1 and 1.0 are one value, as the first of them is written
  return {
    lanes,
    entries: entries.map(({ code, value, text }) => {
      const key = typeof value === "boolean" ? Number(value) : value;
      const same = known.get(key) ?? { code, value, text };
      known.set(key, same);
      return { code, value: same.value, text: same.text };
    }),
  };
}

function readCode(written: Json, lanes: number): number[] {
  const code = Array.isArray(written) ? written : [written];
  if (code.length !== lanes || !code.every((x) => typeof x === "number" || typeof x === "bigint")) {
    const form = lanes === 1 ? "a number" : `a tuple of ${lanes} numbers`;
    throw new EngineError(`the code ${brief(written)} of the readout: write ${form}, one for each of its lanes`);
  }
  const numbers = code.map((x) => Number(x) + 0);
  if (numbers.every(Number.isFinite)) return numbers;
  throw new EngineError(`the code ${brief(written)} of the readout is not finite: codes are members of the arithmetic`);
}

function readValue(value: Json): { value: Value; text: string } {
  if (value === null || typeof value === "boolean") return { value, text: brief(value) };
  if (typeof value === "number") return { value: value + 0, text: brief(value + 0) };
  if (typeof value === "bigint" && value <= LARGEST_WHOLE && value >= -LARGEST_WHOLE) {
    return { value: Number(value), text: String(value) };
  }
  if (typeof value === "string") {
    checkedText(value, "a value of the readout", false, MAX_NAME);
    return { value, text: shown(value) };
  }
  throw new EngineError(
    `the value ${brief(value)} of the readout: write None, True, False, a text, or a finite number, whole ones up to 2**53`,
  );
}

const sameNumbers = (x: Matrix, y: Matrix): boolean =>
  x.rows === y.rows && x.columns === y.columns && x.values.every((value, n) => value === y.values[n]);

/** Return the scheme that adds to the embedding, and the one inside attention. */
function positions(given: Field): [AddedPositions | null, AttentionPositions | null] {
  const schemes = (Array.isArray(given) ? given : [given]).filter((scheme) => scheme !== null);
  const added: AddedPositions[] = [];
  const inside: AttentionPositions[] = [];
  for (const scheme of schemes) {
    if (isPart(scheme) && SCHEMES.includes(scheme.kind)) inside.push(scheme.part as AttentionPositions);
    else if (isPart(scheme) && ["Table", "Sinusoidal"].includes(scheme.kind)) added.push(scheme.part as AddedPositions);
    else {
      throw new EngineError(
        `positions=${isPart(scheme) ? scheme.kind : brief(scheme)}: write PositionTable(…), Sinusoidal(…), ` +
          "Relative(…), Rotary(…), Alibi(…), a pair of them such as (PositionTable(…), Rotary()), or None",
      );
    }
  }
  if (added.length > 1 || inside.length > 1) {
    throw new EngineError(
      `positions=(${schemes.map((scheme) => (scheme as Part).kind).join(" and ")}): one of PositionTable and ` +
        "Sinusoidal goes with one of Relative, Rotary and Alibi; two tables become one by adding them up",
    );
  }
  return [added[0] ?? null, inside[0] ?? null];
}
