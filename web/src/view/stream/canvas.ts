/** The cells of the grid, painted: beyond 4,000 cells, and while somebody types, a document of shapes is too slow. */

import type { Layout } from "./layout";
import { halvesOf, isSplit, type Painting, rightHalf, ringWidth, type Shape, shapesOf, splitPath } from "./looks";
import { isMosaic, LEAST_DOTTED, paintMosaic } from "./mosaic";
import { SANS } from "./type";

export const MOST_SHAPES = 4000;
export const MOST_SHAPES_OF_MANY_LANES = 1000; // which are other rows at every step, so that all shapes are made anew
const MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** The colours of the theme, which canvas cannot look up by itself. */
const HEADS = ["head-0", "head-1", "head-2", "head-3", "head-4", "head-5", "head-6", "head-7"] as const;
const INKS = ["ink", "muted", "hair", "move", "surface", "line", ...HEADS] as const;
export type InkColours = Readonly<Record<(typeof INKS)[number], string>>;

export function inkColours(element: Element): InkColours {
  const style = getComputedStyle(element);
  const colours = INKS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return Object.fromEntries(colours) as InkColours;
}

/** Paint all cells; the canvas is as large as the grid, its zero point is the grid's. */
export function paintCells(canvas: HTMLCanvasElement, painting: Painting, layout: Layout, inks: InkColours): void {
  const mosaic = isMosaic(painting, layout);
  const ratio = mosaic ? 1 : Math.min(2, (window.devicePixelRatio || 1) * zoomOf(canvas));
  const [width, height] = [Math.ceil(layout.width * ratio), Math.ceil(layout.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  if (context === null) return;
  if (mosaic) return paintMosaic(context, painting, layout, inks);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, layout.width, layout.height);
  context.textAlign = "center";
  let font = ""; // that the canvas has: to set it takes longer than to write a number
  for (const column of layout.columns) {
    for (const row of layout.rows) {
      for (const { look, x, width } of halvesOf(painting, column, row)) {
        for (const shape of shapesOf(look, x, row.y, width, layout.rowHeight)) {
          const wanted = `${look.bold ? 700 : 400} ${look.size}px ${look.mono ? MONO : SANS}`;
          if (shape.kind === "text" && wanted !== font) context.font = font = wanted;
          paintShape(context, shape, look.text, inks);
        }
      }
      if (!isSplit(painting.view, column, row)) continue;
      context.strokeStyle = inks.ink;
      context.lineWidth = 1.5;
      context.stroke(new Path2D(splitPath(column, row, layout.rowHeight)));
    }
  }
}

/** Return how many times an element is enlarged, as in presenter mode. */
function zoomOf(element: Element): number {
  return (element as Element & { readonly currentCSSZoom?: number }).currentCSSZoom ?? 1;
}

function paintShape(context: CanvasRenderingContext2D, shape: Shape, text: string, inks: InkColours): void {
  const { kind, ink, x, y, width, height } = shape;
  const colour = inks[ink as keyof InkColours] ?? ink;
  context.fillStyle = colour;
  if (kind === "text") context.fillText(text, x, y);
  else if (kind === "ring") {
    context.strokeStyle = colour;
    context.lineWidth = ringWidth(width + 1.5);
    const half = shape.half ? rightHalf(width, height) : null;
    context.setLineDash(half?.dashes ?? []);
    context.lineDashOffset = half?.offset ?? 0;
    context.strokeRect(x, y, width, height);
    if (half !== null) context.setLineDash([]);
  } else if (kind === "dot") {
    if (width >= LEAST_DOTTED) context.fillRect(Math.floor(x), Math.floor(y), 1, 1);
  } else {
    // Whole pixels: edges between them would be mixed, which takes several times as long
    const [left, top] = [Math.round(x), Math.round(y)];
    context.globalAlpha = shape.opacity ?? 1;
    context.fillRect(left, top, Math.round(x + width) - left, Math.round(y + height) - top);
    context.globalAlpha = 1;
  }
}
