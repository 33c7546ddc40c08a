/** The engine: reads a model file and runs it, as the Python package does, bit for bit in finite arithmetics. */

import type { Matrix, Model, Run } from "./types";

export * from "./types";

/** What is wrong with a file, an input or a run, in words for the reader. */
export class EngineError extends Error {}

/** Return the model in the bytes of a .safetensors file of Weightsmith; refuse anything else. */
export function readModel(_bytes: Uint8Array): Model {
  throw new EngineError("not yet");
}

/** Return the tokens of a text: parted by spaces, or one for each letter where every token is one letter. */
export function readTokens(_model: Model, _text: string): string[] {
  throw new EngineError("not yet");
}

/** Run a model on an input. */
export function run(_model: Model, _tokens: readonly string[]): Run {
  throw new EngineError("not yet");
}

/** Return the logits of each row of a stream, (rows × classes): the final norm, the output, its bias. */
export function readOff(_model: Model, _stream: Matrix): Matrix {
  throw new EngineError("not yet");
}

/** Return ∞, the largest value of the model's arithmetic, or null for the machine's arithmetic. */
export function infinityOf(_model: Model): number | null {
  throw new EngineError("not yet");
}
