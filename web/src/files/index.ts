/** Model files: read with suspicion, with the refusals of the Python package. */

export { parseArithmetic } from "./arithmetic";
export { readModel } from "./codec";
