/** A caption in pieces: words, and the tokens between backquotes. */

import type { Piece } from "../facts/sentence";

/** Return the pieces of a caption; a backquote without a second one is a letter. */
export function piecesOf(caption: string): Piece[] {
  const result: Piece[] = [];
  let end = 0;
  for (const found of caption.matchAll(/`([^`]+)`/g)) {
    if (found.index > end) result.push({ kind: "words", text: caption.slice(end, found.index) });
    result.push({ kind: "token", text: found[1] });
    end = found.index + found[0].length;
  }
  if (end < caption.length) result.push({ kind: "words", text: caption.slice(end) });
  return result;
}
