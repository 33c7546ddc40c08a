/** Attention as lines: arcs from the column that is read to the one that reads, and paths from lane to lane. */

import type { Run } from "../../engine";
import { headInk, sharesColour } from "../facts/headcolours";
import { bringsSomething, headsInView, movesOf, pathsOf } from "../facts/moved";
import { fanOf, type Read, readsOf } from "../facts/reads";
import type { Column, Layout } from "./layout";
import { middleOf } from "./layout";

export interface Arc {
  readonly read: Read;
  readonly line: string;
  readonly tip: string; // the arrowhead; "": none
  readonly ink: string; // the colour of the head, by its name
  readonly width: number;
  readonly dash: "none" | "dashed" | "dotted"; // dashed: another head has the same colour; dotted: it moves next to nothing
  readonly aside: boolean; // another head was chosen
}

/** What arcs are drawn for. */
export interface Reading {
  readonly run: Run;
  readonly block: number;
  readonly columns: readonly Pick<Column, "x" | "width">[]; // by position
  readonly reader: number; // only its arcs are drawn: those of all readers cannot be read
  readonly chosenHead: number | null;
  readonly base: number; // where arcs stand
  readonly room: number; // how high they may be
}

const NESTED = 9; // pixels between arcs of several heads that join the same two positions

/** Return the arcs of the reader, the lowest last; a head that reads many positions, and is alone, has thin ones. */
export function arcsOf(reading: Reading): Arc[] {
  const { run, block, reader, chosenHead } = reading;
  const heads = run.heads[block].length;
  const alone = heads === 1 ? 0 : chosenHead !== null && chosenHead < heads ? chosenHead : null;
  const reads = readsOf(run, block, reader).filter(({ head, source }) => source !== reader || head === alone);
  const fan = alone === null || reads.some(({ head }) => head === alone) ? [] : fanOf(run, block, alone, reader);
  const isAside = ({ head }: Read): boolean => alone !== null && head !== alone;
  return [...placed(reading, reads, isAside), ...fan.map((read) => thin(reading, read))];
}

/** Give arcs their places: no two end at the same point, and arcs of several heads between two positions are nested. */
function placed(reading: Reading, reads: readonly Read[], isAside: (read: Read) => boolean): Arc[] {
  const { columns, base, reader } = reading;
  const before = new Map<number, number>();
  const arcs = [...reads]
    .sort((one, other) => other.weight - one.weight)
    .map((read) => {
      const inside = before.get(read.source) ?? 0;
      before.set(read.source, inside + 1);
      return { read, inside, height: Math.max(10, heightOf(reading, read) - inside * NESTED) };
    })
    .sort((one, other) => one.height - other.height);
  const end = columns[reader];
  const spread = Math.min(end.width * 0.7, 7 * (arcs.length - 1));
  return arcs
    .map(({ read, inside, height }, n) => {
      const share = arcs.length === 1 ? 0.5 : read.source > reader ? 1 - n / (arcs.length - 1) : n / (arcs.length - 1);
      const to = middle(end) + (share - 0.5) * spread;
      const shift = Math.min(7 * inside, columns[read.source].width * 0.4) * (read.source > reader ? -1 : 1);
      const from = middle(columns[read.source]) + shift;
      const self = read.source === reader;
      return {
        read,
        line: self ? loop(to, base, height, end.width) : bow(from, to, base, height),
        tip: `M${to - 4.5},${base - 8} h9 l-4.5,8 z`,
        ink: headInk(read.head),
        width: read.moves ? 1.5 + 4 * Math.min(1, Math.abs(read.weight)) : 2.5,
        dash: !read.moves ? ("dotted" as const) : sharesColour(read.head) ? ("dashed" as const) : ("none" as const),
        aside: isAside(read),
      };
    })
    .reverse();
}

/** Return a thin arc, for a weight that is one of many. */
function thin(reading: Reading, read: Read): Arc {
  const { columns, base, reader } = reading;
  const [from, to] = [middle(columns[read.source]), middle(columns[reader])];
  const height = heightOf(reading, read);
  const line = read.source === reader ? loop(to, base, height, columns[reader].width) : bow(from, to, base, height);
  const look = { width: 1, dash: read.moves ? ("none" as const) : ("dotted" as const), aside: false };
  return { read, line, tip: "", ink: headInk(read.head), ...look };
}

function heightOf({ columns, room }: Reading, { source, target }: Read): number {
  const distance = Math.abs(target - source);
  if (distance === 0) return Math.min(room, 26);
  return Math.min(room, 14 + room * 0.86 * Math.sqrt(distance / Math.max(4, columns.length - 1)));
}

function middle(column: Pick<Column, "x" | "width">): number {
  return column.x + column.width / 2;
}

function bow(from: number, to: number, base: number, height: number): string {
  const peak = base - height * 1.3;
  return `M${from},${base} C${from},${peak} ${to},${peak} ${to},${base - 6}`;
}

function loop(at: number, base: number, height: number, width: number): string {
  const [near, far] = [Math.min(7, width * 0.3), Math.min(16, width * 0.6)];
  return `M${at - 2 * near},${base} C${at - far},${base - height} ${at + far},${base - height} ${at},${base - 6}`;
}

/** A path from a lane of the column that is read to a lane of the reader. */
export interface LanePath {
  readonly line: string;
  readonly width: number;
  readonly start: { readonly x: number; readonly y: number };
  readonly ink: string; // the colour of the head, by its name
  readonly tip: string; // the arrowhead
}

const MOST_MOVES = 6;
const MOST_PATHS = 12;
const LEAST_COLUMN = 20; // pixels: in narrower columns paths would hide the cells

/** Return the paths into the position in view, along the edges of rows and the gutters between columns. */
export function lanePathsOf(reading: Reading, layout: Layout): LanePath[] {
  const { run, block, columns, reader, chosenHead } = reading;
  if (columns[reader].width < LEAST_COLUMN) return [];
  const moves = headsInView(run, block, chosenHead, reader)
    .flatMap((head) => movesOf(run, block, head, [reader]))
    .filter((move) => bringsSomething(move) && columns[move.source].width > 0) // 0: it is not shown
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_MOVES);
  const paths = moves
    .flatMap((move) =>
      pathsOf(run, move)
        .slice(0, MOST_PATHS)
        .map((path) => ({ ...path, source: move.source, head: move.head })),
    )
    .sort((one, other) => Math.abs(other.amount) - Math.abs(one.amount))
    .slice(0, MOST_PATHS);
  const most = Math.max(...paths.map((path) => Math.abs(path.amount)), 1e-300);
  return paths.flatMap((path) => {
    const [from, to] = [middleOf(layout, path.from), middleOf(layout, path.to)];
    if (from === null || to === null) return [];
    const look = { width: 1 + (1.6 * Math.abs(path.amount)) / most, ink: headInk(path.head) };
    const target = columns[reader];
    if (path.source === reader) return [{ ...beside(target, from, to), ...look }];
    return [{ ...routed(columns[path.source], target, from, to, layout.rowHeight), ...look }];
  });
}

/** From a column to itself: a bow on its right. */
function beside(column: Pick<Column, "x" | "width">, from: number, to: number): Route {
  const x = column.x + column.width;
  const line =
    from === to
      ? `M${x + 9},${from} L${x + 1},${to}`
      : `M${x},${from} C${x + 15},${from} ${x + 15},${to} ${x + 1},${to}`;
  return { line, start: { x, y: from }, tip: arrowhead(x + 1, to, -1) };
}

type Route = Pick<LanePath, "line" | "start" | "tip">;

/** Return an arrowhead whose point is at a place, to the right or to the left. */
function arrowhead(x: number, y: number, side: number): string {
  return `M${x},${y} l${-side * 7},-3.5 v7 z`;
}

/** From a column to another: along the lower edge of the row, down the gutter before the reader, into its row. */
function routed(
  source: Pick<Column, "x" | "width">,
  target: Pick<Column, "x" | "width">,
  from: number,
  to: number,
  rowHeight: number,
): Route {
  const forward = source.x < target.x;
  const side = forward ? 1 : -1;
  const start = source.x + (forward ? source.width : 0) - side;
  const end = target.x + (forward ? 0 : target.width) - side;
  const gutter = end - side * 6;
  const neighbours = Math.abs(start - end) < 6;
  const edge = neighbours ? from : from + rowHeight / 2 - 2;
  if (from === to || Math.abs(to - edge) < 2) {
    return { line: `M${start},${edge} L${end},${edge}`, start: { x: start, y: edge }, tip: arrowhead(end, edge, side) };
  }
  const down = to > edge ? 1 : -1;
  const bend = Math.min(6, Math.abs(to - edge) / 2);
  const into = `L${gutter},${to - down * bend} Q${gutter},${to} ${gutter + side * bend},${to} L${end},${to}`;
  const tip = arrowhead(end, to, side);
  if (neighbours) return { line: `M${gutter},${edge} ${into}`, start: { x: gutter, y: edge }, tip };
  const along = `M${start},${edge} L${gutter - side * bend},${edge} Q${gutter},${edge} ${gutter},${edge + down * bend}`;
  return { line: `${along} ${into}`, start: { x: start, y: edge }, tip };
}
