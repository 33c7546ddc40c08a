// Run the engine of the page on models from files, and say where it differs from what was expected.
// usage: node run_engine.mjs <engine.js> <folder>; <folder>/cases.json lists the cases, values.bin has their numbers.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [engineFile, folder] = process.argv.slice(2);
const engine = await import(pathToFileURL(engineFile));
const { cases, tolerance } = JSON.parse(readFileSync(`${folder}/cases.json`, "utf8"));
const bytes = readFileSync(`${folder}/values.bin`);
const expected = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));

/** Yield every value of a run with its place, in the order in which the test writes them. */
function* values(run) {
  for (const [s, stage] of run.stream.entries()) yield [`stream ${s}`, stage.values];
  for (const [b, heads] of run.heads.entries()) {
    for (const [n, head] of heads.entries()) {
      for (const name of ["scores", "weights", "values", "mixed", "output"]) {
        yield [`block ${b} head ${n} ${name}`, head[name].values];
      }
      yield [`block ${b} head ${n} empty`, Float64Array.from(head.empty, Number)];
    }
    yield [`block ${b} activations`, run.activations[b].values];
  }
  yield ["logits", run.logits];
}

const same_values = (x, y) => x.length === y.length && x.every((value, n) => value === y[n]);
const same = (x, y, allowed) => Object.is(x, y) || (allowed && Math.abs(x - y) <= allowed);

/** Compare a run with the expected numbers from an offset on; return the first difference and how many there were. */
function compare(run, offset, count) {
  let at = offset;
  for (const [name, found] of values(run)) {
    let size = 1e-3;
    for (let n = 0; n < found.length; n++) size = Math.max(size, Math.abs(expected[at + n]));
    for (let n = 0; n < found.length; n++) {
      if (!same(found[n], expected[at + n], tolerance * size)) {
        return `${name}[${n}] is ${found[n]}, should be ${expected[at + n]}`;
      }
    }
    at += found.length;
  }
  return at === offset + count ? null : `it has ${at - offset} values, should have ${count}`;
}

/** Return what a function says when it refuses; an error of another kind is a fault. */
function refusal(action) {
  try {
    return { value: action() };
  } catch (error) {
    if (!(error instanceof engine.EngineError)) return { fault: String(error.stack) };
    return { refused: error.message, code: error.code };
  }
}

/** Run a model on tokens, with the changes that a page would carry. */
function runOf(model, tokens, changes) {
  return changes ? engine.changed(model, tokens, engine.carriedChanges(model, changes)) : engine.run(model, tokens);
}

/** Return other ways to the same run: from the run without changes, and as a script asks for it. */
function waysAgain(model, tokens, changes, plain) {
  return [
    () => engine.changedAgain(engine.run(model, tokens), engine.carriedChanges(model, changes)),
    () => engine.changed(model, tokens, engine.plainChanges(model, tokens.length, plain)),
  ];
}

const report = { differences: [], values: 0, codes: [] };
for (const { file, inputs } of cases) {
  const read = refusal(() => engine.readModel(new Uint8Array(readFileSync(`${folder}/${file}`))));
  if (read.fault) report.differences.push(`${file}: ${read.fault}`);
  report.codes.push(read.code ?? null);
  if (!read.value) continue;
  for (const { tokens, offset, count, decision, refused, outputs, no_outputs, changes, plain } of inputs ?? []) {
    const found = refusal(() => runOf(read.value, tokens, changes));
    const where = `${file} on ${tokens.join(" ")}`;
    for (const again of changes && found.value ? waysAgain(read.value, tokens, changes, plain) : []) {
      const other = refusal(again);
      const wrong = other.value ? compare(other.value, offset, count) : (other.fault ?? other.refused);
      if (wrong) report.differences.push(`${where}, told otherwise: ${wrong}`);
    }
    if (found.fault) report.differences.push(`${where}: ${found.fault}`);
    else if ((found.refused ?? null) !== refused) {
      report.differences.push(`${where}: says ${found.refused}, should say ${refused}`);
    } else if (found.value) {
      const wrong = compare(found.value, offset, count);
      if (wrong) report.differences.push(`${where}: ${wrong}`);
      else if (!tolerance && found.value.decision !== decision) report.differences.push(`${where}: ${found.value.decision}`);
      const said = refusal(() => engine.outputs(found.value));
      if (said.fault || (said.refused ?? null) !== no_outputs) {
        report.differences.push(`${where}: outputs ${said.fault ?? said.refused}, should say ${no_outputs}`);
      } else if (!tolerance && said.value && !same_values(said.value, outputs)) {
        report.differences.push(`${where}: outputs ${JSON.stringify(said.value)}, should be ${JSON.stringify(outputs)}`);
      }
      report.values += count;
    }
  }
}
console.log(JSON.stringify(report));
