/** Who leads after each change: the difference of two logits, of the answer as it is and of the other answer. */

import type { Run } from "../../engine";
import { decided, marginOf } from "../facts/lens";
import { tokenText } from "../facts/tokens";
import type { Changes } from "./changes.svelte";

export interface Lead {
  readonly classes: readonly number[]; // whose logits are shown: the answer of A first
  readonly names: readonly string[];
  readonly points: readonly { readonly name: string; readonly value: number }[]; // A, the numbers of changes, B
  readonly most: number; // the largest lead
  readonly spoken: string;
}

/** Return the leads of runs with classes; without points where there is only one class. */
export function leadOf(changes: Changes, a: Run, b: Run): Lead {
  const [own, now] = [decided(a.logits), decided(b.logits)];
  const made = changes.entries.flatMap(({ id }, n) => {
    const after = changes.after.get(id);
    return after === undefined ? [] : [{ name: String(n + 1), logits: after.logits }];
  });
  const between = made.map(({ logits }) => decided(logits)).find((place) => place !== own);
  const other = now !== own ? now : (between ?? marginOf(a.logits).second);
  const { classes } = a.model;
  if (other === null) return { classes: [own], names: [], points: [], most: 0, spoken: "" };
  const steps = [{ name: "A", logits: a.logits }, ...made.slice(0, -1), { name: "B", logits: b.logits }];
  const points = steps.map(({ name, logits }) => ({ name, value: logits[own] - logits[other] }));
  const names = [own, other].map((place) => tokenText(classes[place]));
  const spoken = points.map(({ name, value }) => `${name}: ${names[value < 0 ? 1 : 0]} ahead by ${Math.abs(value)}`);
  const most = Math.max(...points.map(({ value }) => Math.abs(value)));
  return { classes: [own, other], names, points, most, spoken: spoken.join("; ") };
}
