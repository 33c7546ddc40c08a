/** Small pictures of a stream, one pixel for each value: for the timeline, and for models with very many lanes. */

import { colourOf, type Scale, strength, type Theme } from "./facts/scale";

const SHADES = 255;
const FAINT = 0x47ffffff; // mask for the pixel of an unchanged value: 28 % opacity

/** The colours of a scale as pixels, rounded to 255 shades of each sign: a thumbnail has no room for more. */
export class Shades {
  private readonly plus: Uint32Array;
  private readonly minus: Uint32Array;

  constructor(
    private readonly scale: Scale,
    theme: Theme,
  ) {
    const widest = Math.log1p(4 * scale.top);
    const shades = (sign: number): Uint32Array =>
      Uint32Array.from({ length: SHADES + 2 }, (_, n) => {
        const inside = Math.expm1((n / SHADES) * widest * 0.9999) / 4 || 1e-9;
        return pixelOf(colourOf(sign * (n > SHADES ? (scale.infinity ?? scale.top) : inside), scale, theme)!);
      });
    this.plus = shades(1);
    this.minus = shades(-1);
  }

  /** Return the pixel of a value; that of 0 is empty. */
  of(value: number): number {
    if (value === 0) return 0;
    const infinite = Math.abs(value) === this.scale.infinity;
    const shade = infinite ? SHADES + 1 : Math.round(strength(value, this.scale) * SHADES);
    return (value > 0 ? this.plus : this.minus)[shade];
  }
}

/** Return a colour such as #0f5a99 as a pixel of a picture, opaque: red is its lowest byte. */
export function pixelOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** A column of a thumbnail: the stream at a position, the lane that each row shows, −1 for none, and which are strong. */
export interface PixelColumn {
  readonly stream: Float64Array;
  readonly lanes: readonly number[];
  readonly isStrong: (row: number) => boolean;
}

/** Paint columns into a canvas, a pixel for each value; nothing where there is no column. */
export function paintPixels(
  canvas: HTMLCanvasElement,
  columns: readonly (PixelColumn | null)[],
  rows: number,
  shades: Shades,
): void {
  canvas.width = columns.length;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  if (context === null) return;
  const picture = context.createImageData(columns.length, rows);
  const pixels = new Uint32Array(picture.data.buffer); // little endian, as every machine that runs a browser
  columns.forEach((column, x) => {
    if (column === null) return;
    const { stream, lanes, isStrong } = column;
    for (let row = 0; row < rows; row++) {
      if (lanes[row] < 0) continue;
      const pixel = shades.of(stream[lanes[row]]);
      pixels[row * columns.length + x] = isStrong(row) ? pixel : pixel & FAINT;
    }
  });
  context.putImageData(picture, 0, 0);
}
