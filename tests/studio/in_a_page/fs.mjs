// node:fs as far as the scripts of the tests use it, in a page: files are asked of the server, and waited for.

/** Return the bytes of a file, or its text. */
export function readFileSync(path, encoding) {
  const asked = new XMLHttpRequest();
  asked.open("GET", path, false);
  asked.overrideMimeType("text/plain; charset=x-user-defined"); // each byte a character
  asked.send();
  if (asked.status !== 200) throw new Error(`${path}: ${asked.status}`);
  const bytes = Uint8Array.from(asked.responseText, (letter) => letter.charCodeAt(0) & 255);
  return encoding === "utf8" ? new TextDecoder().decode(bytes) : bytes;
}
