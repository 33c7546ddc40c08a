/** Refusing a file: a code that says at which step of reading, and a sentence for the reader. */

import { EngineError, NAME_ECHO, quoted, start } from "../engine/words";

/** The step at which a file is refused; the Python package refuses the same files at the same steps. */
export type Code = "container" | "json" | "structure" | "arithmetic" | "model";

export class FileRefusal extends EngineError {
  constructor(
    readonly code: Code,
    message: string,
  ) {
    super(message);
  }
}

export function refuse(code: Code, message: string): never {
  throw new FileRefusal(code, message);
}

/** Return a value from a file as messages show it: JSON, cut. */
export function shown(value: unknown): string {
  const plain = (_: string, part: unknown): unknown => {
    if (part instanceof Map) return Object.fromEntries(part);
    return typeof part === "bigint" ? String(part) : part;
  };
  const text = typeof value === "string" ? value : (JSON.stringify(value, plain) ?? "nothing");
  return typeof value === "string" ? quoted(start(text, NAME_ECHO)) : start(text, NAME_ECHO);
}
