/**
 * A text that grows by one token a step. By definition a step is a run of the whole text. A causal model keeps the keys
 * and values of the positions before, and computes one position a step; the numbers are the same.
 */

import { checkedTokens, type Past, run, runAfter } from "./run";
import type { Model, Run } from "./types";

export class Growth {
  readonly tokens: string[] = [];
  private past: Past | null = null;

  constructor(readonly model: Model) {}

  /** Add tokens; return the run of the last positions, or of all under a full mask. */
  append(tokens: readonly string[]): Run {
    const first = this.tokens.length;
    const text = checkedTokens(this.model, [...this.tokens, ...tokens]);
    if (this.model.mask !== "causal") {
      this.tokens.push(...tokens);
      return run(this.model, text);
    }
    const found = runAfter(this.model, text, first, this.past);
    this.past = found.heads;
    this.tokens.push(...tokens);
    return found;
  }
}
