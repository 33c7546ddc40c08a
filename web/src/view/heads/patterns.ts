/** Small patterns of heads, painted on one canvas: rows read columns, the darker the more. */

import type { HeadRun, Sight } from "../../engine";
import { HEAD_COLOURS, shadesOf } from "../facts/headcolours";
import type { Theme } from "../facts/scale";
import { pixelOf } from "../thumbnails";

/** A pattern and its place, in pixels of the canvas. */
export interface Thumbnail {
  readonly run: HeadRun;
  readonly head: number;
  readonly sight: (reader: number) => Sight;
  readonly x: number;
  readonly y: number;
  readonly grey: boolean; // of another block than the chosen one
}

const FAINT = 0.02; // smaller weights look like none

/** Paint patterns as squares with sides of `side` pixels. Of several weights in one pixel the largest counts. */
export function paintPatterns(
  picture: ImageData,
  thumbnails: readonly Thumbnail[],
  positions: number,
  side: number,
  theme: Theme,
): void {
  const pixels = new Uint32Array(picture.data.buffer).fill(0); // little endian, as every machine that runs a browser
  const track = pixelOf(HEAD_COLOURS[theme].track);
  const from = Array.from({ length: side }, (_, n) => Math.floor((n * positions) / side));
  const to = from.map((start, n) => Math.max(start + 1, Math.floor(((n + 1) * positions) / side)));
  const inks = new Map<string, Uint32Array>();
  for (const { run, head, sight, x, y, grey } of thumbnails) {
    const key = `${head} ${grey}`;
    const shades = inks.get(key) ?? Uint32Array.from(shadesOf(head, theme, grey), pixelOf);
    inks.set(key, shades);
    const weights = run.weights.values;
    for (let row = 0; row < side; row++) {
      const { first } = sight(from[row]);
      const { end } = sight(to[row] - 1);
      const start = (y + row) * picture.width + x;
      for (let column = 0; column < side && from[column] < end; column++) {
        if (to[column] <= first) continue;
        let largest = 0;
        for (let i = from[row]; i < to[row]; i++) {
          for (let j = from[column]; j < to[column]; j++) {
            const weight = Math.abs(weights[i * positions + j]);
            if (weight > largest) largest = weight;
          }
        }
        pixels[start + column] =
          largest < FAINT ? track : shades[Math.round(Math.min(1, largest) * (shades.length - 1))];
      }
    }
  }
}
