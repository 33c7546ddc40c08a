/** Inputs as people type them, and back: letters, words between spaces, or a JSON list where neither will do. */

import { checkedTokens, hasLetters, isKnown, type Model, splitText } from "../engine";

/** Return the tokens of a text; refuse those that the model does not know. */
export function tokensOf(model: Model, text: string): string[] {
  const tokens = splitText(model, text);
  const listed = tokens.every((token) => isKnown(model, token)) ? null : asList(text);
  return checkedTokens(model, listed ?? tokens);
}

/** Return a text that is read as these tokens. */
export function textOf(model: Model, tokens: readonly string[]): string {
  const plain = tokens.join(hasLetters(model) ? "" : " ");
  return JSON.stringify(splitText(model, plain)) === JSON.stringify(tokens) ? plain : JSON.stringify(tokens);
}

/** Return an input for a model that none came with: its first tokens. */
export const exampleInput = (model: Model): string => textOf(model, model.vocabulary.slice(0, 4));

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
