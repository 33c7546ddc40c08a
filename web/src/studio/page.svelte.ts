/**
 * The page of the studio. The server opens dropped files, and refuses those that are no models. A chosen model brings
 * its own example if it does not know the words of the last input.
 */

import { nameOfFile, unopened } from "../view/models";
import { Page, type PageOptions } from "../view/page.svelte";

/** What the page needs to know of the models beyond their files. */
export interface Desk {
  readonly send: (name: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** An input to begin with. */
  readonly example: (place: number) => string | null;
}

export class StudioPage extends Page {
  constructor(
    options: PageOptions,
    private readonly desk: Desk,
  ) {
    super(options);
  }

  override chooseModel(place: number): void {
    const { beside, input } = this;
    if (beside !== null && !this.sameWords(place, beside.model)) this.beside = null;
    super.chooseModel(place);
    const example = this.desk.example(place);
    if (this.input === input || example === null) return;
    this.input = example;
    this.open();
  }

  private sameWords(place: number, other: number): boolean {
    const [words, others] = [place, other].map((here) => new Set(this.models[here]?.model.vocabulary));
    return words.size === others.size && [...words].every((word) => others.has(word));
  }

  override async openFile(file: File): Promise<void> {
    try {
      await this.desk.send(nameOfFile(file.name), new Uint8Array(await file.arrayBuffer()));
    } catch (error) {
      this.problem = { text: unopened(file.name, error).message, vocabulary: null };
    }
  }
}
