/** The engine: runs a model as the Python package does, bit for bit in finite arithmetics. */

export { seenAhead } from "./attention";
export { checkedInput, type ChainModel, ChainWalk, isChain, runChain, splitInput } from "./chain";
export { type Choosing, continuesTexts, fallsOn, generate, GREEDY, type Lot, lotOf, ranked } from "./generate";
export { Growth } from "./growth";
export { drawn, Random } from "./random";
export { codesOf, decided, outputs, readOff, saidIn } from "./readout";
export { checkedTokens, hasLetters, infinityOf, isKnown, mostTokens, readTokens, run, splitText } from "./run";
export { UnknownToken } from "./run";
export * from "./types";
export { EngineError, reason } from "./words";
