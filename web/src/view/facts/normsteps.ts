/** The norms of a model: where they stand, what they read, and every number on the way of a position. */

import type { Block, Matrix, Model, Norm, Run } from "../../engine";
import { matrix, product, sum } from "../../engine/matrix";
import { normSteps, type NormSteps } from "../../engine/norms";
import { rowOf } from "./cells";
import { attentionStage, feedForwardStage } from "./reading";

/** Which norm: before or after a sublayer, or the final one. */
export interface NormPlace {
  readonly placement: "pre" | "post" | "final";
  readonly block: number; // of the final norm: that of the last block, −1 without blocks
  readonly sublayer: "attention" | "feed-forward" | null; // null: the final norm
}

/** Return the norm at a place; null where there is none. */
export function normAt(model: Model, { placement, block, sublayer }: NormPlace): Norm | null {
  if (sublayer === null) return model.final_norm;
  const there: Block = model.blocks[block];
  if (there.norm_placement !== placement) return null;
  return sublayer === "attention" ? there.attention_norm : there.feed_forward_norm;
}

/** Return the norms of a model in the order of a run. A sublayer that is not there has none. */
export function normPlaces(model: Model): NormPlace[] {
  const places = model.blocks.flatMap((there, block) =>
    (["attention", "feed-forward"] as const)
      .filter((sublayer) => (sublayer === "attention" ? there.attention : there.feed_forward) !== null)
      .map((sublayer): NormPlace => ({ placement: there.norm_placement, block, sublayer })),
  );
  const last: NormPlace = { placement: "final", block: model.blocks.length - 1, sublayer: null };
  return [...places, last].filter((place) => normAt(model, place) !== null);
}

/** Return the stage of the stream that is shown at a norm: the one before a sublayer, after it, or the last. */
export function normStage(model: Model, { placement, block, sublayer }: NormPlace): number {
  if (sublayer === null) return 2 * model.blocks.length;
  const stage = sublayer === "attention" ? attentionStage(block) : feedForwardStage(block);
  return placement === "pre" ? stage - 1 : stage;
}

/** Return what a norm reads, (positions × lanes). */
export function readByNorm(run: Run, place: NormPlace): Matrix {
  const { placement, block, sublayer } = place;
  if (placement === "post") return beforePostNorm(run, place);
  const entry = sublayer === "feed-forward" && run.model.blocks[block].parallel;
  return run.stream[entry ? attentionStage(block) - 1 : normStage(run.model, place)];
}

const sums = new WeakMap<Run, Map<number, Matrix>>(); // by stage: a norm at every position asks for the same

/** Return the stream plus what a sublayer adds, before the norm that follows. */
function beforePostNorm(run: Run, place: NormPlace): Matrix {
  const stage = normStage(run.model, place);
  const ofRun = sums.get(run) ?? new Map<number, Matrix>();
  sums.set(run, ofRun);
  const found = ofRun.get(stage) ?? sum(run.model.arithmetic, run.stream[stage - 1], addedBy(run, place).values);
  ofRun.set(stage, found);
  return found;
}

/** Return what a sublayer adds to the stream, (positions × lanes): the sum that the engine adds once. */
function addedBy(run: Run, { block, sublayer }: NormPlace): Matrix {
  const { arithmetic: A } = run.model;
  const { attention, feed_forward } = run.model.blocks[block];
  if (sublayer === "feed-forward") {
    return product(A, feed_forward!.W_2, run.activations[block], feed_forward!.b_2);
  }
  let total = matrix(run.tokens.length, run.model.lanes.length);
  for (const head of run.heads[block]) total = sum(A, total, head.output.values);
  return attention!.b_O === null ? total : sum(A, total, attention!.b_O);
}

/** Return every number on the way of a position through a norm. */
export function normedAt(run: Run, place: NormPlace, position: number): NormSteps {
  const { arithmetic: A, lanes } = run.model;
  return normSteps(A, normAt(run.model, place)!, rowOf(readByNorm(run, place), position), lanes);
}

/** Name a norm: "norm before attention of block 0", "final norm". */
export function normName({ placement, block, sublayer }: NormPlace): string {
  if (sublayer === null) return "final norm";
  return `norm ${placement === "pre" ? "before" : "after"} ${sublayer} of block ${block}`;
}

/** Return the title of the stream at a norm: it stays as it is before a sublayer and at the end. */
export function normTitle({ placement, block, sublayer }: NormPlace, narrow: boolean): string {
  if (sublayer === null) return narrow ? "Before the output" : "Residual stream before the output";
  const when = `${placement === "pre" ? "before" : "after"} ${sublayer} of block ${block}`;
  return narrow ? `${when[0].toUpperCase()}${when.slice(1)}` : `Residual stream ${when}`;
}
