/** Where two runs part. */

import type { Pair } from "./alignment";
import { decisionAt } from "./facts/lens";

/**
 * Return the step of the first difference. Of two inputs of one model, which differ from the start, return the step
 * from which their decisions differ to the end, if they do.
 */
export function partingStep({ a, b, steps, first }: Pair): number {
  const start = first?.step ?? steps.length - 1;
  if (a.model !== b.model) return start;
  const differs = ({ stage, besideStage }: (typeof steps)[number]): boolean =>
    decisionAt(a, stage, a.tokens.length - 1) !== decisionAt(b, besideStage!, b.tokens.length - 1);
  const alike = steps.findLastIndex((step) => !differs(step));
  return alike < steps.length - 1 ? alike + 1 : start;
}
