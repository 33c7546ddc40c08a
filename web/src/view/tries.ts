/** Inputs to try: shorter ones than the model's example, on which it decides otherwise. */

import { isChain, type Model, run } from "../engine";
import { textOf, tokensOf } from "./inputs";

const MOST_TOKENS = 12; // of an example
const AT_MOST = 150; // milliseconds for all runs
const MOST_WORK = 1e6; // lanes² × blocks × tokens: a larger model is not run unasked

/** Return such inputs as texts: the example without one token, or its beginning. */
export function triesOf(model: Model, example: string): string[] {
  if (isChain(model)) return [];
  try {
    const tokens = tokensOf(model, example);
    const work = model.lanes.length ** 2 * model.blocks.length * tokens.length;
    const few = tokens.length >= 2 && tokens.length <= MOST_TOKENS && work <= MOST_WORK;
    return few ? found(model, tokens) : [];
  } catch {
    return []; // an example that the model does not know, or runs that fail: then there is nothing to offer
  }
}

function found(model: Model, tokens: readonly string[]): string[] {
  const start = performance.now();
  const seen = new Set([run(model, tokens).decision]);
  const without = tokens.map((_, place) => tokens.filter((_, other) => other !== place));
  const beginnings = tokens.slice(1).map((_, place) => tokens.slice(0, tokens.length - 1 - place));
  const result: string[] = [];
  for (const shorter of [...without, ...beginnings]) {
    if (performance.now() - start > AT_MOST) break;
    const { decision } = run(model, shorter);
    if (seen.has(decision)) continue;
    seen.add(decision);
    result.push(textOf(model, shorter));
  }
  return result;
}
