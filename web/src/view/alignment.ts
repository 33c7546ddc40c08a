/** Two runs beside each other: which lanes, positions and sublayers stand for each other, and what differs there. */

import type { Block, Run, Stage } from "../engine";
import { upTo } from "./facts/cells";
import { normAt, type NormPlace } from "./facts/normsteps";

/** A lane of A or B or both; −1 where a model has no lane of that name. */
export interface SharedLane {
  readonly name: string;
  readonly a: number;
  readonly b: number;
}

/** One place of the timeline: the stage of A and the stage of B that have been reached there. */
export interface Step {
  readonly stage: number;
  readonly besideStage: number | null; // null: there is no second run
  readonly kind: Stage["kind"] | "norm"; // at a norm the stages are those that the stream shows there
  readonly block: number | null; // of A; −1 for the embedding; null where A has no such block; the last for the final norm
  readonly besideBlock: number | null;
  readonly norm: NormPlace | null; // of A, or of B where only B has it; null for sublayers
}

/** A difference: where it is and what stands there. A lane that a model lacks counts as 0, as after widening. */
export interface Difference {
  readonly step: number;
  readonly position: number; // of A
  readonly lane: SharedLane;
  readonly a: number;
  readonly b: number;
}

/** Return the steps of a single run: the stages whose sublayer is there, and the norms before, after and at the end. */
export function stepsOf(run: Run): Step[] {
  const alone = { besideStage: null, besideBlock: null };
  const sublayers = upTo(run.stages.length)
    .filter((stage) => run.stages[stage].present)
    .flatMap((stage): Step[] => {
      const { kind, block } = run.stages[stage];
      const step: Step = { kind, block, stage, norm: null, ...alone };
      const normStep = (placement: "pre" | "post"): Step[] => {
        const norm = normOf(run, placement, kind, block);
        return norm === null ? [] : [{ ...step, kind: "norm", stage: placement === "pre" ? stage - 1 : stage, norm }];
      };
      return [...normStep("pre"), step, ...normStep("post")];
    });
  const norm = finalNorm(run);
  const last = sublayers[sublayers.length - 1];
  return norm === null ? sublayers : [...sublayers, { ...last, kind: "norm", block: norm.block, norm }];
}

/** Return the norm before or after a sublayer of a run; null where there is none. */
function normOf(run: Run, placement: "pre" | "post", kind: Stage["kind"], block: number): NormPlace | null {
  if (kind === "embedding") return null;
  const place: NormPlace = { placement, block, sublayer: kind };
  return normAt(run.model, place) === null ? null : place;
}

function finalNorm({ model }: Run): NormPlace | null {
  return model.final_norm === null ? null : { placement: "final", block: model.blocks.length - 1, sublayer: null };
}

export class Pair {
  /** A's position p stands beside B's position p − shift: inputs are aligned at their ends, where the decision is read. */
  readonly shift: number;
  readonly lanes: readonly SharedLane[];
  readonly steps: readonly Step[];
  /** How many values differ at each step. */
  readonly counts: readonly number[];
  /** The earliest step with a difference, then its first position and lane. */
  readonly first: Difference | null;
  /** By place in `lanes`: whether the lane differs anywhere in the two runs. */
  readonly everDiffers: readonly boolean[];
  private readonly marks: readonly Uint8Array[]; // [step]: positions of A × lanes

  constructor(
    readonly a: Run,
    readonly b: Run,
  ) {
    this.shift = a.tokens.length - b.tokens.length;
    this.lanes = sharedLanes(a.model.lanes, b.model.lanes);
    this.steps = sharedSteps(a, b);
    const marks: Uint8Array[] = [];
    this.steps.forEach(({ kind }, step) => marks.push(kind === "norm" ? marks[step - 1] : this.compare(step)));
    this.marks = marks;
    this.counts = this.marks.map((marks) => marks.reduce((sum, mark) => sum + mark, 0));
    const width = this.lanes.length;
    this.everDiffers = this.lanes.map((_, row) => this.marks.some((marks) => someInColumn(marks, row, width)));
    const step = this.counts.findIndex((count) => count > 0);
    const place = step < 0 ? -1 : this.marks[step].indexOf(1);
    this.first = step < 0 ? null : this.difference(step, Math.floor(place / width), place % width);
  }

  /** Say whether A's position has a partner in B. */
  hasPartner(position: number): boolean {
    return position - this.shift >= 0 && position >= 0 && position < this.a.tokens.length;
  }

  /** How many positions have a partner. */
  get partners(): number {
    return Math.min(this.a.tokens.length, this.b.tokens.length);
  }

  differs(step: number, position: number, row: number): boolean {
    return this.marks[step][position * this.lanes.length + row] === 1;
  }

  /** Return the differences of a step, the largest first. */
  differences(step: number): Difference[] {
    const width = this.lanes.length;
    const places: number[] = [];
    this.marks[step].forEach((mark, place) => mark === 1 && places.push(place));
    return places
      .map((place) => this.difference(step, Math.floor(place / width), place % width))
      .sort((one, other) => Math.abs(other.a - other.b) - Math.abs(one.a - one.b));
  }

  private difference(step: number, position: number, row: number): Difference {
    const { stage, besideStage } = this.steps[step];
    const lane = this.lanes[row];
    const a = valueAt(this.a, stage, position, lane.a);
    const b = valueAt(this.b, besideStage!, position - this.shift, lane.b);
    return { step, position, lane, a, b };
  }

  private compare(step: number): Uint8Array {
    const { stage, besideStage } = this.steps[step];
    const marks = new Uint8Array(this.a.tokens.length * this.lanes.length);
    for (let position = Math.max(0, this.shift); position < this.a.tokens.length; position++) {
      this.lanes.forEach((lane, row) => {
        const a = valueAt(this.a, stage, position, lane.a);
        const b = valueAt(this.b, besideStage!, position - this.shift, lane.b);
        if (a !== b) marks[position * this.lanes.length + row] = 1;
      });
    }
    return marks;
  }
}

function valueAt(run: Run, stage: number, position: number, lane: number): number {
  const stream = run.stream[stage];
  return lane < 0 ? 0 : stream.values[position * stream.columns + lane];
}

function someInColumn(marks: Uint8Array, column: number, width: number): boolean {
  for (let place = column; place < marks.length; place += width) if (marks[place] === 1) return true;
  return false;
}

/** Merge two orders of lanes: A's order, and before each common lane the lanes that only B has in front of it. */
export function sharedLanes(a: readonly string[], b: readonly string[]): SharedLane[] {
  const placeInB = new Map(b.map((name, place) => [name, place]));
  const inA = new Set(a);
  const ownBefore = (end: number): SharedLane[] => {
    let start = end;
    while (start > 0 && !inA.has(b[start - 1])) start--;
    return upTo(end - start).map((n) => ({ name: b[start + n], a: -1, b: start + n }));
  };
  const merged = a.flatMap((name, place): SharedLane[] => {
    const beside = placeInB.get(name) ?? -1;
    return [...(beside < 0 ? [] : ownBefore(beside)), { name, a: place, b: beside }];
  });
  return [...merged, ...ownBefore(b.length)];
}

/** Return pairs of blocks: by origin where both have it, in order; between those, one by one. −1: no partner. */
export function pairedBlocks(a: readonly Block[], b: readonly Block[]): [number, number][] {
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  const inOrder = (endA: number, endB: number): void => {
    for (; i < endA || j < endB; i += i < endA ? 1 : 0, j += j < endB ? 1 : 0) {
      pairs.push([i < endA ? i : -1, j < endB ? j : -1]);
    }
  };
  for (const [x, y] of sameOrigins(a, b)) {
    inOrder(x, y);
    pairs.push([x, y]);
    [i, j] = [x + 1, y + 1];
  }
  inOrder(a.length, b.length);
  return pairs;
}

/** Return the longest row of pairs with equal origins that both models have in this order. */
function sameOrigins(a: readonly Block[], b: readonly Block[]): [number, number][] {
  const length = a.map(() => b.map(() => 0)).concat([b.map(() => 0)]);
  const at = (i: number, j: number): number => length[i]?.[j] ?? 0;
  const same = (i: number, j: number): boolean => a[i].origin !== "" && a[i].origin === b[j].origin;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i][j] = same(i, j) ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (same(i, j)) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

function sharedSteps(a: Run, b: Run): Step[] {
  const steps: Step[] = [{ stage: 0, besideStage: 0, kind: "embedding", block: -1, besideBlock: -1, norm: null }];
  let [stage, besideStage] = [0, 0];
  for (const [block, besideBlock] of pairedBlocks(a.model.blocks, b.model.blocks)) {
    for (const [part, kind] of (["attention", "feed-forward"] as const).entries()) {
      const before = { stage, besideStage };
      if (block >= 0) stage = 1 + 2 * block + part;
      if (besideBlock >= 0) besideStage = 1 + 2 * besideBlock + part;
      const inA = block >= 0 && a.stages[stage].present;
      const inB = besideBlock >= 0 && b.stages[besideStage].present;
      if (!inA && !inB) continue;
      const blocks = { block: block < 0 ? null : block, besideBlock: besideBlock < 0 ? null : besideBlock };
      const normStep = (placement: "pre" | "post", at: { stage: number; besideStage: number }): void => {
        const norm = (inA && normOf(a, placement, kind, block)) || (inB && normOf(b, placement, kind, besideBlock));
        if (norm) steps.push({ ...at, kind: "norm", ...blocks, norm });
      };
      normStep("pre", before);
      steps.push({ stage, besideStage, kind, ...blocks, norm: null });
      normStep("post", { stage, besideStage });
    }
  }
  const norm = finalNorm(a) ?? finalNorm(b);
  return norm === null ? steps : [...steps, { ...steps[steps.length - 1], kind: "norm", norm }];
}
