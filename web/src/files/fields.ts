/** Readers of fields: each returns the value of a field as the engine holds it, or refuses it. */

import type { Entry, Readout, Value } from "../engine/types";
import { isPrintable, letters, quoted } from "../engine/words";
import type { Json } from "./json";
import { refuse, shown } from "./refusal";

/** A part of a model that has been read; the Python package calls it by its kind. */
export interface Part {
  readonly kind: string;
}
export type Field = Json | Part | readonly (Json | Part)[];

/** Reads a field, which messages call by its name. One with `absent` may be missing: older files lack it. */
export interface Reader<T = unknown> {
  (value: Field, name: string): T;
  readonly absent?: T;
}

const MAX_NAME = 200;
export const MAX_TEXT = 2000;
const MAX_CODES = 1 << 16;
const LARGEST_WHOLE = 1n << 53n;

const odd = (name: string, value: unknown): never => refuse("model", `${name} is ${shown(value)}`);
const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null && "kind" in value;

/** Return a reader that accepts what fits. */
const fitting =
  <T>(fits: (value: Field) => boolean): Reader<T> =>
  (value, name) =>
    fits(value) ? (value as T) : odd(name, value);

export const later = <T>(reader: Reader<T>, absent: T): Reader<T> =>
  Object.assign((value: Field, name: string) => reader(value, name), { absent });
export const orNull =
  <T>(reader: Reader<T>): Reader<T | null> =>
  (value, name) =>
    value === null ? null : reader(value, name);

export const truth: Reader<boolean> = fitting((value) => typeof value === "boolean");
export const choice = (...choices: readonly string[]): Reader<string> =>
  fitting((value) => choices.includes(value as string));
export const part = (...kinds: readonly string[]): Reader =>
  fitting((value) => isPart(value) && kinds.includes(value.kind));

/** Read a number for which something holds. */
export const number =
  (holds: (x: number) => boolean): Reader<number> =>
  (value, name) => {
    const x = typeof value === "bigint" || typeof value === "number" ? Number(value) : NaN;
    return holds(x) ? x : odd(name, value);
  };
export const whole =
  (least: number, most = Infinity): Reader<number> =>
  (value, name) =>
    typeof value === "bigint" && value >= least && value <= most ? Number(value) : odd(name, value);

export const list =
  <T>(each: Reader<T>): Reader<readonly T[]> =>
  (value, name) =>
    Array.isArray(value) ? (value as Field[]).map((item, n) => each(item, `${name}.${n}`)) : odd(name, value);

/** Read a text: valid Unicode, not too long and, if wanted, without invisible characters. */
export const text =
  (most = MAX_NAME, printable = true): Reader<string> =>
  (value, name) => {
    if (typeof value !== "string") return odd(name, value);
    if (letters(value) > most) refuse("model", `${name} has ${letters(value)} characters; the limit is ${most}`);
    const visible = !/\p{Cs}/u.test(value) && (!printable || isPrintable(value));
    return visible ? value : refuse("model", `${name} has invisible characters: ${shown(value)}`);
  };

/** Read a list of names: at least one, none empty, no two alike. */
export const names =
  (printable: boolean): Reader<readonly string[]> =>
  (value, name) => {
    const found = list(text(MAX_NAME, printable))(value, name);
    if (found.length === 0 || found.includes("")) refuse("model", `${name} has an empty name, or none at all`);
    const seen = new Set<string>();
    const twice = found.find((each) => seen.size === seen.add(each).size);
    return twice === undefined ? found : refuse("model", `${name} has ${shown(twice)} twice`);
  };

/** Read codes and the values that they stand for: [[code, value], …]. A code is a number, or a list of several. */
export const table: Reader<readonly Entry[]> = (value, name) => {
  const rows = list((row, at) => (Array.isArray(row) && row.length === 2 ? (row as [Json, Json]) : odd(at, row)))(
    value,
    name,
  );
  if (rows.length < 1 || rows.length > MAX_CODES)
    refuse("model", `${name} has ${rows.length} codes; the limit is 65536`);
  return rows.map(([written, meaning], n) => {
    const code = list(number(Number.isFinite))(Array.isArray(written) ? written : [written], `${name}.${n}`);
    return { code: code.map((x) => x + 0), ...readValue(meaning, `${name}.${n}`) };
  });
};

function readValue(value: Json, name: string): { value: Value; text: string } {
  if (value === null) return { value, text: "None" };
  if (typeof value === "boolean") return { value, text: value ? "True" : "False" };
  if (typeof value === "number") return { value: value + 0, text: decimal(value + 0) };
  if (typeof value === "bigint") {
    if (value > LARGEST_WHOLE || value < -LARGEST_WHOLE) odd(name, value);
    return { value: Number(value), text: String(value) };
  }
  const found = text(MAX_NAME, false)(value, name);
  const plain = isPrintable(found) && found.trim() === found && found !== "";
  return { value: found, text: plain ? found : quoted(found) };
}

/** Return a number as Python writes it: the shortest digits that read back. */
function decimal(x: number): string {
  const size = Math.abs(x);
  if (x === 0 || (size >= 1e-4 && size < 1e16)) return Number.isInteger(x) ? `${x}.0` : String(x);
  return x.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** Return a readout with its codes in order, each once. Of equal values (True, 1, 1.0), the first is shown for all. */
export function orderedReadout({ lanes, table }: { lanes: readonly string[]; table: readonly Entry[] }): Readout {
  const seen = new Set<string>();
  for (const { code } of table) {
    if (code.length !== lanes.length) refuse("model", `the code ${shown(code)} has not one number for each lane`);
    if (seen.has(code.join())) refuse("model", `the readout has the code ${shown(code)} twice`);
    seen.add(code.join());
  }
  const before = (a: Entry, b: Entry): number => a.code.reduce((found, x, n) => found || x - b.code[n], 0);
  const known = new Map<unknown, Entry>();
  const entries = [...table].sort(before).map((entry) => {
    const key = typeof entry.value === "boolean" ? Number(entry.value) : entry.value;
    const same = known.get(key) ?? entry;
    known.set(key, same);
    return { code: entry.code, value: same.value, text: same.text };
  });
  return { lanes, entries };
}
