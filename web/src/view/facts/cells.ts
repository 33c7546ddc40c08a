/** Reading matrices: a cell, a row, all places of a row. */

import type { Matrix } from "../../engine";

export function cell(matrix: Matrix, row: number, column: number): number {
  return matrix.values[row * matrix.columns + column];
}

/** Return a row without copying it. */
export function rowOf(matrix: Matrix, row: number): Float64Array {
  return matrix.values.subarray(row * matrix.columns, (row + 1) * matrix.columns);
}

export function columnOf(matrix: Matrix, column: number): Float64Array {
  return Float64Array.from({ length: matrix.rows }, (_, row) => cell(matrix, row, column));
}

/** Return a vector as a matrix of one row. */
export function asRow(values: Float64Array): Matrix {
  return { rows: 1, columns: values.length, values };
}

/** Return 0 … count − 1. */
export function upTo(count: number): number[] {
  const places: number[] = [];
  for (let n = 0; n < count; n++) places.push(n);
  return places;
}
