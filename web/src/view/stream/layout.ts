/** Where everything of the stream's picture stands: columns, rows, groups, and the zone of arcs above them. */

import type { Pair, SharedLane } from "../alignment";
import { upTo } from "../facts/cells";
import { changesAt } from "../facts/changes";
import { laneGroups, writersOf } from "../lanegroups";
import type { View } from "../view.svelte";

/** A column: a position of a run, after a sublayer. */
export interface Column {
  readonly side: "a" | "b" | "both"; // both: a narrow page splits the cells that differ
  readonly kind: "position" | "sublayer";
  readonly position: number; // of its own run; of A for both
  readonly step: number | null; // null: after the sublayer in view, so that nothing is laid out again while one steps
  readonly x: number;
  readonly width: number;
  readonly partner: boolean; // false: a position that the other run does not have
}

export interface Row {
  readonly lane: SharedLane;
  readonly shared: number; // its place among the lanes that both runs have together
  readonly label: string;
  readonly writer: string; // "b2": the first block that writes it
  readonly y: number;
}

export interface Group {
  readonly name: string;
  readonly y: number;
}

export interface Layout {
  readonly narrow: boolean;
  readonly labelWidth: number;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly groups: readonly Group[];
  readonly columnWidth: number;
  readonly rowHeight: number;
  readonly arcs: number; // the height of the zone of arcs
  readonly top: number; // of the cells
  readonly bottom: number;
  readonly width: number; // of the grid, without the labels
  readonly height: number;
  readonly history: { readonly x: number; readonly width: number } | null; // the sublayers of one position
  readonly roomForBoth: boolean; // false: a switch chooses between positions and sublayers
  readonly manyLanes: boolean;
  readonly hidden: number; // how many lanes "only differences" leaves out
  readonly total: number; // how many lanes there are
}

const MANY_LANES = 64;
const SHOWN_OF_MANY = 24;
const GROUP_HEIGHT = 16;
const HISTORY_GAP = 34;
const PAIR_GAP = 22;
const TOKENS_HEIGHT = 28;
const SAYS_HEIGHT = 24;

/** The rows before they have a place: which lanes are shown, in groups. */
interface Chosen {
  readonly groups: readonly { readonly name: string; readonly prefix: string; readonly rows: readonly number[] }[];
  readonly hidden: number;
}

export function sharedLanesOf(view: View): readonly SharedLane[] {
  return view.pair?.lanes ?? view.run.model.lanes.map((name, lane) => ({ name, a: lane, b: -1 }));
}

/** Return the layout for a width in pixels, the labels included. */
export function layoutOf(view: View, available: number, narrow: boolean): Layout {
  const lanes = sharedLanesOf(view);
  const manyLanes = lanes.length > MANY_LANES;
  const chosen = chosenRows(view, lanes, manyLanes);
  const count = chosen.groups.reduce((sum, group) => sum + group.rows.length, 0);
  const rowHeight = count <= 18 ? 22 : count <= 26 ? 18 : 16;
  const labelWidth = (narrow ? 104 : 158) + (manyLanes ? 34 : 0);
  const arcs = arcsHeight(view, narrow);
  const across = columnsOf(view, available - labelWidth, narrow, manyLanes);
  const top = arcs + TOKENS_HEIGHT + 4;
  const { rows, groups, bottom } = placed(view, chosen, lanes, top, rowHeight);
  const height = bottom + 4 + SAYS_HEIGHT + (across.split ? 16 : 0);
  return {
    ...{ ...across, narrow, labelWidth, rows, groups, rowHeight, arcs, top, bottom: bottom + 4, height, manyLanes },
    ...{ hidden: chosen.hidden, total: lanes.length },
  };
}

/** The zone keeps its height while one steps, so that the rows stand still. */
function arcsHeight(view: View, narrow: boolean): number {
  const length = view.run.tokens.length;
  if (view.pair !== null) return narrow ? 22 : 70;
  return length > 20 ? 120 : length > 6 ? 88 : 70;
}

function chosenRows(view: View, lanes: readonly SharedLane[], manyLanes: boolean): Chosen {
  const { pair } = view;
  const shows = (row: number): boolean => pair === null || !view.onlyDifferences || pair.everDiffers[row];
  const hidden = lanes.filter((_, row) => !shows(row)).length;
  if (manyLanes) return { groups: [ofMany(view, lanes, shows)], hidden };
  const inA = groupsByLane(view, "a");
  const inB = groupsByLane(view, "b");
  const groups: { name: string; prefix: string; rows: number[] }[] = [];
  lanes.forEach((lane, row) => {
    if (!shows(row)) return;
    const group = lane.a >= 0 ? inA[lane.a] : inB[lane.b];
    const last = groups.at(-1);
    if (last?.name === group.name && last.prefix === group.prefix) last.rows.push(row);
    else groups.push({ ...group, rows: [row] });
  });
  return { groups, hidden };
}

function groupsByLane(view: View, side: "a" | "b"): { name: string; prefix: string }[] {
  const model = side === "a" ? view.run.model : view.beside?.model;
  if (model === undefined) return [];
  return laneGroups(model).flatMap((group) => group.lanes.map(() => ({ name: group.name, prefix: group.prefix })));
}

/** Of very many lanes: those that were searched, those around one, or those that changed most; always in lane order. */
function ofMany(view: View, lanes: readonly SharedLane[], shows: (row: number) => boolean): Chosen["groups"][number] {
  const every = upTo(lanes.length).filter(shows);
  const wanted = view.search.trim().toLowerCase();
  if (wanted !== "") {
    const found = every.filter((row) => lanes[row].name.toLowerCase().includes(wanted));
    const name = `${found.length} of ${lanes.length} lane names contain “${view.search.trim()}”`;
    const shown = found.length > MANY_LANES ? `${name}; the first ${MANY_LANES}` : name;
    return { name: shown, prefix: "", rows: found.slice(0, MANY_LANES) };
  }
  if (view.around !== null) {
    const middle = every.findIndex((row) => row >= view.around!);
    const start = Math.max(
      0,
      Math.min((middle < 0 ? every.length : middle) - SHOWN_OF_MANY / 2, every.length - SHOWN_OF_MANY),
    );
    const rows = every.slice(start, start + SHOWN_OF_MANY);
    return { name: `lanes ${rows[0]} to ${rows.at(-1)}, of ${lanes.length}`, prefix: "", rows };
  }
  const amounts = rowAmounts(view, lanes);
  const rows = [...every]
    .sort((one, other) => amounts[other] - amounts[one] || one - other)
    .slice(0, SHOWN_OF_MANY)
    .sort((one, other) => one - other);
  const how = view.pair !== null ? "differ most" : view.stage === 0 ? "are largest" : "changed most";
  return { name: `the ${rows.length} lanes that ${how}, of ${lanes.length}`, prefix: "", rows };
}

/** Return by how much each lane changed at this step, or differs between the runs, over all positions. */
function rowAmounts(view: View, lanes: readonly SharedLane[]): Float64Array {
  const amounts = new Float64Array(lanes.length);
  if (view.pair !== null) {
    const place = new Map(lanes.map((lane, row) => [lane, row]));
    for (const { lane, a, b } of view.pair.differences(view.step)) amounts[place.get(lane)!] += Math.abs(a - b);
    return amounts;
  }
  const now = view.run.stream[view.stage];
  const before = view.stage > 0 ? view.run.stream[view.stage - 1].values : null;
  now.values.forEach((value, place) => (amounts[place % now.columns] += Math.abs(value - (before?.[place] ?? 0))));
  return amounts;
}

function placed(
  view: View,
  chosen: Chosen,
  lanes: readonly SharedLane[],
  top: number,
  rowHeight: number,
): { rows: Row[]; groups: Group[]; bottom: number } {
  const writers = writersOf(view.run.model);
  const rows: Row[] = [];
  const groups: Group[] = [];
  let y = top;
  for (const group of chosen.groups) {
    groups.push({ name: group.name, y });
    y += GROUP_HEIGHT;
    for (const row of group.rows) {
      const lane = lanes[row];
      const writer = lane.a < 0 ? "B" : writers[lane.a] === null ? "" : `b${writers[lane.a]}`;
      const label = lane.name.startsWith(group.prefix) ? lane.name.slice(group.prefix.length) : lane.name;
      rows.push({ lane, shared: row, label, writer, y });
      y += rowHeight;
    }
  }
  return { rows, groups, bottom: y };
}

interface Across extends Pick<Layout, "columns" | "columnWidth" | "width" | "history" | "roomForBoth"> {
  readonly split: boolean; // cells that differ show both runs
}
const ACROSS = { history: null, roomForBoth: true, split: false };

function columnsOf(view: View, room: number, narrow: boolean, manyLanes: boolean): Across {
  if (view.pair !== null) return narrow ? splitColumns(view, view.pair, room) : pairColumns(view, view.pair, room);
  const length = view.run.tokens.length;
  const steps = view.steps.length;
  const beside = narrow || manyLanes ? null : historyBeside(view, room);
  if (beside === null && view.across === "sublayers" && steps > 1) return sublayerColumns(view, room, narrow);
  const historyRoom = beside === null ? 0 : HISTORY_GAP + beside.width * beside.steps.length;
  const columnWidth = positionWidth(
    length,
    room - historyRoom - (narrow ? 10 : beside === null ? 12 : 0),
    narrow,
    beside !== null,
  );
  const columns = upTo(length).map((position) => positionColumn(view, position, position * columnWidth, columnWidth));
  const end = length * columnWidth;
  if (beside === null) {
    return { ...ACROSS, columns, columnWidth, width: end + 12, roomForBoth: steps <= 1 };
  }
  const x = end + HISTORY_GAP;
  const more = beside.steps.map((step, n) => sublayerColumn(view, step, x + n * beside.width, beside.width));
  const width = x + beside.width * beside.steps.length + 2;
  const history = { x, width: beside.width };
  return { ...ACROSS, columns: [...columns, ...more], columnWidth, width, history };
}

/** Return the width of a position's column. Many tokens on a narrow page are drawn so that all fit. */
function positionWidth(length: number, room: number, narrow: boolean, withHistory: boolean): number {
  if (narrow && length > 20) return Math.max(3.4, room / length);
  const least = narrow ? (length > 7 ? 26 : 34) : 9;
  return Math.max(least, Math.min(withHistory ? 98 : 104, Math.floor(room / length)));
}

/** Return which sublayers fit beside the positions: all of them, or a window around the current one; null: too few. */
function historyBeside(view: View, room: number): { width: number; steps: number[] } | null {
  const every = sublayersOf(view);
  const [length, steps] = [view.run.tokens.length, every.length];
  const least = length > 5 ? 58 : 66;
  for (const width of [38, 34, 30, 26, 22]) {
    if ((room - HISTORY_GAP - width * steps) / length >= least) return { width, steps: every };
  }
  const fit = Math.floor((room - HISTORY_GAP - length * 58) / 30);
  if (fit < 5) return null;
  const here = every.filter((step) => step <= view.step).length - 1;
  const start = Math.max(0, Math.min(here - Math.floor(fit / 2), steps - fit));
  return { width: 30, steps: upTo(fit).map((n) => every[start + n]) };
}

/** Return the steps that have a column of their own: at a norm the stream is the same as before or after it. */
function sublayersOf(view: View): number[] {
  return upTo(view.steps.length).filter((step) => view.steps[step].norm === null);
}

function sublayerColumns(view: View, room: number, narrow: boolean): Across {
  const every = sublayersOf(view);
  const steps = every.length;
  const width = Math.max(narrow ? 34 : 22, Math.min(58, Math.floor((room - 10) / steps)));
  const columns = every.map((step, n) => sublayerColumn(view, step, n * width, width));
  const history = { x: 0, width };
  return { ...ACROSS, columns, columnWidth: width, width: steps * width + 10, history, roomForBoth: false };
}

function pairColumns(view: View, pair: Pair, room: number): Across {
  const [inA, inB] = [pair.a.tokens.length, pair.b.tokens.length];
  const most = Math.max(inA, inB);
  const columnWidth = Math.max(9, Math.min(104, Math.floor((room - PAIR_GAP) / (2 * most))));
  const startB = most * columnWidth + PAIR_GAP;
  const ofA = upTo(inA).map((p) => positionColumn(view, p, (p + most - inA) * columnWidth, columnWidth));
  const ofB = upTo(inB).map((p): Column => ({
    ...positionColumn(view, p, startB + (p + most - inB) * columnWidth, columnWidth),
    side: "b",
    partner: p + pair.shift >= 0,
  }));
  const width = startB + most * columnWidth;
  return { ...ACROSS, columns: [...ofA, ...ofB], columnWidth, width };
}

function splitColumns(view: View, pair: Pair, room: number): Across {
  const length = pair.a.tokens.length;
  const columnWidth = Math.max(58, Math.floor((room - 8) / length));
  const columns = upTo(length).map((p): Column => ({
    ...positionColumn(view, p, p * columnWidth, columnWidth),
    side: "both",
  }));
  return { ...ACROSS, columns, columnWidth, width: length * columnWidth + 8, split: true };
}

function positionColumn(view: View, position: number, x: number, width: number): Column {
  const partner = view.pair?.hasPartner(position) ?? true;
  return { side: "a", kind: "position", position, step: null, x, width, partner };
}

function sublayerColumn(view: View, step: number, x: number, width: number): Column {
  return { side: "a", kind: "sublayer", position: view.position, step, x, width, partner: true };
}

/** Return the stage of its own run that a column shows. */
export function stageOf(view: View, column: Column): number {
  if (column.step !== null) return view.steps[column.step].stage;
  return column.side === "b" ? view.besideStage! : view.stage;
}

/** Return where a lane of A is drawn, the middle of its row; null where it is not shown. */
export function middleOf(layout: Layout, lane: number): number | null {
  const row = layout.rows.find((each) => each.lane.a === lane);
  return row === undefined ? null : row.y + layout.rowHeight / 2;
}

/** Say whether so much of the stream changed that rings would say nothing. */
export function isNoisy(view: View): boolean {
  if (view.pair !== null) return false;
  return changesAt(view.run, view.stage) > 0.6 * view.run.stream[view.stage].values.length;
}
