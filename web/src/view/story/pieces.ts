/** A caption in pieces: text, and the tokens between backquotes. */

export interface Piece {
  readonly text: string;
  readonly token: boolean;
}

/** Return the pieces of a caption; a backquote without a second one is a letter. */
export function piecesOf(caption: string): Piece[] {
  const result: Piece[] = [];
  let end = 0;
  for (const found of caption.matchAll(/`([^`]+)`/g)) {
    if (found.index > end) result.push({ text: caption.slice(end, found.index), token: false });
    result.push({ text: found[1], token: true });
    end = found.index + found[0].length;
  }
  if (end < caption.length) result.push({ text: caption.slice(end), token: false });
  return result;
}
