/** The component: `mount` puts it into a page, and a page that carries a model gets it by itself. */

import { mount as mountComponent, unmount } from "svelte";
import { changed, type Choosing, EngineError, generate, outputs, plainChanges, type PlainChanges } from "./engine";
import { readTokens, type Run, type Value } from "./engine";
import App from "./view/App.svelte";
import Figure from "./view/figure/Figure.svelte";
import { panelNamed } from "./view/figure/panels";
import { type Carried, unpacked } from "./view/models";
import { Page, type PageOptions } from "./view/page.svelte";
import "./view/theme.css";

export * from "./engine";
export * from "./files";
export * as facts from "./view/facts";
export { checkedCircuit } from "./view/circuit/circuit";
export type { PageOptions } from "./view/page.svelte";

/** What a mounted component offers. */
export interface Mounted {
  /**
   * Run the model that is shown on tokens, or on a text; streams are [stage][position][lane]. With changes, as
   * `ws.ablate` and `ws.patch` do: {ablate: ["block 0 head 1"], patch: [{site: "block 0 attention", values: {x: 1}}]}.
   */
  readonly run: (tokens: readonly string[] | string, changes?: PlainChanges) => PlainRun;
  /** Return the tokens that follow a text: the decisions, or drawn ones, as `ws.generate` gives them. */
  readonly generate: (tokens: readonly string[] | string, steps: number, how?: PlainChoosing) => string[];
  readonly destroy: () => void;
}

/** How tokens are chosen, with the names of Python; temperature 0 is the decision itself. */
export interface PlainChoosing {
  readonly temperature?: number;
  readonly top_k?: number | null;
  readonly seed?: number;
}

export interface PlainRun {
  readonly decision: string;
  readonly logits: number[];
  readonly outputs: Value[] | null; // at each position; null where one cannot be read off
  readonly stream: number[][][];
}

declare global {
  interface Window {
    weightsmith?: Pick<Mounted, "run" | "generate">;
  }
}

/** Show models in an element. */
export function mount(element: HTMLElement, options: PageOptions): Mounted {
  const page = new Page(options);
  element.dataset.weightsmith = "";
  element.dataset.theme = page.theme;
  const panel = panelNamed(options.panel);
  const shown = { page, host: element };
  const component =
    panel === null
      ? mountComponent(App, { target: element, props: shown })
      : mountComponent(Figure, { target: element, props: { ...shown, panel, height: options.height ?? null } });
  const mounted: Mounted = { ...calls(page), destroy: () => void unmount(component) };
  window.weightsmith ??= calls(page);
  return mounted;
}

/** What a page offers to other scripts. */
export function calls(page: Page): Pick<Mounted, "run" | "generate"> {
  return {
    run: (tokens, changes = {}) => plainRun(page, tokens, changes),
    generate: (tokens, steps, how = {}) => {
      const { model } = page.current;
      const { temperature = 0, top_k = null, seed = 0 } = how;
      const choosing: Choosing = { temperature, topK: top_k, seed };
      return generate(model, typeof tokens === "string" ? readTokens(model, tokens) : tokens, steps, choosing);
    },
  };
}

function plainRun(page: Page, given: readonly string[] | string, changes: PlainChanges): PlainRun {
  const { model } = page.current;
  const tokens = typeof given === "string" ? readTokens(model, given) : given;
  const found = changed(model, tokens, plainChanges(model, tokens.length, changes));
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
  const { input, beside, changes, circuit, title } = carried;
  mount(element, { models, input, beside, changes, circuit, title, address: true, ...figureOf(location.hash) });
}

/** Return the panel that the address wants alone, and the height into which it is to fit. */
function figureOf(address: string): Pick<PageOptions, "panel" | "height"> {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  const height = parts.get("height") ?? "";
  return { panel: parts.get("panel"), height: /^[1-9]\d{1,3}$/.test(height) ? Number(height) : null };
}

if (typeof document !== "undefined") void showCarried(); // the engine and the facts also run without a page
