/** What changes in the stream: between two stages, at which positions, and which block writes a lane first. */

import type { Model, Run } from "../../engine";
import { columnsWith, writtenLanes } from "../../engine/written";
import { cell, rowOf, upTo } from "./cells";
import { decisionAt } from "./lens";

/** Return the stages whose sublayer is there: the embedding is always the first of them. */
export function presentStages(run: Run): number[] {
  return upTo(run.stages.length).filter((stage) => run.stages[stage].present);
}

/** Say whether a value differs from the stage before. The embedding is where things start: nothing changes there. */
export function isChanged(run: Run, stage: number, position: number, lane: number): boolean {
  return stage > 0 && cell(run.stream[stage], position, lane) !== cell(run.stream[stage - 1], position, lane);
}

/** Return 1 for every cell (positions × lanes) that a stage changed, else 0. */
export function changedCells(run: Run, stage: number): Uint8Array {
  const now = run.stream[stage].values;
  const before = stage > 0 ? run.stream[stage - 1].values : now;
  return Uint8Array.from(now, (value, n) => (value === before[n] ? 0 : 1));
}

/** Return how many lanes a stage changed at each position. */
export function changesByPosition(run: Run, stage: number): number[] {
  const lanes = run.stream[stage].columns;
  const counts = new Array<number>(run.tokens.length).fill(0);
  changedCells(run, stage).forEach((changed, n) => (counts[Math.floor(n / lanes)] += changed));
  return counts;
}

/** Return how many values a stage changed, at all positions together. */
export function changesAt(run: Run, stage: number): number {
  if (stage === 0) return 0;
  const [now, before] = [run.stream[stage].values, run.stream[stage - 1].values];
  let count = 0;
  for (let n = 0; n < now.length; n++) if (now[n] !== before[n]) count++;
  return count;
}

/** A lane that a stage changed at a position. */
export interface LaneChange {
  readonly lane: number;
  readonly before: number;
  readonly after: number;
}

/** Return the lanes that a stage changed at a position, in the order of the lanes. */
export function laneChanges(run: Run, stage: number, position: number): LaneChange[] {
  if (stage === 0) return [];
  const [before, after] = [rowOf(run.stream[stage - 1], position), rowOf(run.stream[stage], position)];
  return upTo(after.length)
    .filter((lane) => before[lane] !== after[lane])
    .map((lane) => ({ lane, before: before[lane], after: after[lane] }));
}

/** Return by how much a stage changed the stream at a position: the sum over the lanes, without signs. */
export function changeAmount(run: Run, stage: number, position: number): number {
  if (stage === 0) return 0;
  const [before, after] = [rowOf(run.stream[stage - 1], position), rowOf(run.stream[stage], position)];
  let sum = 0;
  for (let lane = 0; lane < after.length; lane++) sum += Math.abs(after[lane] - before[lane]);
  return sum;
}

/** Return the position to look at: the last if it changed (the decision is read there), else the most changed. */
export function automaticPosition(run: Run, stage: number): number {
  const last = run.tokens.length - 1;
  const amounts = upTo(run.tokens.length).map((position) => changeAmount(run, stage, position));
  const most = Math.max(...amounts);
  return most === 0 || amounts[last] > 0 ? last : amounts.lastIndexOf(most);
}

/** Return the selected position: the pinned one if the input has it, otherwise the automatic one. */
export function positionInView(run: Run, stage: number, pinned: number | null): number {
  return pinned !== null && pinned < run.tokens.length ? pinned : automaticPosition(run, stage);
}

/** Return the stage where the final decision first appears and stays; the first sublayer if it was there from the start. */
export function openingStage(run: Run): number {
  const stages = presentStages(run);
  const last = run.tokens.length - 1;
  const decided = decisionAt(run, stages.at(-1)!, last);
  let place = stages.length - 1;
  while (place > 0 && decisionAt(run, stages[place - 1], last) === decided) place--;
  return stages[place] || stages[Math.min(1, stages.length - 1)];
}

/** Return for each lane the first block whose weights write it; null where the embedding or a position does, or none. */
export function firstWriters(model: Model): (number | null)[] {
  const result = new Array<number | null>(model.lanes.length).fill(null);
  if (model.added_positions?.kind === "Sinusoidal") return result;
  const filled = [model.embedding, model.added_positions?.values].filter((matrix) => matrix !== undefined);
  const written = new Set(filled.flatMap((matrix) => [...columnsWith(matrix, (value) => value !== 0)]));
  model.blocks.forEach((block, b) => {
    for (const lane of writtenLanes(model, block)) {
      if (!written.has(lane)) result[lane] = b;
      written.add(lane);
    }
  });
  return result;
}
