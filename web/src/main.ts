/** The component: `mount` puts it into a page, and a page that carries a model gets it by itself. */

import { mount as mountComponent, unmount } from "svelte";
import { EngineError, outputs, readTokens, type Run, run, type Value } from "./engine";
import App from "./view/App.svelte";
import { type Carried, unpacked } from "./view/models";
import { Page, type PageOptions } from "./view/page.svelte";
import "./view/theme.css";

export * from "./engine";
export * from "./files";
export * as facts from "./view/facts";
export type { PageOptions } from "./view/page.svelte";

/** What a mounted component offers. */
export interface Mounted {
  /** Run the model that is shown on tokens, or on a text; streams are [stage][position][lane]. */
  readonly run: (tokens: readonly string[] | string) => PlainRun;
  readonly destroy: () => void;
}

export interface PlainRun {
  readonly decision: string;
  readonly logits: number[];
  readonly outputs: Value[] | null; // at each position; null where one cannot be read off
  readonly stream: number[][][];
}

declare global {
  interface Window {
    weightsmith?: Pick<Mounted, "run">;
  }
}

/** Show models in an element. */
export function mount(element: HTMLElement, options: PageOptions): Mounted {
  const page = new Page(options);
  element.dataset.weightsmith = "";
  element.dataset.theme = page.theme;
  const component = mountComponent(App, { target: element, props: { page, host: element } });
  const mounted: Mounted = { run: (tokens) => plainRun(page, tokens), destroy: () => void unmount(component) };
  window.weightsmith ??= { run: mounted.run };
  return mounted;
}

export function plainRun(page: Page, tokens: readonly string[] | string): PlainRun {
  const { model } = page.current;
  const found = run(model, typeof tokens === "string" ? readTokens(model, tokens) : tokens);
  const rows = found.stream.map(({ rows, columns, values }) =>
    Array.from({ length: rows }, (_, row) => Array.from(values.subarray(row * columns, (row + 1) * columns))),
  );
  return { decision: found.decision, logits: Array.from(found.logits), outputs: outputsOf(found), stream: rows };
}

function outputsOf(found: Run): Value[] | null {
  try {
    return outputs(found);
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

/** Show what the page carries, if it carries a model. */
async function showCarried(): Promise<void> {
  const script = document.getElementById("weightsmith-model");
  if (script === null) return;
  const carried = JSON.parse(script.textContent ?? "") as Carried;
  const models = await Promise.all(
    carried.models.map(async ({ name, gzip, input }) => ({ name, bytes: await unpacked(gzip), input })),
  );
  const element = document.createElement("div");
  document.documentElement.classList.add("weightsmith-page");
  document.body.append(element);
  if (carried.title !== "") document.title = carried.title;
  mount(element, { models, input: carried.input, beside: carried.beside, title: carried.title, address: true });
}

if (typeof document !== "undefined") void showCarried(); // the engine and the facts also run without a page
