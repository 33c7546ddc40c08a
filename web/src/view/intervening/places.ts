/** Changes in the address: `off=0.head.1`, `set=0.attention:2:compound:1`, `take=0.attention:2:The London Tower is in`. */

import { type Change, checkedTokens, checkedValue, hasLetters, isKnown, laneNamed, missingPart } from "../../engine";
import { type Model, type Part, partOff, splitText } from "../../engine";

/** A part of the address: its name and its text. */
export type AddressPart = readonly [name: string, text: string];

/** The names of the parts that hold changes. */
export const NAMES: readonly string[] = ["off", "set", "take", "carried"];
const SWITCHED_OFF = "-"; // before a change that stands in the list and is not made

/** Return a part as the address writes it: "0.head.1", "0.neuron.2847", "embedding". */
export function placeText(model: Model, { kind, block, index }: Part): string {
  if (kind === "embedding") return kind;
  if (kind === "head") return `${block}.head.${index}`;
  if (kind !== "neuron") return `${block}.${kind}`;
  const name = neuronKey(model, block, index);
  return `${block}.neuron.${typeof name === "string" ? encodeURIComponent(name) : isName(model, block, String(index)) ? `#${index}` : index}`;
}

/** Return the name of a neuron if no other has it, else its number. */
export function neuronKey(model: Model, block: number, neuron: number): string | number {
  const names = model.blocks[block].feed_forward?.names ?? [];
  const name = names[neuron] ?? "";
  return name !== "" && names.indexOf(name) === names.lastIndexOf(name) && !/^#\d+$/.test(name) ? name : neuron;
}

const isName = (model: Model, block: number, text: string): boolean =>
  model.blocks[block].feed_forward?.names.includes(text) ?? false;

/** Return the part at a place; null where the model has none. */
export function partAt(model: Model, text: string): Part | null {
  if (text === "embedding") return { kind: "embedding", block: -1, index: 0 };
  const form = /^(\d{1,9})\.(?:(attention|feed-forward)|(head)\.(\d{1,9})|(neuron)\.(.+))$/su.exec(text);
  if (form === null) return null;
  const block = Number(form[1]);
  const kind = (form[2] ?? form[3] ?? form[5]) as Part["kind"];
  const index = kind === "head" ? Number(form[4]) : kind === "neuron" ? neuronAt(model, block, form[6]) : 0;
  const part: Part = { kind, block, index };
  return index < 0 || missingPart(model, part) !== null ? null : part;
}

function neuronAt(model: Model, block: number, text: string): number {
  const names = model.blocks[block]?.feed_forward?.names ?? [];
  const numbered = /^#?(\d{1,9})$/.exec(text);
  const named = text.startsWith("#") && numbered !== null ? -1 : names.indexOf(decoded(text));
  return named >= 0 ? named : numbered === null ? -1 : Number(numbered[1]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // somebody wrote it by hand
  }
}

/** Return a change as a part of the address; those that came with the page have a number. */
export function addressPart(model: Model, change: Change, on: boolean, carried: number): AddressPart {
  const before = on ? "" : SWITCHED_OFF;
  if (change.kind === "carried") return ["carried", `${before}${carried}`];
  const place = before + placeText(model, change.part);
  switch (change.kind) {
    case "off":
      return ["off", change.positions === null ? place : `${place}:${change.positions.join(",")}`];
    case "set":
      return ["set", `${place}:${change.position}:${model.lanes[change.lane]}:${change.value}`];
    case "take": {
      const lanes = change.lanes?.map((lane) => `/${encodeURIComponent(model.lanes[lane])}`).join("") ?? "";
      return ["take", `${place}${lanes}:${change.positions?.join(",") ?? "*"}:${plainText(model, change.tokens)}`];
    }
  }
}

/** Return the change that a part of the address says, and whether it is made; null where it says none. */
export function changeIn(model: Model, [name, text]: AddressPart): { change: Change; on: boolean } | null {
  const on = !text.startsWith(SWITCHED_OFF);
  const rest = on ? text : text.slice(1);
  try {
    const change = name === "off" ? offIn(model, rest) : name === "set" ? setIn(model, rest) : takeIn(model, rest);
    return change === null ? null : { change, on };
  } catch {
    return null; // a lane, a value or a token that the model does not have
  }
}

function offIn(model: Model, text: string): Change | null {
  const form = /^(.+?)(?::([\d,]+))?$/su.exec(text);
  const part = form === null ? null : partAt(model, form[1]);
  return part === null ? null : partOff(part, form![2] === undefined ? null : numbersIn(form![2]));
}

function setIn(model: Model, text: string): Change | null {
  const form = /^([^:]+):(\d{1,9}):(.*):([^:]+)$/su.exec(text);
  const part = form === null ? null : partAt(model, form[1]);
  if (form === null || part === null || part.kind === "neuron") return null;
  const value = checkedValue(model, form[4].trim() === "" ? NaN : Number(form[4]));
  return { kind: "set", part, position: Number(form[2]), lane: laneNamed(model, form[3]), value };
}

function takeIn(model: Model, text: string): Change | null {
  const form = /^([^:/]+)((?:\/[^:/]*)*):(\*|[\d,]+):(.*)$/su.exec(text);
  const part = form === null ? null : partAt(model, form[1]);
  if (form === null || part === null) return null;
  const names = form[2].split("/").slice(1).map(decoded);
  const lanes = names.length === 0 ? null : names.map((lane) => laneNamed(model, lane));
  const positions = form[3] === "*" ? null : numbersIn(form[3]);
  return { kind: "take", part, positions, lanes, tokens: readText(model, form[4]) };
}

const numbersIn = (text: string): number[] =>
  text
    .split(",")
    .filter((part) => part !== "")
    .map(Number);

/** Return the tokens of a text, or of a JSON list of tokens; refuse others. */
export function readText(model: Model, text: string): string[] {
  const tokens = splitText(model, text);
  if (tokens.every((token) => isKnown(model, token)) || !text.startsWith("[")) return checkedTokens(model, tokens);
  const list: unknown = JSON.parse(text);
  return checkedTokens(model, Array.isArray(list) && list.every((one) => typeof one === "string") ? list : tokens);
}

/** Return a text that is read as these tokens. */
export function plainText(model: Model, tokens: readonly string[]): string {
  const plain = tokens.join(hasLetters(model) ? "" : " ");
  return JSON.stringify(splitText(model, plain)) === JSON.stringify(tokens) ? plain : JSON.stringify(tokens);
}
