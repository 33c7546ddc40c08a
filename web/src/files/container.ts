/** Safetensors files: everything is checked in the header alone, before any array is made. */

import { type Json, parseJson } from "./json";
import { refuse, shown } from "./refusal";

const MAX_HEADER = 32 << 20;
const MAX_TENSORS = 1 << 16;
const MAX_DIMENSION = 1 << 24;
const MAX_PARAMETERS = 2 ** 30;
const MAX_EMPTY = 1 << 16;
const MAX_FILE = 8 + MAX_HEADER + 8 * MAX_PARAMETERS;
const METADATA_KEY = "weightsmith";
const ITEM_BYTES = new Map<Json, number>([
  ["F32", 4],
  ["F64", 8],
]);

/** An array of a file: its type, its shape and its bytes. */
export interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

interface Entry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number; // among the bytes after the header
  readonly end: number;
}

/** Return the tensors of a file, in the order of their bytes, and its metadata text. */
export function readContainer(file: Uint8Array): { tensors: Map<string, Tensor>; metadata: string } {
  const bytes = file.length;
  if (bytes < 8 || bytes > MAX_FILE) refuse("container", `a file of ${bytes} bytes is not a model`);
  const length = new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true);
  if (length > bytes - 8) {
    refuse("container", `its header claims ${length} bytes: the file is not a safetensors file, or it is cut off`);
  }
  if (length > MAX_HEADER) refuse("container", `its header has ${length} bytes; the limit is ${MAX_HEADER}`);
  const body = 8 + Number(length);
  const { entries, metadata } = readHeader(decoded(file.subarray(8, body)), bytes - body, bytes);
  const tensors = entries.map(({ name, dtype, shape, begin, end }): [string, Tensor] => {
    return [name, { dtype, shape, bytes: file.subarray(body + begin, body + end) }];
  });
  return { tensors: new Map(tensors), metadata };
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("json", "its header is not UTF-8");
  }
}

function readHeader(header: string, body: number, fileSize: number): { entries: Entry[]; metadata: string } {
  const found = parseJson(header, "its header", fileSize);
  const given = found.get("__metadata__");
  found.delete("__metadata__");
  const metadata = given instanceof Map && given.size === 1 ? given.get(METADATA_KEY) : null;
  if (typeof metadata !== "string") return refuse("container", "Weightsmith did not write this safetensors file");
  if (found.size > MAX_TENSORS) refuse("container", `it has ${found.size} tensors; the limit is ${MAX_TENSORS}`);
  const entries = [...found].map(([name, entry]) => readEntry(name, entry, body));
  const total = entries.reduce((sum, { shape }) => sum + count(shape), 0);
  if (total > MAX_PARAMETERS) refuse("container", `it has ${total} parameters; the limit is ${MAX_PARAMETERS}`);
  entries.sort((one, other) => one.begin - other.begin || one.end - other.end);
  let offset = 0;
  for (const { name, begin, end } of entries) {
    if (begin !== offset) refuse("container", `there is a gap or an overlap before tensor ${shown(name)}`);
    offset = end;
  }
  if (offset !== body) refuse("container", `its tensors take ${offset} bytes, and the file has ${body} for them`);
  return { entries, metadata };
}

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

function readEntry(name: string, entry: Json, body: number): Entry {
  const odd = (): never => refuse("container", `tensor ${shown(name)} is described by ${shown(entry)}`);
  if (!(entry instanceof Map) || entry.size !== 3) return odd();
  const [dtype, shape, offsets] = ["dtype", "shape", "data_offsets"].map((key) => entry.get(key) ?? null);
  const [item, sizes, ends] = [ITEM_BYTES.get(dtype), wholes(shape, MAX_DIMENSION), wholes(offsets, body)];
  if (ends === null) refuse("container", `tensor ${shown(name)} lies at ${shown(offsets)}, of ${body} bytes`);
  if (item === undefined || sizes === null) return odd();
  if (sizes.length < 1 || sizes.length > 2 || ends.length !== 2) return odd();
  const size = count(sizes);
  if (size === 0 && Math.max(...sizes) > MAX_EMPTY) return odd();
  if (ends[1] - ends[0] !== size * item) return odd();
  return { name, dtype: dtype as string, shape: sizes, begin: ends[0], end: ends[1] };
}

/** Return a list of whole numbers from 0 to a bound; null for anything else. */
function wholes(values: Json, most: number): number[] | null {
  if (!Array.isArray(values)) return null;
  const whole = values.every((value) => typeof value === "bigint" && value >= 0n && value <= BigInt(most));
  return whole ? values.map(Number) : null;
}
