/** Models and runs as plain data, with the names of the Python package. */

import type { Arithmetic } from "./arithmetic";

/** Numbers in rows: a matrix of weights, or a stream with a row for each position. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array; // row by row
}

export type Weighting =
  | { readonly kind: "Softmax"; readonly shifted: boolean; readonly empty: "zero" | "uniform" | "error" }
  | { readonly kind: "AverageHard" | "LeftmostHard" | "RightmostHard" };

export type AddedPositions =
  | { readonly kind: "Table"; readonly values: Matrix }
  | { readonly kind: "Sinusoidal"; readonly max_length: number; readonly base: number };

export type AttentionPositions =
  | { readonly kind: "Relative"; readonly keys: Matrix; readonly values: Matrix | null }
  | {
      readonly kind: "Rotary";
      readonly base: number;
      readonly pairing: "halves" | "neighbours";
      readonly size: number | null;
      readonly scales: readonly number[] | null; // of the angle of each pair; null: 1
    }
  | {
      readonly kind: "Alibi";
      readonly slopes: readonly number[] | null;
      readonly place: readonly [number, number] | null; // its head and how many there are, for a slope that Alibi() has
    };

export interface Head {
  readonly W_Q: Matrix;
  readonly W_K: Matrix;
  readonly W_V: Matrix;
  readonly W_O: Matrix;
  readonly weighting: Weighting;
  readonly b_Q: Float64Array | null;
  readonly b_K: Float64Array | null;
  readonly b_V: Float64Array | null;
  readonly positions: AttentionPositions | null;
  readonly strict: boolean; // sees only the positions before its own, whatever the mask
  readonly window: number | null; // how many positions it sees, its own included; null: all
  readonly name: string; // what it is for
}

export interface Attention {
  readonly heads: readonly Head[];
  readonly b_O: Float64Array | null;
}

/** What a function is inside a gated layer. */
export const GATED = { reglu: "relu", swiglu: "silu", geglu_tanh: "gelu_tanh" } as const;
export type Gated = keyof typeof GATED;
export type ActivationFunction = "relu" | "gelu" | "gelu_tanh" | "silu";
export type Activation = ActivationFunction | Gated;

export interface FeedForward {
  readonly W_1: Matrix;
  readonly b_1: Float64Array;
  readonly W_2: Matrix;
  readonly b_2: Float64Array;
  readonly activation: Activation;
  readonly W_3: Matrix | null;
  readonly b_3: Float64Array | null;
  readonly names: readonly string[]; // of neurons; [] where none has a name
  readonly keys: Matrix | null;
}

export interface Norm {
  readonly kind: "LayerNorm" | "RMSNorm";
  readonly eps: number;
  readonly gain: Float64Array | null;
  readonly bias: Float64Array | null; // null for RMSNorm
  readonly lanes: readonly string[] | null; // null: all
}

export interface Block {
  readonly attention: Attention | null;
  readonly feed_forward: FeedForward | null;
  readonly attention_norm: Norm | null;
  readonly feed_forward_norm: Norm | null;
  readonly norm_placement: "pre" | "post";
  readonly parallel: boolean; // the feed-forward layer reads the block's entry too
  readonly origin: string;
}

/** What a code may stand for. */
export type Value = null | boolean | number | string;

/** Lanes that hold a code at every position, and what each code stands for: instead of classes. */
export interface Readout {
  readonly lanes: readonly string[];
  readonly entries: readonly Entry[]; // in the order of the codes
}

export interface Entry {
  readonly code: readonly number[];
  readonly value: Value;
  readonly text: string; // the value as it is shown
}

export interface Model {
  readonly arithmetic: Arithmetic;
  readonly vocabulary: readonly string[];
  readonly lanes: readonly string[];
  readonly embedding: Matrix;
  readonly added_positions: AddedPositions | null;
  readonly attention_positions: AttentionPositions | null;
  readonly blocks: readonly Block[];
  readonly output: Matrix;
  readonly classes: readonly string[]; // none with a readout
  readonly readout: Readout | null;
  readonly mask: "causal" | "full";
  readonly output_bias: Float64Array | null;
  readonly final_norm: Norm | null;
  readonly tied: boolean;
  readonly flags: readonly string[];
  readonly provenance: readonly string[];
  readonly edits: readonly unknown[]; // facts that were written into it
  readonly description: string; // what it does, in a sentence; "" without one
  readonly chain: Chain | null; // how it writes tokens before it answers, where the file holds a chain
  readonly story: Story | null; // captions at places of its runs, which no run reads
}

/** Captions at places of a run, in the order in which they are told. */
export interface Story {
  readonly title: string;
  readonly input: readonly string[] | null; // of the steps that have none of their own
  readonly steps: readonly StoryStep[];
}

/** A caption, the place that it is about, and what it points at there. */
export interface StoryStep {
  readonly text: string; // tokens stand between backquotes
  readonly stage: number; // of the stream
  readonly position: number | null; // null: where most happens
  readonly head: number | null;
  readonly neuron: number | null;
  readonly lanes: readonly number[];
  readonly panels: readonly string[]; // that presenter mode shows
  readonly input: readonly string[] | null; // null: that of the story
  readonly beside: readonly string[] | null; // a second input; null: none
  readonly off: readonly string[]; // parts that are switched off: 0.head.1
  readonly set: readonly string[]; // cells that are set: 0.attention:2:compound:1
}

/** How a model, whose decisions are tokens, writes token after token until it answers. */
export interface Chain {
  readonly prompt: readonly string[]; // tokens that follow the input
  readonly steps: number | string | readonly number[] | null; // a formula of the input's length n, or a number for each n
  readonly until: readonly string[]; // tokens that end it
  readonly answers: readonly (readonly [token: string, answer: string])[]; // what each last token stands for
  readonly inputs: readonly string[]; // the tokens of inputs
  readonly outputs: number; // how many of the last tokens answer
  readonly max_length: number | null; // of inputs; null: any
  readonly min_length: number | null;
}

/** A stage of the stream: after the embedding, or after a sublayer. Stage 0, then two for each block. */
export interface Stage {
  readonly kind: "embedding" | "attention" | "feed-forward";
  readonly block: number; // −1 for the embedding
  readonly present: boolean; // false: the block has no such sublayer, and nothing changes
}

/**
 * A place of a run at which values can be replaced: the stream after a stage, the output of a head, the activations of a
 * block's neurons.
 */
export interface Site {
  readonly kind: "embedding" | "attention" | "feed-forward" | "head" | "activations";
  readonly block: number; // −1 for the embedding
  readonly index: number; // of the head; 0 elsewhere
}

/** Values that replace those of a run at one site, at some positions and in some columns: lanes or neurons. */
export interface Swap {
  readonly site: Site;
  readonly positions: readonly number[];
  readonly columns: readonly number[];
  readonly values: Matrix | null; // a row for each of the positions; null: the stream one stage before
}

export interface HeadRun {
  readonly scores: Matrix; // positions × positions; 0 where j is not visible from i
  readonly weights: Matrix; // positions × positions; 0 where j is not visible from i
  readonly empty: readonly boolean[]; // which rows had no weight
  readonly keys: Matrix; // positions × key size, rotated where the scheme does so
  readonly values: Matrix; // positions × value size
  readonly mixed: Matrix; // positions × value size: Σ weight ⊗ value
  readonly output: Matrix; // positions × lanes: what it adds to the stream
}

export interface Run {
  readonly model: Model;
  readonly tokens: readonly string[];
  readonly stages: readonly Stage[];
  readonly stream: readonly Matrix[]; // [stage]: positions × lanes
  readonly heads: readonly (readonly HeadRun[])[]; // [block][head]
  readonly activations: readonly Matrix[]; // [block]: positions × neurons; no columns without a feed-forward layer
  readonly logits: Float64Array; // at the last position
  readonly swaps: readonly Swap[]; // what was replaced on the way
  readonly decision: string; // a class, or the value of a readout as it is shown: "?" for a code without one
}
