/** Where two runs part. */

import type { Pair } from "./alignment";
import { decisionAt } from "./facts/lens";

/** Return the step from which their decisions differ to the end; if they decide alike, that of the first difference. */
export function partingStep({ a, b, steps, first }: Pair): number {
  const differs = ({ stage, besideStage }: (typeof steps)[number]): boolean =>
    decisionAt(a, stage, a.tokens.length - 1) !== decisionAt(b, besideStage!, b.tokens.length - 1);
  const alike = steps.findLastIndex((step) => !differs(step));
  if (alike < steps.length - 1) return alike + 1;
  return first?.step ?? steps.length - 1;
}
