/** The URL fragment (`#…`) records the current view, so that a link opens the same one. */

import { panelsNamed, type Presented } from "./present/presenting.svelte";
import type { NormSide } from "./view.svelte";

/** What was written on, and how. */
export interface Written {
  readonly wrote: number | null; // how many of the last tokens the model wrote; of a chain, how many are shown
  readonly temperature: number | null; // null: the likeliest word, always
  readonly topK: number | null;
  readonly seed: number | null;
}

/** A part of the address that says a change: `off`, `set` or `take`. */
type ChangePart = readonly [name: string, text: string];

export interface Sight extends Written, Presented {
  readonly model: number;
  readonly input: string | null; // null: that of the story
  readonly besideModel: number | null; // null: nothing stands beside
  readonly besideInput: string | null; // null: the same input
  readonly step: number | null; // of the sublayers; null: where there is most to see
  readonly norm: NormSide | null; // a norm before or after it
  readonly why: string | null; // the number whose parts are shown, such as 0.head.1:2:1
  readonly position: number | null;
  readonly head: number | null;
  readonly onlyDifferences: boolean;
  readonly story: number | null; // the step of the story that is told, counted from 1
  readonly changes: readonly ChangePart[];
}

const CHANGES = ["off", "set", "take", "carried"];

/** Return the text after the `#`, without defaults. */
export function writeSight(sight: Sight): string {
  const parts = new URLSearchParams();
  parts.set("model", String(sight.model));
  if (sight.input !== null) parts.set("input", sight.input);
  if (sight.story !== null) parts.set("story", String(sight.story));
  if (sight.besideModel !== null) parts.set("beside", String(sight.besideModel));
  if (sight.besideModel !== null && sight.besideInput !== null) parts.set("beside-input", sight.besideInput);
  if (sight.step !== null) parts.set("step", String(sight.step));
  if (sight.norm !== null) parts.set("norm", sight.norm);
  if (sight.position !== null) parts.set("position", String(sight.position));
  if (sight.head !== null) parts.set("head", String(sight.head));
  if (sight.onlyDifferences) parts.set("only", "differences");
  if (sight.why !== null) parts.set("why", sight.why);
  if (sight.wrote !== null) parts.set("wrote", String(sight.wrote));
  if (sight.temperature !== null) parts.set("temperature", String(sight.temperature));
  if (sight.topK !== null) parts.set("top-k", String(sight.topK));
  if (sight.seed !== null) parts.set("seed", String(sight.seed));
  for (const [name, text] of sight.changes) parts.append(name, text);
  const panels = sight.panels === null ? "" : `&panels=${sight.panels.join()}`;
  return `${sight.present ? "present&" : ""}${parts.toString()}${panels}`;
}

/** Return what an address says; null where it says nothing. Numbers that are none are left out. */
export function readSight(address: string): Partial<Sight> | null {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  if (!["model", "input", "step", "story", ...CHANGES].some((part) => parts.has(part))) return null;
  const model = wholeNumber(parts.get("model"));
  const input = parts.get("input");
  return {
    ...(model === null ? {} : { model }),
    ...(input === null ? {} : { input }),
    besideModel: wholeNumber(parts.get("beside")),
    besideInput: parts.get("beside-input"),
    step: wholeNumber(parts.get("step")),
    norm: NORM_SIDES.find((side) => side === parts.get("norm")) ?? null,
    why: parts.get("why"),
    position: wholeNumber(parts.get("position")),
    head: wholeNumber(parts.get("head")),
    onlyDifferences: parts.get("only") === "differences",
    ...readPresented(address),
    story: wholeNumber(parts.get("story")) || null,
    wrote: wholeNumber(parts.get("wrote")),
    temperature: decimal(parts.get("temperature")),
    topK: wholeNumber(parts.get("top-k")) || null,
    seed: wholeNumber(parts.get("seed")),
    changes: [...parts].filter(([name]) => CHANGES.includes(name)),
  };
}

const NORM_SIDES: readonly NormSide[] = ["before", "after", "final"];

/** Return what an address says about presenter mode, which it may also say alone: `#present`. */
export function readPresented(address: string): Presented {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  return { present: parts.has("present"), panels: panelsNamed(parts.get("panels")) };
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function decimal(text: string | null): number | null {
  return text !== null && /^\d{1,3}(\.\d{1,6})?$/.test(text) ? Number(text) : null;
}
