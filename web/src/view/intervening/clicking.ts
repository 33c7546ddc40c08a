/** Clicks in the stream while changes are made: an arc switches its head off, a neuron itself, a cell is edited. */

import type { Column, Row } from "../stream/layout";
import type { View } from "../view.svelte";

const NEAR = 9; // pixels: arcs are thin
const POINTS = 32; // of an arc

/** Return the arc nearest to a click, if one is near. */
function nearArc(event: MouseEvent): Element | null {
  const picture = (event.target as Element).closest("svg");
  if (picture === null) return null;
  const box = picture.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const arcs = Array.from(picture.querySelectorAll<SVGPathElement>("path[data-arc]"), (arc) => {
    const length = arc.getTotalLength();
    let distance = Infinity;
    for (let n = 0; n <= POINTS; n++) {
      const point = arc.getPointAtLength((length * n) / POINTS);
      distance = Math.min(distance, Math.hypot(point.x - x, point.y - y));
    }
    return { arc, distance };
  });
  const near = { arc: null as Element | null, distance: NEAR };
  const nearest = arcs.reduce((best, one) => (one.distance <= best.distance ? one : best), near); // the last one is on top
  return nearest.arc;
}

/** Do what a click in the stream says; true if it said something. */
export function clickChanges(view: View, event: MouseEvent, column: Column | null, row: Row | null): boolean {
  const { changes } = view;
  const { block } = view.here;
  if (changes === null || !changes.open || block === null) return false;
  const target = event.target as Element;
  const neuron = target.closest("[data-neuron]");
  const head = target.closest("[data-arc]") ?? (neuron === null && row === null ? nearArc(event) : null);
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
