/**
 * A rehearsal: once presenter mode is on and the browser is idle, a few steps are drawn where nobody sees them. The first
 * step that a lecturer takes is then as quick as the later ones, because the browser has compiled the code by then.
 */

import { flushSync, mount, unmount } from "svelte";
import type { Page } from "../page.svelte";
import { View } from "../view.svelte";
import Picture from "./Picture.svelte";

const STEPS = 8;
const SETTLED = 150; // milliseconds after which the first picture is there

/** Rehearse the steps of a view when the browser is idle; return what ends it. */
export function rehearse(page: Page, shown: View): () => void {
  const host = document.createElement("div");
  host.inert = true;
  host.style.cssText = "position: fixed; width: 1000px; height: 500px; visibility: hidden; contain: strict";
  const room = host.attachShadow({ mode: "closed" }).appendChild(document.createElement("div"));
  let [stage, waiting]: [ReturnType<typeof mount> | null, number] = [null, 0];
  let view: View | null = null;
  let step = 0;

  function next(): void {
    if (view === null) {
      document.body.append(host);
      view = new View(shown.run, shown.beside);
      view.theme = shown.theme;
      stage = mount(Picture, { target: room, props: { page, view, width: 1920 } });
    } else {
      view.go(step % view.steps.length);
      view.settle();
    }
    flushSync();
    if (++step <= STEPS) waiting = idle(next);
    else end();
  }
  function end(): void {
    clearTimeout(timer);
    cancelIdle(waiting);
    if (stage !== null) void unmount(stage);
    stage = null;
    host.remove();
  }
  const timer = setTimeout(() => (waiting = idle(next)), SETTLED);
  return end;
}

// Safari has no idle time to ask for
const HAS_IDLE = typeof requestIdleCallback === "function";
const idle = (action: () => void): number =>
  HAS_IDLE ? requestIdleCallback(action) : window.setTimeout(action, SETTLED);
const cancelIdle = (waiting: number): void => (HAS_IDLE ? cancelIdleCallback(waiting) : clearTimeout(waiting));
