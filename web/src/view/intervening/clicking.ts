/** Clicks in the stream while changes are made: an arc switches its head off, a neuron itself, a cell is edited. */

import type { Column, Row } from "../stream/layout";
import type { View } from "../view.svelte";

/** Do what a click in the stream says; true if it said something. */
export function clickChanges(view: View, event: MouseEvent, column: Column | null, row: Row | null): boolean {
  const { changes } = view;
  const { block } = view.here;
  if (changes === null || !changes.open || block === null) return false;
  const target = event.target as Element;
  const [head, neuron] = [target.closest("[data-arc]"), target.closest("[data-neuron]")];
  if (head !== null) {
    const [index] = head.getAttribute("data-arc")!.split(" ").map(Number);
    changes.switchPart({ kind: "head", block, index });
    return true;
  }
  if (neuron !== null) {
    changes.switchPart({ kind: "neuron", block, index: Number(neuron.getAttribute("data-neuron")) });
    return true;
  }
  if (column === null || row === null || row.lane.a < 0 || column.kind !== "position") return false;
  changes.edit(column.position, row.lane.a);
  return true;
}
