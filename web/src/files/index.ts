/** Model files: read with suspicion, with the refusals of the Python package. */

export { readModel } from "./codec";
