/** The engine: runs a model as the Python package does, bit for bit in finite arithmetics. */

export { type Sight, sightOf } from "./attention";
export { type Change, changed, changedAgain, checkedValue, laneNamed, missingPart, type Part } from "./changes";
export { partNamed, partOff, partText, plainChanges, type PlainChanges } from "./changes";
export { type CarriedChange, carriedChanges } from "./carried";
export { checkedInput, type ChainModel, ChainWalk, isChain, runChain, splitInput } from "./chain";
export { type Choosing, continuesTexts, fallsOn, generate, GREEDY, type Lot, lotOf, ranked } from "./generate";
export { Growth } from "./growth";
export { drawn, Random } from "./random";
export { codesOf, decided, outputs, readOff, saidIn } from "./readout";
export {
  checkedTokens,
  hasLetters,
  infinityOf,
  isKnown,
  mostTokens,
  readTokens,
  run,
  runAgain,
  splitText,
} from "./run";
export { UnknownToken } from "./run";
export { isHeadOff } from "./swaps";
export * from "./types";
export { EngineError, reason } from "./words";
