// Says how values look in the page: node looks.mjs BUNDLE, with the answers as JSON on stdout.

import { pathToFileURL } from "node:url";

const { facts, parseArithmetic } = await import(pathToFileURL(process.argv[2]).href);

const values = Array.from({ length: 2041 }, (_, n) => (n - 1020) / 64);
const scale = { top: 15.9375, infinity: 15.9375 };
const contrasts = ["light", "dark"].flatMap((theme) =>
  values.map((value) => {
    const fill = facts.colourOf(value, scale, theme);
    return fill === null ? null : facts.contrast(fill, facts.inkOn(fill));
  }),
);

const numbersOf = (arithmetic) => new facts.Numbers({ arithmetic: parseArithmetic(arithmetic) });
const written = [
  ["fixed(4,4)", 15.9375],
  ["fixed(4,4)", -15.9375],
  ["fixed(4,4)", -0.8125],
  ["fixed(4,4)", 0],
  ["float64", 6.4800000000000004],
  ["float64", 1234.5],
  ["float64", -0.00012],
  ["float64", 1e12],
].map(([arithmetic, value]) => [numbersOf(arithmetic).short(value), numbersOf(arithmetic).exact(value)]);

const tokens = ["0", "1", "0", " "].map((_, place) => facts.tokenAt(["0", "1", "0", " "], place));
const strengths = values.filter((value) => value >= 0).map((value) => facts.strength(value, scale));
process.stdout.write(JSON.stringify({ contrasts, written, tokens, strengths, heads: facts.HEAD_COLOURS }));
