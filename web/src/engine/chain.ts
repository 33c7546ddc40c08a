/** Chains: a model writes token after token until it answers. Each token is its decision on the whole text before it. */

import { formulaOf, MAX_STEPS } from "./formula";
import { Growth } from "./growth";
import { valueIn } from "./readout";
import { remembered } from "./remembered";
import { mostTokens, splitText } from "./run";
import type { Chain, Model, Run, Value } from "./types";
import { brief, EngineError, hasLettersOnly, listed, named, shown } from "./words";

const MOST_UNTIL = 1 << 10; // tokens, where only a token ends the chain and there is no position table
const WIDEST_TEXT = 60; // letters of a text in a message

/** A model that is a chain. */
export type ChainModel = Model & { readonly chain: Chain };
export const isChain = (model: Model): model is ChainModel => model.chain !== null;

/** Return what a model can decide: its classes, or the values of its readout. */
export function answersOf({ classes, readout }: Model): readonly Value[] {
  return readout === null ? classes : [...new Set(readout.entries.map(({ value }) => value))];
}

const stepsFormula = remembered(({ steps }: Chain) => (typeof steps === "string" ? formulaOf(steps) : null));

/**
 * Return the number of steps on inputs of a length, or the most that a chain with `until` may take: such a chain has not
 * ended where the position table is full.
 */
export function stepsFor(model: Model, chain: Chain, length: number): number {
  const table = mostTokens(model);
  const fit = table === null ? null : table - chain.prompt.length - length + 1;
  if (chain.steps === null) return fit ?? MOST_UNTIL;
  const steps = declaredSteps(chain, chain.steps, length);
  return chain.until.length > 0 && fit !== null ? Math.min(steps, fit) : steps;
}

/** Return the number that `steps` says for inputs of a length, whether the position table holds them or not. */
function declaredSteps(chain: Chain, steps: NonNullable<Chain["steps"]>, length: number): number {
  let value: number | bigint = typeof steps === "number" ? steps : 0;
  if (typeof steps === "string") {
    const found = stepsFormula(chain)?.(length) ?? null;
    if (found === null) {
      throw new EngineError(`steps=${brief(steps)}: write a formula of n with + - * // and **, such as '2*n + 1'`);
    }
    value = found;
  } else if (Array.isArray(steps)) value = (steps as readonly number[])[length];
  if (value >= 1 && value <= MAX_STEPS) return Number(value);
  throw new EngineError(
    `steps is ${value} for inputs of length ${length}: it must be 1 to ${MAX_STEPS.toLocaleString("en")}`,
  );
}

/** Return the parts of a text that should be tokens of an input. */
export const splitInput = ({ chain }: ChainModel, text: string): string[] =>
  splitText({ vocabulary: chain.inputs }, text);

/** Return the tokens of an input; refuse others than the chain's inputs, and an input of another length. */
export function checkedInput<T extends readonly string[]>({ chain }: ChainModel, tokens: T): T {
  const { inputs, prompt, min_length, max_length } = chain;
  const refuse = (text: string): never => {
    throw new EngineError(text);
  };
  if (tokens.length === 0 && prompt.length === 0)
    refuse(`the input is empty, and so is the prompt: write at least one of ${listed(inputs)}`);
  const known = new Set(inputs);
  const odd = tokens.findIndex((token) => !known.has(token));
  if (odd >= 0) {
    const consist = `inputs of this chain consist of ${listed(inputs)}; Chain(…, inputs=…) says of which tokens`;
    refuse(`token ${odd} of the input is ${brief(tokens[odd])}: ${consist}`);
  }
  if (min_length !== null && tokens.length < min_length) {
    const wanted = `${min_length}${min_length === max_length ? "" : " or more"}`;
    refuse(`the input has ${tokens.length} tokens, and this chain reads ${wanted}: write all of them`);
  }
  if (max_length !== null && tokens.length > max_length) {
    const end = "its position table or its steps end there";
    refuse(`the input has ${tokens.length} tokens, and this chain takes at most ${max_length}: ${end}`);
  }
  return tokens;
}

/** A chain on an input, as far as it has been followed. */
export class ChainWalk {
  readonly generated: string[] = [];
  /** The number of tokens that it writes, or the most that it may write where a token of `until` ends it. */
  readonly most: number;
  private readonly growth: Growth;

  constructor(
    readonly model: ChainModel,
    readonly tokens: readonly string[],
    /** A run in place of the model's own, such as one with changes. */
    private readonly other: ((text: readonly string[]) => Run) | null = null,
  ) {
    checkedInput(model, tokens);
    const { chain } = model;
    this.most = stepsFor(model, chain, tokens.length);
    if (chain.until.length === 0 && this.most < chain.outputs) {
      const steps = `the chain has ${this.most} steps on inputs of length ${tokens.length}`;
      throw new EngineError(`${steps}, and ${chain.outputs} tokens answer`);
    }
    this.growth = new Growth(model);
  }

  /** Whether it ended by itself. */
  get halted(): boolean {
    const { until } = this.model.chain;
    if (until.length === 0) return this.generated.length >= this.most;
    return until.includes(this.generated.at(-1) ?? "") && this.generated.length > 0;
  }

  /** Whether there is no next token: it ended, or it has written as many as it may. */
  get over(): boolean {
    return this.halted || this.generated.length >= this.most;
  }

  /** The input and the prompt: what stands before the generated tokens. */
  get begin(): readonly string[] {
    return [...this.tokens, ...this.model.chain.prompt];
  }

  /** Write the next token, unless it is over. */
  next(): string | null {
    if (this.over) return null;
    const { generated } = this;
    const found =
      this.other?.([...this.begin, ...generated]) ??
      this.growth.append(generated.length === 0 ? this.begin : generated.slice(-1));
    generated.push(this.tokenOf(found));
    return generated.at(-1)!;
  }

  /** Write until it is over, or as long as something holds. */
  finish(goesOn: () => boolean = () => true): this {
    while (!this.over && goesOn()) this.next();
    return this;
  }

  /** What the last tokens stand for; null for a chain that has not ended. */
  get answer(): readonly string[] | null {
    if (!this.halted) return null;
    const { answers, outputs } = this.model.chain;
    const meanings = new Map(answers);
    return this.generated.slice(-outputs).map((token) => meanings.get(token) ?? token);
  }

  /** Why there is no answer, in words; null as long as there may be one. */
  get problem(): string | null {
    const { model, generated } = this;
    if (!this.over || this.halted) return null;
    const { chain } = model;
    const fewer = chain.steps === null || generated.length < declaredSteps(chain, chain.steps, this.tokens.length);
    const table = mostTokens(model) !== null && fewer;
    const bound = table ? "where its position table is full" : "the most that it may write";
    const text = this.tokens.join(hasLettersOnly(model.vocabulary) ? "" : " ");
    const ends = chain.until.map(shown).join(", ");
    return (
      `the chain does not end on ${brief(text, WIDEST_TEXT)}: none of ${ends} is among its first ` +
      `${generated.length} tokens, ${bound}`
    );
  }

  private tokenOf(found: Run): string {
    const { model } = this;
    if (model.readout === null) return found.decision;
    const last = found.stream[found.stream.length - 1];
    const row = { rows: 1, columns: last.columns, values: last.values.slice(-last.columns) };
    const value = valueIn(model, model.readout, row);
    if (value !== undefined) return value as string;
    const text = this.tokens.join(hasLettersOnly(model.vocabulary) ? "" : " ");
    throw new EngineError(`on the input ${named(text)}: the lanes of the readout hold a code that is not in its table`);
  }
}

/** Run a chain on an input until it is over. */
export const runChain = (model: ChainModel, tokens: readonly string[]): ChainWalk =>
  new ChainWalk(model, tokens).finish();
