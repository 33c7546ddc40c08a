/** How tokens are written: blanks visible, repeated ones with their position, as in 0₃. */

const VISIBLE: Record<string, string> = { " ": "␣", "": "∅", "\n": "⏎", "\t": "⇥" };

/** Return a token's text so that it can be seen. */
export function tokenText(token: string): string {
  return VISIBLE[token] ?? token.replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

/** Say whether a token stands at several positions, so that its name alone does not tell which is meant. */
export function isRepeated(tokens: readonly string[], position: number): boolean {
  return tokens.some((token, place) => place !== position && token === tokens[position]);
}

/** Return the token at a position, with the position as a subscript where the token is repeated. */
export function tokenAt(tokens: readonly string[], position: number): string {
  const text = tokenText(tokens[position]);
  return isRepeated(tokens, position) ? text + subscript(position) : text;
}

function subscript(number: number): string {
  return [...String(number)].map((digit) => String.fromCharCode(0x2080 + Number(digit))).join("");
}
