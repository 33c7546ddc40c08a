// Run chains with the engine of the page, and continue texts; say what it wrote.
// usage: node chains.mjs <engine.js> <folder>; <folder>/cases.json lists files with inputs, or with texts to continue.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [engineFile, folder] = process.argv.slice(2);
const engine = await import(pathToFileURL(engineFile));

/** Return what an action returns, or what it says when it refuses; an error of another kind is a fault. */
function said(action) {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof engine.EngineError)) return { fault: String(error.stack) };
    return { refused: error.message };
  }
}

/** Return a chain on an input. */
function chain(model, tokens) {
  const walk = engine.runChain(model, tokens);
  const { generated, halted, answer, problem } = walk;
  return { generated, halted, answer, problem, differs: differs(model, walk) };
}

/** Say where a text that grows by a position a step differs from a run of the whole text; null where it does not. */
function differs(model, walk) {
  const growth = new engine.Growth(model);
  for (let step = 0; step < walk.generated.length; step++) {
    const grown = growth.append(step === 0 ? walk.begin : [walk.generated[step - 1]]);
    const whole = engine.run(model, growth.tokens);
    for (const [stage, rows] of whole.stream.entries()) {
      const last = grown.stream[stage].values;
      if (!last.every((x, n) => Object.is(x, rows.values[rows.values.length - last.length + n]))) {
        return `step ${step} stage ${stage}`;
      }
    }
    if (!whole.logits.every((x, n) => Object.is(x, grown.logits[n]))) return `step ${step} logits`;
  }
  return null;
}

const { cases } = JSON.parse(readFileSync(`${folder}/cases.json`, "utf8"));
const report = cases.map(({ file, inputs, texts, numbers }) => {
  if (numbers) return numbers.map((seed) => Array.from({ length: 5 }, (_, n) => engine.drawn(seed, n)));
  const model = said(() => engine.readModel(new Uint8Array(readFileSync(`${folder}/${file}`))));
  if (model.refused ?? model.fault) return model;
  if (inputs) return inputs.map((tokens) => said(() => chain(model, tokens)));
  return texts.map(({ tokens, steps, how }) => said(() => engine.generate(model, tokens, steps, how)));
});
console.log(JSON.stringify(report));
