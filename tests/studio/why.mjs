// Says of each run where its numbers come from: node why.mjs BUNDLE CASES, with the answers as JSON on stdout.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, cases] = process.argv.slice(2);
const { facts, readModel, run } = await import(pathToFileURL(bundle).href);

const upTo = (count) => Array.from({ length: count }, (_, n) => n);
const plain = (found) => JSON.parse(JSON.stringify(found, (_, x) => (ArrayBuffer.isView(x) ? Array.from(x) : x)));

function heads(r) {
  const positions = upTo(r.tokens.length);
  return r.heads.map((ofBlock, block) =>
    ofBlock.map((one, head) => ({
      scores: positions.map((reader) =>
        positions.map((source) => facts.scoreOf(r, { block, head, reader, source })),
      ),
      brought: positions.map((reader) =>
        positions.map((source) => facts.broughtBy(r, { block, head, reader, source })),
      ),
      weighings: positions.map((reader) => facts.weighingOf(r, { block, head }, reader)),
      projections: ["query", "key"].map((which) =>
        positions.map((position) =>
          upTo(one.keys.columns).map((lane) => facts.projectionOf(r, { block, head }, which, position, lane)),
        ),
      ),
      names: upTo(one.keys.columns).map((lane) => facts.headLaneName(r, { block, head }, lane)),
    })),
  );
}

function neurons(r) {
  return r.activations.map((layer, block) =>
    r.tokens.map((_, position) =>
      upTo(layer.columns).map((neuron) => facts.activatedAt(r, { block, neuron, position })),
    ),
  );
}

function cells(r) {
  return r.tokens.map((_, position) =>
    r.model.lanes.map((_, lane) => facts.writersOfCell(r, { stage: r.stages.length - 1, position, lane })),
  );
}

function logits(r) {
  const places = r.stages.flatMap((_, stage) => r.tokens.map((_, position) => ({ stage, position })));
  return places.flatMap((place) => r.model.classes.map((wanted) => facts.logitSum(r, { ...place, wanted })));
}

function norms(r) {
  return facts.normPlaces(r.model).map((place) => ({
    place,
    name: facts.normName(place),
    stage: facts.normStage(r.model, place),
    positions: r.tokens.map((_, position) => facts.normedAt(r, place, position)),
  }));
}

function about({ file, tokens }) {
  const r = run(readModel(new Uint8Array(readFileSync(file))), tokens);
  return plain({ heads: heads(r), neurons: neurons(r), cells: cells(r), logits: logits(r), norms: norms(r) });
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(cases, "utf8")).map(about)));
