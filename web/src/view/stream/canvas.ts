/** The cells of a large grid, painted: beyond 4,000 cells a document of shapes would be too slow to step through. */

import type { Layout } from "./layout";
import { type Look, lookOf, type Painting } from "./looks";

export const MOST_SHAPES = 4000;

/** The colours of the theme that canvas cannot look up by itself. */
export interface InkColours {
  readonly ink: string;
  readonly muted: string;
  readonly hair: string;
  readonly move: string;
}

export function inkColours(element: Element): InkColours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { ink: colour("ink"), muted: colour("muted"), hair: colour("hair"), move: colour("move") };
}

/** Paint all cells; the canvas is as large as the grid, its zero point is the grid's. */
export function paintCells(canvas: HTMLCanvasElement, painting: Painting, layout: Layout, inks: InkColours): void {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const [width, height] = [Math.ceil(layout.width * ratio), Math.ceil(layout.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, layout.width, layout.height);
  context.textAlign = "center";
  for (const column of layout.columns) {
    const side = column.side === "b" ? "b" : "a";
    for (const row of layout.rows) {
      const look = lookOf(painting, column, row, side, column.width);
      if (look !== null) paintCell(context, look, column.x, row.y, column.width, layout.rowHeight, inks);
    }
  }
}

function paintCell(
  context: CanvasRenderingContext2D,
  look: Look,
  x: number,
  y: number,
  width: number,
  height: number,
  inks: InkColours,
): void {
  const { inset } = look;
  if (look.dot) {
    if (width < 5) return;
    context.fillStyle = inks.hair;
    context.fillRect(x + width / 2 - 0.5, y + height / 2 - 0.5, 1, 1);
    return;
  }
  if (look.fill !== null) {
    context.globalAlpha = look.faint ? 0.3 : 1;
    context.fillStyle = look.fill;
    context.fillRect(x + inset, y + inset, width - 2 * inset, height - 2 * inset);
    context.globalAlpha = 1;
  }
  if (look.text !== "") {
    context.fillStyle = look.fill === null ? inks.muted : look.faint ? inks.ink : look.ink;
    context.font = `${look.bold ? 700 : 400} ${look.size}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
    context.fillText(look.text, x + width / 2, y + height / 2 + look.size * 0.35);
  }
  if (look.ring) {
    context.strokeStyle = inks.move;
    context.lineWidth = width < 14 ? 1 : 1.5;
    context.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
  }
}
