/** The colours of values: blue above 0, orange below, on a logarithmic scale that is fixed for the run. */

import { infinityOf, type Run } from "../../engine";

export type Theme = "light" | "dark";

/** The same colours as in theme.css: canvas and saved pictures need them as numbers. */
interface Stops {
  readonly surface: string;
  readonly plus: readonly string[];
  readonly minus: readonly string[];
  readonly infinity: string;
  readonly minusInfinity: string;
}

const STOPS: Record<Theme, Stops> = {
  light: {
    surface: "#ffffff",
    plus: ["#dcebf7", "#9dc6e6", "#4a8fc7", "#0f5a99"],
    minus: ["#fde7d3", "#f5be8e", "#dd7f2f", "#a54c06"],
    infinity: "#05294d",
    minusInfinity: "#552300",
  },
  dark: {
    surface: "#161a20",
    plus: ["#1a3049", "#22547f", "#3a86c8", "#7fbcf0"],
    minus: ["#3b2916", "#7a4719", "#c9772a", "#f3b377"],
    infinity: "#dceeff",
    minusInfinity: "#ffe6cc",
  },
};
const STOPS_AT = [0.12, 0.4, 0.7, 1];

/** What values are measured against. Two runs that are shown together share it. */
export interface Scale {
  readonly top: number;
  readonly infinity: number | null; // null in the machine's arithmetic
}

/** Return up to where the values of runs go: to ∞, or to the largest of their streams in the machine's arithmetic. */
export function topOf(...runs: readonly (Run | null)[]): number {
  return Math.max(...runs.filter((run) => run !== null).map((run) => infinityOf(run.model) ?? largest(run)));
}

function largest(run: Run): number {
  const values = run.stream.map((stage) => stage.values.reduce((most, value) => Math.max(most, Math.abs(value)), 0));
  return Math.max(...values) || 1;
}

/** Return a scale for a matrix of weights: up to its largest value. */
export function scaleUpTo(top: number, infinity: number | null): Scale {
  return { top: top || 1, infinity };
}

/** Return how strong a value's colour is, from 0 to 1. */
export function strength(value: number, scale: Scale): number {
  return Math.min(1, Math.log1p(4 * Math.abs(value)) / Math.log1p(4 * scale.top));
}

/** Return the fill of a value, or null for 0, which has none. */
export function colourOf(value: number, scale: Scale, theme: Theme): string | null {
  if (value === 0) return null;
  const stops = STOPS[theme];
  if (Math.abs(value) === scale.infinity) return value > 0 ? stops.infinity : stops.minusInfinity;
  const colours = value > 0 ? stops.plus : stops.minus;
  const t = strength(value, scale);
  const next = STOPS_AT.findIndex((at) => t <= at);
  if (next === 0) return mixed(stops.surface, colours[0], 0.5 + 0.5 * (t / STOPS_AT[0])); // never as faint as 0
  const [from, to] = [STOPS_AT[next - 1], STOPS_AT[next]];
  return mixed(colours[next - 1], colours[next], (t - from) / (to - from));
}

/** Return the colour of text on a fill, so that its contrast is at least 4.5: ink or white, and black where neither is. */
export function inkOn(fill: string): string {
  for (const ink of ["#14171b", "#ffffff"]) if (contrast(ink, fill) >= 4.5) return ink;
  return "#000000"; // black or white always is: the worst grey has 4.58 against both
}

/** Return the contrast of two colours as the accessibility guidelines define it, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
}

export function mixed(from: string, to: string, share: number): string {
  const ends = channels(to);
  const parts = channels(from).map((part, n) => Math.round(part + (ends[n] - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
