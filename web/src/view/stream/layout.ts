/** Where everything of the stream's picture stands: columns, rows, groups, and the zone of arcs above them. */

import type { Pair, SharedLane } from "../alignment";
import { upTo } from "../facts/cells";
import { changesAt } from "../facts/changes";
import { laneGroups, writersOf } from "../lanegroups";
import { widthOf } from "../textwidth";
import type { View } from "../view.svelte";
import { edgesOf, type Window, windowOf } from "./window";
import { type Room, sizesIn, type TypeSizes } from "./type";

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
  readonly type: TypeSizes;
  readonly labelWidth: number;
  readonly marks: number; // of it, at its right: the room for the blocks that write the lanes
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
  readonly window: Window | null; // of presenter mode: the positions that are shown; null: all
  readonly roomForBoth: boolean; // false: a switch chooses between positions and sublayers
  readonly manyLanes: boolean;
  readonly hidden: number; // how many lanes "only differences" leaves out
  readonly total: number; // how many lanes there are
}

const MANY_LANES = 64;
const SHOWN_OF_MANY = 24;
const GROUP_GAP = 6; // pixels between groups of lanes
const MARKS = 26; // for "b12"
const WIDE = 40; // pixels: columns at least as wide have gaps between them, for lines
const COLUMN_GAP = 6;
const MOST_PITCH = 111; // from a position to the next
const BESIDE_PITCH = 84; // the same, at least, where the sublayers of a position stand beside them
const HISTORY_GAP = 34;
const PAIR_GAP = 22;
const LEAST_ROW = 17; // pixels, of presenter mode

/** The rows before they have a place: which lanes are shown, in groups. */
interface Chosen {
  readonly groups: readonly { readonly name: string; readonly prefix: string; readonly rows: readonly number[] }[];
  readonly hidden: number;
}

export function sharedLanesOf(view: View): readonly SharedLane[] {
  return view.pair?.lanes ?? view.run.model.lanes.map((name, lane) => ({ name, a: lane, b: -1 }));
}

/** Return the layout for a room, the labels included. */
export function layoutOf(view: View, room: Room): Layout {
  const { narrow } = room;
  const type = sizesIn(room);
  const lanes = sharedLanesOf(view);
  const arcs = arcsHeight(view, room);
  const ruler = view.run.tokens.length > 20 ? 12 : 0;
  const top = arcs + Math.round(type.token * 1.5) + ruler;
  const says = Math.round(type.answer * 1.6);
  const most = room.height === null ? MANY_LANES : Math.floor((room.height - top - says - 4 * GROUP_GAP) / LEAST_ROW);
  const manyLanes = lanes.length > Math.max(1, most);
  const chosen = chosenRows(view, lanes, manyLanes, room.height === null ? SHOWN_OF_MANY : Math.max(1, most));
  const rowHeight = heightOfRows(chosen, room, top + says);
  const withOverview = manyLanes && room.height === null;
  const { marks, width } = labelsOf(view, chosen, lanes, type, narrow || room.height !== null || manyLanes);
  const labelWidth =
    Math.min(narrow ? 104 : Math.max(104, Math.min(222, 0.4 * room.width)), width) + (withOverview ? 34 : 0);
  const across = columnsOf(view, room.width - labelWidth, narrow, manyLanes, room.height !== null);
  const { rows, groups, bottom } = placed(view, chosen, lanes, top, rowHeight);
  const height = bottom + 4 + says + (across.split ? 16 : 0);
  return {
    ...{ ...across, narrow, type, labelWidth, marks, rows, groups, rowHeight, arcs, top, bottom: bottom + 4, height },
    ...{ manyLanes, hidden: chosen.hidden, total: lanes.length },
  };
}

/** Return the height of a row: on a screen all rows fit, at the desk few are higher than many. */
function heightOfRows(chosen: Chosen, room: Room, other: number): number {
  const count = chosen.groups.reduce((sum, group) => sum + group.rows.length, 0);
  if (room.height === null) return count <= 18 ? (room.narrow ? 22 : 19) : 18;
  const left = room.height - other - 8 - GROUP_GAP * (chosen.groups.length - 1);
  return Math.max(LEAST_ROW, Math.min(32, Math.floor((10 * left) / Math.max(1, count)) / 10));
}

/** Return how wide the names of lanes are with their groups before them, and of that the marks of blocks. */
function labelsOf(
  view: View,
  chosen: Chosen,
  lanes: readonly SharedLane[],
  type: TypeSizes,
  unmarked: boolean,
): { marks: number; width: number } {
  const writers = writersOf(view.run.model);
  const rows = chosen.groups.flatMap((group) =>
    group.rows.map((row, n) => ({ group, lane: lanes[row], first: n === 0 })),
  );
  const marked = !unmarked && rows.some(({ lane }) => lane.a < 0 || writers[lane.a] !== null);
  const widths = rows.map(({ group, lane, first }) => {
    const label = widthOf(labelOf(lane, group.prefix), type.lane);
    return first && group.name !== "" ? label + 12 + widthOf(group.name, type.least) : label;
  });
  const marks = marked ? MARKS : 0;
  return { marks, width: Math.ceil(Math.max(96, ...widths)) + 14 + marks };
}

const labelOf = (lane: SharedLane, prefix: string): string =>
  lane.name.startsWith(prefix) ? lane.name.slice(prefix.length) : lane.name;

/** The zone keeps its height while one steps, so that the rows stand still. */
function arcsHeight(view: View, { narrow, height }: Room): number {
  const length = view.run.tokens.length;
  if (view.pair !== null) return narrow ? 22 : 70;
  if (height !== null) return length > 20 ? 90 : 66;
  return length > 20 ? 120 : length > 6 ? 88 : 70;
}

function chosenRows(view: View, lanes: readonly SharedLane[], manyLanes: boolean, most: number): Chosen {
  const { pair } = view;
  const shows = (row: number): boolean => pair === null || !view.onlyDifferences || pair.everDiffers[row];
  const hidden = lanes.filter((_, row) => !shows(row)).length;
  if (manyLanes) return { groups: [ofMany(view, lanes, shows, most)], hidden };
  const wanted = view.search.trim().toLowerCase();
  const inA = groupsByLane(view, "a");
  const inB = groupsByLane(view, "b");
  const groups: { name: string; prefix: string; rows: number[] }[] = [];
  lanes.forEach((lane, row) => {
    if (!shows(row) || !lane.name.toLowerCase().includes(wanted)) return;
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
function ofMany(
  view: View,
  lanes: readonly SharedLane[],
  shows: (row: number) => boolean,
  most: number,
): Chosen["groups"][number] {
  const every = upTo(lanes.length).filter(shows);
  const wanted = view.search.trim().toLowerCase();
  if (wanted !== "") {
    const found = every.filter((row) => lanes[row].name.toLowerCase().includes(wanted));
    const name = `${found.length} of ${lanes.length} lane names contain “${view.search.trim()}”`;
    const limit = Math.max(most, MANY_LANES);
    const shown = found.length > limit ? `${name}; the first ${limit}` : name;
    return { name: shown, prefix: "", rows: found.slice(0, limit) };
  }
  if (view.around !== null) {
    const middle = every.findIndex((row) => row >= view.around!);
    const start = Math.max(
      0,
      Math.min((middle < 0 ? every.length : middle) - Math.floor(most / 2), every.length - most),
    );
    const rows = every.slice(start, start + most);
    return { name: `lanes ${rows[0]} to ${rows.at(-1)}, of ${lanes.length}`, prefix: "", rows };
  }
  const amounts = rowAmounts(view, lanes);
  const rows = [...every]
    .sort((one, other) => amounts[other] - amounts[one] || one - other)
    .slice(0, most)
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
    if (groups.length > 0) y += GROUP_GAP;
    groups.push({ name: group.name, y });
    for (const row of group.rows) {
      const lane = lanes[row];
      const writer = lane.a < 0 ? "B" : writers[lane.a] === null ? "" : `b${writers[lane.a]}`;
      rows.push({ lane, shared: row, label: labelOf(lane, group.prefix), writer, y });
      y += rowHeight;
    }
  }
  return { rows, groups, bottom: y };
}

interface Across extends Pick<Layout, "columns" | "columnWidth" | "width" | "history" | "window" | "roomForBoth"> {
  readonly split: boolean; // cells that differ show both runs
}
const ACROSS = { history: null, window: null, roomForBoth: true, split: false };

function columnsOf(view: View, room: number, narrow: boolean, manyLanes: boolean, alone: boolean): Across {
  if (view.pair !== null) return narrow ? splitColumns(view, view.pair, room) : pairColumns(view, view.pair, room);
  const steps = view.steps.length;
  const window = alone ? windowOf(view, room - 12) : null;
  const length = window?.count ?? view.run.tokens.length;
  const beside = narrow || manyLanes || alone ? null : historyBeside(view, room);
  if (beside === null && view.across === "sublayers" && steps > 1 && !alone) return sublayerColumns(view, room, narrow);
  const historyRoom = beside === null ? 0 : HISTORY_GAP + beside.width * beside.steps.length;
  const edges = window === null ? 0 : edgesOf(window);
  const pitch = positionWidth(length, room - edges - historyRoom - (narrow ? 10 : beside === null ? 12 : 0), narrow);
  const columnWidth = pitch >= WIDE ? pitch - COLUMN_GAP : pitch;
  const [first, start] = [window?.first ?? 0, window?.start ?? 0];
  const columns = upTo(length).map((n) => positionColumn(view, first + n, start + n * pitch, columnWidth));
  const end = edges + length * pitch;
  if (beside === null) {
    return { ...ACROSS, columns, columnWidth, width: end + 12, window, roomForBoth: steps <= 1 || alone };
  }
  const x = end + HISTORY_GAP;
  const more = beside.steps.map((step, n) => sublayerColumn(view, step, x + n * beside.width, beside.width));
  const width = x + beside.width * beside.steps.length + 2;
  const history = { x, width: beside.width };
  return { ...ACROSS, columns: [...columns, ...more], columnWidth, width, history };
}

/** Return how far apart columns of positions are. Many tokens on a narrow page are drawn so that all fit. */
function positionWidth(length: number, room: number, narrow: boolean): number {
  if (narrow && length > 20) return Math.max(3.4, room / length);
  const least = narrow ? (length > 7 ? 26 : 40) : 9;
  return Math.max(least, Math.min(MOST_PITCH, Math.floor(room / length)));
}

/** Return which sublayers fit beside the positions: all of them, or a window around the current one; null: too few. */
function historyBeside(view: View, room: number): { width: number; steps: number[] } | null {
  const every = sublayersOf(view);
  const [length, steps] = [view.run.tokens.length, every.length];
  for (const width of [46, 42]) {
    if ((room - HISTORY_GAP - width * steps) / length >= BESIDE_PITCH) return { width, steps: every };
  }
  const fit = Math.floor((room - HISTORY_GAP - length * BESIDE_PITCH) / 42);
  if (fit < 5) return null;
  const here = every.filter((step) => step <= view.step).length - 1;
  const start = Math.max(0, Math.min(here - Math.floor(fit / 2), steps - fit));
  return { width: 42, steps: upTo(fit).map((n) => every[start + n]) };
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
  const pitch = Math.max(9, Math.min(MOST_PITCH, Math.floor((room - PAIR_GAP) / (2 * most))));
  const columnWidth = pitch >= WIDE ? pitch - COLUMN_GAP : pitch;
  const startB = most * pitch + PAIR_GAP;
  const ofA = upTo(inA).map((p) => positionColumn(view, p, (p + most - inA) * pitch, columnWidth));
  const ofB = upTo(inB).map((p): Column => ({
    ...positionColumn(view, p, startB + (p + most - inB) * pitch, columnWidth),
    side: "b",
    partner: p + pair.shift >= 0,
  }));
  const width = startB + most * pitch;
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
