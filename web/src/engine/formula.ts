/** Formulas of the input's length n, such as "2*n + 1": whole numbers, n, brackets and + - * // **. */

export const MAX_STEPS = 1 << 16;
const MAX_FORMULA = 200; // letters
const MAX_POWER = 16n;
const LARGEST = BigInt(MAX_STEPS); // number in a formula, and of what there may be a power
const PARTS =
  /([ \t\f]+|#[^\n]*)|(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|[1-9](?:_?[0-9])*|0(?:_?0)*)(?![\w.])|(n)(?!\w)|(\*\*|\/\/|[-+*()\n\r])/y;

/** A function of n; it returns null where the formula has no value. */
export type Formula = (n: number) => bigint | null;

/** Return the function that a formula describes, as Python reads it; null for a text that is none. */
export function formulaOf(text: string): Formula | null {
  if (Array.from(text).length > MAX_FORMULA) return null;
  const parts = partsOf(text.trim());
  const tree = parts && new Parser(parts).whole();
  if (tree === null || tree(1n) === null) return null;
  return (n) => tree(BigInt(n));
}

/** Return numbers, n and signs; null where there is something else. */
function partsOf(text: string): string[] | null {
  const parts: string[] = [];
  let depth = 0;
  for (PARTS.lastIndex = 0; PARTS.lastIndex < text.length;) {
    const found = PARTS.exec(text);
    if (found === null) return null;
    const [part, space] = found;
    if (part === "(") depth++;
    if (part === ")") depth--;
    if (space !== undefined) continue;
    if (part !== "\n" && part !== "\r") parts.push(part);
    else if (depth <= 0) return null; // a line may end inside brackets alone
  }
  return parts;
}

type Tree = (n: bigint) => bigint | null;

/** Reads sums of products of powers. */
class Parser {
  private at = 0;

  constructor(private readonly parts: readonly string[]) {}

  whole(): Tree | null {
    const tree = this.sum();
    return this.at === this.parts.length ? tree : null;
  }

  private sum = (): Tree | null => this.folded(["+", "-"], this.term);
  private term = (): Tree | null => this.folded(["*", "//"], this.power);

  private folded(signs: readonly string[], next: () => Tree | null): Tree | null {
    let left = next();
    while (left !== null && signs.includes(this.parts[this.at])) {
      const sign = this.parts[this.at++];
      const right = next();
      left = right && joined(sign, left, right);
    }
    return left;
  }

  private power = (): Tree | null => {
    const base = this.atom();
    if (base === null || this.parts[this.at] !== "**") return base;
    this.at++;
    const exponent = this.power();
    return exponent && joined("**", base, exponent);
  };

  private atom(): Tree | null {
    const part = this.parts[this.at++];
    if (part === "n") return (n) => n;
    if (part === "(") {
      const inner = this.sum();
      return this.parts[this.at++] === ")" ? inner : null;
    }
    if (part === undefined || !/^[0-9]/.test(part)) return null;
    const value = BigInt(part.replaceAll("_", ""));
    return () => (value <= LARGEST ? value : null);
  }
}

function joined(sign: string, left: Tree, right: Tree): Tree {
  return (n) => {
    const [a, b] = [left(n), right(n)];
    if (a === null || b === null) return null;
    if (sign === "+") return a + b;
    if (sign === "-") return a - b;
    if (sign === "*") return a * b;
    if (sign === "**") return b >= 0n && b <= MAX_POWER && a <= LARGEST && a >= -LARGEST ? a ** b : null;
    if (b === 0n) return null;
    const quotient = a / b;
    return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient; // rounded down
  };
}
