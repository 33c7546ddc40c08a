/** The logit lens: the decision at every stage and position, as if the run ended there. */

import { codesOf, decided, readOff, type Run, saidIn } from "../../engine";
import { asRow, rowOf, upTo } from "./cells";
import type { Numbers } from "./numbers";

const read = new WeakMap<Run, Map<number, Float64Array>>(); // by stage and position, computed when needed

/** Return the logits at a stage and position. The last ones are the run's own. */
export function logitsAt(run: Run, stage: number, position: number): Float64Array {
  const [end, last] = [run.stream.length - 1, run.tokens.length - 1];
  if (stage === end && position === last) return run.logits;
  const known = read.get(run) ?? new Map<number, Float64Array>();
  read.set(run, known);
  const key = stage * run.tokens.length + position;
  const found = known.get(key) ?? readOff(run.model, asRow(rowOf(run.stream[stage], position))).values;
  known.set(key, found);
  return found;
}

export { decided };

/** Return the decision at a stage and position: a class, or the value of a readout. */
export function decisionAt(run: Run, stage: number, position: number): string {
  const { model } = run;
  if (model.readout !== null) return saidIn(model, asRow(rowOf(run.stream[stage], position)))[0];
  return model.classes[decided(logitsAt(run, stage, position))];
}

/** Return what the lanes of the readout hold at a stage and position; nothing for a model with classes. */
export function codeAt(run: Run, stage: number, position: number): Float64Array {
  const { model } = run;
  if (model.readout === null) return new Float64Array(0);
  return codesOf(model, model.readout, asRow(rowOf(run.stream[stage], position))).values;
}

/** Return the decision at every position of a stage. */
export function decisionsAt(run: Run, stage: number): string[] {
  return upTo(run.tokens.length).map((position) => decisionAt(run, stage, position));
}

/** How clear a decision is: which class leads, which comes next, by how much. */
export interface Margin {
  readonly first: number;
  readonly second: number | null; // null: there is only one class
  readonly by: number; // 0 on a tie
  readonly tied: number; // how many classes share the largest logit
}

export function marginOf(logits: Float64Array): Margin {
  const first = decided(logits);
  const others = upTo(logits.length).filter((place) => place !== first);
  const second = others.length === 0 ? null : others.reduce((a, b) => (logits[b] > logits[a] ? b : a));
  const by = second === null ? 0 : logits[first] - logits[second];
  return { first, second, by, tied: logits.filter((logit) => logit === logits[first]).length };
}

/** Return how clear a decision is: "ahead by 3.47", "∞ against 0", "tie: the first class wins"; "" where there is only one class. */
export function decidedBy(logits: Float64Array, margin: Margin, numbers: Numbers): string {
  if (margin.second === null) return "";
  if (margin.tied > 1) return "tie: the first class wins";
  const [first, second] = [logits[margin.first], logits[margin.second]];
  if (numbers.isInfinite(first) || numbers.isInfinite(second))
    return `${numbers.short(first)} against ${numbers.short(second)}`;
  return `ahead by ${numbers.short(margin.by)}`;
}

/** Return the probabilities of the classes: the softmax of the logits, in the machine's arithmetic. */
export function probabilities(logits: Float64Array): Float64Array {
  const largest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = logits.map((logit) => Math.exp(logit - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}
