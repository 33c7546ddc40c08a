/** What a chain writes with the changes: at every step the run is changed before it decides on the next token. */

import { type Change, changedAgain, ChainWalk, EngineError, isChain, reason, run, type Run } from "../../engine";

const MOST_TOKENS = 256; // that are written with changes
const AT_ONCE = 250; // milliseconds

/** The tokens that a chain writes with changes. */
export interface WrittenWith {
  readonly generated: readonly string[];
  readonly answer: readonly string[] | null;
  readonly problem: string | null; // why there is no answer, in words
}

/** Return what a chain writes with changes; null for a model that is none. */
export function writtenWith(known: Run, tokens: readonly string[], changes: readonly Change[]): WrittenWith | null {
  const { model } = known;
  if (!isChain(model)) return null;
  const taken = changes.find(({ kind }) => kind === "take" || kind === "carried");
  if (taken !== undefined) {
    const problem = "a value of another run is taken at this length of the text alone, so the chain does not write on";
    return { generated: [], answer: null, problem };
  }
  const walk = new ChainWalk(model, tokens, (text) => changedAgain(run(model, text), there(changes, text.length)));
  const end = performance.now() + AT_ONCE;
  try {
    walk.finish(() => walk.generated.length < MOST_TOKENS && performance.now() < end);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { generated: walk.generated, answer: null, problem: reason(error) };
  }
  const problem = walk.over ? walk.problem : `only the first ${walk.generated.length} tokens are shown`;
  return { generated: walk.generated, answer: walk.answer, problem };
}

/** Return the changes that a text has positions for; the others are made when it is long enough. */
function there(changes: readonly Change[], length: number): Change[] {
  return changes.flatMap((change): Change[] => {
    if (change.kind === "set") return change.position < length ? [change] : [];
    if (change.kind !== "off" || change.positions === null) return [change];
    const positions = change.positions.filter((position) => position < length);
    return positions.length === 0 ? [] : [{ ...change, positions }];
  });
}
