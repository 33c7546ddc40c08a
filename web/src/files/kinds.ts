/** The kinds of parts in a file: the fields and arrays of each, and what must hold between them. */

import { isGated } from "../engine/layers";
import { GATED } from "../engine/types";
import type { Attention, AttentionPositions, Block, FeedForward, Head, Matrix, Norm } from "../engine/types";
import { choice, type Field, later, list, MAX_TEXT, names, number, orderedReadout } from "./fields";
import { orNull, part, type Reader, table, text, truth, whole } from "./fields";
import { refuse, shown } from "./refusal";

/**
 * What a part consists of. Arrays have the names of their axes: of equal names, the sizes are equal; "?" marks one that
 * may be absent. `check` refuses a part, or returns what the engine holds in its place.
 */
export interface Kind {
  readonly fields?: Readonly<Record<string, Reader>>;
  readonly arrays?: Readonly<Record<string, string>>;
  readonly check?: (part: never) => unknown;
}

const MAX_LENGTH = 1 << 20;
const MAX_NUMBER = 1e30;
const MAX_HEADS = 65536; // of which a slope may be one
const MAX_WINDOW = 1 << 30;
const LEAST_SCALE = 1e-6; // of the angles of rotary positions
const MAX_TOKENIZER = 24 * 2 ** 20;
const SCHEMES = ["Relative", "Rotary", "Alibi"];
const NORM = orNull(part("LayerNorm", "RMSNorm"));

const base = number((x) => x > 1 && x < MAX_NUMBER);
const positive = number((x) => x >= 0 && x < MAX_NUMBER);
const even: Reader<number> = (value, name) => {
  const size = whole(2)(value, name);
  return size % 2 === 0 ? size : refuse("model", `${name} is ${size}: coordinates turn in pairs`);
};
/** The number of a head, and how many heads there are. */
const place: Reader<readonly number[]> = (value, name) => {
  const found = list(whole(0, MAX_HEADS))(value, name);
  return found.length === 2 && found[0] < found[1] ? found : refuse("model", `${name} is ${shown(value)}`);
};
const slopes: Reader<readonly number[]> = (value, name) => {
  const found = list(positive)(value, name);
  return found.length > 0 ? found : refuse("model", `${name} is empty`);
};
const scales: Reader<readonly number[]> = (value, name) => {
  const found = list(number((x) => x >= LEAST_SCALE && x <= 1))(value, name);
  return found.length > 0 ? found : refuse("model", `${name} is empty`);
};
const norm = { fields: { eps: positive, lanes: orNull(names(true)) }, arrays: { gain: "covered?" } };

const PARTS: Readonly<Record<string, Kind>> = {
  Softmax: { fields: { shifted: truth, empty: choice("zero", "uniform", "error") } },
  AverageHard: {},
  LeftmostHard: {},
  RightmostHard: {},
  Table: { arrays: { values: "rows lanes" }, check: checkTable },
  Sinusoidal: { fields: { max_length: whole(1, MAX_LENGTH), base } },
  Relative: { arrays: { keys: "distances keySize", values: "distances valueSize?" }, check: checkRelative },
  Rotary: {
    fields: {
      ...{ base, pairing: choice("halves", "neighbours"), size: orNull(even) },
      scales: later(orNull(scales), null),
    },
    check: checkRotary,
  },
  Alibi: { fields: { slopes: orNull(slopes), place: later(orNull(place), null) }, check: checkAlibi },
  LayerNorm: { ...norm, arrays: { gain: "covered?", bias: "covered?" } },
  RMSNorm: { ...norm, check: (found: Norm) => ({ ...found, bias: null }) },
  Head: {
    fields: {
      weighting: part("Softmax", "AverageHard", "LeftmostHard", "RightmostHard"),
      positions: later(orNull(part(...SCHEMES)), null),
      strict: later(truth, false),
      window: later(orNull(whole(1, MAX_WINDOW)), null),
      name: later(text(), ""),
    },
    arrays: {
      ...{ W_Q: "keySize lanes", W_K: "keySize lanes", W_V: "valueSize lanes", W_O: "lanes valueSize" },
      ...{ b_Q: "keySize?", b_K: "keySize?", b_V: "valueSize?" },
    },
    check: checkHead,
  },
  Attention: { fields: { heads: list(part("Head")) }, arrays: { b_O: "lanes?" } },
  FeedForward: {
    fields: {
      activation: choice("relu", "gelu", "gelu_tanh", "silu", ...Object.keys(GATED)),
      names: later(list(text()), []),
    },
    arrays: {
      ...{ W_1: "neurons lanes", b_1: "neurons", W_2: "lanes neurons", b_2: "lanes" },
      ...{ W_3: "neurons lanes?", b_3: "neurons?", keys: "neurons lanes?" },
    },
    check: checkFeedForward,
  },
  Block: {
    fields: {
      attention: orNull(part("Attention")),
      feed_forward: orNull(part("FeedForward")),
      attention_norm: NORM,
      feed_forward_norm: NORM,
      norm_placement: choice("pre", "post"),
      origin: text(MAX_TEXT),
      parallel: later(truth, false),
    },
    check: checkBlock,
  },
  Readout: { fields: { lanes: names(true), table }, check: orderedReadout },
  Edit: {
    fields: {
      ...{ text: text(MAX_TEXT), digest: text(64), block: whole(0), first: whole(0), count: whole(0) },
      ...{ before: orNull(part("FeedForward")), created: truth },
    },
  },
};
export const KINDS = new Map(Object.entries(PARTS));

export const TRANSFORMER: Kind = {
  fields: {
    arithmetic: (value) => value,
    vocabulary: names(false),
    lanes: names(true),
    positions: readPositions,
    blocks: list(part("Block")),
    classes: (value) => value, // a readout stands in their place
    mask: choice("causal", "full"),
    final_norm: NORM,
    tied: later(truth, false),
    flags: list(text(Infinity, false)),
    provenance: list(text(MAX_TEXT)),
    edits: later(list(part("Edit")), []),
    tokenizer: later(text(MAX_TOKENIZER, false), ""),
    description: later(text(MAX_TEXT), ""),
    readout: later(orNull(part("Readout")), null),
  },
  arrays: { embedding: "tokens lanes", output: "classes lanes?", output_bias: "classes?" },
};

/** Return the scheme that adds to the embedding, and the one inside attention; null where there is none. */
function readPositions(value: Field, name: string): readonly [unknown, unknown] {
  const given = (Array.isArray(value) ? (value as Field[]) : [value]).filter((scheme) => scheme !== null);
  const schemes = list(part(...SCHEMES, "Table", "Sinusoidal"))(given as Field, name) as AttentionPositions[];
  const inside = schemes.filter(({ kind }) => SCHEMES.includes(kind));
  const added = schemes.filter((scheme) => !inside.includes(scheme));
  if (added.length > 1 || inside.length > 1) refuse("model", `${name} has two schemes of the same sort`);
  return [added[0] ?? null, inside[0] ?? null];
}

function checkTable({ values }: { values: Matrix }): void {
  if (values.rows === 0) refuse("model", "the position table has no rows");
}

function checkRelative({ keys }: { keys: Matrix }): void {
  if (keys.rows === 0) refuse("model", "relative positions need a row of keys, for distance 0");
}

function checkRotary({ size, scales }: AttentionPositions & { kind: "Rotary" }): void {
  if (size !== null && scales !== null && scales.length !== size / 2) {
    refuse("model", `${size} coordinates are ${size / 2} pairs, and there are ${scales.length} scales`);
  }
}

function checkAlibi({ slopes, place }: AttentionPositions & { kind: "Alibi" }): void {
  if (slopes !== null && place !== null) refuse("model", "Alibi has slopes and a place: one of them is enough");
}

function checkHead({ positions }: Head): void {
  if (positions?.kind === "Alibi" && positions.place === null && positions.slopes?.length !== 1) {
    refuse("model", "Alibi positions of one head need exactly one slope");
  }
}

function checkFeedForward(layer: FeedForward): FeedForward {
  const { activation, W_1, W_3, b_3, names, keys } = layer;
  const gated = isGated(activation);
  if (gated !== (W_3 !== null) || (W_3 === null && b_3 !== null)) {
    refuse("model", `a feed-forward layer with ${activation} ${gated ? "needs" : "has no"} gate W_3`);
  }
  if (names.length > 0 && names.length !== W_1.rows) {
    refuse("model", `${W_1.rows} neurons have ${names.length} names`);
  }
  if (keys && (keys.rows !== W_1.rows || keys.columns !== W_1.columns))
    refuse("model", "keys has not the shape of W_1");
  return {
    ...layer,
    b_3: b_3 ?? (W_3 && new Float64Array(W_3.rows)),
    names: names.some(Boolean) ? names : [],
    keys: keys?.values.some(Boolean) ? keys : null,
  };
}

function checkBlock(block: Block): void {
  const norms: [Norm | null, Attention | FeedForward | null][] = [
    [block.attention_norm, block.attention],
    [block.feed_forward_norm, block.feed_forward],
  ];
  if (norms.some(([norm, sublayer]) => norm && !sublayer)) refuse("model", "a block has a norm without its sublayer");
  if (block.parallel && block.norm_placement === "post")
    refuse("model", "the norms of a parallel block stand before it");
}
