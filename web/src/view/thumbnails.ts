/** Small pictures of a stream, one pixel for each value: for the timeline, and for models with very many lanes. */

import type { Run } from "../engine";
import { colourOf, type Scale, strength, type Theme } from "./facts/scale";

const SHADES = 255;
const UNCHANGED = 0.28; // how strong a cell is drawn that did not change

/** The colours of a scale as numbers, rounded to 255 shades of each sign: a thumbnail has no room for more. */
export class Shades {
  private readonly colours: Record<"plus" | "minus", Uint8Array>;
  private readonly infinite: Record<"plus" | "minus", readonly number[]>;

  constructor(
    private readonly scale: Scale,
    theme: Theme,
  ) {
    const widest = Math.log1p(4 * scale.top);
    const shades = (sign: number): Uint8Array =>
      Uint8Array.from(
        Array.from({ length: SHADES + 1 }, (_, n) =>
          channels(colourOf((sign * Math.expm1((n / SHADES) * widest * 0.9999)) / 4 || sign * 1e-9, scale, theme)!),
        ).flat(),
      );
    this.colours = { plus: shades(1), minus: shades(-1) };
    const most = scale.infinity ?? scale.top;
    this.infinite = { plus: channels(colourOf(most, scale, theme)!), minus: channels(colourOf(-most, scale, theme)!) };
  }

  /** Write the colour of a value into a picture at a place, with a strength from 0 to 1; 0 is left empty. */
  write(value: number, pixels: Uint8ClampedArray, pixel: number, opacity: number): void {
    if (value === 0) return;
    const sign = value > 0 ? "plus" : "minus";
    const place = pixel * 4;
    if (Math.abs(value) === this.scale.infinity) pixels.set(this.infinite[sign], place);
    else {
      const shade = Math.round(strength(value, this.scale) * SHADES) * 3;
      pixels.set(this.colours[sign].subarray(shade, shade + 3), place);
    }
    pixels[place + 3] = 255 * opacity;
  }
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
}

/** A column of a thumbnail: a position of a run at a stage; which lanes, in the order of the rows; which are strong. */
export interface PixelColumn {
  readonly run: Run;
  readonly stage: number;
  readonly position: number;
  readonly isStrong: (row: number) => boolean;
}

/** Paint columns into a canvas, a pixel for each value; `laneOf` says which lane a row shows, −1 for none. */
export function paintPixels(
  canvas: HTMLCanvasElement,
  columns: readonly (PixelColumn | null)[],
  rows: number,
  laneOf: (run: Run, row: number) => number,
  shades: Shades,
): void {
  canvas.width = columns.length;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  if (context === null) return;
  const picture = context.createImageData(columns.length, rows);
  columns.forEach((column, x) => {
    if (column === null) return; // the gap between two runs
    const stream = column.run.stream[column.stage];
    for (let row = 0; row < rows; row++) {
      const lane = laneOf(column.run, row);
      if (lane < 0) continue;
      const value = stream.values[column.position * stream.columns + lane];
      shades.write(value, picture.data, row * columns.length + x, column.isStrong(row) ? 1 : UNCHANGED);
    }
  });
  context.putImageData(picture, 0, 0);
}
