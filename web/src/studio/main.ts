/** The page of `weightsmith studio`: the component, and the panel that changes and checks models. */

import { mount } from "svelte";

import { reason } from "../engine";
import { calls } from "../main";
import { Bench } from "./bench.svelte";
import { Server } from "./server";
import Studio from "./Studio.svelte";
import "./studio.css";

const NO_TOKEN =
  "This address has no token. Open the address that weightsmith studio printed: your models are still open.";
const KEPT = "weightsmith token";

/**
 * Take the token out of the address, so that it is in no history. This tab keeps it until it is closed, for this studio
 * alone: so the page can be loaded again.
 */
function takeToken(): string | null {
  const parts = new URLSearchParams(location.hash.replace(/^#/, ""));
  const token = parts.get("token");
  if (token === null) return sessionStorage.getItem(KEPT);
  sessionStorage.setItem(KEPT, token);
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
  const notice = document.createElement("p");
  const trouble = (text: string): void => {
    notice.role = "alert";
    notice.textContent = text;
  };
  notice.className = "notice";
  host.append(notice);
  if (token === null) return trouble(NO_TOKEN);
  notice.textContent = "Loading the models …";
  try {
    const bench = await Bench.begin(new Server(base, token));
    notice.remove();
    mount(Studio, { target: host, props: { bench, host } });
    window.weightsmith ??= calls(bench.page);
  } catch (error) {
    trouble(reason(error));
  }
}

const script = document.getElementById("weightsmith-studio");
if (script !== null) {
  const { base } = JSON.parse(script.textContent ?? "") as { readonly base: string };
  void show(base);
}
