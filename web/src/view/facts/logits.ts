/** Where a logit comes from, lane by lane: what the output reads of the stream, as the engine adds it up. */

import type { Run } from "../../engine";
import { normSteps, type NormSteps } from "../../engine/norms";
import { rowOf } from "./cells";
import { rowSum, type Sum } from "./folding";
import { logitsAt } from "./lens";

export interface LogitPlace {
  readonly stage: number;
  readonly position: number;
  readonly wanted: string; // the class
}

export interface LogitSum extends LogitPlace {
  readonly norm: NormSteps | null; // the final norm, where there is one
  readonly sum: Sum; // by lane: output × what is read, and the output's bias
  readonly logit: number; // the engine's number
}

/** Return the logit of a class at a stage and position as a sum over the lanes. */
export function logitSum(run: Run, { stage, position, wanted }: LogitPlace): LogitSum {
  const { model } = run;
  const { arithmetic: A } = model;
  const row = rowOf(run.stream[stage], position);
  const norm = model.final_norm === null ? null : normSteps(A, model.final_norm, row, model.lanes);
  const read = row.slice();
  norm?.covered.forEach((lane, n) => (read[lane] = norm.after[n]));
  const place = model.classes.indexOf(wanted);
  const sum = rowSum(A, model.output, place, read, model.output_bias);
  return { stage, position, wanted, norm, sum, logit: logitsAt(run, stage, position)[place] };
}
