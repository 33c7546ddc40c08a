/** The engine: reads a model file and runs it, as the Python package does, bit for bit in finite arithmetics. */

export { readModel } from "./codec";
export { infinityOf, readOff, readTokens, run } from "./run";
export * from "./types";
export { EngineError } from "./words";
