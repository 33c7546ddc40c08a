/** Where arrow keys lead in the picture of a circuit: along the flow to the next column, across it within one. */

import type { Box, Drawn } from "./picture";

const KEYS = {
  right: { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] },
  down: { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] },
} as const;

/** Return the box beside another in the direction of a key; null for another key, or where there is none. */
export function beside({ boxes, flow }: Drawn, from: Box, key: string): Box | null {
  if (!Object.hasOwn(KEYS[flow], key)) return null;
  const [forth, across] = KEYS[flow][key as keyof typeof KEYS.right];
  const along = (box: Box): number => (flow === "right" ? box.x : box.y);
  const aside = (box: Box): number => (flow === "right" ? box.y + box.height / 2 : box.x + box.width / 2);
  const far = (box: Box): number => Math.abs(aside(box) - aside(from));
  const nearest = (some: readonly Box[]): Box | null =>
    [...some].sort((one, other) => far(one) - far(other))[0] ?? null;
  if (forth === 0) {
    return nearest(boxes.filter((box) => along(box) === along(from) && (aside(box) - aside(from)) * across > 0));
  }
  const ahead = boxes.filter((box) => (along(box) - along(from)) * forth > 0);
  const next = Math.min(...ahead.map((box) => (along(box) - along(from)) * forth));
  return nearest(ahead.filter((box) => (along(box) - along(from)) * forth === next));
}
