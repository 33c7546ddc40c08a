/** Where the parts of a circuit stand, and the lines between them: to the right, or down where there is little width. */

import type { Model } from "../../engine";
import { type Edge, edgeName, type Part, stageOf } from "./circuit";
import { placed, type Point } from "./layered";

export type Flow = "right" | "down";

/** A part as a box. */
export interface Box {
  readonly part: Part;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An edge as a line. */
export interface Line {
  readonly edge: Edge;
  readonly key: string;
  readonly path: string;
}

/** The sublayer of a column of parts. */
export interface Title {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface Drawn {
  readonly flow: Flow;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly titles: readonly Title[];
  readonly width: number;
  readonly height: number;
}

export const PORT = 20; // pixels across an input of a head
export const NAMES = { embed: "tokens", pos_embed: "positions", mlp: "feed-forward", unembed: "answer" } as const;
const HEAD = 54; // along the flow
const [OTHER, LETTER] = [30, 7.4];
const BEND = 12; // what a line needs in a column that it passes
const [GAP, LEAST_STEP, MOST_STEP] = [16, 46, 130];
const BESIDE = 4; // between lines to several inputs of a head
const TITLE = { right: 24, down: 32 }; // pixels for the names of columns: above them, or beside
const MARGIN = 4;
const PORTS = ["q", "k", "v"];

/** Return the sizes of a part along the flow and across it. */
function sizeOf({ kind }: Part, flow: Flow): readonly [along: number, across: number] {
  if (kind === "head") return [flow === "right" ? HEAD : 46, 3 * PORT];
  const text = Math.round(LETTER * NAMES[kind].length + 18);
  return flow === "right" ? [text, OTHER] : [OTHER, text];
}

/** Draw edges and their ends, to the right where that fits into a width, else down. */
export function drawnIn(model: Model, edges: readonly Edge[], width: number): Drawn {
  const right = drawn(model, edges, "right", width);
  if (right.width <= width) return right;
  const down = drawn(model, edges, "down", width);
  return down.width <= width || down.width < right.width ? down : right;
}

interface Placed {
  readonly point: Point;
  readonly part: Part;
  readonly along: number;
}

function drawn(model: Model, edges: readonly Edge[], flow: Flow, width: number): Drawn {
  const parts = new Map(edges.flatMap(({ from, to }) => [from, to]).map((part) => [part.name, part]));
  const stages = [...new Set([...parts.values()].map((part) => stageOf(model, part)))].sort((a, b) => a - b);
  const nodes = new Map<string, Placed>();
  const inOrder = [...parts.values()].sort((a, b) => stageOf(model, a) - stageOf(model, b) || a.index - b.index);
  for (const part of inOrder) {
    const [along, size] = sizeOf(part, flow);
    nodes.set(part.name, { part, along, point: { column: stages.indexOf(stageOf(model, part)), size } });
  }
  const ways = new Map<string, readonly Point[]>();
  for (const { from, to } of edges) {
    const [first, last] = [nodes.get(from.name)!.point, nodes.get(to.name)!.point];
    const bends = Array.from({ length: last.column - first.column - 1 }, (_, n) => ({
      ...{ column: first.column + 1 + n, size: BEND },
    }));
    const key = `${from.name} ${to.name}`;
    if (!ways.has(key)) ways.set(key, [first, ...bends, last]);
  }
  const points = [
    ...[...nodes.values()].map(({ point }) => point),
    ...[...ways.values()].flatMap((w) => w.slice(1, -1)),
  ];
  const pieces = [...ways.values()].flatMap((way) => way.slice(1).map((point, n) => [way[n], point] as const));
  const middles = placed(points, pieces, GAP);
  const columns = columnsOf(stages.length, [...nodes.values()], flow, width);
  const top = TITLE[flow] + MARGIN;
  const place = (along: number, across: number): readonly [number, number] =>
    flow === "right" ? [along, across + top] : [across + top, along];

  const boxes = [...nodes.values()].map(({ part, point, along }): Box => {
    const [x, y] = place(columns[point.column].start, middles.get(point)! - point.size / 2);
    const [w, h] = flow === "right" ? [along, point.size] : [point.size, along];
    return { part, x, y, width: w, height: h };
  });
  const lines = edges.map((edge): Line => {
    const way = ways.get(`${edge.from.name} ${edge.to.name}`)!;
    const port = PORTS.indexOf(edge.input);
    const aside = port < 0 ? 0 : (port - 1) * BESIDE;
    const source = nodes.get(edge.from.name)!;
    let at: readonly [number, number] = [columns[way[0].column].start + source.along, middles.get(way[0])! + aside];
    let path = `M${place(...at).join(" ")}`;
    way.slice(1).forEach((point, n) => {
      const isEnd = n === way.length - 2;
      const { start, end } = columns[point.column];
      const across = middles.get(point)! + (isEnd && port >= 0 ? (port - 1) * PORT : isEnd ? 0 : aside);
      const half = (at[0] + start) / 2;
      path += `C${[place(half, at[1]), place(half, across), place(start, across)].flat().join(" ")}`;
      if (!isEnd) path += `L${place(end, across).join(" ")}`;
      at = [end, across];
    });
    return { edge, key: edgeName(edge), path };
  });
  const across = Math.max(0, ...points.map((point) => middles.get(point)! + point.size / 2));
  const far = columns.at(-1)?.end ?? 0;
  const titles = stages.map((stage, c): Title => {
    const again = flow === "right" && stage > 1 && stages[c - 1] === stage - 1 && stage % 2 === 0; // of the same block
    const text = again ? "" : titleOf(model, stage, flow);
    const { start, end } = columns[c];
    return flow === "right" ? { text, x: start, y: 15 } : { text, x: 0, y: (start + end) / 2 + 4.5 };
  });
  const titleEnd = Math.max(0, ...titles.map(({ x, text }) => x + 6.6 * text.length));
  return {
    ...{ flow, boxes, lines, titles },
    width: Math.ceil(Math.max(flow === "right" ? far : across + top, titleEnd) + MARGIN),
    height: Math.ceil((flow === "right" ? across + top : far) + MARGIN),
  };
}

/** Return where each column begins and ends along the flow: as far apart as the width allows. */
function columnsOf(
  count: number,
  nodes: readonly Placed[],
  flow: Flow,
  width: number,
): readonly { readonly start: number; readonly end: number }[] {
  const sizes = Array.from({ length: count }, (_, c) =>
    Math.max(0, ...nodes.filter(({ point }) => point.column === c).map(({ along }) => along)),
  );
  const free = (width - 2 * MARGIN - sizes.reduce((sum, size) => sum + size, 0)) / Math.max(1, count - 1);
  const step = flow === "down" ? LEAST_STEP : Math.max(LEAST_STEP, Math.min(MOST_STEP, Math.floor(free)));
  let at = MARGIN;
  return sizes.map((size) => {
    const start = at;
    at += size + step;
    return { start, end: start + size };
  });
}

function titleOf(model: Model, stage: number, flow: Flow): string {
  const [isStart, isEnd] = [stage === 0, stage > 2 * model.blocks.length];
  const block = Math.floor((stage - 1) / 2);
  if (flow === "down") return isStart || isEnd ? "" : `b${block}`;
  return isStart ? "start" : isEnd ? "end" : `block ${block}`;
}
