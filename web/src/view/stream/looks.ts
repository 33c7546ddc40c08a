/** How a cell looks: its fill, its number, the ring of a change and the sliver of the value before. */

import type { Run } from "../../engine";
import { headInk } from "../facts/headcolours";
import type { Numbers } from "../facts/numbers";
import { headsThatWrote } from "../facts/reads";
import { colourOf, inkOn, type Scale, type Theme } from "../facts/scale";
import { tokenText } from "../facts/tokens";
import { numberSize } from "../numbersize";
import { pixelOf } from "../thumbnails";
import type { View } from "../view.svelte";
import { type Column, type Row, stageOf } from "./layout";
import type { TypeSizes } from "./type";

export interface Look {
  readonly value: number;
  readonly before: number | null; // where it changed, the value before
  readonly fill: string | null; // null: none, as for 0
  readonly inset: number; // how far the fill stays from the cell's edge
  readonly ring: boolean;
  readonly ringInks: readonly string[]; // by name: of the heads that wrote it, one or two; else that of what moves
  readonly sliver: string | null | undefined; // the colour of the value before; null: it was 0; undefined: no sliver
  readonly sliverWidth: number;
  readonly text: string; // "": there is no room for a number
  readonly ink: string;
  readonly size: number; // of the text
  readonly bold: boolean;
  readonly mono: boolean; // ∞ is set in the narrower type
  readonly dot: boolean; // 0 that did not change
  readonly faint: boolean; // it has no partner, or only differences are wanted and it is none
}

/** What all looks of a picture share. */
export interface Painting {
  readonly view: View;
  readonly noisy: boolean;
  readonly rowHeight: number;
  readonly type: TypeSizes;
  readonly fills: Fills;
}

/** A value's colour, the ink on it, and the colour as a pixel of a picture: that of 0 is empty. */
interface Fill {
  readonly fill: string | null;
  readonly ink: string;
  readonly pixel: number;
}

/** The fills of values, kept: mixing colours is most of the work of a cell. */
export class Fills {
  private readonly known = new Map<number, Fill>();

  constructor(
    private readonly scale: Scale,
    private readonly theme: Theme,
  ) {}

  of(value: number): Fill {
    const known = this.known.get(value);
    if (known !== undefined) return known;
    if (this.known.size > MOST_FILLS) this.known.clear();
    const fill = colourOf(value, this.scale, this.theme);
    const made = fill === null ? { fill, ink: "muted", pixel: 0 } : { fill, ink: inkOn(fill), pixel: pixelOf(fill) };
    this.known.set(value, made);
    return made;
  }
}

export const LEAST_RINGED = 6; // pixels: in narrower cells a ring would hide the value
export const LEAST_WRITTEN = 12; // and in narrower ones there is no room for −∞
const LEAST_SUBLAYER = 22; // in a column of sublayers, for other numbers
const LEAST_POSITION = 26; // and in one of positions
const LEAST_SLIVER = 52; // for the value before, beside the number
const MOST_FILLS = 50_000;

/** Return the run, the place of the lane in it, and its numbers, for a cell; null where the model has no such lane. */
export function cellSource(view: View, row: Row, side: "a" | "b"): { run: Run; lane: number; numbers: Numbers } | null {
  const lane = side === "b" ? row.lane.b : row.lane.a;
  if (lane < 0) return null;
  return side === "b"
    ? { run: view.beside!, lane, numbers: view.besideNumbers! }
    : { run: view.run, lane, numbers: view.numbers };
}

/** The value of a cell, and the value before the sublayer; null at the embedding. */
interface Values {
  readonly value: number;
  readonly before: number | null;
}

/** Return the values of a cell on one side; null where the model has no such lane. */
export function valuesOf(view: View, column: Column, row: Row, side: "a" | "b"): Values | null {
  const source = cellSource(view, row, side);
  if (source === null) return null;
  const { run, lane } = source;
  const stage = side === "b" ? view.besideStage! : stageOf(view, column);
  const position = side === "b" && column.side !== "b" ? column.position - view.pair!.shift : column.position;
  const place = position * run.stream[stage].columns + lane;
  const value = run.stream[stage].values[place];
  const still = column.step === null && view.here.kind === "norm"; // nothing is added to the stream there
  const before = stage === 0 || still ? null : run.stream[stage - 1].values[place];
  return { value, before };
}

/** Say whether a cell has a ring: it changed here or, with two runs, it differs. */
export function isMarked(view: View, column: Column, row: Row, values: Values): boolean {
  if (view.pair === null) return values.before !== null && values.before !== values.value;
  const position = column.side === "b" ? column.position + view.pair.shift : column.position;
  return position >= 0 && view.pair.differs(view.step, position, row.shared);
}

/** Say whether a cell shows both runs, which differ there, in two halves. */
export function isSplit(view: View, column: Column, row: Row): boolean {
  return column.side === "both" && column.partner && view.pair!.differs(view.step, column.position, row.shared);
}

/** Return how a cell looks, on one side; null where the model has no such lane. */
export function lookOf(painting: Painting, column: Column, row: Row, side: "a" | "b", width: number): Look | null {
  const { view, noisy, rowHeight, fills } = painting;
  const values = valuesOf(view, column, row, side);
  if (values === null) return null;
  const { value } = values;
  const numbers = side === "b" ? view.besideNumbers! : view.numbers;
  const marked = isMarked(view, column, row, values);
  const half = width < column.width; // of a cell that is split: the ring goes round both halves
  const ring = marked && !noisy && !half && width >= LEAST_RINGED;
  const faint = !column.partner || (view.pair !== null && view.onlyDifferences && !marked);
  const infinite = numbers.isInfinite(value);
  const { fill, ink } = fills.of(value);
  const withSliver = marked && view.pair === null && width >= LEAST_SLIVER && column.kind === "position";
  const sliverWidth = withSliver ? Math.max(4, Math.min(9, width * 0.13)) : 0;
  const gap = width >= (infinite ? LEAST_SUBLAYER : 14); // between ring and fill: −∞ needs all of a narrow cell
  const inset = ring && gap ? 3 : infinite ? 0 : width >= 14 ? 1 : width >= 6 ? 0.5 : 0;
  const dot = value === 0 && !marked;
  const edges = infinite ? Math.max(1, 2 * inset) : half ? 1 : 3;
  const room = { width, inner: width - sliverWidth - edges, rowHeight };
  const text = dot ? null : textOf(numbers, value, column.kind, room, painting.type);
  return {
    value,
    before: marked && view.pair === null ? values.before : null,
    fill,
    inset,
    ring,
    ringInks: ring ? ringInksOf(view, column, row) : MOVED,
    sliver: withSliver ? fills.of(values.before ?? 0).fill : undefined,
    sliverWidth,
    text: text?.written ?? "",
    ink: fill !== null && faint ? "ink" : ink,
    size: text?.size ?? 0,
    bold: (ring && (column.kind === "position" || width >= 34)) || infinite,
    mono: infinite,
    dot,
    faint,
  };
}

/** A shape of a cell. Inks are colours, or names of the theme's colours. */
export interface Shape {
  readonly kind: "fill" | "ring" | "dot" | "text";
  readonly ink: string;
  readonly x: number; // of a dot or a text: of its middle
  readonly y: number; // of a text: of its base line
  readonly width: number;
  readonly height: number;
  readonly opacity?: number;
  readonly half?: boolean; // of a ring: only its right half
}

/** Return the shapes of a cell, from back to front: the fill, a sliver with the value before, the number, the ring. */
export function shapesOf(look: Look, x: number, y: number, width: number, height: number): Shape[] {
  const { inset, sliver, sliverWidth } = look;
  if (look.dot) return [{ kind: "dot", ink: "hair", x: x + width / 2, y: y + height / 2, width, height, opacity: 0.6 }];
  const shapes: Shape[] = [];
  const bar = (ink: string, from: number, wide: number, opacity?: number): void => {
    shapes.push({ kind: "fill", ink, x: x + from, y: y + inset, width: wide, height: height - 2 * inset, opacity });
  };
  if (look.fill !== null) bar(look.fill, inset, width - 2 * inset, look.faint ? 0.3 : undefined);
  if (sliver !== undefined) {
    bar("surface", inset, sliverWidth + 1.5);
    if (sliver !== null) bar(sliver, inset, sliverWidth);
    else bar("line", inset + sliverWidth + 0.25, 1); // it was 0
  }
  if (look.text !== "") {
    const [middle, base] = [x + width / 2 + sliverWidth / 2, y + height / 2 + look.size * 0.35];
    shapes.push({ kind: "text", ink: look.ink, x: middle, y: base, width, height });
  }
  if (look.ring) {
    const place = { x: x + 0.75, y: y + 0.75, width: width - 1.5, height: height - 1.5 };
    look.ringInks.forEach((ink, n) => shapes.push({ kind: "ring", ink, ...place, half: n > 0 }));
  }
  return shapes;
}

const MOVED: readonly string[] = ["move"];
const DIFFERS: readonly string[] = ["ink"]; // of two runs

/** Return the colours of a ring: those of the heads that wrote the cell, the two largest; else that of what moves. */
export function ringInksOf(view: View, column: Column, { lane }: Row): readonly string[] {
  if (view.pair !== null) return DIFFERS;
  const heads = headsThatWrote(view.run, stageOf(view, column), column.position, lane.a);
  return heads.length === 0 ? MOVED : heads.slice(0, 2).map(headInk);
}

/** Return the dashes that leave the right half of a rectangle, which is drawn clockwise from its upper left corner. */
export function rightHalf(width: number, height: number): { readonly dashes: number[]; readonly offset: number } {
  return { dashes: [width + height, width + height], offset: -width / 2 };
}

/** Return how thick the ring of a cell is. */
export const ringWidth = (width: number): number => (width < 14 ? 1 : 1.5);

/** A cell, or one of its halves where it shows two runs that differ. */
export interface Half {
  readonly look: Look;
  readonly x: number;
  readonly width: number;
}

export function halvesOf(painting: Painting, column: Column, row: Row): Half[] {
  const split = isSplit(painting.view, column, row);
  const width = split ? column.width / 2 : column.width;
  const sides: readonly ("a" | "b")[] = split ? ["a", "b"] : [column.side === "b" ? "b" : "a"];
  return sides.flatMap((side, n) => {
    const look = lookOf(painting, column, row, side, width);
    return look === null ? [] : [{ look, x: column.x + n * width, width }];
  });
}

/** Return the lines round a cell that is split, and between its halves, as an SVG path. */
export function splitPath({ x, width }: Column, { y }: Row, height: number): string {
  return `M${x + width / 2},${y + 1} v${height - 2} M${x + 0.75},${y + 0.75} h${width - 1.5} v${height - 1.5} h${1.5 - width} z`;
}

/** Return a number as it is written in a cell, with its size; null where there is no room for it. */
function textOf(
  numbers: Numbers,
  value: number,
  kind: Column["kind"],
  room: { readonly width: number; readonly inner: number; readonly rowHeight: number },
  type: TypeSizes,
): { readonly written: string; readonly size: number } | null {
  const infinite = numbers.isInfinite(value);
  const least = infinite ? LEAST_WRITTEN : kind === "sublayer" ? LEAST_SUBLAYER : LEAST_POSITION;
  if (room.width < least) return null;
  const usual = room.width >= 44 ? type.number : type.least;
  const wanted = infinite && room.rowHeight >= 16 ? usual + 3 : usual;
  for (const written of [numbers.short(value), numbers.shorter(value)]) {
    if (written === null) continue;
    const size = numberSize(written, value, room.inner, wanted, type.leastNumber, infinite ? "mono" : "sans");
    if (size !== null) return { written, size };
  }
  return null;
}

/** Return the cell in words: "dim 42 Paris at Tower: 1.62, before 0.5". */
export function cellInWords(view: View, column: Column, row: Row): string {
  const side = column.side === "b" ? "b" : "a";
  const source = cellSource(view, row, side);
  const tokens = side === "b" ? view.beside!.tokens : view.run.tokens;
  const where = `${row.lane.name} at ${tokenText(tokens[column.position])}, position ${column.position}`;
  if (source === null) return `${where}: ${side === "b" ? "B" : "A"} has no such lane`;
  const values = valuesOf(view, column, row, side)!;
  const now = `${where}: ${source.numbers.whole(values.value)}`;
  if (column.side === "both") {
    const other = column.partner ? valuesOf(view, column, row, "b") : null;
    return other === null ? now : `${now} in A, ${view.besideNumbers!.whole(other.value)} in B`;
  }
  if (view.pair !== null) return `${now}${isMarked(view, column, row, values) ? ", differs" : ""}`;
  const changed = values.before !== null && values.before !== values.value;
  return changed ? `${now}, before ${source.numbers.whole(values.before!)}` : now;
}
