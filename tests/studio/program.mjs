// Says of each model which lines of its program its parts come from: node program.mjs BUNDLE FILES, as JSON on stdout.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, files] = process.argv.slice(2);
const { facts, readModel } = await import(pathToFileURL(bundle).href);

function about(file) {
  const model = readModel(new Uint8Array(readFileSync(file)));
  const program = facts.Program.of(model);
  if (program === null) return null;
  const parts = model.blocks.flatMap(({ attention, feed_forward }) => [
    ...(attention?.heads ?? []).map((head) => program.computedBy(head.name)),
    ...(feed_forward?.names ?? []).map((name) => program.computedBy(name)),
  ]);
  const numbers = (lines) => lines.map((line) => line.number);
  return {
    lines: program.lines,
    textLines: program.lines.map(facts.textLine),
    text: program.text,
    parts: parts.map(numbers),
    lanes: model.lanes.map((lane) => numbers(program.heldBy(lane))),
    inside: program.lines.map((line) => numbers(program.inside(line))),
  };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(files, "utf8")).map(about)));
