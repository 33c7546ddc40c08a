/** How large a number is written in a cell. A number and its negative are written alike, or neither of them is. */

export const LETTER = 0.61; // the width of a letter of the monospaced type, as a share of its size
export const LEAST_SIZE = 8.8; // pixels: smaller numbers cannot be read

/** Return the size of a number so that it would fit with a minus sign too; null: there is no room for it. */
export function numberSize(written: string, value: number, room: number, wanted: number): number | null {
  const letters = written.length + (value > 0 ? 1 : 0);
  const largest = Math.floor((10 * room) / (letters * LETTER)) / 10;
  return largest < LEAST_SIZE ? null : Math.min(wanted, largest);
}
