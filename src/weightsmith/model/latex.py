"""A transformer in LaTeX: each block as matrices whose rows and columns have names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.arithmetic import Native, Weights
from weightsmith.model.block import Block
from weightsmith.model.describe import facts, head_kind, norm_text
from weightsmith.model.frozen import LANES, NEURONS, Axes, Frozen, array_axes
from weightsmith.model.norms import NORM_LANES, Norm
from weightsmith.model.readout import value_text
from weightsmith.tables.latex import NEEDS, document, escaped, number

if TYPE_CHECKING:
    from weightsmith.model.transformer import Transformer

SYMBOLS = {"embedding": "E", "output": "U", "output_bias": "b_U", "gain": "g", "bias": "b"}
LEFT_OUT = ("keys",)  # of a feed-forward layer: not a weight
MOST = 24  # rows or columns of a matrix that is written out
UPRIGHT = 40  # characters that column names may take together; longer names are turned
Names = Mapping[str, Sequence[str]]


def transformer_latex(T: "Transformer", whole: bool = False) -> str:
    """Return the weights of a transformer as a fragment of LaTeX, or as a `whole` document.

    Zeros are left empty, rows and columns of zeros left out, and ∞ is written so. A matrix that keeps more than 24 rows
    or columns is described by its size.
    """
    body = NEEDS + "\n".join(_lines(T)) + "\n"
    return document(body) if whole else body


def chain_latex(facts: Sequence[tuple[str, str]], T: "Transformer", whole: bool = False) -> str:
    """Return the facts of a chain and its transformer as a fragment of LaTeX, or as a `whole` document."""
    said = " ".join(f"{escaped(key)}: {escaped(text)}." for key, text in facts)
    body = f"{_paragraph('Chain')}\n{said}\n{transformer_latex(T)}"
    return document(body) if whole else body


def _lines(T: "Transformer") -> Iterator[str]:
    yield _paragraph(f"Transformer in {T.arithmetic}")
    if not isinstance(T.arithmetic, Native):
        yield f"$\\infty = {number(T.arithmetic.infinity)}$;"
    yield "an empty entry is $0$."
    for key, text in facts(T):
        if not key.startswith("block "):
            yield f"{escaped(key)}: {escaped(text)}."
    names: Names = {"vocabulary": T.vocabulary, LANES: T.lanes, "classes": T.classes}
    arrays = _Arrays(T.arithmetic.infinity, names)
    own = array_axes(type(T))
    yield from arrays.displayed([("E", T.embedding, own["embedding"])])
    schemes = T.positions if isinstance(T.positions, tuple) else (T.positions,)
    for scheme in schemes:
        yield from arrays.of(scheme, {"values": "P"})
    for b, block in enumerate(T.blocks):
        yield from _block_lines(arrays, b, block)
    yield from _norm_lines(arrays, T.final_norm, "Final norm")
    if T.readout is not None:
        yield _paragraph("Readout")
        yield from _readout_lines(T)
    else:
        yield _paragraph("Output")
        yield "$U = E$." if T.tied else ""
        rest = [] if T.tied else [("U", T.output, own["output"])]
        bias = [] if T.output_bias is None else [("b_U", T.output_bias, own["output_bias"])]
        yield from arrays.displayed([*rest, *bias])


def _block_lines(arrays: "_Arrays", b: int, block: Block) -> Iterator[str]:
    origin = f": {block.origin}" if block.origin else ""
    yield _paragraph(f"Block {b}{origin}")
    if block.parallel:
        yield "Both sublayers read the stream at the block's entry."
    yield from _norm_lines(arrays, block.attention_norm, f"Norm {_where(block)} attention")
    if block.attention is not None:
        for h, head in enumerate(block.attention.heads):
            name = f", {head.name}" if head.name else ""
            own = "" if head.positions is None else f", {head.positions.text()}"
            yield f"\nHead {h}: {escaped(head_kind(head) + name + own)}."
            yield from arrays.of(head)
            yield from arrays.of(head.positions, {"keys": "R_K", "values": "R_V"})
        yield from arrays.of(block.attention)
    yield from _norm_lines(arrays, block.feed_forward_norm, f"Norm {_where(block)} feed-forward")
    if block.feed_forward is not None:
        yield f"\nFeed{{-}}forward: {escaped(block.feed_forward.activation)}."
        labels = block.feed_forward.names or [str(n) for n in range(len(block.feed_forward.W_1))]
        yield from _Arrays(arrays.infinity, {**arrays.names, NEURONS: labels}).of(block.feed_forward)


def _norm_lines(arrays: "_Arrays", norm: Norm | None, where: str) -> Iterator[str]:
    if norm is not None:
        yield f"\n{escaped(where)}: {escaped(norm_text(norm))}, $\\varepsilon = {number(norm.eps)}$."
        lanes = arrays.names[LANES] if norm.lanes is None else norm.lanes
        yield from _Arrays(arrays.infinity, {**arrays.names, NORM_LANES: lanes}).of(norm)


def _readout_lines(T: "Transformer") -> Iterator[str]:
    assert T.readout is not None, "only then it is called"
    entries = T.readout.entries
    if len(entries) > MOST:
        yield f"{len(entries):,} codes."
        return
    yield f"\\begin{{tabular}}{{{'r' * len(T.readout.lanes)}l}}\n\\toprule"
    yield " & ".join([*map(escaped, T.readout.lanes), "value"]) + " \\\\\n\\midrule"
    for code, value in entries:
        cells = [f"${number(x, T.arithmetic.infinity)}$" for x in code]
        yield " & ".join([*cells, escaped(value_text(value))]) + " \\\\"
    yield "\\bottomrule\n\\end{tabular}"


class _Arrays:
    """Writes the arrays of a part; `names` are the names along each axis."""

    def __init__(self, infinity: float, names: Names) -> None:
        self.infinity, self.names = infinity, names

    def of(self, part: Frozen | None, symbols: Mapping[str, str] = SYMBOLS) -> Iterator[str]:
        if part is not None:
            declared = array_axes(type(part)).items()
            written = [(name, getattr(part, name), axes) for name, axes in declared]
            kept = [(symbols.get(name, name), array, axes) for name, array, axes in written if array is not None]
            yield from self.displayed([item for item in kept if item[0] not in LEFT_OUT])

    def displayed(self, arrays: Sequence[tuple[str, Weights, Axes]]) -> Iterator[str]:
        written = [f"$\\displaystyle {symbol} = {self.matrix(array, axes)}$" for symbol, array, axes in arrays]
        if written:
            yield "\n\\smallskip\n{\\raggedright\n" + "\\qquad\n".join(written) + "\\par}\n\\smallskip"

    def matrix(self, array: Weights, axes: Axes) -> str:
        """Return an array as LaTeX; a bias is a column."""
        rows = array.reshape(len(array), -1)
        size = " \\times ".join(map(str, array.shape))
        if not rows.any():
            return f"0_{{{size}}}"
        down, across = (np.flatnonzero(np.any(rows, axis=axis)).tolist() for axis in (1, 0))
        if max(len(down), len(across)) > MOST:
            count = int((rows != 0).sum())
            return f"\\text{{a ${size}$ matrix, {count:,} entries not $0$}}"
        heads = [self._name(axes[1], c) for c in across] if array.ndim > 1 else []
        turned = sum(map(len, heads)) > UPRIGHT
        tops = [f"\\rotatebox{{90}}{{{escaped(name)}}}" if turned else f"\\text{{{escaped(name)}}}" for name in heads]
        lines = [f"\\begin{{array}}{{r|{'r' * len(across)}}}"]
        lines += [" & ".join(["", *tops]) + " \\\\ \\hline"] if tops else []
        for r in down:
            entries = [number(x, self.infinity) if (x := float(rows[r, c])) else "" for c in across]
            lines.append(" & ".join([f"\\text{{{escaped(self._name(axes[0], r))}}}", *entries]) + " \\\\")
        return "\n".join([*lines, "\\end{array}"])

    def _name(self, axis: str, index: int) -> str:
        names = self.names.get(axis)
        return str(index) if names is None else names[index]


def _where(block: Block) -> str:
    return "before" if block.norm_placement == "pre" else "after"


def _paragraph(text: str) -> str:
    return f"\n\\paragraph{{{escaped(text)}}}"
