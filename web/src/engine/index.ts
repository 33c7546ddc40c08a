/** The engine: runs a model as the Python package does, bit for bit in finite arithmetics. */

export { infinityOf, readOff, readTokens, run } from "./run";
export * from "./types";
export { EngineError } from "./words";
