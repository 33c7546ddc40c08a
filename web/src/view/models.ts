/** Models as a page gets them: the bytes of their files, in base64 and packed with gzip where a page carries them. */

import { type CarriedChange, EngineError, type Model, reason } from "../engine";
import { readModel } from "../files";

export interface NamedModel {
  readonly name: string;
  readonly model: Model;
  /** An input that shows what the model does. */
  readonly input?: readonly string[] | null;
}

/** A model as the caller of `mount` gives it. */
export type GivenModel =
  NamedModel | { readonly name: string; readonly bytes: Uint8Array; readonly input?: readonly string[] | null };

/** What stands in `<script type="application/json" id="weightsmith-model">`. */
export interface Carried {
  readonly format: 1;
  readonly models: readonly {
    readonly name: string;
    readonly gzip: string;
    readonly input?: readonly string[] | null;
  }[];
  readonly input: string | readonly string[] | null;
  readonly beside: { readonly model: number; readonly input: string | readonly string[] | null } | null;
  readonly changes?: readonly CarriedChange[]; // of the run on the input, by ws.ablate or ws.patch
  readonly circuit?: unknown; // of the first model
  readonly title: string;
}

/** A model whose bytes are read on first use: a page may carry many models that nobody opens. */
class Unread implements NamedModel {
  private read: Model | null = null;

  constructor(
    readonly name: string,
    private readonly bytes: Uint8Array,
    readonly input?: readonly string[] | null,
  ) {}

  get model(): Model {
    if (this.read !== null) return this.read;
    try {
      this.read = readModel(this.bytes);
    } catch (error) {
      throw unopened(this.name, error);
    }
    return this.read;
  }
}

export function opened(given: GivenModel): NamedModel {
  return "model" in given ? given : new Unread(given.name, given.bytes, given.input);
}

/** Return the error for a file that is not a model. */
export const unopened = (name: string, error: unknown): EngineError =>
  new EngineError(`${name} cannot be opened: ${reason(error)}`, { cause: error });

/** Return the bytes behind base64 of gzip. */
export async function unpacked(text: string): Promise<Uint8Array> {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place++) packed[place] = letters.charCodeAt(place);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Return the name of a model that comes from a file: the file's, without its ending. */
export function nameOfFile(file: string): string {
  return file.replace(/\.safetensors$/i, "");
}
