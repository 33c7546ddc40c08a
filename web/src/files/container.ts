/** Safetensors files: whatever is wrong is refused from the header alone, before anything is allocated. */

import { type Json, parseJson } from "./json";
import { EngineError } from "../engine/words";
import { brief, grouped } from "./words";

const MAX_HEADER = 32 << 20;
const MAX_TENSORS = 1 << 16;
const MAX_DIMENSION = 1 << 24;
const MAX_PARAMETERS = 2 ** 30;
const MAX_EMPTY = 1 << 16;
const METADATA_KEY = "weightsmith";
const ITEM_BYTES = new Map([
  ["F32", 4],
  ["F64", 8],
]);

/** An array of a file: its type, its shape and its bytes. */
export interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

interface Place {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** Return the tensors of a file, in the order of their bytes, and its metadata text. */
export function readContainer(file: Uint8Array): { tensors: Map<string, Tensor>; metadata: string } {
  const most = 8 + MAX_HEADER + 8 * MAX_PARAMETERS;
  if (file.length < 8 || file.length > most) {
    throw new EngineError(`it has ${grouped(file.length)} bytes, and a model has between 8 and ${grouped(most)}`);
  }
  const length = new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true);
  if (length > file.length - 8) {
    throw new EngineError(`its header claims ${grouped(length)} bytes: it is not a safetensors file, or it is cut off`);
  }
  if (length > MAX_HEADER) {
    throw new EngineError(
      `its header has ${grouped(length)} bytes, and at most ${grouped(MAX_HEADER)} are allowed: shorten the names`,
    );
  }
  const body = 8 + Number(length);
  const { places, metadata } = checkHeader(decoded(file.subarray(8, body)), file.length - body, body);
  const tensors = new Map<string, Tensor>();
  for (const { name, dtype, shape, begin, end } of places) {
    tensors.set(name, { dtype, shape, bytes: file.subarray(begin, end) });
  }
  return { tensors, metadata };
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EngineError("its header is not valid JSON: it is not UTF-8");
  }
}

function checkHeader(header: string, bodySize: number, body: number): { places: Place[]; metadata: string } {
  const entries = parseJson(header, "its header", body + bodySize);
  const given = entries.get("__metadata__");
  entries.delete("__metadata__");
  const metadata = given instanceof Map && given.size === 1 ? given.get(METADATA_KEY) : null;
  if (typeof metadata !== "string") {
    throw new EngineError(
      `it is a safetensors file without the metadata key '${METADATA_KEY}': Weightsmith did not write it`,
    );
  }
  if (entries.size > MAX_TENSORS) {
    throw new EngineError(`it has ${grouped(entries.size)} tensors, and at most ${grouped(MAX_TENSORS)} are allowed`);
  }
  const places = [...entries].map(([name, entry]) => checkEntry(name, entry, bodySize, body));
  const total = places.reduce((count, place) => count + numbers(place.shape), 0);
  if (total > MAX_PARAMETERS) {
    throw new EngineError(`it claims ${grouped(total)} parameters, and at most ${grouped(MAX_PARAMETERS)} are allowed`);
  }
  places.sort((one, other) => one.begin - other.begin || one.end - other.end);
  let offset = body;
  for (const { name, begin, end } of places) {
    if (begin !== offset) {
      throw new EngineError(
        `tensor ${brief(name)} does not begin where the one before it ends: they must fill the file`,
      );
    }
    offset = end;
  }
  if (offset !== body + bodySize) {
    throw new EngineError(`its tensors end at byte ${grouped(offset)}, and it has ${grouped(body + bodySize)}`);
  }
  return { places, metadata };
}

const numbers = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

function checkEntry(name: string, entry: Json, bodySize: number, body: number): Place {
  const what = `tensor ${brief(name)}`;
  const keys = ["dtype", "shape", "data_offsets"];
  if (!(entry instanceof Map) || entry.size !== 3 || !keys.every((key) => entry.has(key))) {
    throw new EngineError(`${what} must have dtype, shape and data_offsets, and has ${brief(entry)}`);
  }
  const [dtype, given, offsets] = keys.map((key) => entry.get(key) as Json);
  const item = typeof dtype === "string" ? ITEM_BYTES.get(dtype) : undefined;
  if (typeof dtype !== "string" || item === undefined) {
    throw new EngineError(`${what} has dtype ${brief(dtype)}: only F32 and F64 are read`);
  }
  const shape = sizes(given, MAX_DIMENSION);
  if (shape === null || shape.length < 1 || shape.length > 2) {
    throw new EngineError(
      `${what} has shape ${brief(given)}: one or two axes of at most ${grouped(MAX_DIMENSION)} are read`,
    );
  }
  const ends = sizes(offsets, bodySize);
  if (ends === null || ends.length !== 2) {
    throw new EngineError(
      `${what} has data_offsets ${brief(offsets)}, and the file has ${grouped(bodySize)} bytes of data`,
    );
  }
  const size = numbers(shape);
  if (size === 0 && Math.max(...shape) > MAX_EMPTY) {
    throw new EngineError(
      `${what} has shape ${brief(given)}: an array without numbers has no axis above ${grouped(MAX_EMPTY)}`,
    );
  }
  if (ends[1] - ends[0] !== size * item) {
    throw new EngineError(
      `${what} of shape ${brief(given)} needs ${grouped(size * item)} bytes, its data_offsets are ${brief(offsets)}`,
    );
  }
  return { name, dtype, shape, begin: body + ends[0], end: body + ends[1] };
}

/** Return a list of whole numbers from 0 to a bound; null for anything else. */
function sizes(values: Json, most: number): number[] | null {
  if (!Array.isArray(values)) return null;
  const whole = values.every((value) => typeof value === "bigint" && value >= 0n && value <= BigInt(most));
  return whole ? values.map(Number) : null;
}
