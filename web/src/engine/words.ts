/** Errors of the engine, and how their messages show values: as the Python package does. */

/** What is wrong with a file, an input or a run, in words for the reader. */
export class EngineError extends Error {}

/** Return why something failed: the message of an error. */
export const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const NAME_ECHO = 80; // letters of what was given that a message repeats
const MAX_ECHO = 200;
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** Say whether every letter of a text can be shown. */
export const isPrintable = (text: string): boolean => !INVISIBLE.test(text);

/** Return how many characters a text has, counting both halves of a pair as one. */
export function letters(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** Return the first `most` characters of a text. */
export const start = (text: string, most: number): string =>
  Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join("");

/** Return a text in quotes, with escapes for what cannot be shown. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const named: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", [quote]: "\\" + quote };
  const escaped = Array.from(text, (letter) => {
    if (Object.hasOwn(named, letter)) return named[letter];
    if (isPrintable(letter)) return letter;
    const code = letter.codePointAt(0) ?? 0;
    const [mark, digits] = code < 256 ? ["\\x", 2] : code < 65536 ? ["\\u", 4] : ["\\U", 8];
    return mark + code.toString(16).padStart(digits as number, "0");
  });
  return quote + escaped.join("") + quote;
}

/** Return a text in quotes as a message may repeat it: cut. */
export const brief = (text: string, most = NAME_ECHO): string => start(quoted(start(text, most)), most);

/** Return a name plainly if that is clear, else in quotes. */
export const shown = (name: string): string =>
  isPrintable(name) && name.trim() === name && name !== "" ? name : quoted(name);

/** Say whether every token is one letter, so that inputs are written without spaces. */
export const hasLettersOnly = (tokens: readonly string[]): boolean =>
  tokens.every((token) => Array.from(token).length === 1);

/** Return a number with `most` significant digits, without trailing zeros. */
export function general(x: number, most = 6): string {
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [digits, exponent] = rounded(x, most).split("e");
  if (Number(exponent) >= -4 && Number(exponent) < most) return String(Number(`${digits}e${exponent}`));
  const sign = exponent[0] === "-" ? "-" : "+";
  return `${Number(digits)}e${sign}${exponent.slice(1).padStart(2, "0")}`;
}

/** Return a number with `most` digits and an exponent; a tie goes to the even digit, as in Python. */
function rounded(x: number, most: number): string {
  const [all, exponent] = x.toExponential(100).split("e");
  const [kept, rest] = [all.slice(0, all.indexOf(".") + most), all.slice(all.indexOf(".") + most)];
  const tie = /^50*$/.test(rest) && /[02468]\.?$/.test(kept);
  return tie ? `${kept}e${exponent}` : x.toExponential(most - 1);
}

/** Return a name as a message may repeat it: plainly if that is clear, else in quotes; and cut. */
export function named(name: string): string {
  const given = start(name, NAME_ECHO + 1);
  const plain = isPrintable(given) && given.trim() === given && given !== "";
  const text = plain ? given : quoted(given);
  return letters(text) <= NAME_ECHO ? text : start(text, NAME_ECHO - 1) + "…";
}

/** Return names as a list for a message, cut after some. */
export function listed(names: readonly string[]): string {
  const head: string[] = [];
  for (const name of names.slice(0, 12)) {
    if (head.length && letters([...head, named(name)].join(", ")) > MAX_ECHO - 24) break;
    head.push(named(name));
  }
  return head.join(", ") + (head.length === names.length ? "" : `, … (${names.length} in all)`);
}
