/** Copying text: with the clipboard, or from a field where a page has none, as inside another document. */

import type { Changes } from "./changes.svelte";

/** Copy the changes as Python, and say so. */
export async function copyPython(changes: Changes): Promise<void> {
  const done = await copied(changes.python);
  changes.note = done
    ? "Copied as Python."
    : "The browser does not let this page copy: select the lines and copy them.";
}

/** Copy a text; return whether that worked. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromField(text);
  }
}

function copiedFromField(text: string): boolean {
  const [field, before] = [document.createElement("textarea"), document.activeElement];
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy"); // old, and the only way without a clipboard
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
