/** In presenter mode columns are never narrower than their type: of many positions, those around the reader are shown. */

import { upTo } from "../facts/cells";
import { tokenText } from "../facts/tokens";
import type { View } from "../view.svelte";
import type { Column } from "./layout";
import { SCREEN } from "./type";

const LETTER = 0.61; // the width of a letter, of its size
const MOST_LETTERS = 5; // longer tokens are cut
const GAP = 8; // pixels between two tokens
const EDGE = 72; // for "… 12 more"
const BEFORE = 0.75; // the reader's place in the window: most of what it reads stands before it

/** The positions that are shown, and how many there are on either side of them. */
export interface Window {
  readonly first: number;
  readonly count: number;
  readonly before: number;
  readonly after: number;
  readonly start: number; // pixels: where the first column stands
}

/** Return the window of positions for a room; null where all fit. */
export function windowOf(view: View, room: number): Window | null {
  const texts = view.run.tokens.map(tokenText);
  const letters = Math.min(MOST_LETTERS, Math.max(...texts.map((text) => text.length)));
  const least = Math.ceil(letters * LETTER * SCREEN.least) + GAP;
  const { length } = texts;
  if (Math.floor(room / length) >= least) return null;
  const count = Math.max(1, Math.min(length - 1, Math.floor((room - 2 * EDGE) / least)));
  const first = Math.max(0, Math.min(view.position - Math.floor(BEFORE * count), length - count));
  return { first, count, before: first, after: length - first - count, start: first > 0 ? EDGE : 0 };
}

/** Return the pixels that the names of what is left out take. */
export const edgesOf = ({ before, after }: Window): number => EDGE * (Number(before > 0) + Number(after > 0));

/** Return a place for every position: those that are left out stand at the edge, so that arcs lead there. */
export function placesOf(columns: readonly Column[], length: number): readonly Pick<Column, "x" | "width">[] {
  if (columns.length === length || columns.length === 0) return columns;
  const [first, last] = [columns[0], columns.at(-1)!];
  const before = { x: first.x - 12, width: 0 };
  const after = { x: last.x + last.width + 12, width: 0 };
  return upTo(length).map(
    (position) => columns[position - first.position] ?? (position < first.position ? before : after),
  );
}
