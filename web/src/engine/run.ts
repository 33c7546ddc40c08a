/** The meaning of a transformer: one input through every step. Every sum is a left fold in index order. */

import { type HeadPast, runHead } from "./attention";
import { finite, neurons, normed } from "./layers";
import { matrix, product, sum } from "./matrix";
import { waves } from "./positions";
import { decided, readOff, saidIn } from "./readout";
import { remembered } from "./remembered";
import { firstBlock, swapped } from "./swaps";
import type { Attention, HeadRun, Matrix, Model, Run, Site, Stage, Swap } from "./types";
import { EngineError, hasLettersOnly } from "./words";

/** A token that a model does not know. */
export class UnknownToken extends EngineError {
  constructor(
    token: string,
    readonly model: Model,
  ) {
    super(`“${token}” is not a token of this model`);
  }
}

/** What can be written with a vocabulary. */
type Words = Pick<Model, "vocabulary">;

/** Say whether every token is one letter, so that inputs are written without spaces. */
export const hasLetters = ({ vocabulary }: Words): boolean => hasLettersOnly(vocabulary);

/** Return the parts of a text that should be tokens: its letters, or its words. */
export function splitText(model: Words, text: string): string[] {
  // eslint-disable-next-line no-control-regex -- what Python counts as a space
  return hasLetters(model) ? Array.from(text) : text.split(/[\s\x1c-\x1f\x85]+/u).filter((word) => word !== "");
}

/** Return the tokens of a text; refuse what is not an input of the model. */
export const readTokens = (model: Model, text: string): string[] => checkedTokens(model, splitText(model, text));

const vocabularyOf = remembered((model: Model): ReadonlySet<string> => new Set(model.vocabulary));
export const isKnown = (model: Model, token: string): boolean => vocabularyOf(model).has(token);

/** Return how many tokens the position table holds; null without one. */
export function mostTokens({ added_positions: table }: Model): number | null {
  return table === null ? null : table.kind === "Table" ? table.values.rows : table.max_length;
}

/** Return tokens; refuse an empty input, an unknown token and an input longer than the position table. */
export function checkedTokens<T extends readonly string[]>(model: Model, tokens: T): T {
  if (tokens.length === 0) throw new EngineError("Type at least one token: an empty input has no decision");
  const unknown = tokens.find((token) => !isKnown(model, token));
  if (unknown !== undefined) throw new UnknownToken(unknown, model);
  const most = mostTokens(model) ?? Infinity;
  if (tokens.length <= most) return tokens;
  throw new EngineError(
    `the input has ${tokens.length} tokens and the position table holds ${most}: ` +
      `write at most ${most} tokens, or give the transformer a longer table`,
  );
}

/** The keys and values of every head at the positions before those that are run, [block][head]. */
export type Past = readonly (readonly HeadPast[])[];

/** Run a model on an input, with values replaced on the way. */
export function run(model: Model, tokens: readonly string[], swaps: readonly Swap[] = []): Run {
  return runAfter(model, checkedTokens(model, tokens), 0, null, swaps);
}

/** Run the model of a run on its input again, with values replaced; blocks before the first of these are not run again. */
export function runAgain(known: Run, swaps: readonly Swap[]): Run {
  if (swaps.length === 0) return known;
  return runAfter(known.model, known.tokens, 0, null, swaps, known);
}

/**
 * Run a causal model on the positions of an input from `first` on, after the past of those before it. The rows of the
 * result are these positions; keys and values have all of them. Swaps are of runs without a past; with a run of the same
 * input without swaps, blocks before the first swap are taken from it.
 */
export function runAfter(
  model: Model,
  tokens: readonly string[],
  first: number,
  past: Past | null,
  swaps: readonly Swap[] = [],
  known: Run | null = null,
): Run {
  const { arithmetic: A } = model;
  const put = (kind: Site["kind"], block: number, values: Matrix, before: Matrix | null = null, index = 0): Matrix =>
    swaps.length === 0 ? values : swapped(swaps, { kind, block, index }, values, before);
  const same = known === null ? -1 : firstBlock(swaps); // how many blocks are known
  let h = same < 0 ? finite(A, put("embedding", -1, embedded(model, tokens, first)), "embedding") : known!.stream[0];
  const stages: Stage[] = [{ kind: "embedding", block: -1, present: true }];
  const stream = [h];
  const heads: (readonly HeadRun[])[] = [];
  const activations: Matrix[] = [];
  model.blocks.forEach((block, b) => {
    stages.push({ kind: "attention", block: b, present: block.attention !== null });
    stages.push({ kind: "feed-forward", block: b, present: block.feed_forward !== null });
    if (b < same) {
      stream.push(known!.stream[1 + 2 * b], (h = known!.stream[2 + 2 * b]));
      heads.push(known!.heads[b]);
      activations.push(known!.activations[b]);
      return;
    }
    const norm = (sublayer: "attention" | "feed_forward", x: Matrix, placement: string): Matrix => {
      const name = `block ${b} ${sublayer.replace("_", "-")} norm`;
      return block.norm_placement === placement ? normed(A, block[`${sublayer}_norm`], x, model.lanes, name, first) : x;
    };
    const { attention, feed_forward } = block;
    const entry = h;
    let runs = attention ? runHeads(model, attention, norm("attention", h, "pre"), `block ${b}`, past?.[b]) : [];
    if (swaps.length > 0) runs = runs.map((head, n) => ({ ...head, output: put("head", b, head.output, null, n) }));
    if (attention) {
      let total = matrix(h.rows, h.columns);
      for (const head of runs) total = sum(A, total, head.output.values);
      if (attention.b_O) total = sum(A, total, attention.b_O);
      h = norm("attention", sum(A, h, total.values), "post");
    }
    h = put("attention", b, h, entry);
    const middle = h;
    stream.push(finite(A, h, `block ${b} attention`));
    let active = matrix(h.rows, 0);
    if (feed_forward) {
      active = put("activations", b, neurons(A, feed_forward, norm("feed_forward", block.parallel ? entry : h, "pre")));
      const added = product(A, feed_forward.W_2, active, feed_forward.b_2);
      h = norm("feed_forward", sum(A, h, added.values), "post");
    }
    h = put("feed-forward", b, h, middle);
    stream.push(finite(A, h, `block ${b} feed-forward`));
    heads.push(runs);
    activations.push(active);
  });
  const last = { rows: 1, columns: h.columns, values: h.values.slice((h.rows - 1) * h.columns) };
  const logits = model.readout === null ? readOff(model, last).values : new Float64Array(0);
  const decision = model.readout === null ? model.classes[decided(logits)] : saidIn(model, last)[0];
  return { model, tokens, stages, stream, heads, activations, logits, swaps, decision };
}

const placesOf = remembered((model: Model) => new Map(model.vocabulary.map((token, n) => [token, n])));

/** Return the embedding of each token from position `first` on with what the positions add to it. */
function embedded(model: Model, tokens: readonly string[], first: number): Matrix {
  const { arithmetic: A } = model;
  const places = placesOf(model);
  const lanes = model.lanes.length;
  const result = matrix(tokens.length - first, lanes);
  const added = model.added_positions;
  const table = added && (added.kind === "Table" ? added.values : waves(A, added.base, lanes, tokens.length));
  tokens.slice(first).forEach((token, n) => {
    const row = (places.get(token) as number) * lanes;
    const t = first + n;
    for (let j = 0; j < lanes; j++) {
      const x = model.embedding.values[row + j];
      result.values[n * lanes + j] = table ? A.nearestSum(x + table.values[t * table.columns + j]) : x;
    }
  });
  return result;
}

/** Run the heads of a block, each by its own scheme of positions or by that which they share. */
function runHeads(
  model: Model,
  attention: Attention,
  seen: Matrix,
  block: string,
  past: readonly HeadPast[] | undefined,
): HeadRun[] {
  const { arithmetic: A } = model;
  return attention.heads.map((head, n) => {
    const scheme = head.positions ?? model.attention_positions;
    const at = { head: n, heads: attention.heads.length, name: `${block}, head ${n}` };
    return runHead(A, head, scheme, model.mask === "causal", seen, at, past?.[n]);
  });
}

/** Return ∞, the largest value of the model's arithmetic, or null for the machine's arithmetic. */
export function infinityOf(model: Model): number | null {
  const { arithmetic: A } = model;
  return A.native ? null : A.infinity;
}
