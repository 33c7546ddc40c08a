/** What a model is, in a few words: how it was made, and how large it is. */

import { hasLetters, isChain, type Model } from "../engine";
import { count } from "./facts/numbers";

/** How models were made, by how the first line of their provenance begins. */
const ORIGINS: readonly (readonly [RegExp, string])[] = [
  [/^(library\.|papers\.)/, "Written by hand"],
  [/^random_transformer\(/, "Random weights"],
  [/^compiled from /, "Compiled from a program"],
  [/^(compile_|from_)/, "Compiled"],
  [/^from_hugging_face/, "A trained checkpoint"],
  [/^train/, "Trained"],
];
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six"];

/** Return such as "Written by hand: 8 words, 2 blocks, one fact." */
export function aboutModel(model: Model): string {
  const first = model.provenance[0] ?? "";
  const origin = ORIGINS.findLast(([start]) => start.test(first))?.[1];
  const facts = model.edits.length;
  const parts = [
    count(wordsOf(model).length, nounFor(model)),
    count(model.blocks.length, "block"),
    ...(facts > 0 ? [`${NUMBERS[facts] ?? facts} ${facts === 1 ? "fact" : "facts"}`] : []),
  ];
  const text = parts.join(", ");
  return origin === undefined ? `${text[0].toUpperCase()}${text.slice(1)}.` : `${origin}: ${text}.`;
}

/** Return the tokens that inputs consist of. */
export const wordsOf = (model: Model): readonly string[] => (isChain(model) ? model.chain.inputs : model.vocabulary);

/** Return how a token is called: a letter, or a word. */
export const nounFor = (model: Model): "letter" | "word" =>
  hasLetters({ vocabulary: wordsOf(model) }) ? "letter" : "word";
