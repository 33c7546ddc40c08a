"""Pictures of a run that is too large for a page with its model: every head's attention, and the lens at each position.

An attention pattern is a PNG with a pixel for each pair of positions; CSS makes it larger, so it needs no script.
"""

import base64
import html
import struct
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import cut
from weightsmith.inspect import Part, Run
from weightsmith.inspect.trace import position_text
from weightsmith.model import value_text
from weightsmith.model.sites import Site, present_stages
from weightsmith.studio.brief import likeliest

MOST_POSITIONS, LETTERS = 64, 14  # the last ones, of a lens and of a pattern; characters of a cell
STYLE = (
    ".heads{display:flex;flex-wrap:wrap;gap:6px;align-items:end}"
    ".heads figure{margin:0;text-align:center;font-size:11px}"
    ".heads img{image-rendering:pixelated;border:1px solid #8888;display:block}"
    ".lens{border-collapse:collapse;font-size:13px}.lens td,.lens th{padding:.1em .5em;white-space:pre;text-align:left}"
)


def pictures(run: Run, heads: Sequence[Part]) -> str:
    """Return the lens at every position, the patterns of heads that matter, and those of all heads, as HTML."""
    return "".join([*_lens(run), *_patterns(run, heads)])


def _line(text: str) -> str:
    return f"<div>{html.escape(text)}</div>"


def _first(run: Run) -> int:
    return max(0, len(run.tokens) - MOST_POSITIONS)


def _which(run: Run) -> str:
    return f"the last {MOST_POSITIONS} of {len(run.tokens):,} positions" if _first(run) else "every position"


def _lens(run: Run) -> Iterator[str]:
    """Yield a table: the answer that each stage would give at each position; the likelier, the darker."""
    first, n = _first(run), len(run.tokens)
    yield _line(f"What it would say after every sublayer, at {_which(run)}; the likelier, the darker")
    yield '<table class="lens"><thead><tr><th>after</th>'
    yield "".join(f"<th>{html.escape(cut(position_text(run.tokens, i), LETTERS))}</th>" for i in range(first, n))
    yield "</tr></thead><tbody>"
    for s in present_stages(run.transformer):
        said, chances = likeliest(run.transformer, run.stream[s, first:])
        cells = "".join(
            f'<td style="background:rgba(73,38,217,{0.55 * chance:.3f})" title="{chance:.4f}">'
            f"{html.escape(cut(value_text(one), LETTERS))}</td>"
            for one, chance in zip(said, chances.tolist(), strict=True)
        )
        yield f"<tr><th>{html.escape(run.stages[s])}</th>{cells}</tr>"
    yield "</tbody></table>"


def _patterns(run: Run, heads: Sequence[Part]) -> Iterator[str]:
    """Yield the attention of heads: large those that matter, small all of them, a row for each block."""
    yield _line(
        f"Attention of the heads that matter, at {_which(run)}: a row for each position that looks, a column for each "
        "that is seen; the more, the darker"
    )
    chosen = [(part.block, part.place) for part in heads if part.block is not None and part.place is not None]
    yield f'<div class="heads">{"".join(_figure(run, b, i, 200, str(Site("head", b, i))) for b, i in chosen)}</div>'
    yield _line("Attention of every head: a row for each block")
    for b, block in enumerate(run.heads):
        figures = "".join(_figure(run, b, i, 80, f"{b}.{i}") for i in range(len(block)))
        yield f'<div class="heads">{figures}</div>'


def _figure(run: Run, b: int, i: int, size: int, caption: str) -> str:
    first = _first(run)
    name = html.escape(str(Site("head", b, i)))
    source = base64.b64encode(png(run.heads[b][i].weights[first:, first:])).decode()
    image = f'<img width="{size}" height="{size}" alt="{name}" title="{name}" src="data:image/png;base64,{source}">'
    return f"<figure>{image}<figcaption>{html.escape(caption)}</figcaption></figure>"


def png(weights: Array) -> bytes:
    """Return a picture with a pixel for each weight: white for 0, black for 1."""
    grey = np.round(255 * (1 - np.clip(weights, 0.0, 1.0))).astype(np.uint8)
    rows, columns = grey.shape
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), grey], axis=1)  # each line begins with its filter: none

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
