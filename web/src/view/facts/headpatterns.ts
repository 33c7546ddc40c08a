/** What a head mostly reads in a run, in words: "the word before", "what followed last time". */

import type { HeadRun, Run, Sight } from "../../engine";
import { cell, upTo } from "./cells";
import { isSeen, seenIn, sightIn } from "./sights";

const MOSTLY = 0.5; // the share of the weight that makes a description true
const ALIKE = 0.1; // how far weights may be from equal ones, as a share of all
const LEAST_READERS = 2; // a description of fewer readers would say nothing

/** A description, and the positions that a reader then reads; none: the description says nothing about this reader. */
interface Pattern {
  readonly words: string;
  readonly sources: (tokens: readonly string[], reader: number) => readonly number[];
}

const PATTERNS: readonly Pattern[] = [
  { words: "the word before", sources: (_, reader) => (reader > 0 ? [reader - 1] : []) },
  { words: "itself", sources: (_, reader) => [reader] },
  { words: "what followed last time", sources: (tokens, reader) => earlier(tokens, reader).map((place) => place + 1) },
  { words: "the same word before", sources: earlier },
  { words: "two words before", sources: (_, reader) => (reader > 1 ? [reader - 2] : []) },
  { words: "the word after", sources: (tokens, reader) => (reader + 1 < tokens.length ? [reader + 1] : []) },
  { words: "the first word", sources: (_, reader) => (reader > 0 ? [0] : []) },
];

const known = new WeakMap<HeadRun, string>();

/** Return what a head mostly reads, from its weights in this run: at least half of the weight, on average of the readers. */
export function mostlyReads(run: Run, block: number, head: number): string {
  const one = run.heads[block][head];
  const found = known.get(one) ?? described(run, block, head);
  known.set(one, found);
  return found;
}

function described(run: Run, block: number, head: number): string {
  const { tokens } = run;
  const one = run.heads[block][head];
  const seen = (reader: number): Sight => sightIn(run, block, head, reader);
  // a reader that sees one position has no choice; one without weights reads nothing
  const readers = upTo(tokens.length).filter((reader) => seenIn(seen(reader)).length > 1 && !one.empty[reader]);
  if (readers.length < LEAST_READERS) return "";
  const distances = readers.map((reader) => fromEqual(one, reader, seen(reader)));
  if (average(distances) <= ALIKE) return "all words alike";
  let [best, most] = ["mixed", MOSTLY];
  for (const { words, sources } of PATTERNS) {
    const shares = readers.flatMap((reader) => {
      const expected = sources(tokens, reader).filter((source) => isSeen(seen(reader), source));
      return expected.length === 0 ? [] : [expected.reduce((sum, j) => sum + cell(one.weights, reader, j), 0)];
    });
    const enough = shares.length >= Math.max(LEAST_READERS, readers.length / 4);
    if (enough && average(shares) > most) [best, most] = [words, average(shares)];
  }
  return best;
}

/** Return the earlier positions with the same token. */
function earlier(tokens: readonly string[], reader: number): number[] {
  return upTo(reader).filter((place) => tokens[place] === tokens[reader]);
}

/** Return how far the weights of a reader are from equal ones: 0 to 1. */
function fromEqual(one: HeadRun, reader: number, sight: Sight): number {
  const seen = seenIn(sight);
  return seen.reduce((sum, source) => sum + Math.abs(cell(one.weights, reader, source) - 1 / seen.length), 0) / 2;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
