/** What the page shows at the moment: which runs, which sublayer, what is chosen. All parts of the page read it. */

import type { Run } from "../engine";

export class View {
  /** The run that is shown, A. */
  run: Run = $state.raw()!;
  /** The run beside it, B. */
  beside: Run | null = $state.raw(null);
  /** The stage of the stream: 0 after the embedding, then two for each block. */
  stage = $state(0);
  /** The position that was chosen; null: the page chooses. */
  pinned: number | null = $state(null);
  /** The lane that the keyboard stands on. */
  lane: number | null = $state(null);
  /** The head that was chosen, of the block that is shown; null: all. */
  head: number | null = $state(null);
  /** The neuron that was chosen. */
  neuron: number | null = $state(null);
  /** The class whose attribution is shown; null: the decision. */
  wanted: string | null = $state(null);
  /** Of two runs: only lanes that differ somewhere. */
  onlyDifferences = $state(false);

  constructor(run: Run, beside: Run | null = null) {
    this.run = run;
    this.beside = beside;
  }
}
