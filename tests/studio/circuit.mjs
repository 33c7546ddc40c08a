// Says of each circuit why a page refuses it, or null: node circuit.mjs BUNDLE CASES, as JSON on stdout.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, cases] = process.argv.slice(2);
const { checkedCircuit, EngineError, readModel } = await import(pathToFileURL(bundle).href);
const { file, circuits } = JSON.parse(readFileSync(cases, "utf8"));
const model = readModel(new Uint8Array(readFileSync(file)));

function refusal(circuit) {
  try {
    checkedCircuit(model, circuit);
    return null;
  } catch (error) {
    return error instanceof EngineError ? error.message : `fault: ${error.stack}`;
  }
}

process.stdout.write(JSON.stringify(circuits.map(refusal)));
