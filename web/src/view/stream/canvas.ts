/** The cells of the grid, painted: beyond 4,000 cells, and while somebody types, a document of shapes is too slow. */

import type { Layout } from "./layout";
import { isSplit, type Look, lookOf, type Painting } from "./looks";
import { isMosaic, paintMosaic } from "./mosaic";

export const MOST_SHAPES = 4000;
const FONT = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** The colours of the theme that canvas cannot look up by itself. */
export interface InkColours {
  readonly ink: string;
  readonly muted: string;
  readonly hair: string;
  readonly move: string;
  readonly surface: string;
  readonly line: string;
}

/** The colours, and the font that the canvas has at the moment: to set it takes longer than to write a number. */
interface Pen extends InkColours {
  font: string;
}

export function inkColours(element: Element): InkColours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const inks = { ink: colour("ink"), muted: colour("muted"), hair: colour("hair"), move: colour("move") };
  return { ...inks, surface: colour("surface"), line: colour("line") };
}

/** Paint all cells; the canvas is as large as the grid, its zero point is the grid's. */
export function paintCells(canvas: HTMLCanvasElement, painting: Painting, layout: Layout, inks: InkColours): void {
  const mosaic = isMosaic(painting, layout);
  const ratio = mosaic ? 1 : Math.min(2, window.devicePixelRatio || 1);
  const [width, height] = [Math.ceil(layout.width * ratio), Math.ceil(layout.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  if (context === null) return;
  if (mosaic) return paintMosaic(context, painting, layout, inks);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, layout.width, layout.height);
  context.textAlign = "center";
  const pen = { ...inks, font: "" };
  for (const column of layout.columns) {
    for (const row of layout.rows) {
      const split = isSplit(painting.view, column, row);
      const width = split ? column.width / 2 : column.width;
      const sides: readonly ("a" | "b")[] = split ? ["a", "b"] : [column.side === "b" ? "b" : "a"];
      sides.forEach((side, place) => {
        const look = lookOf(painting, column, row, side, width);
        if (look !== null) paintCell(context, look, column.x + place * width, row.y, width, layout.rowHeight, pen);
      });
      if (split) paintSplit(context, column.x, row.y, column.width, layout.rowHeight, pen);
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
  pen: Pen,
): void {
  const { inset } = look;
  if (look.dot) {
    if (width < 5) return;
    context.fillStyle = pen.hair;
    context.fillRect(Math.floor(x + width / 2), Math.floor(y + height / 2), 1, 1);
    return;
  }
  // Whole pixels: edges between them would be mixed, which takes several times as long
  const [left, top] = [Math.round(x + inset), Math.round(y + inset)];
  const tall = Math.round(y + height - inset) - top;
  if (look.fill !== null) {
    if (look.faint) context.globalAlpha = 0.3;
    context.fillStyle = look.fill;
    context.fillRect(left, top, Math.round(x + width - inset) - left, tall);
    if (look.faint) context.globalAlpha = 1;
  }
  if (look.sliver !== undefined) {
    context.fillStyle = pen.surface;
    context.fillRect(left, top, look.sliverWidth + 1.5, tall);
    context.fillStyle = look.sliver ?? pen.line;
    if (look.sliver !== null) context.fillRect(left, top, look.sliverWidth, tall);
    else context.fillRect(left + look.sliverWidth + 0.25, top, 1, tall);
  }
  if (look.text !== "") {
    context.fillStyle = look.fill === null ? pen.muted : look.faint ? pen.ink : look.ink;
    const font = `${look.bold ? 700 : 400} ${look.size}px ${FONT}`;
    if (font !== pen.font) context.font = pen.font = font;
    context.fillText(look.text, x + width / 2 + look.sliverWidth / 2, y + height / 2 + look.size * 0.35);
  }
  if (look.ring) {
    context.strokeStyle = pen.move;
    context.lineWidth = width < 14 ? 1 : 1.5;
    context.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
  }
}

function paintSplit(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  pen: Pen,
): void {
  context.strokeStyle = pen.move;
  context.lineWidth = 1.5;
  context.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
  context.beginPath();
  context.moveTo(x + width / 2, y + 1);
  context.lineTo(x + width / 2, y + height - 1);
  context.stroke();
}
