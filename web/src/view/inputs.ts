/** Inputs as one types them, and back: letters, words parted by blanks, or a list in brackets where neither will do. */

import { type Model, readTokens } from "../engine";

/** A token that a model does not know. */
export class UnknownToken extends Error {
  constructor(
    readonly token: string,
    readonly model: Model,
  ) {
    super(`“${token}” is not a token of this model`);
  }
}

/** Return the tokens of a text; refuse those that the model does not know. */
export function tokensOf(model: Model, text: string): string[] {
  const listed = asList(text);
  if (listed !== null && !isKnown(model, text)) return known(model, listed);
  known(model, piecesOf(model, text));
  return readTokens(model, text);
}

/** Return a text that is read as these tokens. */
export function textOf(model: Model, tokens: readonly string[]): string {
  const plain = tokens.join(hasLetters(model) ? "" : " ");
  return isKnown(model, plain) && same(readTokens(model, plain), tokens) ? plain : JSON.stringify(tokens);
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

/** Return the strings of a JSON list; null if it is none. */
function asList(text: string): string[] | null {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((token) => typeof token === "string") ? list : null;
  } catch {
    return null; // it is being typed, or means something else
  }
}

function known(model: Model, tokens: string[]): string[] {
  const unknown = tokens.find((token) => !model.vocabulary.includes(token));
  if (unknown !== undefined) throw new UnknownToken(unknown, model);
  return tokens;
}

const isKnown = (model: Model, text: string): boolean =>
  piecesOf(model, text).every((token) => model.vocabulary.includes(token));

/** Say whether every token is one letter, so that inputs are written without blanks. */
const hasLetters = (model: Model): boolean => model.vocabulary.every((token) => [...token].length === 1);

/** Return the parts of a text that should be tokens. */
const piecesOf = (model: Model, text: string): string[] =>
  hasLetters(model) ? [...text] : text.split(/\s+/).filter((piece) => piece !== "");

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((token, n) => token === b[n]);
