/** Which number is explained: a score, an activation, a cell of the stream or a logit; and how addresses write it. */

import type { Run } from "../../engine";
import type { NeuronPlace } from "../facts/activations";
import { attentionStage, feedForwardStage } from "../facts/reading";
import type { ScorePlace } from "../facts/scores";
import type { CellPlace } from "../facts/writers";

export type Explained =
  | (ScorePlace & { readonly kind: "score" })
  | (NeuronPlace & { readonly kind: "neuron" })
  | (CellPlace & { readonly kind: "cell" })
  | { readonly kind: "logit"; readonly position: number; readonly wanted: string };

export class Why {
  /** The number whose parts are shown; null: none. */
  what: Explained | null = $state.raw(null);

  /** Explain a number, or close its explanation. */
  toggle(what: Explained | null): void {
    this.what = what === null || this.explains(what) ? null : what;
  }

  close(): void {
    this.what = null;
  }

  /** Say whether this very number is explained. */
  explains(what: Explained): boolean {
    return this.what !== null && JSON.stringify(sorted(this.what)) === JSON.stringify(sorted(what));
  }

  /** Close what a new run does not have. */
  keepIn(run: Run): void {
    if (this.what !== null && !exists(this.what, run)) this.close();
  }

  /** Return what is explained as addresses write it, such as 0.head.1:2:1; null for nothing. */
  written(run: Run): string | null {
    return this.what !== null && exists(this.what, run) ? writeWhy(this.what, run) : null;
  }
}

const sorted = (what: Explained): unknown[] => Object.entries(what).sort(([a], [b]) => (a < b ? -1 : 1));

/** Say whether a run has a number. */
export function exists(what: Explained, run: Run): boolean {
  const there = (position: number): boolean => position < run.tokens.length;
  const { model } = run;
  if (what.kind === "logit") return there(what.position) && model.classes.includes(what.wanted);
  if (what.kind === "cell") {
    return there(what.position) && what.lane < model.lanes.length && run.stages[what.stage]?.present === true;
  }
  if (what.kind === "neuron") return there(what.position) && what.neuron < (run.activations[what.block]?.columns ?? 0);
  return there(what.reader) && there(what.source) && what.head < (run.heads[what.block]?.length ?? 0);
}

/** Write a number's place: 0.head.1:2:1, 0.neuron.3:2, 0.attention:2:lane, embedding:2:lane, logit:2:class. */
export function writeWhy(what: Explained, run: Run): string {
  if (what.kind === "score") return `${what.block}.head.${what.head}:${what.reader}:${what.source}`;
  if (what.kind === "neuron") return `${what.block}.neuron.${what.neuron}:${what.position}`;
  if (what.kind === "logit") return `logit:${what.position}:${what.wanted}`;
  const { kind, block } = run.stages[what.stage];
  const stage = kind === "embedding" ? kind : `${block}.${kind}`;
  return `${stage}:${what.position}:${run.model.lanes[what.lane]}`;
}

const NUMBER = "(\\d{1,9})";
const SCORE = new RegExp(`^${NUMBER}\\.head\\.${NUMBER}:${NUMBER}:${NUMBER}$`);
const NEURON = new RegExp(`^${NUMBER}\\.neuron\\.${NUMBER}:${NUMBER}$`);
const LOGIT = new RegExp(`^logit:${NUMBER}:(.*)$`, "s");
const CELL = new RegExp(`^(embedding|${NUMBER}\\.(attention|feed-forward)):${NUMBER}:(.*)$`, "s");

/** Read a number's place; null where a run has no such number. */
export function readWhy(text: string | null, run: Run): Explained | null {
  const found = text === null ? null : parsed(text, run);
  return found !== null && exists(found, run) ? found : null;
}

function parsed(text: string, run: Run): Explained | null {
  const score = SCORE.exec(text)?.slice(1).map(Number);
  if (score !== undefined) {
    const [block, head, reader, source] = score;
    return { kind: "score", block, head, reader, source };
  }
  const neuron = NEURON.exec(text)?.slice(1).map(Number);
  if (neuron !== undefined) return { kind: "neuron", block: neuron[0], neuron: neuron[1], position: neuron[2] };
  const logit = LOGIT.exec(text);
  if (logit !== null) return { kind: "logit", position: Number(logit[1]), wanted: logit[2] };
  const cell = CELL.exec(text);
  if (cell === null) return null;
  const block = Number(cell[2]);
  const sublayer = cell[3] === "attention" ? attentionStage(block) : feedForwardStage(block);
  const lane = run.model.lanes.indexOf(cell[5]);
  return lane < 0
    ? null
    : { kind: "cell", stage: cell[1] === "embedding" ? 0 : sublayer, position: Number(cell[4]), lane };
}

/** Return the stage at which a number stands; null where it stands at every one. */
export function stageOfWhy(what: Explained): number | null {
  if (what.kind === "logit") return null;
  if (what.kind === "cell") return what.stage;
  return what.kind === "score" ? attentionStage(what.block) : feedForwardStage(what.block);
}

export function positionOfWhy(what: Explained): number {
  return what.kind === "score" ? what.reader : what.position;
}
