/** Writing on: the tokens that a language model adds to a text, and the tokens of a chain, step by step. */

import {
  type ChainModel,
  ChainWalk,
  type Choosing,
  continuesTexts,
  drawn,
  fallsOn,
  GREEDY,
  isChain,
  type Lot,
  lotOf,
  type Model,
  mostTokens,
  run,
  type Run,
} from "../../engine";
import type { Written } from "../address";
import { inputOf, textOf } from "../inputs";
import type { Page } from "../page.svelte";

const MOST_SHOWN = 1 << 10; // tokens of a chain that a page shows
const AT_ONCE = 400; // milliseconds: so long a page waits for a chain before it shows what there is
const SENTENCE_ENDS = /[.!?…]$/u;
const LONGEST_SENTENCE = 40; // words that playing adds

/** A chain on an input, as far as it is shown. */
export interface ChainShown {
  readonly model: ChainModel;
  readonly tokens: readonly string[]; // of the input
  readonly generated: readonly string[]; // that are shown
  readonly most: number; // tokens that it writes, at most
  readonly over: boolean; // whether no token follows
  readonly answer: readonly string[] | null;
  readonly problem: string | null;
}

export class Writing {
  /** Whether the panel of a language model is open. */
  open = $state(false);
  /** How many of the last tokens the model wrote; of a chain, how many are shown: null for all of them. */
  wrote: number | null = $state(0);
  draws = $state(false);
  temperature = $state(1);
  /** From how many of the likeliest words one is drawn; null: from all. */
  topK: number | null = $state(null);
  seed = $state(0);
  playing = $state(false);
  /** The chain that is shown; null for a model that is none. */
  chain: ChainShown | null = $state.raw(null);
  private left = 0; // words until playing stops
  private walks: ChainWalk[] = []; // of the last inputs, so that a step does not begin anew

  constructor(private readonly page: Page) {}

  /** The model that is shown, if it can write. */
  get model(): Model | null {
    const model = this.page.view?.run.model;
    return model !== undefined && (isChain(model) || continuesTexts(model)) ? model : null;
  }

  /** Whether the desk of a language model can be opened. */
  get offers(): boolean {
    return !this.open && this.chain === null && this.model !== null;
  }

  get choosing(): Choosing {
    return this.draws ? { temperature: this.temperature, topK: this.topK, seed: this.seed } : GREEDY;
  }

  /** Begin anew: another model was chosen, or another text typed. */
  begin(): void {
    this.playing = false;
    this.wrote = this.readsChain ? null : 0;
  }

  /** Whether the chosen model is a chain; no file that cannot be read is. */
  private get readsChain(): boolean {
    try {
      return isChain(this.page.current.model);
    } catch {
      return false;
    }
  }

  // Chains

  /** Return the run that shows a chain: of its text without the last token, which nobody reads. */
  runOf(model: ChainModel, text: string, beside: boolean): Run {
    const walk = this.walkOn(model, inputOf(model, text));
    const end = performance.now() + AT_ONCE;
    const wanted = Math.min(this.wrote ?? MOST_SHOWN, MOST_SHOWN);
    walk.finish(() => walk.generated.length < wanted && performance.now() < end);
    const shown = walk.generated.slice(0, wanted);
    const over = walk.over && shown.length === walk.generated.length;
    const found = run(model, [...walk.begin, ...(over ? shown.slice(0, -1) : shown)]);
    if (beside) return found;
    const answer = over ? walk.answer : null;
    const stopped = shown.length === MOST_SHOWN && !over ? beyond(walk.most) : null;
    const problem = over ? walk.problem : stopped;
    this.chain = { model, tokens: walk.tokens, generated: shown, most: walk.most, over, answer, problem };
    return found;
  }

  private walkOn(model: ChainModel, tokens: readonly string[]): ChainWalk {
    const same = (walk: ChainWalk): boolean =>
      walk.model === model && JSON.stringify(walk.tokens) === JSON.stringify(tokens);
    const walk = this.walks.find(same) ?? new ChainWalk(model, tokens);
    this.walks = [walk, ...this.walks.filter((other) => other !== walk)].slice(0, 2);
    return walk;
  }

  /** Show a number of a chain's tokens; null: all. */
  go(count: number | null): void {
    this.wrote = count === null ? null : Math.max(0, Math.min(count, MOST_SHOWN));
    this.page.again();
    if (this.wrote !== null && this.chain?.over) this.wrote = null;
  }

  // Language models

  /** The words that may come next, with their chances. */
  get lot(): Lot | null {
    const { view } = this.page;
    return view === null || isChain(view.run.model) ? null : lotOf(view.run.logits, this.choosing);
  }

  /** The number from 0 to 1 that chooses the next word. */
  get number(): number {
    return drawn(this.seed, this.wrote ?? 0);
  }

  /** Why no word can be added, in words; null if one can. */
  get full(): string | null {
    const { view } = this.page;
    const most = view === null ? null : mostTokens(view.run.model);
    if (view === null || most === null || view.run.tokens.length < most) return null;
    return `The position table holds ${most} tokens, and the text has as many.`;
  }

  /** Say whether there is something to add. */
  get goesOn(): boolean {
    if (this.page.problem !== null || this.model === null) return false;
    return this.chain === null ? this.full === null : !this.chain.over && this.chain.problem === null;
  }

  // Both

  /** Write the next token: a word of the reader's choice, or the model's. */
  add(word?: string): void {
    if (!this.goesOn) return;
    if (this.chain !== null) return this.go(this.chain.generated.length + 1);
    const { view } = this.page;
    const { lot } = this;
    if (view === null || lot === null) return;
    const { model, tokens } = view.run;
    const chosen = word ?? model.classes[this.draws ? fallsOn(lot, this.number) : lot.classes[0]];
    this.open = true;
    this.wrote = (this.wrote ?? 0) + 1;
    this.page.input = textOf(model, [...tokens, chosen]);
    this.page.again();
  }

  /** Say whether there is something to take back. */
  get goesBack(): boolean {
    if (this.page.problem !== null || this.model === null) return false;
    return this.chain === null ? (this.wrote ?? 0) > 0 : this.chain.generated.length > 0;
  }

  /** Take the last written token back. */
  takeBack(): void {
    if (!this.goesBack) return;
    if (this.chain !== null) return this.go(this.chain.generated.length - 1);
    const { model, tokens } = this.page.view!.run;
    this.wrote = (this.wrote ?? 1) - 1;
    this.page.input = textOf(model, tokens.slice(0, -1));
    this.page.again();
  }

  /** Play: a chain to its end, from the start if it was there; a language model to the end of a sentence. */
  togglePlay(): void {
    if (!this.playing && this.chain !== null && !this.goesOn) this.go(0);
    this.left = LONGEST_SENTENCE;
    this.playing = !this.playing && this.goesOn;
  }

  /** Write a token while playing; stop at the end. */
  playOn(): void {
    this.add();
    this.left--;
    const last = this.page.view?.run.tokens.at(-1) ?? "";
    const said = this.chain === null && (SENTENCE_ENDS.test(last) || this.left <= 0);
    if (said || !this.goesOn) this.playing = false;
  }

  // Addresses

  /** What the address keeps. */
  get written(): Written {
    const talks = this.chain === null && this.model !== null;
    const draws = talks && this.draws;
    return {
      wrote: talks && !this.open && !this.wrote ? null : this.wrote,
      temperature: draws ? this.temperature : null,
      topK: draws ? this.topK : null,
      seed: draws ? this.seed : null,
    };
  }

  /** Take what an address says, before the model runs. */
  take(said: Partial<Written>): void {
    this.playing = false;
    const chain = this.readsChain;
    this.wrote = said.wrote ?? (chain ? null : 0);
    this.draws = (said.temperature ?? 0) > 0;
    if (this.draws) [this.temperature, this.topK, this.seed] = [said.temperature!, said.topK ?? null, said.seed ?? 0];
    this.open = !chain && (this.draws || (said.wrote ?? null) !== null);
  }

  /** Bring what was taken in line with the run: no more tokens were written than there are. */
  settle(): void {
    const { view } = this.page;
    if (view === null || !isChain(view.run.model)) this.chain = null;
    if (this.chain !== null || view === null) return;
    if (this.model === null) this.open = false;
    this.wrote = Math.min(this.wrote ?? 0, view.run.tokens.length - 1);
  }
}

const beyond = (most: number): string =>
  `a page shows the first ${MOST_SHOWN.toLocaleString("en")} tokens of a chain, and this one may write ` +
  `${most.toLocaleString("en")}: run it in Python, C.run(tokens)`;
