/** Narrow cells, in which nothing is written: made of pixels line by line, as thousands of rectangles take longer. */

import { rowOf } from "../facts/cells";
import { pixelOf } from "../thumbnails";
import type { InkColours } from "./canvas";
import { type Column, type Layout, type Row, stageOf } from "./layout";
import { LEAST_RINGED, LEAST_WRITTEN, type Painting, ringInksOf } from "./looks";

export const LEAST_DOTTED = 5; // pixels: in narrower cells there is no dot for 0

/** Say whether all cells are too narrow for numbers, and belong to one run. */
export function isMosaic(painting: Painting, layout: Layout): boolean {
  return painting.view.pair === null && layout.columns.every((column) => column.width < LEAST_WRITTEN);
}

/** Paint all cells on a canvas that has a pixel for each of the page: every edge lies on one. */
export function paintMosaic(
  context: CanvasRenderingContext2D,
  painting: Painting,
  layout: Layout,
  inks: InkColours,
): void {
  const { width } = context.canvas;
  const picture = pictureFor(context);
  const pixels = new Uint32Array(picture.data.buffer).fill(0); // little endian, as every machine that runs a browser
  const tiles = tilesOf(painting, layout);
  const dot = pixelOf(inks.hair);
  const pixelOfInk = (ink: string): number => pixelOf(inks[ink as keyof InkColours]);
  for (const row of layout.rows) {
    fillRow(pixels, width, tiles, painting, row, layout.rowHeight);
    for (const { column, left, right, ringed, dotted, now, before } of tiles) {
      const [value, was] = [now[row.lane.a], before?.[row.lane.a]];
      const changed = was !== undefined && was !== value;
      if (changed && ringed) {
        const colours = ringInksOf(painting.view, column, row).map(pixelOfInk);
        ring(pixels, width, left, right, row.y, layout.rowHeight, colours[0], colours.at(-1)!);
      }
      const [x, y] = [Math.floor((left + right) / 2), row.y + Math.floor(layout.rowHeight / 2)];
      if (value === 0 && !changed && dotted) pixels[y * width + x] = dot;
    }
  }
  context.putImageData(picture, 0, 0);
}

const pictures = new WeakMap<HTMLCanvasElement, ImageData>(); // several megabytes, which take long to ask for

function pictureFor(context: CanvasRenderingContext2D): ImageData {
  const { canvas } = context;
  const known = pictures.get(canvas);
  if (known?.width === canvas.width && known.height === canvas.height) return known;
  const picture = context.createImageData(canvas.width, canvas.height);
  pictures.set(canvas, picture);
  return picture;
}

/** A column as pixels. */
interface Tile {
  readonly column: Column;
  readonly left: number;
  readonly right: number;
  readonly gap: number; // before and above a cell, unless it is ∞
  readonly ringed: boolean;
  readonly dotted: boolean;
  readonly now: Float64Array; // by lane
  readonly before: Float64Array | null;
}

function tilesOf({ view, noisy }: Painting, layout: Layout): Tile[] {
  const { stream } = view.run;
  return layout.columns.map((column) => {
    const stage = stageOf(view, column);
    const roomy = column.width >= LEAST_RINGED;
    return {
      column,
      left: Math.round(column.x),
      right: Math.round(column.x + column.width),
      gap: roomy ? 1 : 0,
      ringed: roomy && !noisy,
      dotted: column.width >= LEAST_DOTTED,
      now: rowOf(stream[stage], column.position),
      before: stage === 0 ? null : rowOf(stream[stage - 1], column.position),
    };
  });
}

/** Fill the cells of a row: its first line of pixels, in which there may be gaps, and the others, which are all the same. */
function fillRow(
  pixels: Uint32Array,
  width: number,
  tiles: readonly Tile[],
  { view, fills }: Painting,
  row: Row,
  height: number,
): void {
  const { infinity } = view.scale;
  const [first, second] = [row.y * width, (row.y + 1) * width];
  for (const { left, right, gap, now } of tiles) {
    const value = now[row.lane.a];
    if (value === 0) continue;
    const pixel = fills.of(value).pixel;
    const closed = gap === 0 || Math.abs(value) === infinity;
    for (let x = closed ? left : left + gap; x < right; x++) {
      pixels[second + x] = pixel;
      if (closed) pixels[first + x] = pixel;
    }
  }
  for (let line = 2; line < height; line++) pixels.copyWithin(first + line * width, second, second + width);
}

function ring(
  pixels: Uint32Array,
  width: number,
  left: number,
  right: number,
  y: number,
  height: number,
  colour: number,
  rightColour: number, // of its right half
): void {
  const middle = (left + right) >> 1;
  for (const line of [y, y + height - 1]) {
    pixels.fill(colour, line * width + left, line * width + middle);
    pixels.fill(rightColour, line * width + middle, line * width + right);
  }
  for (let line = y + 1; line < y + height - 1; line++) {
    pixels[line * width + left] = colour;
    pixels[line * width + right - 1] = rightColour;
  }
}
