/** The circuit of a page: what of it is chosen, pointed at and shown. */

import type { View } from "../view.svelte";
import { attentionStage, feedForwardStage } from "../facts/reading";
import { type Circuit, type Edge, edgeName, type Part } from "./circuit";

/** Runs an input of the model, and shows one of its positions. */
type Load = (tokens: readonly string[], position: number) => void;

/** What is looked at: a part with its edges, or one edge. */
export type Looked = Part | Edge;

export const isEdge = (looked: Looked): looked is Edge => "from" in looked;

const MOST_LINES = 400; // that a picture has room for

export class ShownCircuit {
  /** What was clicked. */
  chosen: Looked | null = $state.raw(null);
  /** What the mouse or the keyboard is on, in the picture. */
  pointed: Looked | null = $state.raw(null);
  /** Whether silent edges are shown too. */
  silent = $state(false);
  /** The edges of the picture: of many, the live ones, or those of the chosen part. */
  readonly edges: readonly Edge[] = $derived.by(() => {
    const { live, silent } = this.circuit;
    const all = this.silent ? [...live, ...silent] : live;
    if (all.length <= MOST_LINES) return all;
    const own = all.filter((edge) => this.chosen !== null && touches(this.chosen, edge));
    return (own.length > 0 && own.length <= MOST_LINES ? own : live).slice(0, MOST_LINES);
  });

  constructor(
    readonly circuit: Circuit,
    private readonly run: Load,
  ) {}

  /** How many edges are not in the picture, of those that are to be shown. */
  get left(): number {
    const { live, silent } = this.circuit;
    return live.length + (this.silent ? silent.length : 0) - this.edges.length;
  }

  /** Choose a part or an edge, or let go of it; the page goes to the sublayer of a part. */
  choose(looked: Looked, view: View): void {
    const same = this.chosen !== null && nameOf(this.chosen) === nameOf(looked);
    this.chosen = same ? null : looked;
    if (!isEdge(looked)) goTo(view, looked, same);
  }

  /** Run the input that shows that an edge is live, and go to its reader. */
  load(edge: Edge, view: View): void {
    if (edge.witness === null) return;
    this.run(edge.witness.tokens, edge.witness.position);
    goTo(view, edge.to, false);
  }

  /** Say whether an edge is among those that are looked at: pointed at, of the head that is pointed at in the page, or chosen. */
  focusIn(view: View): Looked | null {
    const { block } = view.run.stages[view.stage];
    const head = (index: number | null): Part | null =>
      index === null ? null : (this.partsDrawn.get(`blocks.${block}.attn.head.${index}`) ?? null);
    const over = view.pointedHead;
    const named = over === null ? null : (this.partsDrawn.get(`blocks.${over.block}.attn.head.${over.head}`) ?? null);
    return this.pointed ?? named ?? this.chosen ?? (view.here.kind === "attention" ? head(view.head) : null);
  }

  private readonly partsDrawn: ReadonlyMap<string, Part> = $derived(
    new Map(this.edges.flatMap(({ from, to }) => [from, to]).map((part) => [part.name, part])),
  );
}

/** Return the name of what is looked at. */
export const nameOf = (looked: Looked): string => (isEdge(looked) ? edgeName(looked) : looked.name);

/** Say whether an edge is what is looked at, or begins or ends there. */
export function touches(looked: Looked, edge: Edge): boolean {
  if (isEdge(looked)) return edgeName(looked) === edgeName(edge);
  return edge.from.name === looked.name || edge.to.name === looked.name;
}

/** Go to the sublayer of a part, and choose its head, or let go of it. */
function goTo(view: View, { kind, block, index }: Part, letGo: boolean): void {
  if (kind === "unembed") view.go(view.steps.length - 1);
  else if (block < 0) view.stage = 0;
  else view.stage = kind === "head" ? attentionStage(block) : feedForwardStage(block);
  view.settle();
  view.head = kind === "head" && !letGo ? index : null;
}
