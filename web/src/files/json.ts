/** JSON from files that are not trusted: objects are maps, whole numbers are bigint, duplicate keys are refused. */

import { refuse, shown } from "./refusal";

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = Map<string, Json>;

const MAX_DEPTH = 64;
const MAX_DIGITS = 20_000;
const SPARE_BYTES = 24 << 20; // that the objects of a small text may take
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const LITERALS = new Map<string, Json>([
  ["null", null],
  ["true", true],
  ["false", false],
]);
const ESCAPES = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }),
);

/** Return the object that a text holds; `size` is that of the file it comes from. */
export function parseJson(text: string, what: string, size: number): JsonObject {
  checkParts(text, size);
  const value = new Reader(text, what).whole();
  return value instanceof Map ? value : refuse("json", `${what} is not a JSON object`);
}

/** Refuse JSON whose parts would take too much memory, before there are any. */
function checkParts(text: string, size: number): void {
  const counts = new Map([...'"[{,'].map((mark) => [mark.charCodeAt(0), 0]));
  for (let n = 0; n < text.length; n++) {
    const count = counts.get(text.charCodeAt(n));
    if (count !== undefined) counts.set(text.charCodeAt(n), count + 1);
  }
  const [quotes, lists, objects, commas] = counts.values();
  const needed = 4 * text.length + 32 * quotes + 48 * (commas + lists + objects) + 100 * lists + 240 * objects;
  if (needed > 3 * text.length + Math.max(size, text.length) + SPARE_BYTES) {
    refuse("json", `it has too many parts for its size, and would take ${needed} bytes`);
  }
}

class Reader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly what: string,
  ) {}

  whole(): Json {
    const value = this.value(0);
    if (this.at < this.text.length) this.refuse("something follows the value");
    return value;
  }

  private refuse(why: string): never {
    return refuse("json", `${this.what} is not valid JSON: ${why}, at character ${this.at}`);
  }

  private space(): void {
    while (" \t\n\r".includes(this.text[this.at] ?? "x")) this.at++;
  }

  private takes(mark: string): boolean {
    this.space();
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }

  /** Read a value at a depth: the number of lists and objects around it. */
  private value(depth: number): Json {
    let result: Json;
    if (this.takes("{")) result = this.object(this.deeper(depth));
    else if (this.takes("[")) result = this.list(this.deeper(depth));
    else if (this.takes('"')) result = this.string();
    else result = this.literal();
    this.space();
    return result;
  }

  private deeper(depth: number): number {
    return depth < MAX_DEPTH ? depth + 1 : this.refuse(`more than ${MAX_DEPTH} lists and objects in each other`);
  }

  private object(depth: number): JsonObject {
    const result: JsonObject = new Map();
    if (this.takes("}")) return result;
    do {
      if (!this.takes('"')) this.refuse("a key should stand here");
      const key = this.string();
      if (result.has(key)) this.refuse(`the key ${shown(key)} occurs twice`);
      if (!this.takes(":")) this.refuse("a colon should stand here");
      result.set(key, this.value(depth));
    } while (this.takes(","));
    return this.takes("}") ? result : this.refuse("an object does not end");
  }

  private list(depth: number): Json[] {
    const result: Json[] = [];
    if (this.takes("]")) return result;
    do result.push(this.value(depth));
    while (this.takes(","));
    return this.takes("]") ? result : this.refuse("a list does not end");
  }

  private string(): string {
    let result = "";
    for (;;) {
      const from = this.at;
      while (this.text.charCodeAt(this.at) >= 32 && !'"\\'.includes(this.text[this.at])) this.at++;
      result += this.text.slice(from, this.at);
      const mark = this.text[this.at++];
      if (mark === '"') return result;
      if (mark !== "\\") this.refuse("a text does not end");
      const escape = this.text[this.at++];
      const digits = this.text.slice(this.at, this.at + 4);
      if (escape === "u" && /^[0-9a-fA-F]{4}$/.test(digits)) {
        result += String.fromCharCode(parseInt(digits, 16));
        this.at += 4;
      } else result += ESCAPES.get(escape) ?? this.refuse("an unknown escape");
    }
  }

  private literal(): Json {
    for (const [word, value] of LITERALS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (!match) return this.refuse("a value should stand here");
    this.at += match[0].length;
    if (match[1] === undefined && match[2] === undefined) {
      if (match[0].replace("-", "").length > MAX_DIGITS) this.refuse("a number has too many digits");
      return BigInt(match[0]);
    }
    const number = Number(match[0]);
    return Number.isFinite(number) ? number : this.refuse(`${shown(match[0])} is not a number`);
  }
}
