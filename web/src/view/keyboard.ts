/** The keys of the page. */

import { firedAt } from "./facts/neurons";
import { presenterKey } from "./present/keys";
import type { Presenting } from "./present/presenting.svelte";
import type { Told } from "./present/told";
import { storyKey } from "./story/keys";
import type { Telling } from "./story/telling.svelte";
import type { Changes } from "./intervening/changes.svelte";
import { copyPython } from "./intervening/copying";
import type { View } from "./view.svelte";
import { subjectOf } from "./why/subject";

/** What keys can do beyond the view. */
export interface Desk {
  readonly view: View;
  readonly presenting: Presenting;
  readonly told: Told | null;
  readonly telling: Telling;
  readonly changes: Changes;
  readonly togglePlay: () => void;
  readonly toInput: () => void;
  readonly write: () => void;
  readonly takeBack: () => void;
  readonly help: () => void;
}

const ACTIONS: Readonly<Record<string, (desk: Desk) => void>> = {
  ArrowRight: ({ view }) => view.go(view.step + 1),
  ArrowLeft: ({ view }) => view.go(view.step - 1),
  PageDown: ({ view }) => view.go(view.step + 1),
  PageUp: ({ view }) => view.go(view.step - 1),
  Home: ({ view }) => view.go(0),
  End: ({ view }) => view.go(view.steps.length - 1),
  " ": (desk) => desk.togglePlay(),
  "[": ({ view }) => moveTo(view, view.position - 1),
  "]": ({ view }) => moveTo(view, view.position + 1),
  ArrowDown: ({ view }) => moveLane(view, 1),
  ArrowUp: ({ view }) => moveLane(view, -1),
  h: ({ view }) => nextHead(view),
  n: ({ view }) => nextNeuron(view),
  d: ({ view }) => {
    if (view.pair !== null) view.onlyDifferences = !view.onlyDifferences;
  },
  x: ({ changes }) => changes.switchChosen(),
  e: ({ changes }) => changes.edit(),
  y: ({ changes }) => void copyPython(changes),
  g: (desk) => desk.write(),
  Backspace: (desk) => desk.takeBack(),
  p: ({ presenting }) => presenting.toggle(),
  "/": (desk) => desk.toInput(),
  Enter: ({ view }) => view.why.toggle(subjectOf(view)),
  Escape: ({ view, changes }) => {
    if (changes.editing !== null) changes.editing = null;
    else if (!closeWhy(view)) view.release();
  },
  "?": (desk) => desk.help(),
};

/** By how many rows and columns keys move in a grid of cells. */
export const MOVES: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -Infinity],
  End: [0, Infinity],
  PageUp: [-Infinity, 0],
  PageDown: [Infinity, 0],
};

/** Do what a key says; true if it said something. Fields keep their own keys. */
export function pressed(event: KeyboardEvent, desk: Desk): boolean {
  const action = presenterKey(event, desk) ?? ACTIONS[event.key];
  if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.target as HTMLElement;
  if (target.closest("dialog") !== null) return false;
  if (isField(target) && event.key !== "Escape") return false;
  if ([" ", "Enter"].includes(event.key) && target.matches("button, summary, a")) return false; // they press a button
  if (event.key === "Escape" && isField(target)) target.blur();
  if (!storyKey(event, desk.telling)) action(desk);
  return true;
}

function isField(target: HTMLElement): boolean {
  if (target.matches("select, textarea")) return true;
  return target.matches("input") && !target.matches("[type=range], [type=checkbox]");
}

/** Close the explanation of a number; false where none is open. */
function closeWhy(view: View): boolean {
  if (view.why.what === null) return false;
  if (view.why.what.kind === "neuron") view.neuron = null;
  view.why.close();
  return true;
}

function moveTo(view: View, position: number): void {
  view.pinned = Math.max(0, Math.min(position, view.run.tokens.length - 1));
  view.neuron = null;
}

/** Move among the lanes that are shown. */
function moveLane(view: View, by: number): void {
  const lanes = view.lanesShown;
  if (lanes.length === 0) return;
  const place = view.lane === null ? -1 : lanes.indexOf(view.lane);
  const next = place < 0 ? (by > 0 ? 0 : lanes.length - 1) : Math.max(0, Math.min(place + by, lanes.length - 1));
  view.lane = lanes[next];
}

function nextHead(view: View): void {
  const heads = view.run.heads[view.run.stages[view.stage].block]?.length ?? 0;
  if (view.here.kind !== "attention" || heads === 0) return;
  const next = view.head === null ? 0 : view.head + 1;
  view.head = next < heads ? next : null;
}

function nextNeuron(view: View): void {
  if (view.here.kind !== "feed-forward" || view.here.block === null) return;
  const fired = firedAt(view.run, view.here.block, view.position);
  if (fired.length === 0) return;
  const place = fired.findIndex(({ neuron }) => neuron === view.neuron);
  view.pinned = view.position;
  view.neuron = fired[(Math.max(place, view.neuron === null ? 0 : place) + 1) % fired.length].neuron;
}
