/** The workbench: the models that are open, the checks, and what can be done with them. The page shows the models. */

import { reason } from "../engine";
import { download } from "../view/download";
import { type NamedModel, opened } from "../view/models";
import type { Check, Everything, OpenModel } from "./answers";
import { StudioPage } from "./page.svelte";
import type { Server } from "./server";

const WATCHING = 400; // milliseconds between two looks at the checks

export class Bench {
  models: readonly OpenModel[] = $state.raw([]);
  checks: readonly Check[] = $state.raw([]);
  folder: readonly string[] | null = $state.raw(null);
  /** Why the last action failed; "" if it did not. */
  error = $state("");
  busy = $state(false);
  readonly page: StudioPage;
  readonly rewrites: Everything["rewrites"];
  readonly longest: number;
  private watching = false;
  /** Copies that checks made, by the version that they are copies of. */
  private readonly copies = new Map<number, number>();

  /** The model that is shown. Models stand in the page in the same order as here. */
  readonly current: OpenModel = $derived.by(() => this.models[Math.min(this.page.model, this.models.length - 1)]);

  private constructor(
    private readonly server: Server,
    everything: Everything,
    shown: readonly NamedModel[],
  ) {
    this.models = everything.models;
    this.checks = everything.checks;
    this.folder = everything.folder;
    this.rewrites = everything.rewrites;
    this.longest = everything.limits.longest;
    const input = everything.models[0]?.input ?? null;
    const options = { models: shown, input, title: "Weightsmith studio", address: true };
    this.page = new StudioPage(options, {
      send: (name, bytes) => this.added(this.server.upload(name, bytes)),
      example: (place) => this.models[place]?.input ?? null,
    });
    this.watch();
  }

  static async begin(server: Server): Promise<Bench> {
    const everything = await server.everything();
    const files = everything.models.map(async (model) => opened({ name: model.name, bytes: await server.file(model) }));
    return new Bench(server, everything, await Promise.all(files));
  }

  /** Run an action and return whether it succeeded. A refusal is shown and changes nothing. */
  async attempt(what: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.error = "";
    try {
      await what();
      return true;
    } catch (error) {
      this.error = reason(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Change the model that is shown: rewrite, compose, write-fact, edit-fact, remove-fact, story. */
  change(what: string, fields: Parameters<Server["change"]>[2]): Promise<boolean> {
    const { id } = this.current;
    return this.attempt(async () => await this.replaced(await this.server.change(id, what, fields)));
  }

  /** Undo or do again, up to a step of the model that is shown. */
  go(place: number): Promise<boolean> {
    return this.change("go", { version: this.current.steps[place].version });
  }

  openFromFolder(file: string): Promise<boolean> {
    return this.attempt(() => this.added(this.server.openFromFolder(file)));
  }

  /** Open a copy of the model that is shown, at one of its steps; return its number. */
  async copy(place: number): Promise<number> {
    const { id, name, steps } = this.current;
    const copied =
      place === steps.length - 1 ? `${name}, copy` : `${name}, ${place === 0 ? "opened" : steps[place].text}`;
    const model = await this.server.change(id, "copy", { version: steps[place].version, name: copied });
    await this.taken(model);
    return model.id;
  }

  close(): Promise<boolean> {
    return this.attempt(async () => {
      const place = this.page.model;
      await this.server.close(this.current.id);
      this.page.beside = null;
      this.models = this.models.filter((_, other) => other !== place);
      this.page.models = this.page.models.filter((_, other) => other !== place);
      this.page.chooseModel(Math.min(place, this.models.length - 1));
    });
  }

  saveModel(): Promise<boolean> {
    const model = this.current;
    return this.attempt(async () => download(await this.server.file(model), `${model.name}.safetensors`));
  }

  /** Save the current page: the model, its input, and the model that it is compared with. */
  savePage(): Promise<boolean> {
    const { id, name } = this.current;
    const { input, beside } = this.page;
    const other = beside === null ? null : this.models[beside.model].id;
    const fields = { input, beside: other, beside_input: beside?.input ?? null };
    return this.attempt(async () => download(await this.server.page(id, fields), `${name}.html`));
  }

  startCheck(fields: Parameters<Server["startCheck"]>[0]): Promise<boolean> {
    return this.attempt(() => this.started(fields));
  }

  /** Check that the model that is shown still decides as it did when it was opened, of which a copy is made. */
  startCheckOfSteps(claim: string, upTo: number | null): Promise<boolean> {
    const { id } = this.current;
    return this.attempt(async () => {
      const models = [await this.copyAsOpened(), id];
      await this.started({ claim, models, regex: "", yes: "", up_to: upTo });
    });
  }

  cancelCheck(check: number): Promise<boolean> {
    return this.attempt(async () => {
      await this.server.cancelCheck(check);
      this.watch();
    });
  }

  /** Show the input that refutes a claim, on the models as they were then; two of them stand side by side. */
  showCounterexample(check: Check): Promise<boolean> {
    return this.attempt(async () => {
      const tokens = check.verdict?.counterexample;
      if (tokens === null || tokens === undefined) return;
      for (const { id, version } of check.models) {
        if (this.models.find((model) => model.id === id)?.version !== version) {
          await this.replaced(await this.server.change(id, "go", { version }), false);
        }
      }
      const [first, second] = check.models.map(({ id }) => this.models.findIndex((model) => model.id === id));
      const { letters } = this.models[first].summary;
      const besideModel = second === undefined || second < 0 ? null : second;
      const input = tokens.join(letters ? "" : " ");
      this.page.show({ model: first, input, besideModel, besideInput: null, step: null });
      const { view } = this.page;
      if (view === null) return;
      view.goToOpening();
      view.pinned = check.verdict?.divergence?.position ?? view.pair?.first?.position ?? null;
    });
  }

  /** Return the number of a copy as the model was opened: the one that an earlier check made, if it is still that. */
  private async copyAsOpened(): Promise<number> {
    const { version } = this.current.steps[0];
    const made = this.models.find(({ id, steps }) => id === this.copies.get(version) && steps.length === 1);
    const copy = made?.id ?? (await this.copy(0));
    this.copies.set(version, copy);
    return copy;
  }

  private async started(fields: Parameters<Server["startCheck"]>[0]): Promise<void> {
    this.checks = [...this.checks, await this.server.startCheck(fields)];
    this.watch();
  }

  /** Look at the checks until none is running. */
  private watch(): void {
    if (this.watching || !this.checks.some(({ state }) => state === "running")) return;
    this.watching = true;
    setTimeout(async () => {
      this.watching = false;
      try {
        this.checks = (await this.server.checks()).checks;
        this.watch();
      } catch (error) {
        this.error = reason(error);
      }
    }, WATCHING);
  }

  private async added(answer: Promise<OpenModel>): Promise<void> {
    await this.taken(await answer);
    this.page.beside = null;
    this.page.chooseModel(this.models.length - 1);
  }

  private async taken(model: OpenModel): Promise<void> {
    const shown = opened({ name: model.name, bytes: await this.server.file(model) });
    this.page.models = [...this.page.models, shown];
    this.models = [...this.models, model];
  }

  /** Take a model that has changed; the page runs it again. */
  private async replaced(model: OpenModel, run = true): Promise<void> {
    const place = this.models.findIndex(({ id }) => id === model.id);
    const shown = opened({ name: model.name, bytes: await this.server.file(model) });
    this.models = this.models.map((other, here) => (here === place ? model : other));
    this.page.models = this.page.models.map((other, here) => (here === place ? shown : other));
    if (run) this.page.open();
  }
}
