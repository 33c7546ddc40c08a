/** How the messages of a file's reader show what was found in it: as Python writes it. */

import { isPrintable, NAME_ECHO, quoted, start } from "../engine/words";

/** Return a value as Python writes it, cut. */
export function brief(value: unknown, most = NAME_ECHO): string {
  return start(written(value, most, 0), most);
}

function written(value: unknown, most: number, depth: number): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "string") return quoted(start(value, most));
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return decimal(value);
  if (typeof value === "bigint") return value > 1n << 10000n ? "a huge number" : String(value);
  if (!(Symbol.iterator in Object(value))) return `${(value as { kind?: string }).kind}(…)`; // a part that was read
  const pairs = value instanceof Map;
  const brackets = pairs ? "{}" : "[]";
  if (depth > 8) return brackets[0] + "…" + brackets[1];
  let text = brackets[0];
  for (const item of value as Iterable<unknown>) {
    if (text.length > most) return text;
    text += text.length > 1 ? ", " : "";
    const parts = pairs ? (item as [unknown, unknown]) : [item];
    text += parts.map((part) => written(part, most, depth + 1)).join(": ");
  }
  return text + brackets[1];
}

/** Return a number as Python writes it: the shortest digits that read back. */
export function decimal(x: number): string {
  const size = Math.abs(x);
  if (x === 0) return Object.is(x, -0) ? "-0.0" : "0.0";
  const plain = size >= 1e-4 && size < 1e16;
  const text = plain ? String(x) : x.toExponential();
  if (plain) return Number.isInteger(x) ? text + ".0" : text;
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** Return a whole number with commas. */
export const grouped = (n: number | bigint): string => n.toLocaleString("en-US");

/** Return a text as it is shown: plainly if that is clear, else in quotes. */
export function shown(text: string): string {
  return isPrintable(text) && text.trim() === text && text !== "" ? text : quoted(text);
}
