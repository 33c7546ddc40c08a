/** How large a number is written in a cell. A number and its negative are written alike, or neither of them is. */

// The width of a letter as a share of its size: of the page's sans with figures of one width, and of its monospace
const SANS: Readonly<Record<string, number>> = { ".": 0.32, "−": 0.76, "∞": 0.76 };
const DIGIT = 0.58;
export const MONO = 0.61;
export const LEAST_SIZE = 8.8; // pixels: smaller numbers cannot be read

/** Return how wide a number is, as a share of its size. */
function lettersOf(written: string, type: "sans" | "mono"): number {
  if (type === "mono") return MONO * written.length;
  return [...written].reduce((sum, letter) => sum + (SANS[letter] ?? DIGIT), 0);
}

/** Return the size of a number so that it would fit with a minus sign too; null: there is no room for it. */
export function numberSize(
  written: string,
  value: number,
  room: number,
  wanted: number,
  least = LEAST_SIZE,
  type: "sans" | "mono" = "sans",
): number | null {
  const letters = lettersOf(value > 0 ? `−${written}` : written, type);
  const largest = Math.floor((10 * room) / letters) / 10;
  return largest < least ? null : Math.min(wanted, largest);
}
