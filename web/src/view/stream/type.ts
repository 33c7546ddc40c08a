/** The sizes of type in the stream's picture, in pixels. */

export interface TypeSizes {
  readonly least: number; // names of groups, marks, notes
  readonly number: number;
  readonly leastNumber: number; // in narrow cells; smaller ones are not written
  readonly lane: number;
  readonly token: number;
  readonly says: number; // what a position would say
  readonly answer: number; // and the last one
}

export const DESK: TypeSizes = { least: 13, number: 14, leastNumber: 8.8, lane: 14, token: 16, says: 15, answer: 19 };
export const PHONE: TypeSizes = { least: 13, number: 14, leastNumber: 8.8, lane: 14, token: 16, says: 15, answer: 16 };
/** Of presenter mode: before the picture is enlarged, 22 for 13. */
export const SCREEN: TypeSizes = {
  least: 13,
  number: 15,
  leastNumber: 13,
  lane: 15,
  token: 18.4,
  says: 16,
  answer: 21.4,
};

/** The fonts of theme.css, for canvas: it cannot look them up by itself. */
export const SANS =
  '"Segoe UI", -apple-system, "Helvetica Neue", "Noto Sans", "DejaVu Sans Condensed", system-ui, sans-serif';

/** What the picture has to fit into. */
export interface Room {
  readonly width: number;
  readonly height: number | null; // of presenter mode, where all rows are visible; null: as high as it needs
  readonly narrow: boolean;
}

export const sizesIn = ({ height, narrow }: Room): TypeSizes => (height !== null ? SCREEN : narrow ? PHONE : DESK);
