/** The colours of shares, such as probabilities: from the surface to ink. Blue and orange are for values. */

import { inkOn, type Theme } from "./scale";

const ENDS: Record<Theme, readonly [readonly number[], readonly number[]]> = {
  light: [
    [255, 255, 255],
    [26, 29, 33],
  ],
  dark: [
    [22, 26, 32],
    [233, 235, 239],
  ],
};
const [LEAST, MOST] = [0.04, 0.92]; // how much of the ink shares of 0 and 1 have

/** Return the fill of a share from 0 to 1, and the colour of text on it. */
export function shareLook(share: number, theme: Theme): { readonly fill: string; readonly ink: string } {
  const [surface, ink] = ENDS[theme];
  const part = LEAST + (MOST - LEAST) * Math.max(0, Math.min(1, share));
  const mixed = surface.map((from, n) => Math.round(from + (ink[n] - from) * part));
  const fill = `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
  return { fill, ink: inkOn(fill) };
}
