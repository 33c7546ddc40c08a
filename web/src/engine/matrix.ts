/** Rows of numbers. */

import type { Arithmetic } from "./arithmetic";
import type { Matrix } from "./types";

/** Return a matrix of zeros. */
export const matrix = (rows: number, columns: number): Matrix => ({
  rows,
  columns,
  values: new Float64Array(rows * columns),
});

/** Return W x ⊕ b for each row x of a matrix: a dot product for each row of W. */
export function product(A: Arithmetic, W: Matrix, x: Matrix, b: Float64Array | null = null): Matrix {
  const result = matrix(x.rows, W.rows);
  const columns = transposed(x).values;
  const totals = new Float64Array(x.rows);
  for (let r = 0; r < W.rows; r++) {
    totals.fill(0);
    for (let c = 0; c < W.columns; c++) {
      const weight = W.values[r * W.columns + c]; // the machine's arithmetic may overflow, and 0 times that is not 0
      if (weight !== 0 || A.native) A.accumulate(totals, weight, columns, c * x.rows, x.rows);
    }
    for (let i = 0; i < x.rows; i++) {
      result.values[i * W.rows + r] = b === null ? totals[i] + 0 : A.nearestSum(totals[i] + b[r]);
    }
  }
  return result;
}

/** Return a matrix whose rows are the columns. */
export function transposed(x: Matrix): Matrix {
  const result = matrix(x.columns, x.rows);
  for (let i = 0; i < x.rows; i++) {
    for (let j = 0; j < x.columns; j++) result.values[j * x.rows + i] = x.values[i * x.columns + j];
  }
  return result;
}

/** Return x ⊕ y, for matrices of one shape, or for a row y that is added to every row. */
export function sum(A: Arithmetic, x: Matrix, y: Float64Array): Matrix {
  const result = matrix(x.rows, x.columns);
  for (let n = 0; n < x.values.length; n++) result.values[n] = A.nearestSum(x.values[n] + y[n % y.length]);
  return result;
}

/** Return the rows of one matrix, then those of another. */
export function below(x: Matrix, y: Matrix): Matrix {
  const values = new Float64Array(x.values.length + y.values.length);
  values.set(x.values);
  values.set(y.values, x.values.length);
  return { rows: x.rows + y.rows, columns: y.columns, values };
}
