/** Changes of a run as people write them: a part is off, a value of the stream is set, values come from another input. */

import { matrix } from "./matrix";
import { checkedTokens, run, runAgain } from "./run";
import { taken } from "./swaps";
import type { Matrix, Model, Run, Site, Swap } from "./types";
import { brief, EngineError, listed, named } from "./words";

/** A part of a model, as it is named: a stage of the stream, a head, or a neuron. */
export interface Part {
  readonly kind: "embedding" | "attention" | "feed-forward" | "head" | "neuron";
  readonly block: number; // −1 for the embedding
  readonly index: number; // of the head or neuron; 0 elsewhere
}

export type Change =
  /** A head or a neuron whose output is 0, or a sublayer that is absent; at all positions, or at some. */
  | { readonly kind: "off"; readonly part: Part; readonly positions: readonly number[] | null }
  /** A value of the stream after a stage. */
  | {
      readonly kind: "set";
      readonly part: Part;
      readonly position: number;
      readonly lane: number;
      readonly value: number;
    }
  /** Values of the run on another input: of all lanes or some. */
  | {
      readonly kind: "take";
      readonly part: Part;
      readonly positions: readonly number[] | null;
      readonly lanes: readonly number[] | null;
      readonly tokens: readonly string[];
    }
  /** Values that came with the page. */
  | { readonly kind: "carried"; readonly swap: Swap };

/** Run a model on tokens with changes, in their order. */
export function changed(model: Model, tokens: readonly string[], changes: readonly Change[]): Run {
  return run(model, checkedTokens(model, tokens), swapsOf(model, tokens, changes));
}

/** Return the swaps of changes; refuse what the model or the input does not have. */
export function swapsOf(
  model: Model,
  tokens: readonly string[],
  changes: readonly Change[],
  other: (tokens: readonly string[]) => Run = (given) => run(model, given),
): Swap[] {
  return changes.map((change) => swapOf(model, tokens, change, other));
}

function swapOf(
  model: Model,
  tokens: readonly string[],
  change: Change,
  other: (tokens: readonly string[]) => Run,
): Swap {
  if (change.kind === "carried") {
    const last = Math.max(...change.swap.positions, 0);
    if (last >= tokens.length) throw noPosition(last, tokens.length);
    return change.swap;
  }
  const site = siteOf(change.part);
  const own = change.part.kind === "neuron" ? [change.part.index] : null;
  const every = Array.from(model.lanes.keys());
  if (change.kind === "off") {
    const positions = positionsOf(change.positions, tokens.length);
    const columns = own ?? every;
    const isSublayer = change.part.kind === "attention" || change.part.kind === "feed-forward";
    return { site, positions, columns, values: isSublayer ? null : matrix(positions.length, columns.length) };
  }
  if (change.kind === "set") {
    const positions = positionsOf([change.position], tokens.length);
    const values: Matrix = { rows: 1, columns: 1, values: Float64Array.of(change.value) };
    return { site, positions, columns: [change.lane], values };
  }
  const source = other(change.tokens);
  const shared = Math.min(tokens.length, change.tokens.length);
  if (change.positions === null && tokens.length !== change.tokens.length) {
    throw new EngineError(
      `the inputs have ${tokens.length} and ${change.tokens.length} tokens: choose a position from 0 to ${shared - 1}`,
    );
  }
  const beyond = change.positions?.find((position) => position >= shared);
  if (beyond !== undefined) {
    throw new EngineError(`position ${beyond} is not in both inputs: they share 0 to ${shared - 1}`);
  }
  const positions = positionsOf(change.positions, tokens.length);
  const columns = own ?? change.lanes ?? every;
  return { site, positions, columns, values: taken(valuesAt(source, site), positions, columns) };
}

/** Return the site at which a part's values stand. */
export const siteOf = ({ kind, block, index }: Part): Site =>
  kind === "neuron" ? { kind: "activations", block, index: 0 } : { kind, block, index };

function valuesAt(source: Run, { kind, block, index }: Site): Matrix {
  if (kind === "head") return source.heads[block][index].output;
  if (kind === "activations") return source.activations[block];
  return source.stream[kind === "embedding" ? 0 : kind === "attention" ? 1 + 2 * block : 2 + 2 * block];
}

function positionsOf(positions: readonly number[] | null, length: number): readonly number[] {
  const beyond = positions?.find((position) => !Number.isInteger(position) || position < 0 || position >= length);
  if (beyond !== undefined) throw noPosition(beyond, length);
  return positions ?? Array.from({ length }, (_, position) => position);
}

const noPosition = (position: number, length: number): EngineError =>
  new EngineError(`there is no position ${position}: the positions are 0 to ${length - 1}`);

/** Return a part by its name, "block 0 head 1"; refuse one that the model does not have. */
export function partNamed(model: Model, text: string): Part {
  if (text === "embedding") return { kind: "embedding", block: -1, index: 0 };
  const form = /^block (\d{1,9}),? (attention|feed-forward|head|neuron)(?: (\d{1,9}))?$/.exec(text);
  if (form === null || (form[3] === undefined) !== (form[2] === "attention" || form[2] === "feed-forward")) {
    throw new EngineError(
      `${brief(text)} names no part of a model: write “block 0 head 1”, “block 0 neuron 3” or “block 0 attention”`,
    );
  }
  const part = { kind: form[2] as Part["kind"], block: Number(form[1]), index: Number(form[3] ?? 0) };
  const missing = missingPart(model, part);
  if (missing !== null) throw new EngineError(missing);
  return part;
}

/** Return why a model has no such part, in words; null if it has it. */
export function missingPart(model: Model, { kind, block, index }: Part): string | null {
  if (kind === "embedding") return null;
  const there = model.blocks[block];
  if (there === undefined) return `there is no block ${block}: ${numbers("blocks", model.blocks.length)}`;
  if (kind === "attention" || kind === "feed-forward") return null; // a stage, also where the block has no such sublayer
  const count = kind === "head" ? (there.attention?.heads.length ?? 0) : (there.feed_forward?.W_1.rows ?? 0);
  return index < count ? null : `there is no ${kind} ${index} in block ${block}: ${numbers(`${kind}s`, count)}`;
}

const numbers = (what: string, count: number): string =>
  count === 0 ? `there are no ${what}` : `the ${what} are 0 to ${count - 1}`;

/** Return the name of a part: "block 0 head 1". */
export function partText({ kind, block, index }: Part): string {
  if (kind === "embedding") return kind;
  return `block ${block} ${kind}${kind === "head" || kind === "neuron" ? ` ${index}` : ""}`;
}

/** Return the change that switches a part off; the embedding cannot be. */
export function partOff(part: Part, positions: readonly number[] | null = null): Change {
  if (part.kind === "embedding") throw new EngineError("the embedding cannot be switched off: set its values instead");
  return { kind: "off", part, positions };
}

/** Return the place of a lane; refuse a name that is none. */
export function laneNamed(model: Model, name: string): number {
  const lane = model.lanes.indexOf(name);
  if (lane < 0) throw new EngineError(`there is no lane ${named(name)}: the lanes are ${listed(model.lanes)}`);
  return lane;
}

/** Return a number as it is; refuse what is no member of the model's arithmetic. */
export function checkedValue({ arithmetic: A }: Model, value: unknown): number {
  if (typeof value !== "number" || Number.isNaN(value)) {
    throw new EngineError(`${brief(String(value))} is not a number: write one, such as 1.5`);
  }
  if (!A.contains(value)) {
    throw new EngineError(`${value} is not a member of ${A.text}; the nearest is ${A.round(value)}: write a member`);
  }
  return value + 0; // there is no −0
}

/** What a script changes in a run: parts that are off, then values that are set or come from another input. */
export interface PlainChanges {
  /** Names of parts: "block 0 head 1", "block 0 neuron 3", "block 0 attention"; with positions, only there. */
  readonly ablate?: readonly (string | { readonly site: string; readonly positions?: readonly number[] })[];
  readonly patch?: readonly PlainPatch[];
}

/** Lanes with numbers, or the values of another input (tokens); at all positions, or at some. */
export interface PlainPatch {
  readonly site: string;
  readonly positions?: readonly number[];
  readonly values?: Readonly<Record<string, number>>;
  readonly from?: readonly string[];
  readonly lanes?: readonly string[];
}

/** Return the changes that a script asks for; refuse what the model does not have. */
export function plainChanges(model: Model, length: number, { ablate = [], patch = [] }: PlainChanges): Change[] {
  const off = ablate.map((given) => {
    const { site, positions } = typeof given === "string" ? { site: given, positions: undefined } : given;
    const part = partNamed(model, site);
    const sublayer = part.kind === "attention" ? "attention" : part.kind === "feed-forward" ? "feed_forward" : null;
    if (sublayer !== null && model.blocks[part.block][sublayer] === null) {
      throw new EngineError(`block ${part.block} has no ${part.kind} to leave out`);
    }
    return partOff(part, positions ?? null);
  });
  return [...off, ...patch.flatMap((given) => plainPatch(model, length, given))];
}

function plainPatch(model: Model, length: number, given: PlainPatch): Change[] {
  const { positions = null, values, from, lanes = null } = given;
  const part = partNamed(model, given.site);
  if ((values === undefined) === (from === undefined)) {
    throw new EngineError("a patch needs either values, {lane: number}, or from, the tokens of another input");
  }
  if (from !== undefined) {
    const columns = lanes?.map((lane) => laneNamed(model, lane)) ?? null;
    return [{ kind: "take", part, positions, lanes: columns, tokens: checkedTokens(model, from) }];
  }
  if (part.kind === "neuron") throw new EngineError("values set lanes, and a neuron has none: write from instead");
  const places = positions ?? Array.from({ length }, (_, position) => position);
  return Object.entries(values!).flatMap(([name, value]) => {
    const lane = laneNamed(model, name);
    return places.map((position): Change => {
      return { kind: "set", part, position, lane, value: checkedValue(model, value) };
    });
  });
}

/** Return a run with changes, from the run of the same input without any. */
export function changedAgain(known: Run, changes: readonly Change[], other?: (tokens: readonly string[]) => Run): Run {
  return runAgain(known, swapsOf(known.model, known.tokens, changes, other));
}
