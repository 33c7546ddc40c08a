/** The state of the page: its models, the typed input, the error, and the resulting view. */

import { type CarriedChange, isChain, reason, run, type Run, UnknownToken } from "../engine";
import { readModel } from "../files";
import { readPresented, readSight, type Sight, writeSight } from "./address";
import type { Theme } from "./facts/scale";
import { checkedCircuit } from "./circuit/circuit";
import { ShownCircuit } from "./circuit/shown.svelte";
import { Changes } from "./intervening/changes.svelte";
import { exampleInput, textOf, tokensOf, understands } from "./inputs";
import { type GivenModel, nameOfFile, type NamedModel, opened, unopened } from "./models";
import { Presenting } from "./present/presenting.svelte";
import { Telling } from "./story/telling.svelte";
import { View } from "./view.svelte";
import { positionOfWhy, readWhy, stageOfWhy, Why } from "./why/why.svelte";
import { Writing } from "./writing/writing.svelte";

type Input = string | readonly string[] | null;

export interface PageOptions {
  readonly models: readonly GivenModel[];
  readonly input?: Input;
  readonly beside?: { readonly model: number; readonly input: Input } | null;
  /** The changes of a run by `ws.ablate` or `ws.patch`. */
  readonly changes?: readonly CarriedChange[];
  /** The circuit of the first model, as `studio/circuit.py` writes it; it is checked before anything of it is shown. */
  readonly circuit?: unknown;
  readonly title?: string;
  /** Whether the sight is kept in the page's address. Only one component of a page may do so. */
  readonly address?: boolean;
  readonly theme?: Theme;
  /** One panel with two buttons that step, instead of the whole page: its name; and the height to fit into, in pixels. */
  readonly panel?: string | null;
  readonly height?: number | null;
}

/** What is wrong with an input or a file, in words; for an unknown token, the vocabulary. */
export interface Problem {
  readonly text: string;
  readonly vocabulary: readonly string[] | null;
}

/** What stands beside the run: a model, and its input; null: the same input. */
export interface Beside {
  readonly model: number;
  readonly input: string | null;
}

const SLOW = 40; // milliseconds: a run that takes longer waits until the typing pauses
const PAUSE = 150;
const COLD = 8; // how many times longer the first run takes, before the browser has compiled the code

export class Page {
  models: readonly NamedModel[] = $state.raw([]);
  model = $state(0);
  input = $state("");
  beside: Beside | null = $state.raw(null);
  problem: Problem | null = $state.raw(null);
  /** What was chosen with the switch; null: as the reader's system has it. */
  themeChosen: Theme | null = $state(null);
  /** Whether the reader's system is dark. */
  systemIsDark = $state(false);
  readonly theme: Theme = $derived(this.themeChosen ?? (this.systemIsDark ? "dark" : "light"));
  view: View | null = $state.raw(null);
  /** The tokens that the model writes on. */
  readonly writing = new Writing(this);
  readonly presenting = new Presenting();
  /** The story of the model, step by step. */
  readonly telling = new Telling(this);
  /** The number whose parts are shown. */
  readonly why = new Why();
  /** What was changed in the run. */
  readonly changes = new Changes(this);
  private circuit: ShownCircuit | null = null; // of the first model
  readonly title: string;
  readonly usesAddress: boolean;
  private readonly opening: Input; // with which the page began
  private lastRun = 0; // milliseconds
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private paused: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PageOptions) {
    this.models = options.models.map(opened);
    this.title = options.title ?? "";
    this.opening = options.input ?? null;
    this.usesAddress = options.address ?? false;
    this.themeChosen = options.theme ?? null;
    this.systemIsDark = matchMedia("(prefers-color-scheme: dark)").matches;
    if (this.models.length === 0) return;
    try {
      this.begin(options);
      if (options.circuit !== undefined) this.carry(options.circuit);
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  /** Show the circuit that came with the page; refuse one that is not of its first model. */
  private carry(given: unknown): void {
    const circuit = checkedCircuit(this.models[0].model, given);
    this.circuit = new ShownCircuit(circuit, (tokens, position) => this.load(tokens, position));
    if (this.view !== null && this.model === 0) this.view.circuit = this.circuit;
  }

  /** Show what the caller asked for, or what the address says. */
  private begin(options: PageOptions): void {
    this.input = this.asText(0, options.input ?? null) ?? this.exampleOf(0);
    if (options.beside) {
      this.beside = { model: options.beside.model, input: this.asText(options.beside.model, options.beside.input) };
    }
    const sight = this.usesAddress ? readSight(location.hash) : null;
    this.writing.begin();
    if (options.changes) this.changes.carry(options.changes);
    if (sight !== null) return this.show(sight);
    if (this.usesAddress) this.presenting.take(readPresented(location.hash));
    this.open();
  }

  get current(): NamedModel {
    return this.models[this.model];
  }

  /** Run what was chosen and typed. Without a view there is none yet, or another model was chosen: then go to the opening. */
  open(): void {
    this.attempt(true);
  }

  /** Run again what was chosen; the selection stays. */
  again(): void {
    this.attempt(false);
  }

  /** Run again after a letter was typed; the selection stays. */
  typed(): void {
    this.telling.leave();
    this.writing.begin();
    clearTimeout(this.waiting);
    clearTimeout(this.paused);
    if (this.view !== null) this.view.typing = true;
    this.paused = setTimeout(() => this.typingEnds(), 2 * PAUSE);
    if (this.lastRun < SLOW) this.attempt(false);
    else this.waiting = setTimeout(() => this.attempt(false), PAUSE);
  }

  /** Draw with care again: the typing has paused, or the input was left. */
  typingEnds(): void {
    clearTimeout(this.paused);
    if (this.view !== null) this.view.typing = false;
  }

  /** Run an input of the model that is shown, and show one of its positions. */
  load(tokens: readonly string[], position: number): void {
    this.telling.leave();
    this.input = textOf(this.current.model, tokens);
    this.writing.begin();
    this.open();
    if (this.view !== null) this.view.pinned = position;
  }

  chooseModel(model: number): void {
    this.telling.leave();
    this.changes.clear();
    this.model = model;
    if (this.beside !== null && this.beside.model !== model && this.beside.input !== null) this.beside = null;
    try {
      if (!understands(this.current.model, this.input)) this.input = this.exampleOf(model);
      this.writing.begin();
      this.open();
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  chooseBeside(beside: Beside | null): void {
    this.telling.leave();
    this.beside = beside;
    if (beside !== null) this.changes.setOpen(false);
    this.open();
  }

  /** Add a model from a file and show it; a file that is none leaves everything as it was. */
  async openFile(file: File): Promise<void> {
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      this.models = [...this.models, { name: nameOfFile(file.name), model: readModel(bytes) }];
      this.beside = null;
      this.chooseModel(this.models.length - 1);
    } catch (error) {
      this.problem = { text: unopened(file.name, error).message, vocabulary: null };
    }
  }

  /** How the two runs are called: by their models or, if those are the same, by their inputs. */
  get names(): { a: string; b: string } {
    if (this.changes.shown) return { a: "as it is", b: "changed" };
    if (this.beside?.model === this.model) return { a: this.input, b: this.beside.input ?? this.input };
    return { a: this.current?.name ?? "", b: this.models[this.beside?.model ?? 0]?.name ?? "" };
  }

  /** Return the address of the current view. */
  get address(): string {
    const { telling, view } = this;
    const own = telling.there ? null : this; // the step of a story says where it is
    return writeSight({
      model: this.model,
      input: own?.input ?? null,
      besideModel: own?.beside?.model ?? null,
      besideInput: own?.beside?.input ?? null,
      step: own === null ? null : (view?.written.step ?? null),
      norm: own === null ? null : (view?.written.norm ?? null),
      why: view === null ? null : this.why.written(view.run),
      position: own === null ? null : (view?.pinned ?? null),
      head: own === null ? null : (view?.head ?? null),
      onlyDifferences: view?.onlyDifferences ?? false,
      story: telling.step === null ? null : telling.step + 1,
      ...this.writing.written,
      ...this.presenting.writtenIn(telling.now?.panels ?? []),
      changes: this.changes.parts,
    });
  }

  /** Show what an address says, as far as the page has it. */
  show(sight: Partial<Sight>): void {
    const there = (model: number | null | undefined): model is number =>
      model !== null && model !== undefined && model < this.models.length;
    this.telling.leave();
    if (there(sight.model)) this.model = sight.model;
    this.input = sight.input ?? this.input;
    this.beside = there(sight.besideModel) ? { model: sight.besideModel, input: sight.besideInput ?? null } : null;
    this.writing.take(sight);
    this.presenting.take(sight);
    this.changes.read(sight.changes ?? []);
    this.open();
    const { view } = this;
    if (sight.story !== null && sight.story !== undefined) this.telling.go(sight.story - 1);
    if (view === null || (this.telling.step !== null && typeof sight.step !== "number")) return;
    if (sight.step !== null && sight.step !== undefined) view.goToWritten(sight.step, sight.norm ?? null);
    const why = readWhy(sight.why ?? null, view.run);
    if (why !== null && typeof sight.step !== "number") view.stage = stageOfWhy(why) ?? view.stage;
    view.settle();
    view.pinned = sight.position ?? (why === null ? null : positionOfWhy(why));
    if (why?.kind === "neuron") view.neuron = why.neuron;
    if (why?.kind === "cell") view.lane = why.lane;
    this.why.what = why;
    view.head = sight.head ?? null;
    view.onlyDifferences = sight.onlyDifferences ?? false;
  }

  private attempt(anew: boolean): void {
    const share = this.view === null ? 1 / COLD : 1;
    const start = performance.now();
    try {
      const shown = this.runOn(this.model, this.input);
      const { beside } = this;
      const other =
        this.changes.besideOf(shown) ??
        (beside === null ? null : this.runOn(beside.model, beside.input ?? this.input, true));
      this.problem = null;
      this.take(shown, other, anew);
      this.writing.settle();
    } catch (error) {
      this.problem = problemOf(error);
    }
    this.lastRun = share * (performance.now() - start);
  }

  private take(shown: Run, other: Run | null, anew: boolean): void {
    if (this.view === null) this.view = new View(shown, other, this.why);
    const { view } = this;
    view.theme = this.theme;
    view.changes = this.changes;
    view.circuit = this.model === 0 ? this.circuit : null;
    const longer = view.run.tokens.length !== shown.tokens.length;
    view.run = shown;
    view.beside = other;
    this.why.keepIn(shown);
    if (view.pinned !== null && (anew || longer)) view.pinned = null;
    if (!anew) return;
    view.release();
    view.lane = null;
    view.wanted = null;
    view.goToOpening();
  }

  private runOn(place: number, text: string, beside = false): Run {
    const { model } = this.models[place];
    if (isChain(model)) return this.writing.runOf(model, text, beside);
    return run(model, tokensOf(model, text));
  }

  /** Return the input that came with a model, or its first tokens. */
  exampleOf(place: number): string {
    const { model, input } = this.models[place];
    const opening = place === 0 ? this.asText(0, this.opening) : null;
    return this.asText(place, input ?? null) ?? opening ?? exampleInput(model);
  }

  private asText(place: number, input: Input): string | null {
    return input === null || typeof input === "string" ? input : textOf(this.models[place].model, input);
  }
}

function problemOf(error: unknown): Problem {
  const why = reason(error);
  if (error instanceof UnknownToken) return { text: `${why}. It knows`, vocabulary: error.model.vocabulary };
  const text = why.charAt(0).toUpperCase() + why.slice(1) + (/[.!?]$/.test(why) ? "" : ".");
  return { text, vocabulary: null };
}
