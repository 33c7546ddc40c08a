/** How wide texts are, so that they can be shortened to the room that there is. */

let context: CanvasRenderingContext2D | null = null;
const fonts = new Map<string, string>();

const known = new Map<string, string>(); // measuring takes long, and every step asks for the same
const MOST_KNOWN = 5000;

/** Return a text shortened with … to at most `room` pixels, in the page's type. */
export function shortened(text: string, room: number, size: number, type: "sans" | "mono" = "sans"): string {
  const key = `${room} ${size} ${type} ${text}`;
  const found = known.get(key) ?? measured(text, room, size, type);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, found);
  return found;
}

const widths = new Map<string, number>();

/** Return how wide a text is in pixels, in the page's type. */
export function widthOf(text: string, size: number, type: "sans" | "mono" = "sans"): number {
  const key = `${size} ${type} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  context ??= document.createElement("canvas").getContext("2d");
  if (context === null) return 0.6 * size * text.length;
  context.font = `${size}px ${family(type)}`;
  const found = context.measureText(text).width;
  if (widths.size >= MOST_KNOWN) widths.clear();
  widths.set(key, found);
  return found;
}

function measured(text: string, room: number, size: number, type: "sans" | "mono"): string {
  context ??= document.createElement("canvas").getContext("2d");
  if (context === null) return text;
  context.font = `${size}px ${family(type)}`;
  const measure = context;
  const width = (letters: string): number => measure.measureText(letters).width;
  if (width(text) <= room) return text;
  let length = Math.min(text.length - 1, Math.floor((text.length * room) / width(text)) + 1);
  while (length > 1 && width(`${text.slice(0, length)}…`) > room) length--;
  return length < 2 ? text.slice(0, 1) : `${text.slice(0, length)}…`;
}

/** Return the fonts that the theme names. */
function family(type: "sans" | "mono"): string {
  const known = fonts.get(type);
  if (known !== undefined) return known;
  const host = document.querySelector("[data-weightsmith]");
  const found = host === null ? "" : getComputedStyle(host).getPropertyValue(`--${type}`);
  fonts.set(type, found || (type === "mono" ? "monospace" : "sans-serif"));
  return fonts.get(type)!;
}
