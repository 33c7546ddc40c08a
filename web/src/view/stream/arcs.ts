/** Attention as lines: arcs from the column that is read to the one that reads, and paths from lane to lane. */

import type { Run } from "../../engine";
import { rowOf, upTo } from "../facts/cells";
import { bringsSomething, headsInView, type Move, movesOf, pathsOf, timesTransposed } from "../facts/moved";
import type { Column, Layout } from "./layout";
import { middleOf } from "./layout";

export interface Arc {
  readonly line: string;
  readonly move: Attended;
  readonly moved: boolean; // false: attended, but added 0
  readonly strong: boolean; // of the position in view
  readonly width: number;
  readonly opacity: number;
  readonly label: { readonly x: number; readonly y: number } | null; // where its weight stands
}

export const MANY_TOKENS = 20; // beyond, only what moved something has an arc
const MOST_ARCS = 240; // of each head

/** What arcs are drawn for. */
export interface Reading {
  readonly run: Run;
  readonly block: number;
  readonly columns: readonly Column[]; // by position
  readonly reader: number | null; // the position in view; null: all are shown alike
  readonly chosenHead: number | null;
  readonly layout: Layout;
  readonly room: number; // how high the arcs may be
}

export function arcsOf(reading: Reading): Arc[] {
  const { run, block, reader, chosenHead } = reading;
  const inView = new Set(headsInView(run, block, chosenHead));
  const many = run.tokens.length > MANY_TOKENS;
  const moves = many
    ? [...inView].flatMap((head) => weightiest(run, block, head, reader))
    : upTo(run.heads[block].length)
        .flatMap((head) => movesOf(run, block, head))
        .map((move) => ({ ...move, moved: bringsSomething(move) }));
  const arcs = moves.map((move) => arcOf(reading, move, inView.has(move.head), many));
  return arcs.sort((one, other) => Number(one.strong) - Number(other.strong) || one.width - other.width);
}

/** Of many tokens, the faint arcs in one line for each width: hundreds of shapes would be slow to step through. */
export function bundled(
  arcs: readonly Arc[],
): { readonly line: string; readonly width: number; readonly opacity: number }[] {
  const lines = new Map<number, string[]>();
  for (const arc of arcs) {
    const width = Math.round(arc.width * 2) / 2;
    const parts = lines.get(width);
    if (parts === undefined) lines.set(width, [arc.line]);
    else parts.push(arc.line);
  }
  return [...lines].map(([width, parts]) => ({ line: parts.join(" "), width, opacity: arcs[0].opacity }));
}

/** What an arc needs to know of a move. */
interface Attended extends Pick<Move, "head" | "source" | "target" | "weight"> {
  readonly moved: boolean;
}

/** Of many tokens: all that the reader attends to, and of the others what moved something, the largest weights first. */
function weightiest(run: Run, block: number, head: number, reader: number | null): Attended[] {
  const { weights, values } = run.heads[block][head];
  const added = timesTransposed(values, run.model.blocks[block].attention!.heads[head].W_O);
  const brings = upTo(added.rows).map((source) => rowOf(added, source).some((amount) => amount !== 0));
  const found: Attended[] = [];
  weights.values.forEach((weight, place) => {
    if (weight === 0) return;
    const [target, source] = [Math.floor(place / weights.columns), place % weights.columns];
    const moved = brings[source];
    if (moved || target === reader) found.push({ head, source, target, weight, moved });
  });
  if (found.length <= MOST_ARCS) return found;
  const rank = (one: Attended): number => one.weight + (one.target === reader ? 2 : 0);
  return found.sort((one, other) => rank(other) - rank(one)).slice(0, MOST_ARCS);
}

function arcOf(reading: Reading, move: Attended, inView: boolean, many: boolean): Arc {
  const { moved } = move;
  const { columns, layout, reader, room } = reading;
  const width = columns[0].width;
  const base = layout.arcs - 3;
  const [from, to] = [middle(columns[move.source]), middle(columns[move.target])];
  const distance = Math.abs(move.target - move.source);
  const reach = 14 + room * 0.86 * Math.sqrt(distance / Math.max(4, columns.length - 1));
  const height = Math.min(room, distance === 0 ? 26 : reach);
  const strong = (reader === null || move.target === reader) && inView;
  const faint = many ? 0.16 : 0.38;
  const labelled = strong && moved && distance > 0 && columns.length <= 12 && width > 40 && move.weight < 0.995;
  return {
    line: distance === 0 ? loop(to, base, height, width) : bow(from, to, base, height),
    move,
    moved,
    strong,
    width: moved ? 1 + Math.abs(move.weight) * 2.6 : 1,
    opacity: (strong ? 1 : faint) * (inView ? 1 : 0.5) * (moved ? 1 : 0.75),
    label: labelled && reader !== null ? { x: (from + to) / 2, y: base - height - 4 } : null,
  };
}

function middle(column: Column): number {
  return column.x + column.width / 2;
}

function bow(from: number, to: number, base: number, height: number): string {
  const peak = base - height * 1.3;
  return `M${from},${base} C${from},${peak} ${to},${peak} ${to},${base - 2}`;
}

function loop(at: number, base: number, height: number, width: number): string {
  const [near, far] = [Math.min(7, width * 0.3), Math.min(16, width * 0.6)];
  return `M${at - near},${base} C${at - far},${base - height} ${at + far},${base - height} ${at + near},${base - 1}`;
}

/** A path from a lane of the column that is read to a lane of the reader. */
export interface LanePath {
  readonly line: string;
  readonly width: number;
  readonly start: { readonly x: number; readonly y: number };
}

const MOST_MOVES = 6;
const MOST_PATHS = 12;
const LEAST_COLUMN = 20; // pixels: in narrower columns paths would hide the cells

/** Return the paths into the position in view, along the edges of rows and the gutters between columns. */
export function lanePathsOf(reading: Reading): LanePath[] {
  const { run, block, columns, reader, chosenHead, layout } = reading;
  if (reader === null || columns[0].width < LEAST_COLUMN) return [];
  const moves = headsInView(run, block, chosenHead)
    .flatMap((head) => movesOf(run, block, head, [reader]))
    .filter(bringsSomething)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_MOVES);
  const paths = moves
    .flatMap((move) =>
      pathsOf(run, move)
        .slice(0, MOST_PATHS)
        .map((path) => ({ ...path, source: move.source })),
    )
    .sort((one, other) => Math.abs(other.amount) - Math.abs(one.amount))
    .slice(0, MOST_PATHS);
  const most = Math.max(...paths.map((path) => Math.abs(path.amount)), 1e-300);
  return paths.flatMap((path) => {
    const [from, to] = [middleOf(layout, path.from), middleOf(layout, path.to)];
    if (from === null || to === null) return [];
    const width = 1 + (1.6 * Math.abs(path.amount)) / most;
    const target = columns[reader];
    if (path.source === reader) return [{ ...beside(target, from, to), width }];
    return [{ ...routed(columns[path.source], target, from, to, layout.rowHeight), width }];
  });
}

/** From a column to itself: a bow on its right. */
function beside(column: Column, from: number, to: number): Omit<LanePath, "width"> {
  const x = column.x + column.width;
  const line =
    from === to
      ? `M${x + 9},${from} L${x + 1},${to}`
      : `M${x},${from} C${x + 15},${from} ${x + 15},${to} ${x + 1},${to}`;
  return { line, start: { x, y: from } };
}

/** From a column to another: along the lower edge of the row, down the gutter before the reader, into its row. */
function routed(source: Column, target: Column, from: number, to: number, rowHeight: number): Omit<LanePath, "width"> {
  const forward = source.x < target.x;
  const side = forward ? 1 : -1;
  const start = source.x + (forward ? source.width : 0) - side;
  const end = target.x + (forward ? 0 : target.width) - side;
  const gutter = end - side * 6;
  const neighbours = Math.abs(start - end) < 6;
  const edge = neighbours ? from : from + rowHeight / 2 - 2;
  if (from === to || Math.abs(to - edge) < 2) {
    return { line: `M${start},${edge} L${end},${edge}`, start: { x: start, y: edge } };
  }
  const down = to > edge ? 1 : -1;
  const bend = Math.min(6, Math.abs(to - edge) / 2);
  const into = `L${gutter},${to - down * bend} Q${gutter},${to} ${gutter + side * bend},${to} L${end},${to}`;
  if (neighbours) return { line: `M${gutter},${edge} ${into}`, start: { x: gutter, y: edge } };
  const along = `M${start},${edge} L${gutter - side * bend},${edge} Q${gutter},${edge} ${gutter},${edge + down * bend}`;
  return { line: `${along} ${into}`, start: { x: start, y: edge } };
}
