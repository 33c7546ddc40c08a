/** How numbers are written: short in cells, exact on hover, ∞ by its name, with a proper minus sign. */

import { infinityOf, type Model } from "../../engine";

export const MINUS = "−";

/** The numbers of a model's arithmetic. */
export class Numbers {
  /** ∞ of the arithmetic; null in the machine's. */
  readonly infinity: number | null;
  /** How many steps of a fixed-point arithmetic make 1, such as 16; null in others. */
  private readonly steps: number | null;

  constructor(readonly model: Model) {
    this.infinity = infinityOf(model);
    this.steps = model.arithmetic.fixed ? 1 / model.arithmetic.smallest : null;
  }

  isInfinite(value: number): boolean {
    return this.infinity !== null && Math.abs(value) === this.infinity;
  }

  /** Return a number in few letters, for a cell: two decimals at most. */
  short(value: number): string {
    if (this.isInfinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
    return proper(brief(value));
  }

  /** Return a number in fewer letters, for a narrow cell: one digit after the point, or none; null where that says nothing. */
  shorter(value: number): string | null {
    if (this.isInfinite(value)) return null;
    const size = Math.abs(value);
    if (size < 0.05) return null;
    if (size >= 1000) return proper(value.toExponential(0).replace("e+", "e"));
    const text =
      size >= 9.95
        ? value.toFixed(0)
        : value
            .toFixed(1)
            .replace(/\.0$/, "")
            .replace(/^(-?)0\./, "$1.");
    return proper(text);
  }

  /** Return it with its sign, + too; 0 has none. */
  signed(value: number): string {
    return value > 0 ? `+${this.short(value)}` : this.short(value);
  }

  /** Return an amount that was never rounded into the arithmetic, with its sign: it may be beyond ∞. */
  unrounded(value: number): string {
    return (value > 0 ? "+" : "") + proper(brief(value));
  }

  /** Return the whole number in digits, or ∞. */
  whole(value: number): string {
    return this.isInfinite(value) ? this.short(value) : proper(String(value));
  }

  /** Return the whole number with what it is: "0.8125 = 13/16", "∞ = 15.9375". */
  exact(value: number): string {
    const digits = proper(String(value));
    if (this.isInfinite(value)) return `${value > 0 ? "∞" : `${MINUS}∞`} = ${digits}`;
    if (this.steps === null || Number.isInteger(value)) return digits;
    return `${digits} = ${proper(String(value * this.steps))}/${this.steps}`;
  }
}

function brief(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.005 || size >= 1e5) return value.toExponential(size < 0.005 ? 0 : 1).replace(/(\.0)?e\+?/, "e");
  const text = value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function proper(text: string): string {
  return text.replaceAll("-", MINUS);
}

/** Return a share as a percentage: "62 %", "0.4 %", "< 0.1 %". */
export function percent(share: number): string {
  const hundredths = share * 100;
  if (share > 0 && hundredths < 0.1) return "< 0.1 %";
  return `${hundredths >= 10 || share === 0 ? Math.round(hundredths) : hundredths.toFixed(1)} %`;
}

/** Return a count with its noun: "1 lane", "4 lanes". */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
