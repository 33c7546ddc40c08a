/** The view that all parts of the page share: the runs, the current sublayer, the selection. */

import type { Model, Run } from "../engine";
import { Pair, type Step, stepsOf } from "./alignment";
import { partingStep } from "./parting";
import { openingStage, positionInView } from "./facts/changes";
import { Numbers } from "./facts/numbers";
import { Program } from "./facts/program";
import { type Scale, type Theme, topOf } from "./facts/scale";
import type { ShownCircuit } from "./circuit/shown.svelte";
import { Why } from "./why/why.svelte";
import type { Changes } from "./intervening/changes.svelte";

/** A step of the timeline, with its stages and the selected position. */
export interface Place {
  /** Among the view's steps. */
  readonly step: number;
  readonly here: Step;
  /** The stage of A's stream: 0 after the embedding, then two for each block. */
  readonly stage: number;
  /** The stage of B's stream that stands beside it; null without a second run. */
  readonly besideStage: number | null;
  readonly position: number;
}

/** Where a norm stands, seen from its sublayer; the final one is after the last. */
export type NormSide = "before" | "after" | "final";

function sideOf({ norm }: Step): NormSide | null {
  return norm === null ? null : norm.placement === "pre" ? "before" : norm.placement === "post" ? "after" : "final";
}

export class View {
  /** The run that is shown, A. */
  run: Run = $state.raw()!;
  /** The run beside it, B. */
  beside: Run | null = $state.raw(null);
  /** The place on the timeline, among `steps`. */
  step = $state(0);
  /** The step that the panels show: they follow the stream when the steps pause. */
  private panelStep = $state(0);
  /** The position that was chosen; null: the page chooses. */
  pinned: number | null = $state(null);
  /** The lane that the keyboard stands on. */
  lane: number | null = $state(null);
  /** The head that was chosen, of the block that is shown; null: all. */
  head: number | null = $state(null);
  /** The neuron that was chosen. */
  neuron: number | null = $state(null);
  /** The class whose attribution is shown; null: the decision. */
  wanted: string | null = $state(null);
  /** Of two runs: only lanes that differ somewhere. */
  onlyDifferences = $state(false);
  /** Whether the columns are positions, or the sublayers of one position, where there is no room for both. */
  across: "positions" | "sublayers" = $state("positions");
  /** Of many lanes: those whose name has this text in it; "": those that changed most. */
  search = $state("");
  /** Of many lanes: those around this one; null: those that changed most. */
  around: number | null = $state(null);
  /** Whether the page steps by itself. */
  playing = $state(false);
  /** Whether somebody is typing: then the picture is drawn in the quickest way. */
  typing = $state(false);
  theme: Theme = $state("light");
  /** A's lanes that a story points at, at the selected position. */
  pointed: readonly number[] = $state.raw([]);
  /** A's lanes that the stream's picture shows at the moment, which the keyboard moves among; the picture writes it. */
  lanesShown: readonly number[] = [];
  /** The head that the mouse or the keyboard is on, anywhere in the page. */
  pointedHead: { readonly block: number; readonly head: number } | null = $state.raw(null);
  /** The circuit of the model; null where none came with the page. */
  circuit: ShownCircuit | null = $state.raw(null);
  /** What was changed in the run, of a page; null elsewhere. */
  changes: Changes | null = null;

  /** How the two runs are aligned; null without a second one. */
  readonly pair: Pair | null = $derived(this.beside === null ? null : new Pair(this.run, this.beside));
  /** The places of the timeline: sublayers that are there, in either run. */
  readonly steps: readonly Step[] = $derived(this.pair?.steps ?? stepsOf(this.run));
  /** The place that is shown; a shorter run may have ended before the one that was chosen. */
  readonly here: Step = $derived(this.steps[Math.max(0, Math.min(this.step, this.steps.length - 1))]);
  /** The selected position: the pinned one, or the one that the page chooses. */
  readonly position: number = $derived(positionInView(this.run, this.here.stage, this.pinned));
  /** The place that the panels show. */
  readonly place: Place = $derived.by(() => {
    const here = this.steps[Math.max(0, Math.min(this.panelStep, this.steps.length - 1))];
    const { stage, besideStage } = here;
    const position = positionInView(this.run, stage, this.pinned);
    return { step: this.panelStep, here, stage, besideStage, position };
  });
  // What depends on a model alone, and the scale as long as it goes as far, stays the same object while one types, so that nothing is drawn again for it
  readonly model: Model = $derived(this.run.model);
  /** The program that the model was compiled from, if it was. */
  readonly program: Program | null = $derived(Program.of(this.model));
  readonly besideModel: Model | null = $derived(this.beside?.model ?? null);
  readonly numbers: Numbers = $derived(new Numbers(this.model));
  private readonly top: number = $derived(topOf(this.run, this.beside));
  readonly scale: Scale = $derived({ top: this.top, infinity: this.numbers.infinity });
  readonly besideNumbers: Numbers | null = $derived(this.besideModel === null ? null : new Numbers(this.besideModel));

  constructor(
    run: Run,
    beside: Run | null = null,
    /** The number whose parts are shown. */
    readonly why: Why = new Why(),
  ) {
    this.run = run;
    this.beside = beside;
  }

  /** The stage of A's stream: 0 after the embedding, then two for each block. */
  get stage(): number {
    return this.here.stage;
  }

  set stage(stage: number) {
    const place = this.steps.findIndex((step) => step.stage === stage && step.norm === null);
    const later = this.steps.findIndex((step) => step.stage > stage && step.norm === null);
    this.go(place >= 0 ? place : later >= 0 ? later : this.steps.length - 1);
  }

  /** The stage of B's stream that stands beside it; null without a second run. */
  get besideStage(): number | null {
    return this.here.besideStage;
  }

  /** Return the name of a part of A as people read it: after lines of its program, where it was compiled from one. */
  inWords(name: string): string {
    return this.program?.inWords(name) ?? name;
  }

  /** Go to a place of the timeline, as far as there is one. */
  go(step: number): void {
    const next = Math.max(0, Math.min(step, this.steps.length - 1));
    if (next !== this.step) this.why.close();
    this.step = next;
    this.neuron = null;
  }

  /** The place on the timeline as addresses write it: the number of its sublayer, and a norm before or after it. */
  get written(): { readonly step: number; readonly norm: NormSide | null } {
    const side = sideOf(this.here);
    const before = this.steps.slice(0, this.step + (side === "before" ? 2 : 1)).filter(({ norm }) => norm === null);
    return { step: before.length - 1, norm: side };
  }

  /** Go to a place as addresses write it. */
  goToWritten(step: number, side: NormSide | null): void {
    const sublayers = this.steps.flatMap(({ norm }, place) => (norm === null ? [place] : []));
    const place = sublayers[Math.min(step, sublayers.length - 1)];
    let [first, last] = [place, place]; // with the norms around it
    while (this.steps[first - 1]?.norm?.placement === "pre") first--;
    while ((this.steps[last + 1]?.norm?.placement ?? "pre") !== "pre") last++;
    const near = this.steps.findIndex((step, n) => n >= first && n <= last && sideOf(step) === side);
    this.go(near < 0 || side === null ? place : near);
  }

  /** Go to where there is most to see: where the decision first appears or, with two runs, where they part. */
  goToOpening(): void {
    if (this.pair !== null) this.go(partingStep(this.pair));
    else this.stage = openingStage(this.run);
    this.settle();
  }

  /** Let the panels show the current step. */
  settle(): void {
    this.panelStep = this.step;
  }

  /** Pin a position, or let go of it where it is pinned already. */
  pin(position: number): void {
    this.pinned = this.pinned === position ? null : position;
    this.neuron = null;
  }

  /** Let go of everything that was chosen. */
  release(): void {
    this.why.close();
    this.pinned = null;
    this.head = null;
    this.neuron = null;
    this.around = null;
    this.search = "";
  }
}
