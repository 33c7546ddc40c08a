/** The colours of heads: each head has its own, up to eight; then they repeat, and arcs are dashed. */

import { mixed, type Theme } from "./scale";

interface Palette {
  readonly heads: readonly string[];
  readonly numbers: readonly string[]; // the colour of a number on each of them
  readonly surface: string;
  readonly track: string; // a weight that is next to nothing
  readonly grey: string; // heads of other blocks than the chosen one
}

/** The same colours as in heads.css and theme.css: canvases and mixtures need them as numbers. */
export const HEAD_COLOURS: Record<Theme, Palette> = {
  light: {
    heads: ["#a3196d", "#449b94", "#736806", "#4926d9", "#759a00", "#80001c", "#6674a0", "#9d8468"],
    numbers: ["#ffffff", "#0e1115", "#ffffff", "#ffffff", "#0e1115", "#ffffff", "#ffffff", "#0e1115"],
    surface: "#ffffff",
    track: "#eceef1",
    grey: "#5b626d",
  },
  dark: {
    heads: ["#ff8ac9", "#2a9a92", "#e5cd3f", "#9a78f0", "#98ecaa", "#f4512c", "#c1cdff", "#a0886a"],
    numbers: Array.from({ length: 8 }, () => "#0e1115"),
    surface: "#161a20",
    track: "#232932",
    grey: "#a0a8b4",
  },
};
export const COLOURS = 8; // how many heads have a colour of their own

/** Return the name of a head's colour among the theme's: "head-3". */
export function headInk(head: number): string {
  return `head-${head % COLOURS}`;
}

/** Say whether another head has the same colour: then arcs are dashed. */
export function sharesColour(head: number): boolean {
  return head >= COLOURS;
}

const TRACK_BELOW = 0.03;
const SHADES = 64;
const known = new Map<string, readonly string[]>();

/** Return the fill of a weight in the colour of its head; grey, for a head of another block. */
export function weightFill(weight: number, head: number, theme: Theme, grey = false): string {
  if (!(Math.abs(weight) >= TRACK_BELOW)) return HEAD_COLOURS[theme].track;
  return shadesOf(head, theme, grey)[Math.round(Math.min(1, Math.abs(weight)) * SHADES)];
}

/** Return the fills of the weights 0, 1/64, … 1. */
export function shadesOf(head: number, theme: Theme, grey = false): readonly string[] {
  const key = `${grey ? "grey" : head % COLOURS} ${theme}`;
  const palette = HEAD_COLOURS[theme];
  const full = grey ? palette.grey : palette.heads[head % COLOURS];
  const found =
    known.get(key) ??
    Array.from({ length: SHADES + 1 }, (_, n) => mixed(palette.surface, full, Math.min(1, 0.1 + (n / SHADES) ** 0.75)));
  known.set(key, found);
  return found;
}
