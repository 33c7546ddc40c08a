/** The tokens of a chain in a row: where each stands, and what the heads read at the last one. */

import type { Run } from "../../engine";
import { tokenText } from "../facts/tokens";
import type { ChainShown } from "./writing.svelte";

export type CellKind = "typed" | "prompt" | "wrote" | "answer" | "next";

export interface StripCell {
  readonly text: string;
  readonly kind: CellKind;
  /** In the text; past its end for tokens that are not written yet. */
  readonly position: number;
  readonly x: number;
  readonly width: number;
}

export interface Strip {
  readonly cells: readonly StripCell[];
  readonly width: number;
  /** How many tokens before the first cell are not shown. */
  readonly before: number;
}

/** An arc from what a head reads most to where it reads it. */
export interface Reading {
  readonly block: number;
  readonly head: number;
  readonly source: number;
  readonly weight: number;
}

const [GAP, PART] = [5, 14]; // between tokens, and between the parts of the text
const MOST_CELLS = 240;
const MOST_EMPTY = 40;
const MOST_LETTERS = 16;

/** Return the cells of a chain; sizes are in pixels, `letter` the width of a letter. */
export function stripOf(chain: ChainShown, least: number, letter: number): Strip {
  const { tokens, generated, model, over, most } = chain;
  const { prompt, until, outputs } = model.chain;
  const last = over && chain.answer !== null ? generated.length - outputs : Infinity;
  const kinds: [readonly string[], (n: number) => CellKind][] = [
    [tokens, () => "typed"],
    [prompt, () => "prompt"],
    [generated, (n) => (n >= last ? "answer" : "wrote")],
    [new Array<string>(left(over, until.length > 0, most - generated.length)).fill(""), () => "next"],
  ];
  const all = kinds.flatMap(([row, kind]) => row.map((text, n) => ({ text, kind: kind(n), first: n === 0 })));
  const reader = tokens.length + prompt.length + generated.length;
  const before = all.length > MOST_CELLS ? Math.max(0, reader - MOST_CELLS / 2) : 0;
  const cells: StripCell[] = [];
  let x = 0;
  all.slice(before, before + MOST_CELLS).forEach(({ text, kind, first }, n) => {
    const shown = cut(tokenText(text));
    if (n > 0) x += first ? GAP + PART : GAP;
    const width = Math.max(least, text === "" ? 0 : 18 + letter * Array.from(shown).length);
    cells.push({ text: text === "" ? "" : shown, kind, position: before + n, x, width });
    x += width;
  });
  return { cells, width: x, before };
}

/** Return how many empty cells follow: one for each step, or one where nobody knows how many there will be. */
const left = (over: boolean, open: boolean, steps: number): number =>
  over ? 0 : open ? 1 : Math.min(steps, MOST_EMPTY);

const cut = (text: string): string => {
  const letters = Array.from(text);
  return letters.length <= MOST_LETTERS ? text : `${letters.slice(0, MOST_LETTERS - 1).join("")}…`;
};

/** Return what each head reads most at the last position; nothing for a head without weights there. */
export function readingsOf(run: Run): Reading[] {
  return run.heads.flatMap((heads, block) =>
    heads.flatMap(({ weights }, head) => {
      const row = weights.values.subarray(weights.values.length - weights.columns);
      const source = row.reduce((best, weight, place) => (weight > row[best] ? place : best), 0);
      return row[source] > 0 ? [{ block, head, source, weight: row[source] }] : [];
    }),
  );
}
