/** The sentence that says what a sublayer did: made from differences of the stream, never from unrounded amounts. */

import type { Run } from "../../engine";
import { upTo } from "./cells";
import { laneChanges, positionInView, type LaneChange } from "./changes";
import { bringsSomething, lanesMoved, type Move, movesOf, positionsThatRead } from "./moved";
import { firedAt } from "./neurons";
import { normAt, normedAt, type NormPlace } from "./normsteps";
import { count, MINUS, Numbers } from "./numbers";
import { tokenAt } from "./tokens";

/** A piece of a sentence: plain words, a token, the name of a lane or fact, a value that changed, a side remark. */
export interface Piece {
  readonly kind: "words" | "token" | "name" | "value" | "aside";
  readonly text: string;
}

const MOST_LANES = 3;

/** Return the sentence for the sublayer that leads to a stage, or for a norm there, as seen from a position. */
export function sentenceFor(run: Run, stage: number, pinned: number | null, norm: NormPlace | null = null): Piece[] {
  const { kind, block, present } = run.stages[stage];
  if (norm !== null && normAt(run.model, norm) !== null)
    return normSentence(run, norm, positionInView(run, stage, pinned));
  if (kind === "embedding") return startSentence();
  if (!present) return [words(`Block ${block} has no ${kind}: nothing changes here.`)];
  const position = positionInView(run, stage, pinned);
  return kind === "attention" ? attentionSentence(run, stage, position) : memorySentence(run, stage, position);
}

/** Return the pieces as one text, for screen readers and titles. */
export function plainText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join("");
}

function startSentence(): Piece[] {
  const start = "Every token becomes a vector: a column for each position, a row for each lane. ";
  return [words(`${start}Attention then moves values between columns; feed-forward works inside one.`)];
}

function normSentence(run: Run, place: NormPlace, position: number): Piece[] {
  const { mean, root, norm } = normedAt(run, place, position);
  const value = (x: number): Piece => ({ kind: "value", text: String(Number(x.toPrecision(4))).replace("-", MINUS) });
  const start = [words(mean === null ? "RMS norm at " : "Layer norm at "), token(run, position)];
  const taken = mean === null ? [words(": ")] : [words(": less the mean "), value(mean), words(", then ")];
  const plain = norm.gain === null && norm.bias === null;
  const scaled = plain ? "" : norm.bias === null ? ", then times the gain" : ", then gain and bias";
  const over = [words(`over the ${mean === null ? "root mean square" : "spread"} `), value(root), words(scaled)];
  const reader = place.sublayer === null ? "the output" : place.sublayer;
  const end =
    place.placement === "post"
      ? ". The stream goes on with the result."
      : `. The stream stays; only what ${reader} reads is normed.`;
  return [...start, ...taken, ...over, words(end)];
}

function attentionSentence(run: Run, stage: number, position: number): Piece[] {
  const { block } = run.stages[stage];
  const heads = upTo(run.heads[block].length);
  const mine = heads.flatMap((head) => movesOf(run, block, head, [position]).filter(bringsSomething));
  const readers = positionsThatRead(run, block);
  const others = readers.filter((reader) => reader !== position).length;
  const text = ` ${count(others, "other position reads", "other positions read")} too.`;
  const aside: Piece[] = others === 0 ? [] : [{ kind: "aside", text }];
  const changes = byAmount(laneChanges(run, stage, position));
  if (readers.length === 0 && changes.length === 0) return [words(noMoves(run, block))];
  const reader = token(run, position);
  if (mine.length === 0) {
    const result =
      changes.length === 0
        ? [words(" reads nothing here.")]
        : [words(" reads nothing, but "), ...becomes(run, changes), words(".")];
    return [reader, ...result, ...aside];
  }
  const sources = [...new Set(mine.map((move) => move.source))].sort(
    (a, b) => Number(a === position) - Number(b === position) || a - b,
  );
  const through = sources.length > MOST_LANES ? mostlyThrough(run, block, position, mine) : null;
  const named = sources
    .slice(0, MOST_LANES)
    .map((source) => (source === position ? words("itself") : token(run, source)));
  const more = sources.length > MOST_LANES ? [words(` and ${sources.length - MOST_LANES} more`)] : [];
  const result =
    changes.length === 0 ? [words(", but the values cancel out")] : [words(": "), ...becomes(run, changes)];
  if (through !== null) return [reader, words(" reads mostly "), ...through, ...result, words("."), ...aside];
  return [reader, words(" reads "), ...joined(named, more.length > 0), ...more, ...result, words("."), ...aside];
}

/** Return the source that brings most, if that is half or more of everything, and through which heads; else null. */
function mostlyThrough(run: Run, block: number, reader: number, moves: readonly Move[]): Piece[] | null {
  const amounts = new Map<number, number>();
  const size = (move: Move): number => lanesMoved(move).reduce((sum, { amount }) => sum + Math.abs(amount), 0);
  for (const move of moves) amounts.set(move.source, (amounts.get(move.source) ?? 0) + size(move));
  const all = [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
  const [source, most] = [...amounts].reduce((one, other) => (other[1] > one[1] ? other : one));
  if (most < all / 2) return null;
  const what = source === reader ? words("itself") : token(run, source);
  if (run.heads[block].length === 1) return [what];
  const heads = moves
    .filter((move) => move.source === source && size(move) >= most / 4)
    .map(({ head }): Piece => ({ kind: "name", text: `head ${head}` }));
  return [what, words(", through "), ...joined(heads, false)];
}

/** Return why no head moved anything: no weight, or all values were 0. */
function noMoves(run: Run, block: number): string {
  const empty = run.heads[block].every((head) => head.empty.every(Boolean));
  return empty && run.heads[block].length > 0
    ? "No head attends anywhere: every exponential rounds to 0 (empty softmax), so nothing is added."
    : "No head moves anything here.";
}

function memorySentence(run: Run, stage: number, position: number): Piece[] {
  const { block } = run.stages[stage];
  const fired = firedAt(run, block, position);
  const changes = laneChanges(run, stage, position);
  if (changes.length === 0) {
    const why =
      fired.length === 0
        ? `no neuron ${verb(run, block)[0]}`
        : `${neurons(run, block, fired.length)}, but their sum is 0 or is rounded away`;
    return [words("Nothing changes at "), token(run, position), words(`: ${why}.`)];
  }
  const made = byAmount(changes.filter((change) => change.after !== 0));
  const gone = changes.filter((change) => change.after === 0);
  const cleared = gone.length === 0 ? [] : [words(made.length > 0 ? "; " : ""), ...clearedPieces(run, gone)];
  return [
    words("At "),
    token(run, position),
    ...whoFires(run, block, fired),
    words(": "),
    ...(made.length > 0 ? becomes(run, made) : []),
    ...cleared,
    words("."),
  ];
}

function whoFires(run: Run, block: number, fired: ReturnType<typeof firedAt>): Piece[] {
  const [one] = verb(run, block);
  if (fired.length === 0) return [words(` no neuron ${one}, and the bias alone adds`)];
  const named = run.model.blocks[block].feed_forward!.names[fired[0].neuron];
  if (fired.length === 1 && named) return [words(" the memory "), { kind: "name", text: named }, words(` ${one}`)];
  return [words(` ${neurons(run, block, fired.length)}`)];
}

/** A neuron fires if it is either 0 or not: under ReLU. Others are active, more or less. */
function verb(run: Run, block: number): readonly [one: string, several: string] {
  const { activation } = run.model.blocks[block].feed_forward!;
  return activation === "relu" || activation === "reglu" ? ["fires", "fire"] : ["is active", "are active"];
}

function neurons(run: Run, block: number, many: number): string {
  const [one, several] = verb(run, block);
  return count(many, `neuron ${one}`, `neurons ${several}`);
}

function becomes(run: Run, changes: readonly LaneChange[]): Piece[] {
  const numbers = new Numbers(run.model);
  const pieces = changes
    .slice(0, MOST_LANES)
    .flatMap((change, n): Piece[] => [
      words(n === 0 ? "" : ", "),
      { kind: "name", text: run.model.lanes[change.lane] },
      words(n === 0 ? " becomes " : " "),
      { kind: "value", text: numbers.short(change.after) },
    ]);
  return changes.length > MOST_LANES ? [...pieces, words(` and ${changes.length - MOST_LANES} more`)] : pieces;
}

function clearedPieces(run: Run, gone: readonly LaneChange[]): Piece[] {
  const names = gone.slice(0, 2).map((change): Piece => ({ kind: "name", text: run.model.lanes[change.lane] }));
  const more = gone.length > 2 ? ` and ${gone.length - 2} more` : "";
  return [...joined(names, more !== ""), words(`${more} ${gone.length === 1 ? "is" : "are"} cleared to 0`)];
}

function byAmount(changes: readonly LaneChange[]): LaneChange[] {
  const size = (change: LaneChange) => Math.abs(change.after - change.before);
  return [...changes].sort((a, b) => size(b) - size(a));
}

/** Put commas and "and" between pieces; only commas where more follow. */
function joined(pieces: readonly Piece[], moreFollow: boolean): Piece[] {
  return pieces.flatMap((piece, n) => {
    const before = n === 0 ? "" : n === pieces.length - 1 && !moreFollow ? " and " : ", ";
    return before === "" ? [piece] : [words(before), piece];
  });
}

function words(text: string): Piece {
  return { kind: "words", text };
}

function token(run: Run, position: number): Piece {
  return { kind: "token", text: tokenAt(run.tokens, position) };
}
