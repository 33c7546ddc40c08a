/** The chain of a file: checked as the Python package does, after its transformer has been read. */

import { answersOf, stepsFor } from "../engine/chain";
import { formulaOf, MAX_STEPS } from "../engine/formula";
import { mostTokens } from "../engine/run";
import type { Chain, Model } from "../engine/types";
import { EngineError, listed, named } from "../engine/words";
import { MAX_TEXT, orNull, text, whole } from "./fields";
import type { Json, JsonObject } from "./json";
import { refuse, shown } from "./refusal";

const KEYS = ["answers", "inputs", "max_length", "min_length", "outputs", "prompt", "steps", "until"];
const LISTS = ["prompt", "until", "inputs", "answers"];

/** Return the chain that stands beside a transformer in a file; null where there is none. */
export function readChain(found: Json, model: Model): Chain | null {
  if (found === null) return null;
  const given = checkedStructure(found);
  const answers = answersOf(model);
  checkWrites(model, answers);
  const [prompt, until] = ["prompt", "until"].map((name) => tokensOf(model, given, name));
  const never = until.find((token) => !answers.includes(token));
  if (never !== undefined) refuse("model", `until has ${named(never)}, which the transformer never writes`);
  const outputs = whole(1)(given.get("outputs")!, "outputs");
  if (outputs > 1 && until.length > 0) {
    refuse("model", `outputs is ${outputs}, and before a token that ends the chain, no token has an answer`);
  }
  const inputs = tokensOf(model, given, "inputs");
  if (inputs.length === 0 || new Set(inputs).size < inputs.length) {
    refuse("model", "the inputs of its chain are not tokens, at least one, each once");
  }
  const steps = readSteps(given.get("steps")!);
  if (steps === null && until.length === 0) refuse("model", "nothing ends the chain: it has neither steps nor until");
  const last = answers.filter((token) => until.length === 0 || until.includes(token as string)) as string[];
  const declared = orNull(whole(1))(given.get("max_length")!, "max_length");
  const chain = { prompt, until, inputs, outputs, steps, answers: readAnswers(given, last) };
  const max_length = longestInput(model, { ...chain, max_length: declared, min_length: null });
  const min_length = orNull(whole(1, max_length ?? Infinity))(given.get("min_length")!, "min_length");
  return { ...chain, max_length, min_length };
}

function checkedStructure(found: Json): JsonObject {
  if (!(found instanceof Map) || found.size !== KEYS.length || !KEYS.every((key) => found.has(key))) {
    return refuse("structure", `its chain is not an object with just the keys ${KEYS.join(", ")}`);
  }
  for (const name of LISTS) {
    if (!Array.isArray(found.get(name))) refuse("structure", `the ${name} of its chain are not a list`);
  }
  const isPair = (pair: Json): boolean => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string";
  if (!(found.get("answers") as Json[]).every(isPair)) {
    refuse("structure", "the answers of its chain are not pairs of a token and an answer");
  }
  return found;
}

/** Refuse a transformer whose decisions are not tokens. */
function checkWrites(model: Model, answers: readonly unknown[]): void {
  const known = new Set<unknown>(model.vocabulary);
  const unknown = answers.find((value) => !known.has(value));
  if (unknown === undefined) return;
  refuse("model", `a chain writes its decisions as tokens, and ${shown(unknown)} is not in the vocabulary`);
}

function tokensOf(model: Model, given: JsonObject, name: string): string[] {
  const tokens = given.get(name) as Json[];
  const known = new Set<Json>(model.vocabulary);
  const odd = tokens.find((token) => !known.has(token));
  if (odd === undefined) return tokens as string[];
  return refuse("model", `${name} has ${shown(odd)}, which is not in the vocabulary: ${listed(model.vocabulary)}`);
}

/** Return the steps: a number, a formula, a number for each length, or null. */
function readSteps(given: Json): Chain["steps"] {
  if (given === null) return null;
  if (typeof given === "string") return formulaOf(given) ? given : refuse("model", `steps is ${shown(given)}`);
  if (!Array.isArray(given)) return whole(1, MAX_STEPS)(given, "steps");
  if (given.length === 0) return refuse("model", "steps has no number");
  const inRange = (value: Json): boolean => typeof value === "bigint" && value >= 1n && value <= BigInt(MAX_STEPS);
  const odd = given.findIndex((value, n) => n > 0 && !inRange(value)); // the empty input may have no steps
  if (odd >= 0) refuse("model", `steps is ${shown(given[odd])} for inputs of length ${odd}`);
  return given.map((value) => (inRange(value) ? Number(value) : 0));
}

/** Return the answer of each token that can be the last, in the order of the transformer's decisions. */
function readAnswers(given: JsonObject, last: readonly string[]): Chain["answers"] {
  const pairs = new Map((given.get("answers") as [string, Json][]).map(([token, answer]) => [token, answer]));
  for (const [token, answer] of pairs) {
    if (!last.includes(token)) refuse("model", `answers has ${shown(token)}, which is never the last token`);
    text(MAX_TEXT)(answer, "an answer");
  }
  return last.map((token) => {
    const answer = pairs.get(token);
    return answer === undefined ? refuse("model", `answers lacks ${named(token)}`) : [token, answer as string];
  });
}

/** Return the length of the longest input, by the position table, the steps and what was declared; null for any. */
function longestInput(model: Model, chain: Chain): number | null {
  const { steps, until, prompt } = chain;
  const table = mostTokens(model);
  const bounds = [chain.max_length ?? Infinity, typeof steps === "object" && steps ? steps.length - 1 : Infinity];
  if (table !== null) {
    const room = table - prompt.length;
    let fitting = until.length > 0 ? room : -1;
    const most = until.length > 0 ? 0 : Math.min(room, bounds[1]);
    for (let n = 1; n <= most; n++) if (n + stepsOn(model, chain, n) - 1 <= room) fitting = n;
    bounds.push(fitting);
  }
  const longest = Math.min(...bounds);
  if (longest < (prompt.length > 0 ? 0 : 1)) {
    refuse("model", `the position table holds ${table} tokens, too few for any input, the prompt and the steps`);
  }
  return longest === Infinity ? null : longest;
}

function stepsOn(model: Model, chain: Chain, length: number): number {
  try {
    return stepsFor(model, chain, length);
  } catch (error) {
    if (error instanceof EngineError) return refuse("model", error.message);
    throw error;
  }
}
