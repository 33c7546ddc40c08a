/** The page of the studio: a file that is dropped into it is opened by the server, which refuses what is none. */

import { nameOfFile } from "../view/models";
import { Page, type PageOptions } from "../view/page.svelte";

export class StudioPage extends Page {
  constructor(
    options: PageOptions,
    private readonly send: (name: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
  ) {
    super(options);
  }

  override async openFile(file: File): Promise<void> {
    try {
      await this.send(nameOfFile(file.name), new Uint8Array(await file.arrayBuffer()));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.problem = { text: `${file.name} cannot be opened: ${why}`, vocabulary: null };
    }
  }
}
