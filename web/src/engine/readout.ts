/** The output of a model at each position: the decided class, or the value of the code in the lanes of a readout. */

import { finite, normed } from "./layers";
import { matrix, product } from "./matrix";
import { remembered } from "./remembered";
import type { Entry, Matrix, Model, Readout, Run, Value } from "./types";
import { EngineError, general, listed, NAME_ECHO, named } from "./words";

const NEAREST = 3; // entries that an error shows
const tableOf = remembered(({ entries }: Readout) => new Map(entries.map((entry) => [entry.code.join(), entry])));

/** Return the logits of each row of a stream, (rows × classes): the final norm, the output, its bias. */
export function readOff(model: Model, stream: Matrix): Matrix {
  const { arithmetic: A } = model;
  const last = normed(A, model.final_norm, stream, model.lanes, "final norm");
  return finite(A, product(A, model.output, last, model.output_bias), "output");
}

/** Return what the lanes of a readout hold in each row of a stream, after the final norm. */
export function codesOf(model: Model, readout: Readout, stream: Matrix): Matrix {
  const last = normed(model.arithmetic, model.final_norm, stream, model.lanes, "final norm");
  const places = readout.lanes.map((lane) => model.lanes.indexOf(lane));
  const codes = matrix(stream.rows, places.length);
  for (let row = 0; row < stream.rows; row++) {
    places.forEach((lane, n) => (codes.values[row * places.length + n] = last.values[row * last.columns + lane]));
  }
  return codes;
}

const codeAt = (codes: Matrix, row: number): number[] =>
  Array.from(codes.values.subarray(row * codes.columns, (row + 1) * codes.columns));

/** Return the entry of a code: never that of the nearest. */
function entryOf(readout: Readout, code: readonly number[]): Entry | undefined {
  return tableOf(readout).get(code.map((x) => x + 0).join());
}

/** Return the first of the largest logits. */
export function decided(logits: Float64Array): number {
  return logits.reduce((best, logit, place) => (logit > logits[best] ? place : best), 0);
}

/** Return the value of the code in the only row of a stream; undefined for a code without one. */
export function valueIn(model: Model, readout: Readout, row: Matrix): Value | undefined {
  return entryOf(readout, codeAt(codesOf(model, readout, row), 0))?.value;
}

/** Return the output of each row of a stream as text; "?" for a code without a value. */
export function saidIn(model: Model, stream: Matrix): string[] {
  const { readout } = model;
  if (readout !== null) {
    const codes = codesOf(model, readout, stream);
    return Array.from({ length: stream.rows }, (_, row) => entryOf(readout, codeAt(codes, row))?.text ?? "?");
  }
  const logits = readOff(model, stream);
  return Array.from({ length: stream.rows }, (_, row) => {
    return model.classes[decided(logits.values.subarray(row * logits.columns, (row + 1) * logits.columns))];
  });
}

/** Return the outputs of a run; refuse a code without a value. */
export function outputs(run: Run): Value[] {
  const { model } = run;
  const last = run.stream[run.stream.length - 1];
  const { readout } = model;
  if (readout === null) return saidIn(model, last);
  const codes = codesOf(model, readout, last);
  return Array.from({ length: last.rows }, (_, row) => {
    const code = codeAt(codes, row);
    const entry = entryOf(readout, code);
    if (entry === undefined) throw new EngineError(noValue(readout, row, code));
    return entry.value;
  });
}

function noValue(readout: Readout, position: number, code: readonly number[]): string {
  const far = (entry: Entry): number => entry.code.reduce((sum, x, n) => sum + Math.abs(x - code[n]), 0);
  const near = [...readout.entries].sort((a, b) => far(a) - far(b)).slice(0, NEAREST);
  const nearest = near.map((entry) => `${codeText(entry.code)} for ${entry.text}`).join("; ");
  const { lanes } = readout;
  const held = lanes.length === 1 ? `lane ${named(lanes[0])} holds` : `lanes ${listed(lanes)} hold`;
  return (
    `position ${position}: the ${held} ${codeText(code)}, which is not in the table of the readout; the nearest of ` +
    `its ${readout.entries.length} codes: ${nearest}. Add the code to the table, or correct the weights`
  );
}

/** Return a code as it is shown: one number, or several in brackets. */
function codeText(code: readonly number[]): string {
  const numbers = code.map((x) => general(x, 10));
  if (numbers.length === 1) return numbers[0];
  const text = `(${numbers.join(", ")})`;
  return text.length <= NAME_ECHO ? text : text.slice(0, NAME_ECHO - 1) + "…";
}
