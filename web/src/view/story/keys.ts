/** The keys of a story: arrows while it is told, and the keys of a clicker wherever the model has one. */

import type { Telling } from "./telling.svelte";

const BY: Readonly<Record<string, 1 | -1>> = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1 };

/** Do what a key says to a story; true if it said something. With Shift, arrows step through sublayers. */
export function storyKey(event: KeyboardEvent, telling: Telling): boolean {
  const by = BY[event.key];
  if (telling.isBlank) return false;
  const isClicker = event.key.startsWith("Page");
  if (by === undefined || telling.story === null || event.shiftKey || (telling.step === null && !isClicker))
    return false;
  if (by > 0) telling.next();
  else telling.previous();
  return true;
}
