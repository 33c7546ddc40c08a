/** The panels that a figure may show, by name. A panel is a component with the props `page` and `view`. */

import type { Component } from "svelte";
import type { Page } from "../page.svelte";
import Attention from "../panels/Attention.svelte";
import Lens from "../panels/Lens.svelte";
import Memories from "../panels/Memories.svelte";
import PresentedCircuit from "../present/PresentedCircuit.svelte";
import type { View } from "../view.svelte";
import FigureAnswer from "./FigureAnswer.svelte";
import FigureStream from "./FigureStream.svelte";
import FigureWeights from "./FigureWeights.svelte";

export interface FigurePanel {
  readonly component: Component<{ page: Page; view: View }>;
  /** The kind of sublayer that it shows; null: it shows something at every step. */
  readonly kind: string | null;
}

/** The table. A panel that is not in it is not offered. */
export const FIGURE_PANELS: Readonly<Record<string, FigurePanel>> = {
  stream: { component: FigureStream, kind: null },
  heads: { component: Attention, kind: "attention" },
  neuron: { component: Memories, kind: "feed-forward" },
  answer: { component: FigureAnswer, kind: null },
  weights: { component: FigureWeights, kind: null },
  lens: { component: Lens, kind: null },
  circuit: { component: PresentedCircuit, kind: null },
};

/** Which panel of each step a story chooses itself. */
export const STORY = "story";

/** Return the name of a panel, or null for a name that is none. */
export const panelNamed = (name: string | null | undefined): string | null =>
  name !== null && name !== undefined && (name === STORY || Object.hasOwn(FIGURE_PANELS, name)) ? name : null;
