/** The keys of presenter mode: number keys for panels, a clicker's keys, the speed, and the blank screen. */

import type { Desk } from "../keyboard";
import { PANELS } from "./presenting.svelte";

type Action = (desk: Desk) => void;

const KEYS: Readonly<Record<string, Action>> = {
  PageDown: (desk) => step(desk, 1),
  PageUp: (desk) => step(desk, -1),
  b: ({ presenting }) => void (presenting.blank = !presenting.blank),
  ".": ({ presenting }) => void (presenting.blank = !presenting.blank),
  "+": ({ presenting }) => presenting.change(1),
  "=": ({ presenting }) => presenting.change(1), // the same key, without Shift
  "-": ({ presenting }) => presenting.change(-1),
  Escape: ({ presenting, view }) => (view.why.what === null ? presenting.leave() : view.why.close()),
};
const BLANKS = ["b", "B", "."];

/** Return what a key does in presenter mode; undefined where it does the same as at the desk. */
export function presenterKey(event: KeyboardEvent, desk: Desk): Action | undefined {
  const { presenting, told } = desk;
  if (!presenting.on) return undefined;
  if (presenting.blank && !BLANKS.includes(event.key)) {
    return event.key === "Escape" ? KEYS.Escape : ({ presenting }) => void (presenting.blank = false);
  }
  const digit = /^(?:Digit|Numpad)([1-7])$/.exec(event.code);
  if (digit !== null) return ({ presenting }) => presenting.choose(PANELS[Number(digit[1]) - 1], event.shiftKey);
  if (told !== null && !event.shiftKey) {
    if (event.key === "ArrowRight") return KEYS.PageDown;
    if (event.key === "ArrowLeft") return KEYS.PageUp;
  }
  return KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
}

/** Go a step of the story further or back, or without one a sublayer. */
function step({ view, told }: Desk, by: 1 | -1): void {
  if (told === null) view.go(view.step + by);
  else told.go(told.step + by);
}
