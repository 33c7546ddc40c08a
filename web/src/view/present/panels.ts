/**
 * The panels of presenter mode, by name. A panel is a component with the props `page` and `view`. It is drawn in the
 * sizes of the desk, in pixels or em, and enlarged as a whole, so that 13 pixels at the desk are 22 on a screen of
 * 1920 × 1080. What only a mouse needs has the attribute `data-unsaved`; presenter mode hides it.
 */

import type { Component } from "svelte";
import type { Page } from "../page.svelte";
import Memories from "../panels/Memories.svelte";
import Norms from "../panels/Norms.svelte";
import type { View } from "../view.svelte";
import type { Panel } from "./presenting.svelte";
import PresentedAnswer from "./PresentedAnswer.svelte";
import PresentedCircuit from "./PresentedCircuit.svelte";
import PresentedHeads from "./PresentedHeads.svelte";
import PresentedStream from "./PresentedStream.svelte";
import PresentedWeights from "./PresentedWeights.svelte";
import PresentedWhy from "./PresentedWhy.svelte";

export interface PresentedPanel {
  readonly component: Component<{ page: Page; view: View }>;
  /** Whether the step has something for it; where it has nothing, the stream is shown. */
  readonly shows: (view: View) => boolean;
  /** Whether it contains the row "would say" itself. */
  readonly says: boolean;
  /** Its share of the width, beside others. */
  readonly share: number;
}

const always = (): boolean => true;
const at =
  (kind: string) =>
  (view: View): boolean =>
    view.pair === null && view.here.kind === kind && view.run.stages[view.stage].present;

/** The table. A panel that is not in it is not offered; `why` has no key of its own: it shows the number that is explained. */
export const PRESENTED: Readonly<Record<Panel | "why", PresentedPanel>> = {
  stream: { component: PresentedStream, shows: always, says: true, share: 3 },
  heads: { component: PresentedHeads, shows: at("attention"), says: false, share: 2 },
  neuron: { component: Memories, shows: at("feed-forward"), says: false, share: 2 },
  answer: { component: PresentedAnswer, shows: always, says: false, share: 2 },
  norm: { component: Norms, shows: (view) => view.here.kind === "norm", says: false, share: 2 },
  weights: { component: PresentedWeights, shows: always, says: false, share: 3 },
  circuit: { component: PresentedCircuit, shows: (view) => view.circuit !== null, says: false, share: 3 },
  why: { component: PresentedWhy, shows: (view) => view.why.what !== null, says: false, share: 2 },
};

/** Return the panels to show at a step, from left to right. */
export function panelsAt(view: View, chosen: readonly Panel[]): (Panel | "why")[] {
  if (PRESENTED.why.shows(view) && !explainedBy(view, chosen)) return ["why"];
  const shown = chosen.filter((panel) => PRESENTED[panel].shows(view));
  return shown.length === 0 ? ["stream"] : shown;
}

/** Say whether one of the chosen panels explains the number itself. */
function explainedBy(view: View, chosen: readonly Panel[]): boolean {
  const { kind } = view.why.what!;
  return kind === "neuron" && chosen.includes("neuron") && PRESENTED.neuron.shows(view);
}
