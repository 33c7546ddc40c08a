/** What the studio's server says, as data. */

export interface Neuron {
  readonly block: number;
  readonly neuron: number;
  readonly name: string;
  /** The pattern that it was written for; null: it has a name alone. */
  readonly key: string | null;
  readonly value: string | null;
  readonly margin: number | null;
  /** The key and the value in full, as one writes them; null: it cannot be changed in a form. */
  readonly edit: readonly [string, string] | null;
}

export interface Summary {
  readonly arithmetic: string;
  readonly vocabulary: readonly string[];
  /** Whether every token is one letter, so that inputs are written without spaces. */
  readonly letters: boolean;
  readonly lanes: readonly string[];
  readonly flags: readonly string[];
  readonly classes: readonly string[];
  readonly blocks: number;
  readonly provenance: readonly string[];
  readonly neurons: readonly Neuron[];
}

/** A model that is open in the studio. */
export interface OpenModel {
  readonly id: number;
  readonly name: string;
  readonly input: string | null;
  readonly note: string;
  readonly steps: readonly { readonly text: string; readonly version: number }[];
  readonly place: number;
  readonly version: number;
  readonly bytes: number;
  readonly summary: Summary;
}

/** A line of the menu of rewrites. */
export interface Offer {
  readonly step: string;
  readonly name: string;
  readonly form: string;
  readonly example: string;
  readonly meaning: string;
}

export interface Verdict {
  readonly holds: boolean | null; // null: not known
  readonly text: string;
  readonly counterexample: readonly string[] | null;
  readonly sides: Readonly<Record<string, string>>;
  readonly divergence: { readonly position: number; readonly text: string } | null;
  readonly warnings: readonly string[];
}

export interface Check {
  readonly id: number;
  readonly claim: string;
  readonly models: readonly { readonly id: number; readonly version: number }[];
  readonly state: "running" | "holds" | "refuted" | "unknown" | "cancelled" | "failed";
  /** Numbers of inputs, which may be larger than a number of JavaScript. */
  readonly done: string;
  readonly total: string;
  readonly share: number;
  readonly verdict: Verdict | null;
  readonly error: string;
}

export interface Everything {
  readonly models: readonly OpenModel[];
  /** The files of the folder that the user named; null: none was named. */
  readonly folder: readonly string[] | null;
  readonly rewrites: readonly Offer[];
  readonly checks: readonly Check[];
  readonly limits: { readonly model_bytes: number; readonly longest: number };
}
