/** The story of a file: checked as the Python package does, after its transformer has been read. */

import { checkedTokens, splitText } from "../engine/run";
import type { Block, Model, Story, StoryStep } from "../engine/types";
import { EngineError, letters, listed, named } from "../engine/words";
import { list, text } from "./fields";
import type { Json, JsonObject } from "./json";
import { refuse, shown } from "./refusal";

const MAX_STEPS = 64;
export const MAX_CAPTION = 90;
const MAX_POINTED = 16;
const MAX_TOKENS = 512;
export const PANELS: readonly string[] = ["stream", "heads", "neuron", "answer", "weights", "norm"];
const KEYS = ["title", "input", "steps"];
const LISTS = ["lanes", "panels", "off", "set"] as const;
const STEP_KEYS = ["text", "stage", "position", "head", "neuron", "input", "beside", ...LISTS];
const STAGE = /^block (0|[1-9][0-9]{0,8}) (attention|feed-forward)$/;
const PART = /^([0-9]{1,9})\.(?:(attention|feed-forward)|head\.([0-9]{1,9})|neuron\.([^]+))$/;
const CELL =
  /^(?:embedding|([0-9]{1,9})\.(attention|feed-forward)):([0-9]{1,9}):([^]+):(-?[0-9]{1,15}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?)$/;

/** Return the story that stands beside a transformer in a file; null where there is none. */
export function readStory(found: Json, model: Model): Story | null {
  if (found === null) return null;
  if (!(found instanceof Map)) return refuse("structure", `its story is not an object, and is ${shown(found)}`);
  checkKeys(found, KEYS, "the story");
  const steps = found.get("steps");
  if (!Array.isArray(steps) || steps.length < 1 || steps.length > MAX_STEPS) {
    return refuse("model", `the steps of the story are not a list of 1 to ${MAX_STEPS}`);
  }
  const title = text(MAX_CAPTION)(found.get("title") ?? "", "the title of the story");
  const input = tokensOf(model, found.get("input") ?? null, "the story");
  return { title, input, steps: steps.map((step, n) => readStep(model, step, input, `step ${n + 1} of the story`)) };
}

/** Return the name of a stage, as files and Python write it. */
export function stageName(stage: number): string {
  if (stage === 0) return "embedding";
  return `block ${Math.floor((stage - 1) / 2)} ${stage % 2 === 1 ? "attention" : "feed-forward"}`;
}

function readStep(model: Model, found: Json, given: Story["input"], name: string): StoryStep {
  if (!(found instanceof Map)) return refuse("model", `${name} is ${shown(found)}`);
  checkKeys(found, STEP_KEYS, name);
  const value = (key: string): Json => found.get(key) ?? null;
  const lists = Object.fromEntries(LISTS.map((key) => [key, texts(value(key), `${key} of ${name}`)]));
  const { lanes, panels, off, set } = lists as Record<(typeof LISTS)[number], readonly string[]>;
  if (panels.some((panel) => !PANELS.includes(panel)) || new Set(panels).size < panels.length) {
    refuse("model", `panels of ${name} are not some of ${PANELS.join(", ")}, each once`);
  }
  const input = tokensOf(model, value("input"), name);
  const beside = tokensOf(model, value("beside"), name);
  const tokens = input ?? given ?? refuse("model", `${name} has no input`);
  const stage = stageOf(model, value("stage") ?? "embedding", name);
  off.forEach((part) => checkPart(model, part, name));
  set.forEach((cell) => checkCell(model, cell, tokens.length, name));
  return {
    text: caption(value("text"), name),
    stage,
    position: orNull(value("position"), (place) => positionOf(place, tokens.length, name)),
    head: orNull(value("head"), (head) => headOf(sublayer(model, stage, 1, name), head, name)),
    neuron: orNull(value("neuron"), (neuron) => neuronOf(sublayer(model, stage, 0, name), neuron, name)),
    lanes: lanes.map((lane) => laneOf(model, lane, name)),
    ...{ panels, input, beside, off, set },
  };
}

const orNull = <T>(value: Json, read: (value: Json) => T): T | null => (value === null ? null : read(value));

function checkKeys(found: JsonObject, keys: readonly string[], name: string): void {
  const unknown = [...found.keys()].find((key) => !keys.includes(key));
  if (unknown !== undefined) refuse("model", `${name} has the unknown key ${shown(unknown)}`);
}

function caption(found: Json, name: string): string {
  if (typeof found !== "string" || found.trim() === "") return refuse("model", `${name} has no caption`);
  if (letters(found) > MAX_CAPTION) refuse("model", `${name} has a text of more than ${MAX_CAPTION} characters`);
  return text(MAX_CAPTION)(found, `the text of ${name}`);
}

/** Return a short list of texts. */
function texts(found: Json, name: string): readonly string[] {
  const read = list((value) => (typeof value === "string" ? value : refuse("model", `${name} has ${shown(value)}`)));
  const result = read(found ?? [], name);
  return result.length <= MAX_POINTED ? result : refuse("model", `${name} are ${result.length}`);
}

/** Return the tokens of an input: of a text, or those of a list. */
function tokensOf(model: Model, found: Json, name: string): readonly string[] | null {
  if (found === null) return null;
  const given = typeof found === "string" ? splitText(model, found) : found;
  if (!Array.isArray(given) || !given.every((token) => typeof token === "string")) {
    return refuse("model", `the input of ${name} is ${shown(found)}`);
  }
  if (given.length > MAX_TOKENS) refuse("model", `the input of ${name} has ${given.length} tokens`);
  try {
    return checkedTokens(model, given as string[]);
  } catch (error) {
    if (error instanceof EngineError) return refuse("model", `the input of ${name}: ${error.message}`);
    throw error;
  }
}

function stageOf(model: Model, found: Json, name: string): number {
  if (found === "embedding") return 0;
  const [, block, kind] = (typeof found === "string" ? STAGE.exec(found) : null) ?? [];
  const there = block === undefined ? undefined : model.blocks[Number(block)];
  const present = kind === "attention" ? there?.attention : there?.feed_forward;
  if (!present) return refuse("model", `${name} is at the stage ${shown(found)}, which does not exist`);
  return 2 * Number(block) + (kind === "attention" ? 1 : 2);
}

/** Return the block of a stage that is attention (1) or a feed-forward layer (0). */
function sublayer(model: Model, stage: number, odd: 0 | 1, name: string): Block {
  if (stage === 0 || stage % 2 !== odd) refuse("model", `${name} points at what its stage does not have`);
  return model.blocks[Math.floor((stage - 1) / 2)];
}

const within = (found: Json, least: number, end: number): found is bigint =>
  typeof found === "bigint" && found >= least && found < end;

function positionOf(found: Json, length: number, name: string): number {
  if (!within(found, -length, length)) return refuse("model", `${name} is at position ${shown(found)}`);
  return found < 0 ? Number(found) + length : Number(found);
}

function headOf({ attention }: Block, found: Json, name: string): number {
  const heads = attention?.heads.length ?? 0;
  return within(found, 0, heads) ? Number(found) : refuse("model", `${name}: there is no head ${shown(found)}`);
}

function neuronOf({ feed_forward: layer }: Block, found: Json, name: string): number {
  const unknown = (): never => refuse("model", `${name}: there is no neuron ${shown(found)}, or there are several`);
  if (layer === null) return unknown();
  if (typeof found !== "string") return within(found, 0, layer.W_1.rows) ? Number(found) : unknown();
  const first = found === "" ? -1 : layer.names.indexOf(found);
  return first >= 0 && layer.names.lastIndexOf(found) === first ? first : unknown();
}

function laneOf(model: Model, found: string, name: string): number {
  const lane = model.lanes.indexOf(found);
  if (lane >= 0) return lane;
  return refuse("model", `${name}: there is no lane ${named(found)}: the lanes are ${listed(model.lanes)}`);
}

function checkPart(model: Model, found: string, name: string): void {
  const [, block, kind, head, neuron] = PART.exec(found) ?? [];
  const there = block === undefined ? undefined : model.blocks[Number(block)];
  const needed = kind === "attention" || head !== undefined ? there?.attention : there?.feed_forward;
  if (there === undefined || !needed) return refuse("model", `${name}: off has ${shown(found)}`);
  if (head !== undefined) headOf(there, BigInt(head), name);
  if (neuron === undefined) return;
  const byNumber = !there.feed_forward!.names.includes(neuron) && /^[0-9]+$/.test(neuron);
  neuronOf(there, byNumber ? BigInt(neuron.slice(0, 9)) : neuron, name);
}

function checkCell(model: Model, found: string, length: number, name: string): void {
  const [whole, block, kind, position, lane, number] = CELL.exec(found) ?? [];
  const there = block === undefined ? undefined : model.blocks[Number(block)];
  const present = block === undefined || (kind === "attention" ? there?.attention : there?.feed_forward);
  if (whole === undefined || !present) return refuse("model", `${name}: set has ${shown(found)}`);
  positionOf(BigInt(position), length, name);
  laneOf(model, lane, name);
  const value = Number(number);
  if (!Number.isFinite(value) || !model.arithmetic.contains(value + 0)) {
    refuse("model", `${name}: set has ${shown(found)}, which is not a member of ${model.arithmetic.text}`);
  }
}

/** Return a story as JSON, with the names of its places: what Python and the studio's server read. */
export function storyJson(model: Model, { title, input, steps }: Story): object {
  return {
    ...(title === "" ? {} : { title }),
    ...(input === null ? {} : { input }),
    steps: steps.map((step) => ({
      stage: stageName(step.stage),
      ...(step.position === null ? {} : { position: step.position }),
      ...(step.head === null ? {} : { head: step.head }),
      ...(step.neuron === null ? {} : { neuron: neuronName(model, step.stage, step.neuron) }),
      lanes: step.lanes.map((lane) => model.lanes[lane]),
      ...{ panels: step.panels, off: step.off, set: step.set },
      ...(step.input === null ? {} : { input: step.input }),
      ...(step.beside === null ? {} : { beside: step.beside }),
      text: step.text,
    })),
  };
}

/** Return the name of a neuron where it has one of its own, else its number. */
function neuronName(model: Model, stage: number, neuron: number): string | number {
  const names = model.blocks[Math.floor((stage - 1) / 2)]?.feed_forward?.names ?? [];
  const name = names[neuron] ?? "";
  return name !== "" && names.indexOf(name) === names.lastIndexOf(name) ? name : neuron;
}
