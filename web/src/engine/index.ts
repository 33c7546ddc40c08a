/** The engine: runs a model as the Python package does, bit for bit in finite arithmetics. */

export { seenAhead } from "./attention";
export { codesOf, decided, outputs, readOff, saidIn } from "./readout";
export { checkedTokens, hasLetters, infinityOf, isKnown, readTokens, run, splitText, UnknownToken } from "./run";
export * from "./types";
export { EngineError, reason } from "./words";
