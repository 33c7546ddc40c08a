// Says about each run what the page says about it: node facts.mjs BUNDLE CASES, with the answers as JSON on stdout.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, cases] = process.argv.slice(2);
const { facts, readModel, run } = await import(pathToFileURL(bundle).href);

const upTo = (count) => Array.from({ length: count }, (_, n) => n);

function lens(r) {
  return r.stages.map((_, stage) => r.tokens.map((_, position) => Array.from(facts.logitsAt(r, stage, position))));
}

function moves(r) {
  return r.heads.flatMap((heads, block) =>
    heads.flatMap((_, head) =>
      facts.movesOf(r, block, head).map((move) => ({
        ...move,
        unweighted: undefined,
        lanes: facts.lanesMoved(move).map(({ lane, amount }) => [r.model.lanes[lane], amount]),
        paths: facts.pathsOf(r, move).map(({ from, to, amount }) => [r.model.lanes[from], r.model.lanes[to], amount]),
      })),
    ),
  );
}

function attributions(r, position) {
  return r.model.classes.map((wanted) => {
    const found = facts.attribute(r, wanted, position);
    return { ...found, heads: facts.byHead(found) };
  });
}

function earlier(r) {
  const after = upTo(r.model.blocks.length).map((block) => 2 * block);
  return after.map((stage) => r.model.classes.map((wanted) => facts.attribute(r, wanted, undefined, stage)));
}

function sentences(r) {
  return r.stages.map((_, stage) => facts.plainText(facts.sentenceFor(r, stage, null)));
}

function memories(r) {
  return r.activations.map((layer, block) => r.tokens.map((_, i) => (layer.columns ? facts.firedAt(r, block, i) : [])));
}

function about({ file, tokens }) {
  const r = run(readModel(new Uint8Array(readFileSync(file))), tokens);
  return {
    decision: r.decision,
    lens: lens(r),
    decisions: upTo(r.stages.length).map((stage) => facts.decisionsAt(r, stage)),
    moves: moves(r),
    attributions: r.tokens.map((_, position) => attributions(r, position)),
    earlier: earlier(r),
    sentences: sentences(r),
    memories: memories(r),
    opening: facts.openingStage(r),
    counts: upTo(r.stages.length).map((stage) => facts.changesAt(r, stage)),
  };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(cases, "utf8")).map(about)));
