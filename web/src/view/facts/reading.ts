/** What the sublayers of a block read: the stream before them, or at the block's entry in a parallel one, or its norm. */

import type { AttentionPositions, Matrix, Model, Run } from "../../engine";
import { normed } from "../../engine/layers";
import { offset, waves } from "../../engine/positions";
import { rowOf } from "./cells";

export const attentionStage = (block: number): number => 1 + 2 * block;
export const feedForwardStage = (block: number): number => 2 + 2 * block;

/** Return what the sublayer that leads to a stage reads, (positions × lanes). */
export function readBy(run: Run, stage: number): Matrix {
  const { kind, block } = run.stages[stage];
  const { norm_placement, attention_norm, feed_forward_norm, parallel } = run.model.blocks[block];
  const norm = kind === "attention" ? attention_norm : feed_forward_norm;
  const before = run.stream[parallel ? attentionStage(block) - 1 : stage - 1];
  if (norm_placement !== "pre" || norm === null) return before;
  const ofRun = known.get(run) ?? new Map<number, Matrix>();
  known.set(run, ofRun);
  const name = `block ${block} ${kind} norm`;
  const found = ofRun.get(stage) ?? normed(run.model.arithmetic, norm, before, run.model.lanes, name);
  ofRun.set(stage, found);
  return found;
}

const known = new WeakMap<Run, Map<number, Matrix>>(); // by stage: every head and neuron asks for the same

/** Return the values (positions × value size) that a position takes in through a head. */
export function valuesFor(run: Run, block: number, head: number, reader: number): Matrix {
  const { values } = run.heads[block][head];
  const table = valueOffsets(run, block, head);
  if (table === null) return values;
  const A = run.model.arithmetic;
  const taken = { ...values, values: values.values.slice() };
  for (let source = 0; source < values.rows; source++) {
    const into = taken.values.subarray(source * values.columns, (source + 1) * values.columns);
    offset(A, values, source, table, Math.max(0, reader - source), into);
  }
  return taken;
}

/** Return what relative positions add to the values of a head, by distance; null where they add nothing. */
export function valueOffsets(run: Run, block: number, head: number): Matrix | null {
  const own: AttentionPositions | null = run.model.blocks[block].attention!.heads[head].positions;
  const scheme = own ?? run.model.attention_positions;
  return scheme?.kind === "Relative" ? scheme.values : null;
}

/** Return the vector that the position scheme adds to the embedding; null without one. */
export function addedPosition(model: Model, position: number): Float64Array | null {
  const scheme = model.added_positions;
  if (scheme === null) return null;
  if (scheme.kind === "Table") return rowOf(scheme.values, position);
  const lanes = model.lanes.length;
  return rowOf(waves(model.arithmetic, scheme.base, lanes, position + 1), position).subarray(0, lanes);
}
