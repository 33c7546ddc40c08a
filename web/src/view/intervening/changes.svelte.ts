/** Interventions: a ledger of changes, each with a switch; the run with them stands beside the run as it is. */

import { type CarriedChange, carriedChanges, type Change, changedAgain, EngineError, isChain } from "../../engine";
import { type Part, partOff, reason, run, type Run } from "../../engine";
import { firedAt } from "../facts/neurons";
import { probabilities } from "../facts/lens";
import type { Page } from "../page.svelte";
import type { View } from "../view.svelte";
import { type WrittenWith, writtenWith } from "./chainwriting";
import { addressPart, type AddressPart, changeIn, NAMES, readText } from "./places";
import { pythonLines } from "./python";

/** A change in the ledger. */
export interface Entry {
  readonly id: number;
  readonly change: Change;
  readonly on: boolean;
}

/** The answer after a change and those before it. */
export interface After {
  readonly decision: string;
  readonly share: number | null; // the probability of the decision; null with a readout
  readonly logits: Float64Array;
  readonly was: number | null; // of a value that is set or taken: the value without this change
}

/** A cell of the stream. */
export interface CellPlace {
  readonly part: Part;
  readonly position: number;
  readonly lane: number;
}

const AT_ONCE = 250; // milliseconds that the answers between the first and the last change may take
const MOST_KEPT = 12; // runs of other inputs

export class Changes {
  /** Whether clicks change the run, and the ledger is shown. */
  open = $state(false);
  entries: readonly Entry[] = $state.raw([]);
  /** The cell that is being edited. */
  editing: CellPlace | null = $state.raw(null);
  /** What a key or a click could not do, in words. */
  note = $state("");
  /** By entry: the answer after it; none for one that is off or could not be made. */
  after: ReadonlyMap<number, After> = $state.raw(new Map());
  /** By entry: why it could not be made. */
  problems: ReadonlyMap<number, string> = $state.raw(new Map());
  /** Whether the run with changes stands beside the run as it is. */
  shown = $state(false);
  /** What a chain writes with the changes; null for other models, and without changes. */
  writes: WrittenWith | null = $state.raw(null);
  private carried: readonly Change[] = []; // that came with the page
  private numbers = 0;
  private put: readonly Entry[] = []; // aside, while the ledger is closed
  private others: { readonly tokens: readonly string[]; readonly run: Run }[] = []; // of other inputs

  constructor(private readonly page: Page) {}

  private get view(): View | null {
    return this.page.view;
  }

  // What a page begins with

  /** Take the changes that came with a page. */
  carry(given: readonly CarriedChange[]): void {
    this.carried = carriedChanges(this.page.current.model, given);
    this.entries = this.carried.map((change) => this.entry(change));
    this.open = this.entries.length > 0;
  }

  /** What the address keeps. */
  get parts(): AddressPart[] {
    const { model } = this.page.current;
    return this.entries.map(({ change, on }) => addressPart(model, change, on, this.carried.indexOf(change)));
  }

  /** Take what an address, or a step of a story, says, before the model runs; other parts are ignored. */
  read(parts: readonly AddressPart[]): void {
    const { model } = this.page.current;
    const found = parts.flatMap((part) => {
      const number = part[0] === "carried" ? /^(-?)(\d{1,4})$/.exec(part[1]) : null;
      const own = number === null ? undefined : this.carried[Number(number[2])];
      if (own !== undefined) return [{ change: own, on: number![1] === "" }];
      const said = NAMES.includes(part[0]) ? changeIn(model, part) : null;
      return said === null ? [] : [said];
    });
    this.entries = found.map(({ change, on }) => ({ ...this.entry(change), on }));
    this.open = this.entries.length > 0;
    this.editing = null;
    this.note = "";
  }

  /** Forget all changes, without running anything. */
  clear(): void {
    this.entries = [];
    this.put = [];
    this.editing = null;
    this.shown = false;
    this.others = [];
    this.note = "";
  }

  // Running

  /** Return the run with the changes, from the run as it is; null if there are none. Notes the answer after each. */
  besideOf(known: Run): Run | null {
    if ((this.editing?.position ?? 0) >= known.tokens.length) this.editing = null;
    const made = this.entries.filter(({ on }) => on);
    const problems = new Map<number, string>();
    let found: Run | null = null;
    let good = made;
    if (made.length > 0) {
      try {
        found = this.with(known, made);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        good = this.possible(known, made, problems);
        found = good.length === 0 ? null : this.with(known, good);
      }
    }
    this.after = found === null ? new Map() : this.answers(known, good, found);
    this.problems = problems;
    this.shown = found !== null;
    const { chain } = this.page.writing;
    const changes = good.map(({ change }) => change);
    this.writes = found === null || chain === null ? null : writtenWith(known, chain.tokens, changes);
    return found;
  }

  private with(known: Run, entries: readonly Entry[]): Run {
    return changedAgain(
      known,
      entries.map(({ change }) => change),
      (tokens) => this.otherRun(tokens),
    );
  }

  /** Return the entries that can be made, one after the other; note why the rest cannot. */
  private possible(known: Run, made: readonly Entry[], problems: Map<number, string>): Entry[] {
    const good: Entry[] = [];
    for (const entry of made) {
      try {
        this.with(known, [...good, entry]);
        good.push(entry);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        problems.set(entry.id, reason(error));
      }
    }
    return good;
  }

  private answers(known: Run, made: readonly Entry[], last: Run): Map<number, After> {
    const result = new Map<number, After>();
    const end = performance.now() + AT_ONCE;
    let before: Run | null = known;
    made.forEach((entry, n) => {
      const isLast = n === made.length - 1;
      if (!isLast && performance.now() > end) {
        before = null;
        return;
      }
      if (isLast && before === null) before = known;
      const now = isLast ? last : this.with(known, made.slice(0, n + 1));
      result.set(entry.id, afterOf(now, before === null ? null : valueBefore(before, entry.change)));
      before = now;
    });
    return result;
  }

  private otherRun(tokens: readonly string[]): Run {
    const known = this.others.find(
      (other) => other.run.model === this.page.current.model && same(other.tokens, tokens),
    );
    const found = known ?? { tokens, run: run(this.page.current.model, tokens) };
    this.others = [found, ...this.others.filter((other) => other !== found)].slice(0, MOST_KEPT);
    return found.run;
  }

  /** Run again with the entries as they are now; the run as it is stays. */
  private apply(entries: readonly Entry[]): void {
    this.entries = entries;
    this.note = "";
    const { view, page } = this;
    if (view === null) return;
    if (entries.length > 0) {
      this.open = true;
      page.beside = null;
    }
    view.beside = this.besideOf(view.run);
  }

  /** Return the answer if one entry had another value: for the marks on its slider. */
  answerWith(id: number, value: number): string {
    const known = this.view!.run;
    const entries = this.entries
      .filter((entry) => entry.on && !this.problems.has(entry.id))
      .map((entry) =>
        entry.id === id && entry.change.kind === "set" ? { ...entry, change: { ...entry.change, value } } : entry,
      );
    try {
      return this.with(known, entries).decision;
    } catch (error) {
      if (error instanceof EngineError) return "no answer";
      throw error;
    }
  }

  // The ledger

  private entry(change: Change): Entry {
    return { id: this.numbers++, change, on: true };
  }

  add(change: Change): void {
    this.apply([...this.entries, this.entry(change)]);
  }

  /** Make a change, or leave it out; it stays in the ledger. */
  toggle(id: number): void {
    this.apply(this.entries.map((entry) => (entry.id === id ? { ...entry, on: !entry.on } : entry)));
  }

  remove(id: number): void {
    this.apply(this.entries.filter((entry) => entry.id !== id));
  }

  undoAll(): void {
    this.editing = null;
    this.apply([]);
  }

  /** Open or close the ledger. Closed, the run stands alone; opened again, the changes are there again. */
  setOpen(open: boolean): void {
    if (open && this.entries.length === 0 && this.put.length > 0) this.apply(this.put);
    if (!open) {
      this.put = this.entries;
      this.undoAll();
    }
    this.open = open;
  }

  // Switching off

  /** Return the entry that switches a part off everywhere. */
  offEntry(part: Part): Entry | null {
    return (
      this.entries.find(
        ({ change }) => change.kind === "off" && change.positions === null && isPart(change.part, part),
      ) ?? null
    );
  }

  isOff(part: Part): boolean {
    return this.offEntry(part)?.on ?? false;
  }

  /** Switch a part off, or on again. */
  switchPart(part: Part): void {
    const known = this.offEntry(part);
    if (known === null) this.add(partOff(part));
    else this.toggle(known.id);
  }

  /** Switch off the head or neuron that is chosen; where there is only one, or a strongest one, that. */
  switchChosen(): void {
    const { view } = this;
    if (view === null) return;
    const { kind, block } = view.here;
    this.open = true;
    if (kind === "embedding" || block === null)
      this.note = "Go to an attention or feed-forward step to switch a part off.";
    else if (kind === "attention") {
      const heads = view.run.heads[block].length;
      const index = view.head ?? (heads === 1 ? 0 : null);
      if (index === null) this.note = `Block ${block} has ${heads} heads: choose one with h, then press x.`;
      else this.switchPart({ kind: "head", block, index });
    } else {
      const index = view.neuron ?? firedAt(view.run, block, view.position)[0]?.neuron;
      if (index === undefined) this.note = "No neuron is active at this position: choose another one with [ or ].";
      else this.switchPart({ kind: "neuron", block, index });
    }
  }

  // Values

  /** The stage of the stream that is shown, as a part. */
  get stagePart(): Part {
    const { here, run, stage } = this.view!;
    if (here.kind === "norm") return { kind: run.stages[stage].kind, block: run.stages[stage].block, index: 0 };
    return { kind: here.kind, block: here.block ?? -1, index: 0 };
  }

  /** Edit a cell of the stage that is shown; without one, the cell that the keyboard stands on. */
  edit(position?: number, lane?: number): void {
    const { view } = this;
    if (view === null || view.here.block === null) return;
    this.open = true;
    this.note = "";
    const p = position ?? view.position;
    const l = lane ?? view.lane ?? this.lastEdited(p) ?? mostChanged(view);
    view.pinned = p;
    view.lane = l;
    this.editing = { part: this.stagePart, position: p, lane: l };
  }

  /** Return the lane that was set last at a position of the stage that is shown. */
  private lastEdited(position: number): number | null {
    const part = this.stagePart;
    const found = this.entries.findLast(
      ({ change }) => change.kind === "set" && change.position === position && isPart(change.part, part),
    );
    return found?.change.kind === "set" ? found.change.lane : null;
  }

  /** Return the entry that sets a cell, the last one. */
  setEntry(place: CellPlace): Entry | null {
    return this.entries.findLast(({ change }) => change.kind === "set" && isCell(change, place)) ?? null;
  }

  setValue(place: CellPlace, value: number): void {
    const known = this.setEntry(place);
    const change: Change = { kind: "set", ...place, value };
    if (known === null) this.add(change);
    else this.apply(this.entries.map((entry) => (entry === known ? { ...entry, change, on: true } : entry)));
  }

  /** Take a value, or the whole row of a position, from another input; refuse one that does not fit. */
  take({ part, position, lane }: CellPlace, text: string, wholeRow: boolean): void {
    const { model } = this.page.current;
    const { run: known } = this.view!;
    const tokens = isChain(model) ? this.page.writing.runOf(model, text, true).tokens : readText(model, text);
    const change: Change = { kind: "take", part, positions: [position], lanes: wholeRow ? null : [lane], tokens };
    changedAgain(known, [change], (given) => this.otherRun(given)); // refused here, before it is in the ledger
    this.editing = null;
    this.add(change);
  }

  // Copying

  /** The changes that are made, as Python. */
  get python(): string {
    const { view } = this;
    if (view === null) return "";
    const made = this.entries.filter(({ id, on }) => on && !this.problems.has(id)).map(({ change }) => change);
    const { decision, model } = view.beside ?? view.run;
    const answer = model.readout === null ? [`b.decision  # ${JSON.stringify(decision)}`] : [];
    return [...pythonLines(view.run, made), ...answer].join("\n");
  }
}

function afterOf(found: Run, was: number | null): After {
  const { logits, decision, model } = found;
  const share = model.readout === null ? largest(probabilities(logits)) : null;
  return { decision, share, logits, was };
}

/** Return the largest of some numbers, which may be many. */
export const largest = (numbers: Float64Array): number => numbers.reduce((most, one) => Math.max(most, one), 0);

/** Return the value of the stream that a change replaces; null where it replaces several, or none. */
function valueBefore(before: Run, change: Change): number | null {
  if (change.kind !== "set" || change.part.kind === "head" || change.part.kind === "neuron") return null;
  const { kind, block } = change.part;
  const stage = kind === "embedding" ? 0 : kind === "attention" ? 1 + 2 * block : 2 + 2 * block;
  const { columns, values } = before.stream[stage];
  return values[change.position * columns + change.lane];
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((token, n) => token === other[n]);

const isPart = (one: Part, other: Part): boolean =>
  one.kind === other.kind && one.block === other.block && one.index === other.index;

const isCell = (one: CellPlace, { part, position, lane }: CellPlace): boolean =>
  one.position === position && one.lane === lane && isPart(one.part, part);

/** Return the lane, of those that are shown, that the stage in view changed most at the position in view. */
function mostChanged(view: View): number {
  const { stage, position, run } = view;
  const { columns, values } = run.stream[stage];
  const before = stage === 0 ? null : run.stream[stage - 1].values;
  let most = -1;
  const lanes = view.lanesShown.length > 0 ? view.lanesShown : Array.from({ length: columns }, (_, lane) => lane);
  let best = lanes[0];
  for (const lane of lanes) {
    const place = position * columns + lane;
    const size = Math.abs(values[place] - (before?.[place] ?? 0));
    if (size > most) [best, most] = [lane, size];
  }
  return best;
}
