/** The program that a model was compiled from, and which of its lines parts of the model come from: as `programs/beside`. */

import type { Model } from "../../engine";

/** A line of the dump: its number, what it computes, its name and its source. */
export interface Line {
  readonly number: string;
  readonly what: string;
  readonly name: string;
  readonly source: string;
}

const COMPILED = "compiled from ";
const [OF_WEIGHTS, OF_LANES] = [", ", " and "]; // between the names that something is called after
/** Lanes, with the parts that they hold. */
const FEATURES: ReadonlyMap<string, readonly string[]> = new Map([
  ["token", ["tokens", "tokens_str"]],
  ["position", ["indices"]],
]);

export class Program {
  private readonly known = new Map<string, Line>();
  private readonly owned: ReadonlySet<Line>; // the lines that have weights of their own

  private constructor(
    model: Model,
    readonly title: string,
    readonly lines: readonly Line[],
    /** The text that the program was read from: the number of each line, and the line. */
    readonly text: readonly (readonly [number, string])[],
  ) {
    for (const key of ["what", "name", "number"] as const) for (const line of lines) this.known.set(line[key], line);
    const parts = model.blocks.flatMap((block) => [
      block.origin,
      ...(block.attention?.heads ?? []).map((head) => head.name),
      ...(block.feed_forward?.names ?? []),
    ]);
    const lanes = model.lanes.flatMap((lane) => this.heldBy(lane));
    this.owned = new Set([...new Set(parts)].flatMap((part) => this.computedBy(part)).concat(lanes));
  }

  /** Return the program of a model; null where it was not compiled from one, or from several. */
  static of(model: Model): Program | null {
    const history = model.provenance;
    const starts = [...history.keys()].filter((n) => history[n].startsWith(COMPILED));
    if (starts.length !== 1) return null;
    const lines = readLines(history.slice(starts[0] + 2));
    if (lines.length === 0) return null;
    return new Program(model, history[starts[0] + 1], lines, readText(history.slice(starts[0] + 2 + lines.length)));
  }

  /** Return the lines that a block, head or neuron of this name computes. */
  computedBy(name: string): Line[] {
    return this.called(name.split(OF_WEIGHTS));
  }

  /** Return the lines that a lane holds. */
  heldBy(lane: string): Line[] {
    return this.called(lane.split(OF_LANES));
  }

  /** Return a line and, after it, the lines without weights of their own that it is made of. */
  inside(line: Line): Line[] {
    const found = [line];
    for (const each of found) {
      for (const number of numbersIn(each.what.replace(/'[^']*'|"[^"]*"/g, ""))) {
        const read = this.known.get(number);
        if (read !== undefined && !found.includes(read) && !this.owned.has(read)) found.push(read);
      }
    }
    return found;
  }

  /** Return a name in which lines of the text stand for numbers of the dump: "length (line 4)" for "length %6". */
  inWords(name: string): string {
    return name.replace(/%\d+/g, (number) => {
      const line = this.known.get(number);
      const place = line === undefined || this.text.length === 0 ? null : textLine(line);
      return place === null ? number : `(line ${place})`;
    });
  }

  private called(names: readonly string[]): Line[] {
    const keys = names.filter(Boolean).flatMap((given) => {
      const name = this.known.has(given) ? given : given.replace(/ \d+'*$/, ""); // lanes may have a number of their own
      return FEATURES.get(name) ?? [name, ...numbersIn(name).slice(-1)];
    });
    return [...new Set(keys.map((key) => this.known.get(key)).filter((line) => line !== undefined))];
  }
}

/** Return the line of the program's text that a line of the dump stands in; null where it is from elsewhere. */
export function textLine(line: Line): number | null {
  const found = /^line (\d{1,9}):/.exec(line.source);
  return found === null ? null : Number(found[1]);
}

function numbersIn(text: string): readonly string[] {
  return text.match(/%\d+/g) ?? [];
}

/** Read the lines of a dump, up to the first text that is no such line: files are not trusted. */
function readLines(history: readonly string[]): Line[] {
  const lines: Line[] = [];
  for (const text of history) {
    const [number, rest] = parted(text.trim(), " = ");
    if (rest === null || !/^%\d+$/.test(number)) break;
    const [what, comment] = parted(rest, "  # ");
    const named = comment === null || comment.startsWith("line ") ? "" : comment;
    const [name, place] = parted(named, "  line ");
    const source = named === "" ? (comment ?? "") : place === null ? "" : `line ${place}`;
    lines.push({ number, what: what.trimEnd(), name: name.trim(), source });
  }
  return lines;
}

/** Read the lines of a text, whose numbers rise. */
function readText(history: readonly string[]): [number, string][] {
  const lines: [number, string][] = [];
  for (const text of history) {
    const found = /^ *(\d{1,9}) \|(?: (.*))?$/.exec(text);
    if (found === null || Number(found[1]) <= (lines.at(-1)?.[0] ?? 0)) break;
    lines.push([Number(found[1]), found[2] ?? ""]);
  }
  return lines;
}

/** Return the text before and after the first separator; null for the second without one. */
function parted(text: string, separator: string): [string, string | null] {
  const place = text.indexOf(separator);
  return place < 0 ? [text, null] : [text.slice(0, place), text.slice(place + separator.length)];
}
