/** Inputs as people type them, and back: letters, words between spaces, or a JSON list where neither will do. */

import { type ChainModel, checkedInput, checkedTokens, hasLetters, isChain, isKnown } from "../engine";
import { type Model, splitInput, splitText } from "../engine";

const FEW = 4; // tokens of an example

/** What inputs of a model consist of: its tokens, or those of a chain's inputs. */
const wordsOf = (model: Model): Pick<Model, "vocabulary"> =>
  isChain(model) ? { vocabulary: model.chain.inputs } : model;

/** Return the tokens of a text; refuse those that the model does not know. */
export function tokensOf(model: Model, text: string): string[] {
  if (isChain(model)) return inputOf(model, text);
  const tokens = splitText(model, text);
  const listed = tokens.every((token) => isKnown(model, token)) ? null : asList(text);
  return checkedTokens(model, listed ?? tokens);
}

/** Return the tokens of a chain's input; refuse other tokens and lengths. */
export function inputOf(model: ChainModel, text: string): string[] {
  const tokens = splitInput(model, text);
  const listed = tokens.every((token) => model.chain.inputs.includes(token)) ? null : asList(text);
  return checkedInput(model, listed ?? tokens);
}

/** Return a text that is read as these tokens. */
export function textOf(model: Model, tokens: readonly string[]): string {
  const words = wordsOf(model);
  const plain = tokens.join(hasLetters(words) ? "" : " ");
  return JSON.stringify(splitText(words, plain)) === JSON.stringify(tokens) ? plain : JSON.stringify(tokens);
}

/** Return an input for a model that none came with: its first tokens, as many as a chain takes. */
export function exampleInput(model: Model): string {
  const { vocabulary } = wordsOf(model);
  if (!isChain(model)) return textOf(model, vocabulary.slice(0, FEW));
  const { min_length, max_length } = model.chain;
  const length = Math.min(Math.max(FEW, min_length ?? 0), max_length ?? Infinity);
  return textOf(
    model,
    Array.from({ length }, (_, n) => vocabulary[n % vocabulary.length]),
  );
}

/** Say whether a text is an input of a model. */
export function understands(model: Model, text: string): boolean {
  try {
    return tokensOf(model, text).length > 0;
  } catch {
    return false;
  }
}

/** Return the strings of a JSON list; null if the text is none. */
function asList(text: string): string[] | null {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((token) => typeof token === "string") ? list : null;
  } catch {
    return null; // somebody is still typing, or means something else
  }
}
