/** Changes as lines of Python: executed, they give the same run. */

import { type Change, isChain, type Model, type Run } from "../../engine";
import { neuronKey, plainText } from "./places";

const MANY_TOKENS = 2000; // a vocabulary of this size belongs to a checkpoint with a tokenizer of its own

/** Return the lines that make a run with changes: `T` is the model. */
export function pythonLines(run: Run, changes: readonly Change[]): string[] {
  const { model } = run;
  const transformer = isChain(model) ? "T.transformer" : "T";
  const runOf = (tokens: readonly string[]): string => `ws.run(${transformer}, ${inputText(model, tokens)})`;
  const lines = changes.flatMap((change, n) => lineOf(model, change, n === 0 ? "r" : "b", runOf));
  return [`r = ${runOf(run.tokens)}`, ...(lines.length === 0 ? ["b = r"] : lines)];
}

/** Return tokens as Python reads them: a text where it is read alike, else a list. */
function inputText(model: Model, tokens: readonly string[]): string {
  const text = plainText(model, tokens);
  const plain = !text.startsWith("[") && model.vocabulary.length < MANY_TOKENS;
  return plain ? JSON.stringify(text) : `[${tokens.map((token) => JSON.stringify(token)).join(", ")}]`;
}

function lineOf(
  model: Model,
  change: Change,
  before: string,
  runOf: (tokens: readonly string[]) => string,
): string | string[] {
  if (change.kind === "carried") return carriedLines(model, change, before);
  const { part } = change;
  const block = part.block < 0 ? "" : `, block=${part.block}`;
  if (change.kind === "off") {
    return `b = ws.ablate(${before}${block}, ${what(model, change)}${positionsText(change.positions)})`;
  }
  const where = part.kind === "head" || part.kind === "neuron" ? what(model, change) : `after="${part.kind}"`;
  if (change.kind === "set") {
    const values = `{${JSON.stringify(model.lanes[change.lane])}: ${change.value}}`;
    return `b = ws.patch(${before}, ${values}${block}, ${where}${positionsText([change.position])})`;
  }
  const lanes = change.lanes?.map((lane) => JSON.stringify(model.lanes[lane])).join(", ");
  const chosen = lanes === undefined ? "" : `, lanes=[${lanes}]`;
  return `b = ws.patch(${before}, ${runOf(change.tokens)}${block}, ${where}${chosen}${positionsText(change.positions)})`;
}

/** Return the argument that names a part. */
function what(model: Model, { part }: Exclude<Change, { kind: "carried" }>): string {
  if (part.kind === "head") return `head=${part.index}`;
  if (part.kind === "neuron") return `neurons=[${JSON.stringify(neuronKey(model, part.block, part.index))}]`;
  return `sublayer="${part.kind}"`;
}

const positionsText = (positions: readonly number[] | null): string =>
  positions === null ? "" : `, positions=[${positions.join(", ")}]`;

/** Values of lanes are written down; those of neurons only Python has. */
function carriedLines(model: Model, { swap }: Extract<Change, { kind: "carried" }>, before: string): string[] {
  const { site, positions, columns, values } = swap;
  if (site.kind === "activations")
    return [`b = ${before}  # and the activations of block ${site.block} from your program`];
  const block = site.block < 0 ? "" : `, block=${site.block}`;
  const where = site.kind === "head" ? `head=${site.index}` : `after="${site.kind}"`;
  return positions.map((position, p) => {
    const cells = columns.map((lane, c) => {
      return `${JSON.stringify(model.lanes[lane])}: ${values!.values[p * columns.length + c]}`;
    });
    return `b = ws.patch(${p === 0 ? before : "b"}, {${cells.join(", ")}}${block}, ${where}, positions=[${position}])`;
  });
}
