/** Every matrix of a model, with names for its rows and columns, so that a construction can be read off. */

import type { Attention, FeedForward, Head, Matrix, Model, Norm, Readout } from "../../engine";
import { transposed } from "../../engine/matrix";
import { upTo } from "./cells";
import { timesTransposed } from "./moved";
import { neuronName } from "./neurons";
import { addedPosition } from "./reading";
import { tokenText } from "./tokens";

/** A matrix to look at. A bias stands beside its matrix as a last column. */
export interface NamedMatrix {
  readonly id: string; // "block 0 head 1 W_Q": it can stand in an address
  readonly group: string; // under which it is listed
  readonly title: string;
  readonly reading: string; // what a row and a column are
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly exact: boolean; // false: a product in float64, which no run computes
  readonly values: () => Matrix;
}

/** Return the matrices of a model in the order in which a run meets them. */
export function matricesOf(model: Model): NamedMatrix[] {
  return [
    ...startMatrices(model),
    ...model.blocks.flatMap((block, b) => [
      ...normMatrices(model, block.attention_norm, `block ${b}`, "attention norm"),
      ...(block.attention === null ? [] : attentionMatrices(model, block.attention, b)),
      ...normMatrices(model, block.feed_forward_norm, `block ${b}`, "feed-forward norm"),
      ...(block.feed_forward === null ? [] : feedForwardMatrices(model, block.feed_forward, b)),
    ]),
    ...normMatrices(model, model.final_norm, "end", "final norm"),
    model.readout === null ? outputMatrix(model) : readoutMatrix(model.readout),
  ];
}

const outputMatrix = (model: Model): NamedMatrix =>
  named("end", "output", "a class reads lanes", model.classes, model.lanes, () => model.output, model.output_bias);

function readoutMatrix({ lanes, entries }: Readout): NamedMatrix {
  const codes = () => ({
    rows: entries.length,
    columns: lanes.length,
    values: Float64Array.from(entries.flatMap(({ code }) => code)),
  });
  const values = entries.map(({ text }) => text);
  return named("end", "readout", "a code in these lanes stands for a value", values, lanes, codes);
}

function startMatrices(model: Model): NamedMatrix[] {
  const tokens = model.vocabulary.map(tokenText);
  const reading = model.tied ? "a token writes lanes; transposed it is the output" : "a token writes lanes";
  const embedding = named("start", "embedding", reading, tokens, model.lanes, () => model.embedding);
  const scheme = model.added_positions;
  if (scheme === null) return [embedding];
  const length = scheme.kind === "Table" ? scheme.values.rows : Math.min(scheme.max_length, MOST_POSITIONS);
  const table = () => (scheme.kind === "Table" ? scheme.values : sinusoids(model, length));
  return [embedding, named("start", "positions", "a position writes lanes", numbered("", length), model.lanes, table)];
}

const MOST_POSITIONS = 64; // of sines and cosines, which go on for as long as one likes

function sinusoids(model: Model, length: number): Matrix {
  const rows = upTo(length).flatMap((position) => Array.from(addedPosition(model, position)!));
  return { rows: length, columns: model.lanes.length, values: Float64Array.from(rows) };
}

function attentionMatrices(model: Model, attention: Attention, b: number): NamedMatrix[] {
  const heads = attention.heads.flatMap((head, h) => headMatrices(model, head, `block ${b} head ${h}`));
  const bias = attention.b_O;
  const column = () => ({ rows: model.lanes.length, columns: 1, values: bias! });
  return bias === null
    ? heads
    : [...heads, named(`block ${b}`, "b_O", "what attention adds besides its heads", model.lanes, ["b_O"], column)];
}

function headMatrices(model: Model, head: Head, group: string): NamedMatrix[] {
  const { lanes } = model;
  const [keys, values] = [head.W_Q.rows, head.W_V.rows];
  const meeting = () => timesTransposed(transposed(head.W_Q), transposed(head.W_K));
  const writing = () => timesTransposed(head.W_O, transposed(head.W_V));
  const matrices = [
    named(group, "W_Q", "a query coordinate reads lanes", numbered("q", keys), lanes, () => head.W_Q, head.b_Q),
    named(group, "W_K", "a key coordinate reads lanes", numbered("k", keys), lanes, () => head.W_K, head.b_K),
    named(group, "W_V", "a value coordinate reads lanes", numbered("v", values), lanes, () => head.W_V, head.b_V),
    named(group, "W_O", "a lane is written from the value", lanes, numbered("v", values), () => head.W_O),
    { ...named(group, "W_Qᵀ W_K", "a lane of the query meets a lane of the key", lanes, lanes, meeting), exact: false },
    { ...named(group, "W_O W_V", "a lane is written from a lane that is read", lanes, lanes, writing), exact: false },
  ];
  const scheme = head.positions;
  if (scheme?.kind !== "Relative") return matrices;
  const distances = numbered("distance ", scheme.keys.rows);
  matrices.push(
    named(group, "keys by distance", "a distance adds to the key", distances, numbered("k", keys), () => scheme.keys),
  );
  return matrices;
}

function feedForwardMatrices(model: Model, layer: FeedForward, b: number): NamedMatrix[] {
  const neurons = upTo(layer.W_1.rows).map((neuron) => neuronName(layer, neuron));
  const group = `block ${b} feed-forward`;
  const matrices = [
    named(group, "W_1", "a neuron's key reads lanes", neurons, model.lanes, () => layer.W_1, layer.b_1),
    named(group, "W_2", "a lane is written by neurons", model.lanes, neurons, () => layer.W_2, layer.b_2),
  ];
  if (layer.W_3 === null) return matrices;
  const gate = layer.W_3;
  return [...matrices, named(group, "W_3", "a neuron's gate reads lanes", neurons, model.lanes, () => gate, layer.b_3)];
}

function normMatrices(model: Model, norm: Norm | null, group: string, title: string): NamedMatrix[] {
  if (norm === null || (norm.gain === null && norm.bias === null)) return [];
  const lanes = norm.lanes ?? model.lanes;
  const rows = [norm.gain, norm.bias].filter((row) => row !== null);
  const names = [norm.gain === null ? "" : "gain", norm.bias === null ? "" : "bias"].filter(Boolean);
  const values = () => ({
    rows: rows.length,
    columns: lanes.length,
    values: Float64Array.from(rows.flatMap((row) => Array.from(row))),
  });
  return [named(group, title, "times the gain, plus the bias", names, lanes, values)];
}

function named(
  group: string,
  title: string,
  reading: string,
  rows: readonly string[],
  columns: readonly string[],
  values: () => Matrix,
  bias: Float64Array | null = null,
): NamedMatrix {
  const hasBias = bias !== null && bias.some((value) => value !== 0);
  return {
    id: group === "start" || group === "end" ? title : `${group} ${title}`,
    group,
    title,
    reading,
    rows,
    columns: hasBias ? [...columns, "bias"] : columns,
    exact: true,
    values: hasBias ? () => withColumn(values(), bias) : values,
  };
}

function withColumn(matrix: Matrix, column: Float64Array): Matrix {
  const columns = matrix.columns + 1;
  const values = new Float64Array(matrix.rows * columns);
  for (let row = 0; row < matrix.rows; row++) {
    values.set(matrix.values.subarray(row * matrix.columns, (row + 1) * matrix.columns), row * columns);
    values[row * columns + matrix.columns] = column[row];
  }
  return { rows: matrix.rows, columns, values };
}

function numbered(prefix: string, many: number): string[] {
  return upTo(many).map((n) => `${prefix}${n}`);
}

/** Return the rows or columns of a matrix that have something other than 0. */
export function notAllZero(matrix: Matrix): { rows: number[]; columns: number[] } {
  const [rows, columns] = [new Set<number>(), new Set<number>()];
  matrix.values.forEach((value, n) => {
    if (value === 0) return;
    rows.add(Math.floor(n / matrix.columns));
    columns.add(n % matrix.columns);
  });
  const inOrder = (places: Set<number>) => [...places].sort((a, b) => a - b);
  return { rows: inOrder(rows), columns: inOrder(columns) };
}
