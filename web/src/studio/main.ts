/** The page of `weightsmith studio`: the component, and the panel that changes and checks models. */

import { mount } from "svelte";

import { reason } from "../engine";
import { plainRun } from "../main";
import { Bench } from "./bench.svelte";
import { Server } from "./server";
import Studio from "./Studio.svelte";
import Trouble from "./Trouble.svelte";
import "./studio.css";

const NO_TOKEN =
  "This address has lost its token: open the one that weightsmith studio printed. The models are still there.";

/** Take the token out of the address: it is kept here alone, and in no history. */
function takeToken(): string | null {
  const parts = new URLSearchParams(location.hash.replace(/^#/, ""));
  const token = parts.get("token");
  if (token === null) return null;
  parts.delete("token");
  history.replaceState(history.state, "", `${location.pathname}${parts.size > 0 ? `#${parts.toString()}` : ""}`);
  return token;
}

async function show(base: string): Promise<void> {
  const host = document.createElement("div");
  host.dataset.weightsmith = "";
  host.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.classList.add("weightsmith-page");
  document.body.append(host);
  const token = takeToken();
  const trouble = (text: string): void => void mount(Trouble, { target: host, props: { text } });
  if (token === null) return trouble(NO_TOKEN);
  const waiting = document.createElement("p");
  waiting.className = "waiting";
  waiting.textContent = "The models are on their way …";
  host.append(waiting);
  try {
    const bench = await Bench.begin(new Server(base, token));
    waiting.remove();
    mount(Studio, { target: host, props: { bench, host } });
    window.weightsmith ??= { run: (tokens) => plainRun(bench.page, tokens) };
  } catch (error) {
    waiting.remove();
    trouble(reason(error));
  }
}

const script = document.getElementById("weightsmith-studio");
if (script !== null) {
  const { base } = JSON.parse(script.textContent ?? "") as { readonly base: string };
  void show(base);
}
