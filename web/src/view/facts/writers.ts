/** Who wrote a cell of the stream: embedding, position, every head, every neuron, every norm, in the engine's order. */

import type { Run } from "../../engine";
import type { NormSteps } from "../../engine/norms";
import { cell, upTo } from "./cells";
import { plus, type Result, rowSum } from "./folding";
import { neuronName } from "./neurons";
import { normAt, normedAt, type NormPlace } from "./normsteps";
import { addedPosition, attentionStage } from "./reading";

export interface CellPlace {
  readonly stage: number;
  readonly position: number;
  readonly lane: number;
}

/** One part of what a sublayer adds to a cell. */
export interface Share {
  readonly kind: "head" | "neuron" | "bias";
  readonly place: number | null; // which head or neuron
  readonly name: string;
  readonly amount: Result; // of a neuron: weight ⊗ activation
  readonly sum: Result; // of the sublayer's parts so far
}

/** What happened to a cell at one stage. */
export interface CellStep {
  readonly stage: number;
  readonly kind: "embedding" | "attention" | "feed-forward";
  readonly block: number;
  readonly before: number;
  readonly shares: readonly Share[]; // parts that are not 0, in the order of the sum
  readonly added: number; // their sum, as the engine folds it
  readonly sum: Result; // before ⊕ added
  readonly norm: { readonly steps: NormSteps; readonly covers: boolean; readonly value: number } | null; // that follows
  readonly after: number; // in the run
  readonly replaced: boolean; // whether somebody changed it: then the run has another number than the sum
}

/** Where a cell starts: the embedding of its token, and what its position adds. */
export interface Origin {
  readonly token: number;
  readonly position: number | null; // null: positions add nothing
  readonly sum: Result;
  readonly after: number;
  readonly replaced: boolean;
}

export interface WrittenCell {
  readonly place: CellPlace;
  readonly origin: Origin;
  readonly writings: readonly CellStep[]; // of every sublayer that is there, up to the stage
  readonly value: number; // of the cell
}

/** Return who wrote a cell, sublayer by sublayer. */
export function writersOfCell(run: Run, place: CellPlace): WrittenCell {
  const stages = upTo(place.stage + 1).filter((stage) => stage > 0 && run.stages[stage].present);
  const writings = stages.map((stage) => writingAt(run, { ...place, stage }));
  return { place, origin: originOf(run, place), writings, value: valueAt(run, place) };
}

const valueAt = (run: Run, { stage, position, lane }: CellPlace): number => cell(run.stream[stage], position, lane);

function originOf(run: Run, { position, lane }: CellPlace): Origin {
  const { model } = run;
  const token = cell(model.embedding, model.vocabulary.indexOf(run.tokens[position]), lane);
  const added = addedPosition(model, position);
  const sum: Result = added === null ? { value: token, cut: "exact" } : plus(model.arithmetic, token, added[lane]);
  const after = valueAt(run, { stage: 0, position, lane });
  return { token, position: added === null ? null : added[lane], sum, after, replaced: after !== sum.value };
}

function writingAt(run: Run, place: CellPlace): CellStep {
  const { stage, position, lane } = place;
  const { kind, block } = run.stages[stage];
  const { arithmetic: A } = run.model;
  const before = valueAt(run, { ...place, stage: stage - 1 });
  const { shares, added } =
    stage === attentionStage(block) ? headShares(run, block, place) : neuronShares(run, block, place);
  const sum = plus(A, before, added);
  const at: NormPlace = { placement: "post", block, sublayer: kind === "attention" ? "attention" : "feed-forward" };
  const norm = normAt(run.model, at) === null ? null : coveredBy(normedAt(run, at, position), lane, sum.value);
  const after = valueAt(run, place);
  const replaced = after !== (norm?.value ?? sum.value);
  return { stage, kind, block, before, shares, added, sum, norm, after, replaced };
}

function coveredBy(steps: NormSteps, lane: number, value: number): NonNullable<CellStep["norm"]> {
  const n = steps.covered.indexOf(lane);
  return { steps, covers: n >= 0, value: n < 0 ? value : steps.after[n] };
}

interface Shares {
  readonly shares: readonly Share[];
  readonly added: number;
}

function headShares(run: Run, block: number, { position, lane }: CellPlace): Shares {
  const { arithmetic: A } = run.model;
  const shares: Share[] = [];
  let total = 0;
  const add = (kind: Share["kind"], place: number | null, name: string, amount: number): void => {
    const sum = plus(A, total, amount);
    total = sum.value;
    if (amount !== 0) shares.push({ kind, place, name, amount: { value: amount, cut: "exact" }, sum });
  };
  run.heads[block].forEach((head, place) => add("head", place, `head ${place}`, cell(head.output, position, lane)));
  const { b_O } = run.model.blocks[block].attention!;
  if (b_O !== null) add("bias", null, "b_O", b_O[lane]);
  return { shares, added: total };
}

function neuronShares(run: Run, block: number, { position, lane }: CellPlace): Shares {
  const { arithmetic: A } = run.model;
  const layer = run.model.blocks[block].feed_forward!;
  const activations = run.activations[block].values.subarray(
    position * layer.W_2.columns,
    (position + 1) * layer.W_2.columns,
  );
  const { terms, bias, result } = rowSum(A, layer.W_2, lane, activations, layer.b_2);
  const shares = terms
    .filter(({ product }) => product.value !== 0 || product.cut !== "exact")
    .map(({ place, product, sum }): Share => {
      return { kind: "neuron", place, name: neuronName(layer, place), amount: product, sum };
    });
  if (bias) shares.push({ kind: "bias", place: null, name: "b_2", amount: { value: bias, cut: "exact" }, sum: result });
  return { shares, added: result.value };
}
