/** Telling a story: which of its steps is shown, and the view that a step asks for. */

import { isChain, type Story, type StoryStep } from "../../engine";
import { textOf } from "../inputs";
import type { Page } from "../page.svelte";
import { Tour } from "./tour.svelte";
import { isBlank, joinChanges, joinPanels } from "./joins";

export class Telling {
  /** The step that is shown, among those of the story, counted from 0; null: no story is told. */
  step: number | null = $state(null);

  /** A story that somebody is writing, which is told in place of the model's. */
  draft: Story | null = $state.raw(null);

  /** The story of the model that is shown; null without one. */
  readonly story: Story | null = $derived.by(() => {
    const model = this.page.view?.run.model;
    if (model === undefined || isChain(model)) return null;
    const found = this.draft ?? model.story;
    return found !== null && found.steps.length > 0 ? found : null;
  });
  /** What the step says and points at; null while no story is told. */
  readonly now: StoryStep | null = $derived(this.step === null ? null : (this.story?.steps[this.step] ?? null));
  /** Whether the view still is at the place of the step: keys may have led elsewhere, or another word was typed. */
  readonly there: boolean = $derived.by(() => {
    const [{ view }, now] = [this.page, this.now];
    if (now === null || view === null || view.stage !== now.stage) return false;
    const length = view.run.tokens.length;
    return (now.position === null || view.position === now.position) && length === this.tokensOf(now).length;
  });
  /** The lanes that the step points at. */
  readonly lanes: readonly number[] = $derived(this.there && this.now !== null ? this.now.lanes : []);

  /** The tour of the page, which is told in the same way. */
  readonly tour: Tour;

  constructor(private readonly page: Page) {
    this.tour = new Tour(page);
  }

  /** Whether the screen is blank: then keys tell nothing. */
  get isBlank(): boolean {
    return isBlank(this.page);
  }

  /** Show a step of the story, as far as there is one. */
  go(step: number): void {
    const { page, story } = this;
    if (story === null) return;
    this.step = Math.max(0, Math.min(step, story.steps.length - 1));
    const now = story.steps[this.step];
    this.runOn(now, joinChanges(page, now));
    const { view } = page;
    if (view === null) return;
    view.release();
    view.stage = now.stage;
    view.settle();
    view.pinned = now.position;
    view.head = now.head;
    view.neuron = now.neuron;
    view.lane = now.lanes[0] ?? null;
    if (now.lanes.some((lane) => !view.lanesShown.includes(lane))) view.around = now.lanes[0];
    view.playing = false;
    joinPanels(page, now.panels);
  }

  /** The next step; the first one if the story is not told yet. */
  next(): void {
    this.go(this.step === null ? 0 : this.step + 1);
  }

  /** The step before; the last one if the story is not told yet. */
  previous(): void {
    this.go(this.step === null ? Infinity : this.step - 1);
  }

  /** Tell no story; the next run is one without what the step changed. */
  leave(): void {
    if (this.step === null) return;
    const { now } = this;
    this.step = null;
    if (now !== null && now.off.length + now.set.length > 0) joinChanges(this.page, null);
  }

  /** Leave the story: the view stays, without what the step changed in the run. */
  end(): void {
    const { now } = this;
    this.leave();
    if (now !== null && now.off.length + now.set.length > 0) this.page.again();
  }

  /** Return the present view as a step, with a caption; null where no model is shown. */
  taken(text: string): StoryStep | null {
    const { view, beside, model: place } = this.page;
    if (view === null) return null;
    const besides = beside?.model === place ? view.beside : null;
    const panel = { embedding: "stream", attention: "heads", "feed-forward": "neuron", norm: "norm" }[view.here.kind];
    return {
      ...{ text, stage: view.stage, position: view.pinned ?? view.position },
      head: view.here.kind === "attention" ? view.head : null,
      neuron: view.here.kind === "feed-forward" ? view.neuron : null,
      lanes: this.lanes.length > 0 ? this.lanes : view.lane === null ? [] : [view.lane],
      panels: [...new Set(["stream", panel])],
      input: view.run.tokens,
      beside: besides?.tokens ?? null,
      ...{ off: [], set: [] },
    };
  }

  /** Return the tokens of a step. */
  private tokensOf(step: StoryStep): readonly string[] {
    return step.input ?? this.story?.input ?? [];
  }

  /** Run the input of a step, and the one beside it, unless they are shown already and nothing has changed. */
  private runOn(step: StoryStep, changed: boolean): void {
    const { page } = this;
    const { model } = page.current;
    const input = textOf(model, this.tokensOf(step));
    const beside = step.beside === null ? null : { model: page.model, input: textOf(model, step.beside) };
    const same = page.beside?.model === beside?.model && page.beside?.input === beside?.input;
    if (page.input === input && same && !changed && page.problem === null) return;
    [page.input, page.beside] = [input, beside];
    page.writing.begin();
    page.open();
  }
}
