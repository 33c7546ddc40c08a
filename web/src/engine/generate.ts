/** The next tokens of a text: the decisions, or tokens drawn from the most likely classes, as in Python. */

import { Growth } from "./growth";
import { Random } from "./random";
import { decided } from "./readout";
import { isKnown, mostTokens } from "./run";
import type { Model } from "./types";
import { EngineError, listed } from "./words";

/** How tokens are chosen. Temperature 0: the decision; above 0: drawn, from the `topK` most likely (null: from all). */
export interface Choosing {
  readonly temperature: number;
  readonly topK: number | null;
  readonly seed: number;
}
export const GREEDY: Choosing = { temperature: 0, topK: null, seed: 0 };

/** Say whether the classes of a model are tokens, so that it can continue a text. */
export const continuesTexts = (model: Model): boolean =>
  model.readout === null && model.classes.every((name) => isKnown(model, name));

/** The classes that may be drawn, the most likely first, with their chances. */
export interface Lot {
  readonly classes: readonly number[];
  readonly chances: Float64Array;
}

/** Return the classes by their logits, the largest first; equal ones keep their order. */
export const ranked = (logits: Float64Array): number[] =>
  Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);

/** Return the classes that may come next: the softmax of logits divided by the temperature, over the classes kept. */
export function lotOf(logits: Float64Array, { temperature, topK }: Choosing): Lot {
  if (temperature === 0) return { classes: [decided(logits)], chances: Float64Array.of(1) };
  const classes = ranked(logits).slice(0, topK ?? undefined);
  const top = logits[classes[0]];
  const exponentials = classes.map((place) => Math.exp((logits[place] - top) / temperature));
  const total = exponentials.reduce((a, b) => a + b, 0);
  return { classes, chances: Float64Array.from(exponentials, (x) => x / total) };
}

/** Return the class on which a number from 0 to 1 falls. */
export function fallsOn({ classes, chances }: Lot, number: number): number {
  const sums: number[] = [];
  chances.forEach((chance, n) => sums.push((n === 0 ? 0 : sums[n - 1]) + chance));
  const place = sums.findIndex((sum) => number < sum / sums[sums.length - 1]);
  return classes[place < 0 ? classes.length - 1 : place];
}

/** Return the tokens that follow a text. A text that would exceed the position table is refused. */
export function generate(model: Model, tokens: readonly string[], steps: number, how: Choosing = GREEDY): string[] {
  checkChoosing(model, how);
  if (!Number.isInteger(steps) || steps < 0) {
    throw new EngineError(`steps=${steps}: write how many tokens to generate, 0 or more`);
  }
  checkContext(model, tokens.length, steps);
  const growth = new Growth(model);
  const random = new Random(how.seed);
  const written: string[] = [];
  for (let step = 0; step < steps; step++) {
    const { logits } = growth.append(step === 0 ? tokens : written.slice(-1));
    const lot = lotOf(logits, how);
    written.push(model.classes[how.temperature === 0 ? lot.classes[0] : fallsOn(lot, random.next())]);
  }
  return written;
}

function checkChoosing(model: Model, { temperature, topK, seed }: Choosing): void {
  const unknown = model.classes.filter((name) => !isKnown(model, name));
  if (model.readout !== null) throw new EngineError("generate needs classes, and this model has a readout");
  if (unknown.length > 0) {
    throw new EngineError(
      `generate needs classes that are tokens, and ${listed(unknown)} is not in the vocabulary: ` +
        "`run` says what a classifier decides",
    );
  }
  if (!(temperature >= 0 && temperature < Infinity)) {
    throw new EngineError(`temperature=${temperature}: write 0 for the decision itself, or a number above 0`);
  }
  if (topK !== null && (!Number.isInteger(topK) || topK < 1)) {
    const most = "from how many of the most likely tokens to draw, 1 or more";
    throw new EngineError(`top_k=${topK}: write ${most}`);
  }
  if (!Number.isSafeInteger(seed) || seed < 0) throw new EngineError(`seed=${seed}: write a whole number from 0 on`);
}

/** Refuse a text that would exceed the position table. */
function checkContext(model: Model, length: number, steps: number): void {
  const most = mostTokens(model);
  if (steps === 0 || most === null || length + steps - 1 <= most) return;
  const left = most - length + 1;
  const fewer =
    left > 0 ? `at most ${left} more token${left === 1 ? "" : "s"} can be generated` : "a shorter text is needed";
  throw new EngineError(`the context holds ${most} tokens and the text has ${length}, so ${fewer}`);
}
