/** The text forms of arithmetics. */

import { Arithmetic, type Sizes, type Ties } from "../engine/arithmetic";
import { EngineError } from "../engine/words";
import { brief } from "./words";

const MAX_PRECISION = 25;
const MAX_EXPONENT_BITS = 10;
const HARDWARE = new Map<string, Sizes>([
  ["float16", { precision: 11, least: -14, infinity: 65504, fixed: false }],
  ["bfloat16", { precision: 8, least: -126, infinity: 255 * 2 ** 120, fixed: false }],
  ["e4m3", { precision: 4, least: -6, infinity: 448, fixed: false }],
  ["e5m2", { precision: 3, least: -14, infinity: 57344, fixed: false }],
]);

const FORM =
  /^\s*([a-z0-9]+)\s*(?:\(\s*(?:([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*)?(?:(?:,|(?<=\())\s*ties\s*=\s*([a-z]+)\s*)?\)\s*)?$/;

/** Return the arithmetic of a text form: `fixed(4,4)`, `float(4,3,ties=even)`, `float16`, `float64`. */
export function parseArithmetic(given: unknown): Arithmetic {
  const match = typeof given === "string" && given.length <= 100 ? FORM.exec(given.toLowerCase()) : null;
  const found = match && read(match, (given as string).includes("("));
  if (found) return found;
  const formats = [...HARDWARE.keys()].join(", ");
  throw new EngineError(
    `${brief(given, 120)} is not an arithmetic: write fixed(4,4), float(4,3), one of ${formats} (each also with ` +
      "ties=even or ties=away, as in fixed(4,4,ties=even)), float32 or float64",
  );
}

function read([, name, first, second, rule]: RegExpExecArray, bracket: boolean): Arithmetic | null {
  const ties = (rule ?? "zero") as Ties;
  const a = Number(first);
  const b = Number(second);
  const sized = first !== undefined;
  const tieText = ties === "zero" ? "" : `ties=${ties}`;
  if ((sized && ["fixed", "float", "twos"].includes(name)) || (!sized && HARDWARE.has(name))) {
    if (!["zero", "even", "away"].includes(ties)) {
      throw new EngineError(`ties=${brief(ties)} is not a tie rule: write one of zero, even, away`);
    }
  }
  const text = `${name}(${[String(a), String(b), tieText].filter(Boolean).join(",")})`;
  if (sized && name === "float") {
    whole("exponent_bits", a, "Float", 1, MAX_EXPONENT_BITS);
    whole("significand_bits", b, "Float", 2, MAX_PRECISION);
    const infinity = (2 ** b - 1) * 2 ** (2 ** (a - 1) - b);
    return new Arithmetic(text, { precision: b, least: -(2 ** (a - 1)), infinity, fixed: false }, ties);
  }
  if (sized && (name === "fixed" || name === "twos")) {
    const kind = name === "fixed" ? "Fixed" : "TwosComplement";
    whole("integer_bits", a, kind, 0, MAX_PRECISION);
    whole("fraction_bits", b, kind, 0, MAX_PRECISION);
    if (a + b < 1 || a + b > MAX_PRECISION) {
      throw new EngineError(
        `${text} has ${a + b} bits besides the sign: between 1 and ${MAX_PRECISION} are exact in a float64 carrier, ` +
          "wider systems are not",
      );
    }
    if (name === "twos") {
      throw new EngineError(`${text} is not symmetric about 0, so no transformer runs in it: write Fixed(…)`);
    }
    const infinity = (2 ** (a + b) - 1) * 2 ** -b;
    return new Arithmetic(text, { precision: a + b, least: a - 1, infinity, fixed: true }, ties);
  }
  const format = HARDWARE.get(name);
  if (format && !sized) return new Arithmetic(name + (tieText && `(${tieText})`), format, ties);
  if (name === "float32" && !bracket) return new Arithmetic(name, 32);
  return name === "float64" && !bracket ? new Arithmetic(name, 64) : null;
}

function whole(name: string, value: number, kind: string, least: number, most: number): void {
  if (value >= least && value <= most) return;
  throw new EngineError(
    `${name}=${value} of ${kind} must be a whole number from ${least} to ${most}: ` +
      "only that many bits are exact in a float64 carrier",
  );
}
