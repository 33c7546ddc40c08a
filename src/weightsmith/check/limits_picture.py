"""A picture of limits, as SVG: a row for each arithmetic, a column for each n, coloured by its result."""

from collections.abc import Sequence
from html import escape

from weightsmith.errors import shown

CELL, GAP, LEFT, TOP = 14, 2, 8, 44
LETTER = 7.2  # pixels of a letter of a label
COLOURS = {"right": "#2e9e5b", "wrong": "#d64545", "refused": "#c9a227", "unknown": "#c8ccd0"}
MARKS = {"wrong": "×", "refused": "–", "unknown": "?"}  # so that colour is not all there is
MEANINGS = {"right": "right", "wrong": "wrong", "refused": "refused", "unknown": "unknown"}
ALL_LENGTHS = "all lengths"


def drawn(title: str, names: Sequence[str], statuses: Sequence[Sequence[str]], every_length: Sequence[bool]) -> str:
    """Return the picture; a row that is right at all lengths goes on to the right with an arrow."""
    columns = max(map(len, statuses))
    begin = LEFT + max(len(name) for name in names) * LETTER + 10
    step = CELL + GAP
    width = max(begin + columns * step + 100, LEFT + len(title) * 9 + 20, 330)
    height = TOP + len(names) * step + 40
    body = [f'<text x="{LEFT}" y="18" font-size="14" font-weight="bold">{escape(shown(title))}</text>']
    every = max(1, -(-columns // 32))
    body += [
        _text(begin + n * step + CELL / 2, TOP - 6, str(n + 1), "middle", 9)
        for n in range(columns)
        if n == 0 or (n + 1) % max(every, 5 if columns > 20 else 1) == 0
    ]
    for row, (name, cells) in enumerate(zip(names, statuses, strict=True)):
        y = TOP + row * step
        body.append(_text(begin - 8, y + CELL - 3, shown(name), "end", 12))
        body += [_cell(begin + n * step, y, n + 1, name, status) for n, status in enumerate(cells)]
        if every_length[row]:
            body.append(_text(begin + columns * step + 4, y + CELL - 3, f"→ {ALL_LENGTHS}", "start", 11))
    body += _legend(begin, TOP + len(names) * step + 12, {status for cells in statuses for status in cells})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" role="img" aria-label="{escape(_label(title, names))}">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
    )


def _cell(x: float, y: float, n: int, name: str, status: str) -> str:
    mark = MARKS.get(status, "")
    sign = (
        _text(x + CELL / 2, y + CELL - 3.5, mark, "middle", 11, "#fff" if status == "wrong" else "#222") if mark else ""
    )
    tip = escape(f"{name}, n = {n}: {MEANINGS[status]}")
    return (
        f'<g><title>{tip}</title><rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" rx="2" '
        f'fill="{COLOURS[status]}"/>{sign}</g>'
    )


def _legend(x: float, y: float, present: set[str]) -> list[str]:
    body = []
    for status in COLOURS:
        if status in present:
            body.append(f'<rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" rx="2" fill="{COLOURS[status]}"/>')
            body.append(_text(x + CELL + 5, y + CELL - 3, MEANINGS[status], "start", 11))
            x += CELL + 20 + LETTER * len(MEANINGS[status])
    return body


def _text(x: float, y: float, text: str, anchor: str, size: float, fill: str = "#222") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size:g}" fill="{fill}">{escape(text)}</text>'


def _label(title: str, names: Sequence[str]) -> str:
    return f"{shown(title)}: for {len(names)} arithmetics and each length n whether it is right"
