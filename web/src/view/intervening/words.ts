/** Changes in words, for the ledger and for screen readers. */

import { type Change, type Model, type Part, partText } from "../../engine";
import { tokenAt } from "../facts/tokens";
import type { View } from "../view.svelte";
import { plainText } from "./places";

const MOST_LETTERS = 34;

/** Return the name of a part in a sentence: "head 1 of block 0". */
export function partInWords(view: View, { kind, block, index }: Part): string {
  if (kind === "embedding") return "the embedding";
  if (kind === "attention" || kind === "feed-forward") return `${kind} of block ${block}`;
  if (kind === "head") return `head ${index} of block ${block}`;
  const name = view.inWords(view.model.blocks[block].feed_forward?.names[index] ?? "");
  return `neuron ${name === "" ? index : cut(name)} of block ${block}`;
}

/** Return what a change does, and where, in few words; `was` is the value before it, as it is shown. */
export function changeInWords(view: View, change: Change, was: string | null): { what: string; where: string } {
  const { model, tokens } = view.run;
  const at = (position: number): string =>
    position < tokens.length ? tokenAt(tokens, position) : `position ${position}`;
  const every = view.run.tokens.length === 1 ? "at the only position" : "at every position";
  const places = (positions: readonly number[] | null): string =>
    positions === null ? every : `at ${positions.map(at).join(", ")}`;
  if (change.kind === "carried") {
    const { site, positions } = change.swap;
    const part = site.kind === "activations" ? `activations of block ${site.block}` : partInWords(view, site as Part);
    return {
      what: `Values from Python: ${part}`,
      where: places(positions.length === tokens.length ? null : positions),
    };
  }
  const part = partInWords(view, change.part);
  const inStream = change.part.kind !== "head" && change.part.kind !== "neuron";
  const after = inStream ? `after ${part}` : `in ${part}`;
  switch (change.kind) {
    case "off":
      return { what: `${capital(part)} off`, where: places(change.positions) };
    case "set": {
      const arrow = `${was === null ? "" : `${was} → `}${view.numbers.short(change.value)}`;
      return { what: `${cut(model.lanes[change.lane])} at ${at(change.position)}: ${arrow}`, where: after };
    }
    case "take": {
      const lanes = change.lanes?.map((lane) => cut(model.lanes[lane])).join(", ") ?? "";
      const which = change.positions?.map(at).join(", ") ?? "every position";
      const subject = lanes === "" ? capital(which) : `${lanes} at ${which}`;
      return { what: `${subject} from “${cut(inputText(model, change.tokens))}”`, where: after };
    }
  }
}

const inputText = (model: Model, tokens: readonly string[]): string => plainText(model, tokens);

/** Return the name of a change for screen readers. */
export const spokenChange = (view: View, change: Change): string => {
  const { what, where } = changeInWords(view, change, null);
  return change.kind === "off" ? `${partText(change.part)} off` : `${what}, ${where}`;
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function cut(text: string): string {
  const letters = Array.from(text);
  return letters.length <= MOST_LETTERS ? text : `${letters.slice(0, MOST_LETTERS - 1).join("")}…`;
}
