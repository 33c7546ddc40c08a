"""A picture of a run of an LSTM, as SVG: what each gate does over time, beside the stream that grows by blocks."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, cut, shown
from weightsmith.inspect.run import Run
from weightsmith.model.sites import Site, present_stages, stage_site

if TYPE_CHECKING:
    from weightsmith.inspect.recurrent.lstm import LSTMRun

PARTS = ("input gate", "forget gate", "candidate", "cell", "output gate", "hidden")
MOST_TOKENS, MOST_CELLS, MOST_LANES = 40, 16, 40  # that a picture shows
USUAL_CELLS = 4  # unless cells are named: those that vary most
COLUMN, ROW, LEFT, GAP, TOP = 58, 20, 130, 12, 46


def drawn(r: "LSTMRun", cells: Sequence[int] | None, beside: "Run | None") -> str:
    """Return a picture of some cells, and of the stream at the last token of a run beside them."""
    if len(r.tokens) > MOST_TOKENS:
        raise InputError(f"a picture shows up to {MOST_TOKENS} tokens, and the input has {len(r.tokens)}: run a part")
    if cells is not None and len(cells) > MOST_CELLS:
        raise InputError(f"a picture shows up to {MOST_CELLS} cells: name fewer than {len(cells)}")
    chosen = _liveliest(r) if cells is None else cells
    body, height = _cells(r, chosen)
    width = LEFT + COLUMN * len(r.tokens) + 10.0
    if beside is not None:
        more, deep = _stream(beside, width + 40)
        columns = len(present_stages(beside.transformer))
        body, height, width = body + more, max(height, deep), width + 40 + LEFT + COLUMN * columns + 10
    label = escape(f"{r.lstm.name} on {' '.join(r.tokens)}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="12" role="img" aria-label="{label}">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
    )


def _liveliest(r: "LSTMRun") -> list[int]:
    """Return the cells whose state varies most, in their own order."""
    spread = r.part("cell").std(axis=0)
    return sorted(np.argsort(-spread, kind="stable")[:USUAL_CELLS].tolist())


def _cells(r: "LSTMRun", chosen: Sequence[int]) -> tuple[list[str], float]:
    """Draw each cell: six rows over the tokens."""
    body = [_text(6, 16, f"{r.lstm.name}: through the tokens", "start", 'font-weight="bold"')]
    body += [
        _text(LEFT + COLUMN * (t + 0.5), TOP - 10, cut(shown(token), 8), "middle", 'font-weight="bold"')
        for t, token in enumerate(r.tokens)
    ]
    y = float(TOP)
    for n in chosen:
        body.append(_text(6, y + 14, cut(r.lstm.cells[n], 20), "start", 'font-weight="bold"'))
        y += ROW
        for part in PARTS:
            body.append(_text(LEFT - 8, y + 14, part, "end", 'fill="#b45309"' if part == "cell" else ""))
            body += _row(r.part(part)[:, n], y, LEFT, max(1.0, float(np.abs(r.part("cell")[:, n]).max())))
            y += ROW
        y += GAP
    body.append(_text(LEFT - 8, y + 14, "output", "end", 'font-weight="bold"'))
    body += [
        _text(LEFT + COLUMN * (t + 0.5), y + 14, cut(shown(said), 8), "middle", "") for t, said in enumerate(r.outputs)
    ]
    return body, y + ROW + 8


def _stream(run: Run, left: float) -> tuple[list[str], float]:
    """Draw the stream at the last token: a row for each lane, a column for each stage."""
    stages = [stage_site(name) for name in present_stages(run.transformer)]
    values = np.array([run.stream[stage.stage, -1] for stage in stages])
    lanes = np.flatnonzero(values.any(axis=0))
    if len(lanes) > MOST_LANES:
        lanes = np.sort(np.argsort(-np.abs(values).max(axis=0), kind="stable")[:MOST_LANES])
    title = f"residual stream of {cut(shown(run.tokens[-1]), 12)}: through the blocks"
    body = [_text(left, 16, title, "start", 'font-weight="bold"')]
    for s, stage in enumerate(stages):
        body.append(
            _text(left + LEFT + COLUMN * (s + 0.5), TOP - 10, short_stage(stage), "middle", 'font-weight="bold"')
        )
    y = float(TOP)
    most = float(np.abs(values[np.isfinite(values)]).max()) or 1.0
    for lane in lanes.tolist():
        body.append(_text(left + LEFT - 8, y + 14, cut(run.transformer.lanes[lane], 18), "end", ""))
        body += _row(values[:, lane], y, left + LEFT, most)
        y += ROW
    return body, y + 8


def short_stage(site: Site) -> str:
    """Return a name of a stage for a narrow column: embed, attn 0, ff 0."""
    return "embed" if site.block is None else f"{'attn' if site.kind == 'attention' else 'ff'} {site.block}"


def _row(values: Array, y: float, left: float, most: float) -> list[str]:
    """Draw numbers as cells: blue above 0, red below, stronger the larger they are."""
    found = []
    for t, value in enumerate(values.tolist()):
        fill, share = "#0072b2" if value > 0 else "#c0392b", min(1.0, abs(value) / most)
        found.append(
            f'<rect x="{left + COLUMN * t + 1:g}" y="{y + 1:g}" width="{COLUMN - 2}" height="{ROW - 2}" fill="{fill}" '
            f'fill-opacity="{0.45 * share:.2f}" stroke="#ddd"/>'
        )
        found.append(_text(left + COLUMN * (t + 0.5), y + 14, f"{round(value, 6) + 0.0:.3g}", "middle", ""))
    return found


def _text(x: float, y: float, text: str, anchor: str, more: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {more}>{escape(text)}</text>'
