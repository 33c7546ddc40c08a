/** Where a score and its weight come from: the query and the key lane by lane, positions, the mask, the weighting. */

import type { AttentionPositions, Head, Matrix, Run } from "../../engine";
import { elementary } from "../../engine/elementary";
import { product } from "../../engine/matrix";
import { offset, penalties, rotated, waves } from "../../engine/positions";
import { asRow, cell, rowOf, upTo } from "./cells";
import { folded, plus, type Result, rowSum, type Sum, type Term, times } from "./folding";
import type { Move } from "./moved";
import { attentionStage, readBy, valuesFor } from "./reading";
import { isSeen, seenIn, sightIn } from "./sights";

/** Which score: that of a source for a reader, in a head. */
export type ScorePlace = Pick<Move, "block" | "head" | "source"> & { readonly reader: number };

/** One lane of a head: what the reader asks, what the source offers, and their product. */
export interface HeadLane extends Term {
  readonly key: number; // what the source offers
  readonly offset: number | null; // what relative positions add to it at this distance; null without them
}

/** A turn by rotary positions: the pair of lanes, its sine and cosine at a position. */
export interface Turn {
  readonly partner: number;
  readonly sin: number;
  readonly cos: number;
}

/** A score, from the query and the key to what attention reads. */
export interface Score extends ScorePlace {
  readonly scheme: AttentionPositions["kind"] | null;
  readonly distance: number; // reader − source
  readonly visible: boolean; // false: the mask hides the source
  readonly lanes: readonly HeadLane[]; // every lane of the head, in the order of the sum
  readonly dot: number; // ⟨q, k⟩
  readonly penalty: number | null; // what ALiBi adds; null without it
  readonly score: Result; // the engine's number
}

const headOf = (run: Run, { block, head }: Pick<ScorePlace, "block" | "head">): Head =>
  run.model.blocks[block].attention!.heads[head];

/** Return the positional scheme of a head: its own, or that of the model. */
export function schemeOf(run: Run, at: Pick<ScorePlace, "block" | "head">): AttentionPositions | null {
  return headOf(run, at).positions ?? run.model.attention_positions;
}

const queries = new WeakMap<object, Matrix>(); // by the run of a head

/** Return what every position asks in a head, (positions × head lanes). */
export function queriesOf(run: Run, at: Pick<ScorePlace, "block" | "head">): Matrix {
  const one = run.heads[at.block][at.head];
  const found = queries.get(one) ?? queriesNow(run, at);
  queries.set(one, found);
  return found;
}

function queriesNow(run: Run, at: Pick<ScorePlace, "block" | "head">): Matrix {
  const { arithmetic: A } = run.model;
  const { W_Q, b_Q } = headOf(run, at);
  const q = product(A, W_Q, readBy(run, attentionStage(at.block)), b_Q);
  const scheme = schemeOf(run, at);
  return scheme?.kind === "Rotary" ? rotated(A, scheme, q, 0) : q;
}

/** Return a score lane by lane. */
export function scoreOf(run: Run, place: ScorePlace): Score {
  const { arithmetic: A } = run.model;
  const { block, head, reader, source } = place;
  const { keys } = run.heads[block][head];
  const scheme = schemeOf(run, place);
  const distance = reader - source;
  const visible = isSeen(sightIn(run, block, head, reader), source);
  const query = rowOf(queriesOf(run, place), reader);
  const key = rowOf(keys, source);
  const table = visible && scheme?.kind === "Relative" ? scheme.keys : null;
  const met = table === null ? key : new Float64Array(key.length);
  if (table !== null) offset(A, keys, source, table, distance, met);
  const added = table === null ? null : rowOf(table, Math.min(distance, table.rows - 1));
  const sum = allLanes(query, met, folded(A, query, met));
  const lanes = sum.map((term, c) => ({ ...term, key: key[c], offset: added?.[c] ?? null }));
  const dot = sum.at(-1)?.sum.value ?? 0;
  const penalty = scheme?.kind === "Alibi" ? penaltyOf(run, place, scheme) : null;
  const score: Result = penalty === null ? { value: dot + 0, cut: "exact" } : plus(A, dot, penalty);
  return { ...place, scheme: scheme?.kind ?? null, distance, visible, lanes, dot, penalty, score };
}

/** Return a term for every lane: lanes in which the query is 0 add 0, and are shown too. */
function allLanes(query: Float64Array, met: Float64Array, { terms }: Sum): Term[] {
  const known = new Map(terms.map((term) => [term.place, term]));
  let sum = 0;
  return upTo(query.length).map((place) => {
    const term = known.get(place);
    if (term !== undefined) sum = term.sum.value;
    const nothing: Result = { value: 0, cut: "exact" };
    return term ?? { place, weight: 0, value: met[place], product: nothing, sum: { value: sum, cut: "exact" } };
  });
}

function penaltyOf(run: Run, place: ScorePlace, scheme: AttentionPositions & { kind: "Alibi" }): number {
  const at = { head: place.head, heads: run.heads[place.block].length };
  const distance = Math.abs(place.reader - place.source);
  return penalties(run.model.arithmetic, scheme, at, run.tokens.length)[distance];
}

/** Where a lane of a query or a key comes from: the sum over the stream, and the turn by rotary positions. */
export interface Projection {
  readonly sum: Sum;
  readonly turn: (Turn & { readonly other: number; readonly turned: number }) | null; // other: its partner before the turn
}

/** Return how a head lane of the query (W_Q) or the key (W_K) of a position is computed. */
export function projectionOf(
  run: Run,
  at: Pick<ScorePlace, "block" | "head">,
  which: "query" | "key",
  position: number,
  lane: number,
): Projection {
  const { arithmetic: A } = run.model;
  const head = headOf(run, at);
  const [W, b] = which === "query" ? [head.W_Q, head.b_Q] : [head.W_K, head.b_K];
  const read = rowOf(readBy(run, attentionStage(at.block)), position);
  const sum = rowSum(A, W, lane, read, b);
  const scheme = schemeOf(run, at);
  const turn = scheme?.kind === "Rotary" ? turnOf(run, scheme, W.rows, position, lane) : null;
  if (turn === null || scheme?.kind !== "Rotary") return { sum, turn: null };
  const whole = product(A, W, asRow(read), b);
  const turned = cell(rotated(A, scheme, { ...whole, rows: 1 }, position), 0, lane);
  return { sum, turn: { ...turn, other: whole.values[turn.partner], turned } };
}

function turnOf(
  run: Run,
  scheme: AttentionPositions & { kind: "Rotary" },
  lanes: number,
  position: number,
  lane: number,
): Turn | null {
  const size = scheme.size ?? lanes;
  if (lane >= size || size < 2) return null;
  const pairs = size / 2;
  const halves = scheme.pairing === "halves";
  const pair = halves ? lane % pairs : Math.floor(lane / 2);
  const partner = halves ? (lane + pairs) % size : lane ^ 1;
  const table = waves(run.model.arithmetic, scheme.base, size, position + 1, scheme.scales);
  return { partner, sin: cell(table, position, 2 * pair), cos: cell(table, position, 2 * pair + 1) };
}

/** One source against the others: its score on the way to its weight. */
export interface Weighed {
  readonly source: number;
  readonly score: number;
  readonly shifted: number | null; // the score less the largest; null where nothing is taken away
  readonly exp: number | null; // null for hard attention
  readonly sum: number | null; // of the exponentials up to this one
  readonly weight: number;
}

/** How a reader weighs the positions that it sees. */
export interface Weighing {
  readonly kind: Head["weighting"]["kind"];
  readonly shifted: boolean;
  readonly largest: number | null; // score; null where nothing is visible
  readonly ties: number; // how many visible sources have it
  readonly sum: number | null; // of the exponentials
  readonly empty: "zero" | "uniform" | null; // what an empty softmax does, where it is one
  readonly sources: readonly Weighed[]; // the visible ones
}

/** Return how the scores of a reader become weights. */
export function weighingOf(run: Run, at: Pick<ScorePlace, "block" | "head">, reader: number): Weighing {
  const { arithmetic: A } = run.model;
  const { weighting } = headOf(run, at);
  const { scores, weights } = run.heads[at.block][at.head];
  const seen = seenIn(sightIn(run, at.block, at.head, reader));
  const row = seen.map((source) => cell(scores, reader, source));
  const largest = row.length === 0 ? null : Math.max(...row);
  const soft = weighting.kind === "Softmax";
  const shifts = soft && weighting.shifted;
  let sum = 0;
  const sources = seen.map((source, n): Weighed => {
    const score = row[n];
    const shifted = shifts ? A.nearestSum(score - largest!) + 0 : null;
    const exp = soft ? elementary(A, "exp", shifted ?? score) : null;
    if (exp !== null) sum = A.nearestSum(sum + exp);
    return { source, score, shifted, exp, sum: soft ? sum : null, weight: cell(weights, reader, source) };
  });
  const empty = soft && sum === 0 ? (weighting.empty === "uniform" ? "uniform" : "zero") : null;
  const ties = row.filter((score) => score === largest).length;
  return { kind: weighting.kind, shifted: shifts, largest, ties, sum: soft ? sum : null, empty, sources };
}

/** What one source adds to a lane through one lane of the values: weight × value × where it is written. */
export interface ValuePart {
  readonly valueLane: number;
  readonly value: number; // with what relative positions add to it
  readonly weighted: Result; // weight ⊗ value
  readonly writes: number; // the entry of W_O
}

/** What a source adds to a lane, and what the whole head adds there. */
export interface Brought {
  readonly lane: number;
  readonly parts: readonly ValuePart[];
  readonly amount: number; // of this source alone, not rounded
  readonly head: number; // what the head adds in all: the engine's number
}

/** Return what a source adds for a reader, by lane, the largest first. */
export function broughtBy(run: Run, { block, head, reader, source }: ScorePlace): Brought[] {
  const { arithmetic: A } = run.model;
  const { W_O } = headOf(run, { block, head });
  const { weights, output } = run.heads[block][head];
  const weight = cell(weights, reader, source);
  const values = rowOf(valuesFor(run, block, head, reader), source);
  if (weight === 0) return [];
  return upTo(W_O.rows)
    .map((lane): Brought => {
      const parts = upTo(W_O.columns)
        .filter((d) => cell(W_O, lane, d) !== 0 && values[d] !== 0)
        .map((d) => ({
          ...{ valueLane: d, value: values[d], weighted: times(A, weight, values[d]), writes: cell(W_O, lane, d) },
        }));
      const amount = parts.reduce((total, { value, writes }) => total + weight * value * writes, 0);
      return { lane, parts, amount, head: cell(output, reader, lane) };
    })
    .filter(({ parts }) => parts.length > 0)
    .sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
}

/** Return the name of a lane of a head: the lane of the stream that it reads, "distance", "constant" or its number. */
export function headLaneName(run: Run, at: Pick<ScorePlace, "block" | "head">, lane: number): string {
  const { W_Q, W_K } = headOf(run, at);
  const read = (W: Matrix) => upTo(W.columns).filter((column) => cell(W, lane, column) !== 0);
  const [asked, offered] = [read(W_Q), read(W_K)];
  const both = [...new Set([...asked, ...offered])];
  const { lanes } = run.model;
  if (both.length === 1) return lanes[both[0]];
  if (asked.length === 1 && offered.length === 1) return `${lanes[asked[0]]} · ${lanes[offered[0]]}`;
  if (both.length > 0) return `head lane ${lane}`;
  const scheme = schemeOf(run, at);
  const far = scheme?.kind === "Relative" && upTo(scheme.keys.rows).some((row) => cell(scheme.keys, row, lane) !== 0);
  return far ? "distance" : "constant";
}
