/** Where the answer turns, while one value goes from one end of a slider to the other. */

import type { Arithmetic } from "../../engine/arithmetic";
import type { Numbers } from "../facts/numbers";
import type { Range } from "./values";

/** From this value on the answer is another word. */
export interface Turn {
  readonly at: number;
  readonly says: string;
}

/** Return where a turn is with few digits, rounded up: from that number on the answer is the other one. */
export function turnText({ at }: Turn, numbers: Numbers): string {
  const up = Math.ceil(at * 100) / 100;
  return numbers.isInfinite(at) || Math.abs(at) >= 100 ? numbers.short(at) : numbers.short(up);
}

const SAMPLES = 32;
const MOST_TURNS = 4;
const HALVINGS = 40;

/**
 * Return the turns between samples: each is the first of two neighbours, as near as halving finds them, whose answers
 * differ. `answer` may be asked until `inTime` says no; null: the time was too short.
 */
export function turnsOf(
  A: Arithmetic,
  { from, to }: Range,
  answer: (value: number) => string,
  inTime: () => boolean,
): Turn[] | null {
  const said = new Map<number, string>();
  const ask = (value: number): string => {
    const known = said.get(value) ?? answer(value);
    said.set(value, known);
    return known;
  };
  const turns: Turn[] = [];
  let left = A.round(from);
  for (let n = 1; n <= SAMPLES; n++) {
    if (!inTime()) return null;
    const right = A.round(from + ((to - from) * n) / SAMPLES);
    if (ask(left) !== ask(right)) turns.push(turnBetween(A, left, right, ask));
    left = right;
    if (turns.length === MOST_TURNS) break;
  }
  return turns;
}

function turnBetween(A: Arithmetic, left: number, right: number, ask: (value: number) => string): Turn {
  const before = ask(left);
  for (let n = 0; n < HALVINGS; n++) {
    const middle = A.round(left + (right - left) / 2);
    if (middle === left || middle === right) break;
    if (ask(middle) === before) left = middle;
    else right = middle;
  }
  return { at: right, says: ask(right) };
}
