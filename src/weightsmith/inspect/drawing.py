"""A picture of a run, as SVG: tokens as columns, after each sublayer the lanes that it changed, and arcs of heads.

An arc leads from the position that a head reads to the reader, where it has a dot. Its opacity is the weight, and each
head has a colour.
"""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.errors import InputError, cut
from weightsmith.tables import number

if TYPE_CHECKING:
    from weightsmith.inspect.run import Run

MOST_TOKENS, MOST_ROWS = 40, 120  # that a picture shows
LEAST_WEIGHT = 0.01  # of an arc
COLUMN, ROW, LEFT, ARCS, GAP = 56, 20, 190, 54, 12
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # of heads
LABEL = 22  # characters of a name


def drawn(r: "Run") -> str:
    """Return a picture of a run; refuse one that does not fit a page."""
    if len(r.tokens) > MOST_TOKENS:
        raise InputError(f"a picture shows up to {MOST_TOKENS} tokens, and the input has {len(r.tokens)}: run a part")
    stages = _stages(r)
    rows = sum(len(lanes) for _, lanes in stages)
    if rows > MOST_ROWS:
        raise InputError(
            f"a picture shows up to {MOST_ROWS} rows, and the sublayers change {rows} lanes: r.save_html('run.html') "
            "shows all of them"
        )
    picture = _Picture(r)
    for stage, lanes in stages:
        picture.stage(stage, lanes)
    picture.outputs()
    return picture.whole()


def _stages(r: "Run") -> list[tuple[int, list[int]]]:
    """Return each stage with the lanes that are not 0 after the embedding, or that the sublayer changed."""
    found = [(0, np.flatnonzero(r.stream[0].any(axis=0)).tolist())]
    for stage in range(1, len(r.stream)):
        changed = np.flatnonzero((r.stream[stage] != r.stream[stage - 1]).any(axis=0)).tolist()
        heads = stage % 2 == 1 and bool(r.heads[stage // 2])
        if changed or heads:
            found.append((stage, changed))
    return found


class _Picture:
    """Draws from the top to the bottom."""

    def __init__(self, r: "Run") -> None:
        self.r, self.y, self.body = r, 30.0, list[str]()
        self.infinity = float(r.transformer.arithmetic.infinity)
        finite = np.abs(r.stream[np.abs(r.stream) < self.infinity])
        self.largest = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
        self._tokens()

    def stage(self, stage: int, lanes: list[int]) -> None:
        """Draw the arcs of its heads, its name, and a row for each lane."""
        if stage % 2 == 1 and self.r.heads[stage // 2]:
            self._arcs(stage // 2)
        self.y += GAP
        self._text(6, self.y + 12, self.r.stages[stage], "start", 'font-weight="bold"')
        self.y += ROW
        for lane in lanes:
            self._text(LEFT - 10, self.y + 14, cut(self.r.transformer.lanes[lane], LABEL), "end")
            for position in range(len(self.r.tokens)):
                self._cell(position, float(self.r.stream[stage, position, lane]))
            self.y += ROW

    def outputs(self) -> None:
        """Write the output at each position."""
        T, self.y = self.r.transformer, self.y + GAP
        self._text(6, self.y + 14, "output", "start", 'font-weight="bold"')
        for position, answer in enumerate(self.r.answer_ids.tolist()):
            said = str(T.answers[answer]) if answer >= 0 else "?"
            last = 'font-weight="bold"' if position == len(self.r.tokens) - 1 else ""
            self._text(self._x(position), self.y + 14, cut(said, 8), "middle", last)
        self.y += ROW

    def whole(self) -> str:
        """Return all of it."""
        width, height = LEFT + COLUMN * len(self.r.tokens) + 10, self.y + 8
        label = escape(f"a run on {' '.join(self.r.tokens)}", quote=True)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="sans-serif" font-size="12" role="img" aria-label="{label}">'
            f'<rect width="100%" height="100%" fill="#fff"/>{"".join(self.body)}</svg>\n'
        )

    def _x(self, position: int) -> float:
        return LEFT + COLUMN * (position + 0.5)

    def _tokens(self) -> None:
        for position, token in enumerate(self.r.tokens):
            self._text(self._x(position), self.y - 8, cut(token, 8), "middle", 'font-weight="bold"')

    def _text(self, x: float, y: float, text: str, anchor: str, more: str = "") -> None:
        self.body.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {more}>{escape(text)}</text>')

    def _cell(self, position: int, value: float) -> None:
        """Draw a value: blue above 0, red below, stronger the larger it is."""
        share = 1.0 if abs(value) == self.infinity else min(1.0, abs(value) / self.largest)
        fill = "#0072b2" if value > 0 else "#c0392b"
        self.body.append(
            f'<rect x="{self._x(position) - COLUMN / 2 + 1:g}" y="{self.y + 1:g}" width="{COLUMN - 2}" '
            f'height="{ROW - 2}" fill="{fill}" fill-opacity="{0.45 * share:.2f}" stroke="#ddd"/>'
        )
        if value:
            self._text(self._x(position), self.y + 14, number(value, self.infinity, 3), "middle")

    def _arcs(self, block: int) -> None:
        self.y += ARCS
        for h, head in enumerate(self.r.heads[block]):
            name = self.r.transformer.blocks[block].attention.heads[h].name  # type: ignore[union-attr]
            colour = COLOURS[h % len(COLOURS)]
            self._text(
                LEFT - 10, self.y - 4 - 14 * h, cut(f"head {h} {name}".strip(), LABEL), "end", f'fill="{colour}"'
            )
            self.body += self._paths(np.asarray(head.weights, np.float64), colour, 5 * h)

    def _paths(
        self, weights: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", colour: str, rise: int
    ) -> Iterator[str]:
        for reader, source in np.argwhere(weights >= LEAST_WEIGHT).tolist():
            opacity = min(1.0, float(weights[reader, source]))
            a, b, y = self._x(source), self._x(reader), self.y
            line = f'fill="none" stroke="{colour}" stroke-opacity="{opacity:.2f}" stroke-width="1.6"'
            if reader == source:
                yield f'<circle cx="{a:g}" cy="{y - 6 - rise:g}" r="4" {line}/>'
            else:
                top = y - min(ARCS - 6, 12 + 6 * abs(reader - source)) * 1.3 - rise
                yield f'<circle cx="{b:g}" cy="{y:g}" r="2.5" fill="{colour}" fill-opacity="{opacity:.2f}"/>'
                yield f'<path d="M{a:g} {y:g}Q{(a + b) / 2:g} {top:g} {b:g} {y:g}" {line}/>'
