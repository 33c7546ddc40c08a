/** The places of the page that the tour marks: boxes in pixels, beside the element that they are drawn in. */

export type PlaceName = "input" | "sublayers" | "stream" | "attention" | "answer";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A place: its frame, and the middle of the number that marks it, where it covers nothing. */
export interface Place {
  readonly frame: Box;
  readonly x: number;
  readonly y: number;
}

const ARCS = 64; // pixels on top of the stream, where there is no arc at this step
const OUTSIDE = 5; // pixels of a frame round what it frames
const NUMBER = 14; // pixels: a little more than half of a number

/** Return where a place is within a page; null where it is not shown. */
export function placeOf(page: Element, name: PlaceName, origin: DOMRect): Place | null {
  const stream = boxOf([...page.querySelectorAll('[data-tour="stream"], section[aria-label="the stream"]')]);
  const box = found(page, name, stream);
  if (box === null) return null;
  const inside = name === "attention" || stream === null || name === "input" || name === "sublayers";
  const across = inside ? box : { ...box, left: stream.left, right: stream.right };
  const frame = {
    left: across.left - OUTSIDE - origin.left,
    right: across.right + OUTSIDE - origin.left,
    top: box.top - OUTSIDE - origin.top,
    bottom: box.bottom + OUTSIDE - origin.top,
  };
  const y = name === "sublayers" || name === "attention" ? frame.top + 18 : (frame.top + frame.bottom) / 2;
  if (name === "attention") return { frame, x: frame.left, y };
  const margin = across.left - page.getBoundingClientRect().left;
  if (margin >= NUMBER && margin <= 2 * NUMBER) return { frame, x: frame.left, y }; // on the edge of the page
  if (name === "answer") return { frame, x: frame.left + NUMBER, y };
  return { frame, x: frame.right - NUMBER, y: frame.top - NUMBER / 2 }; // above the right end, where little is written
}

function found(page: Element, name: PlaceName, stream: Box | null): Box | null {
  const all = (selector: string): Box | null => boxOf([...page.querySelectorAll(selector)]);
  const named = all(`[data-tour="${name}"]`);
  if (named !== null) return named;
  if (name === "input") return all("[data-input]");
  if (name === "sublayers") return all('nav[aria-label="sublayers"]');
  if (name === "stream") return stream;
  const grid = all('section[aria-label="the stream"] [role="grid"]');
  if (grid === null || name === "answer") return all('section[aria-label="the stream"] .said') ?? grid;
  return all('section[aria-label="the stream"] [data-arc]') ?? { ...grid, bottom: grid.top + ARCS };
}

/** Return the box round elements; null round none. */
function boxOf(elements: readonly Element[]): Box | null {
  const boxes = elements.map((element) => element.getBoundingClientRect()).filter(({ width }) => width > 0);
  if (boxes.length === 0) return null;
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}
