/** The tour of a first visit: a story about the page itself, whose steps are places on it. */

import { continuesTexts, hasLetters, type Model } from "../../engine";
import { bringsSomething, movesOf } from "../facts/moved";
import { tokenText } from "../facts/tokens";
import type { Page } from "../page.svelte";
import type { View } from "../view.svelte";
import type { PlaceName } from "./places";

const SEEN = "weightsmith-tour";
const FEW = 8; // words that a sentence lists

export interface TourStep {
  readonly place: PlaceName;
  readonly title: string;
  readonly text: string; // as a caption: tokens stand between backquotes
}

export class Tour {
  /** The step that is shown, counted from 0; null: the tour is closed. */
  step: number | null = $state(null);
  private begun = false;

  readonly steps: readonly TourStep[] = $derived.by(() => (this.page.view === null ? [] : stepsOf(this.page.view)));

  constructor(private readonly page: Page) {}

  /** Open the tour if this is a first visit: never in a frame, a figure, beside another run, or at a link to a story. */
  begin(): void {
    if (this.begun) return;
    this.begun = true;
    const { page } = this;
    const linked = /(^#|&)(story|present)\b/.test(location.hash);
    if (!page.usesAddress || window.top !== window.self || page.beside !== null || linked) return;
    if (page.view === null || page.writing.chain !== null || wasSeen()) return;
    remember();
    this.step = 0;
  }

  open(): void {
    this.page.telling.leave();
    this.go(0);
  }

  close(): void {
    this.step = null;
  }

  /** Show a step; behind the last one the tour is over. */
  go(step: number): void {
    if (step >= this.steps.length) return this.close();
    this.step = Math.max(0, step);
    const { view } = this.page;
    if (view === null || this.steps[this.step].place !== "attention") return;
    const stage = attentionStage(view);
    if (stage !== null) view.stage = stage;
  }
}

/** Return an attention sublayer at which something is moved: the one that is shown if it is one, else the first. */
function attentionStage(view: View): number | null {
  const stages = view.steps
    .filter(({ kind, block }) => kind === "attention" && block !== null)
    .map(({ stage }) => stage);
  const moving = stages.filter((stage) => firstMove(view, stage) !== null);
  return moving.includes(view.stage) ? view.stage : (moving.at(-1) ?? stages[0] ?? null);
}

/** Return who reads whom at an attention sublayer; null where nothing is moved. */
function firstMove(view: View, stage: number): { reader: number; source: number } | null {
  const { run } = view;
  const { block } = run.stages[stage];
  for (let reader = run.tokens.length - 1; reader >= 0; reader--) {
    for (const head of run.heads[block].keys()) {
      const move = movesOf(run, block, head, [reader]).find(bringsSomething);
      if (move !== undefined && move.source !== reader) return { reader, source: move.source };
    }
  }
  return null;
}

function stepsOf(view: View): TourStep[] {
  const { model, run } = view;
  const word = hasLetters(model) ? "token" : "word";
  const blocks = model.blocks.length;
  const stage = attentionStage(view);
  const move = stage === null ? null : firstMove(view, stage);
  const [reader, source] = move === null ? ["", ""] : [move.reader, move.source].map((at) => tokenText(run.tokens[at]));
  const here = move === null || `${reader}${source}`.includes("`") ? "" : ` Here \`${reader}\` reads \`${source}\`.`;
  const attention: TourStep[] = [
    {
      place: "attention",
      title: `Attention: one ${word} reads another`,
      text: `The arc shows who reads whom.${here} Point at it for its numbers.`,
    },
  ];
  return [
    { place: "input", title: word === "word" ? "Type a sentence" : "Type an input", text: inputText(model, word) },
    {
      place: "sublayers",
      title: "Step through the model",
      text: `The ${word}s go through ${counted(blocks, "block")}. Each adds something. Press → or click a step.`,
    },
    {
      place: "stream",
      title: `A ${word} is a column of numbers`,
      text: "Rows are called lanes. Blue is above 0, orange below, a dot is 0. A ring marks a number that changed in this step.",
    },
    ...(stage === null ? [] : attention),
    {
      place: "answer",
      title: `The last ${word} decides`,
      text: `The bottom row is what each ${word} would say now. The last one is the answer.`,
    },
  ];
}

function inputText(model: Model, word: string): string {
  const { vocabulary, classes } = model;
  const reads = continuesTexts(model)
    ? `The model reads the ${word}s and says which comes next.`
    : `The model reads the ${word}s and answers${classes.length > 0 && classes.length <= 3 ? `: ${classes.join(" or ")}` : ""}.`;
  const known = vocabulary.slice(0, FEW).map(tokenText);
  const listed = known.some((token) => token.includes("`"))
    ? ""
    : `: ${known.map((token) => `\`${token}\``).join(" ")}`;
  return `${reads} It knows ${counted(vocabulary.length, word)}${listed}${vocabulary.length > FEW ? " …" : "."}`;
}

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
export const inWords = (count: number): string => NUMBERS[count] ?? String(count);
const counted = (count: number, what: string): string => `${inWords(count)} ${what}${count === 1 ? "" : "s"}`;

/** Say whether the tour was shown before; where nothing can be remembered, it was not. */
function wasSeen(): boolean {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(SEEN, "seen");
  } catch {
    // a page without storage: the next visit is a first one again
  }
}
