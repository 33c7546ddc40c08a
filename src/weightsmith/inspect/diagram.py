"""A block diagram of a transformer, as SVG: the stream upwards, and what each sublayer adds to it.

It is drawn from the model: the heads with their names, the neurons, norms before or after, what is absent is not drawn.
"""

from html import escape

from weightsmith.errors import InputError, brief, cut, shown, whole_number
from weightsmith.model import Block, Transformer
from weightsmith.model.norms import Norm, RMSNorm
from weightsmith.model.transformer import checked

MOST_BLOCKS = 12  # that a picture shows
WIDTH, STREAM = 560, 120  # pixels: of the picture, and where the stream is
BOX, LEFT, ROW, GAP, SIZE = 300, 200, 34, 18, 13
HEAD_NAMES = 8  # heads that are named
LETTERS = 44  # of a line
INK, LINE, SUBLAYER, NORM, END = "#1a1a1a", "#555", "#dbeafe", "#fef3c7", "#e5e7eb"


def diagram(T: Transformer, block: int | None = None) -> str:
    """Return the block diagram of a transformer as SVG, or of one of its blocks.

    The stream goes upwards, as on slides. A sublayer reads it, through a norm if it has one before it, and adds to it
    at a ⊕. A norm after a sublayer is on the stream itself.
    """
    checked(T)
    if block is not None:
        block = whole_number(block, "block", 0, max(len(T.blocks) - 1, 0), f"a block from 0 to {len(T.blocks) - 1}")
        if not T.blocks:
            raise InputError("the transformer has no blocks: leave out block")
    chosen = list(range(len(T.blocks))) if block is None else [block]
    if len(chosen) > MOST_BLOCKS:
        raise InputError(
            f"a diagram shows up to {MOST_BLOCKS} blocks, and the transformer has {len(chosen)}: "
            "write diagram(T, block=0) for one of them"
        )
    picture = _Diagram()
    if block is None:
        words = f"embedding: {len(T.vocabulary):,} tokens, {len(T.lanes):,} lanes"
        picture.end([words, *_positions(T)])
    for b in chosen:
        picture.block(T.blocks[b], b)
    if block is None:
        if T.final_norm is not None:
            picture.on_stream(_norm(T.final_norm))
        many = len(T.answers)
        picture.end([f"output: {many:,} {'classes' if T.readout is None else 'values'}{', tied' if T.tied else ''}"])
    what = "transformer" if block is None else f"block {block}"
    return picture.whole(f"block diagram of a {what}, {T.mask} mask" if block is None else f"diagram of {what}")


class _Diagram:
    """Draws from the bottom to the top; y grows upwards until the picture is written."""

    def __init__(self) -> None:
        self.y, self.body = 14.0, list[tuple[str, dict[str, float], str]]()

    def end(self, lines: list[str]) -> None:
        """Draw a box on the stream: where it begins or ends."""
        height = 10 + 17 * len(lines)
        self.box(20, WIDTH - 40, height, END, lines)
        self.y += height
        self.line(STREAM, self.y, STREAM, self.y + GAP)
        self.y += GAP

    def block(self, block: Block, number: int) -> None:
        """Draw attention and feed-forward, inside a frame."""
        begin = self.y
        said = f" · {cut(shown(block.origin), 40)}" if block.origin else ""
        if block.attention is not None:
            named = [head.name for head in block.attention.heads if head.name]
            many = len(block.attention.heads)
            lines = [f"attention: {many} head{'' if many == 1 else 's'}"]
            lines += [f"{n}: {cut(shown(name), LETTERS - 4)}" for n, name in enumerate(named[:HEAD_NAMES])]
            self.sublayer(lines, block.attention_norm, block.norm_placement)
        if block.feed_forward is not None:
            layer = block.feed_forward
            lines = [f"feed-forward: {len(layer.W_1):,} neurons, {layer.activation}"]
            lines += ["parallel: reads the stream below attention"] if block.reads_entry else []
            self.sublayer(lines, block.feed_forward_norm, block.norm_placement)
        self.text(WIDTH - 16, self.y - 4, f"block {number}{said}", "end", "#555")
        self.y += 12
        frame = {"x": 10.0, "y": self.y, "width": WIDTH - 20.0, "height": self.y - begin - 2}
        self.body.insert(0, ("rect", frame, f'rx="8" fill="none" stroke="{LINE}" stroke-dasharray="5 4"'))
        self.line(STREAM, self.y - 14, STREAM, self.y + GAP)
        self.y += GAP

    def sublayer(self, lines: list[str], norm: Norm | None, placement: str) -> None:
        """Draw a sublayer beside the stream: it reads below, and is added above."""
        begin, height = self.y + 6, 10 + 17 * len(lines)
        if norm is not None and placement == "pre":
            self.line(STREAM, begin, LEFT - 20, begin)
            self.line(LEFT - 20, begin, LEFT - 20, begin + 14)
            self.line(LEFT - 20, begin + 14, LEFT, begin + 14)
            self.y = begin
            self.box(LEFT, BOX, 27, NORM, [_norm(norm)])
            self.line(LEFT + BOX / 2, begin + 27, LEFT + BOX / 2, begin + 27 + GAP)
            self.y = begin + 27 + GAP
        else:
            self.line(STREAM, begin, LEFT + BOX / 2, begin)
            self.line(LEFT + BOX / 2, begin, LEFT + BOX / 2, begin + 12)
            self.y = begin + 12
        self.box(LEFT, BOX, height, SUBLAYER, lines)
        top = self.y + height
        self.line(LEFT + BOX / 2, top, LEFT + BOX / 2, top + GAP)
        self.line(LEFT + BOX / 2, top + GAP, STREAM + 9, top + GAP)
        self.line(STREAM, begin - 6, STREAM, top + GAP - 9)
        self.body.append(("circle", {"cx": STREAM, "cy": top + GAP}, f'r="9" fill="#fff" stroke="{INK}"'))
        self.text(STREAM, top + GAP - 5, "+", "middle", INK)
        self.line(STREAM, top + GAP + 9, STREAM, top + GAP + 26)
        self.y = top + GAP + 26
        if norm is not None and placement == "post":
            self.on_stream(_norm(norm))

    def on_stream(self, words: str) -> None:
        """Draw a norm on the stream itself."""
        self.box(STREAM - 100, 200, 27, NORM, [words])
        self.line(STREAM, self.y + 27, STREAM, self.y + 27 + GAP)
        self.y += 27 + GAP

    def box(self, x: float, width: float, height: float, fill: str, lines: list[str]) -> None:
        """Draw a box whose bottom is here, with lines of text."""
        place = {"x": x, "y": self.y + height, "width": width, "height": height}
        self.body.append(("rect", place, f'rx="5" fill="{fill}" stroke="{LINE}"'))
        for n, text in enumerate(lines):
            self.text(x + width / 2, self.y + height - 17 - 17 * n + 1, text, "middle", INK)

    def line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a line."""
        self.body.append(("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, f'stroke="{INK}" stroke-width="1.4"'))

    def text(self, x: float, y: float, text: str, anchor: str, colour: str) -> None:
        """Write a text."""
        written = escape(text)
        self.body.append((f"text>{written}", {"x": x, "y": y}, f'text-anchor="{anchor}" fill="{colour}"'))

    def whole(self, label: str) -> str:
        """Return all of it, turned so that the stream goes upwards."""
        height = self.y + 6
        parts = []
        for kind, place, style in self.body:
            name, _, content = kind.partition(">")
            turned = {key: height - x if key in ("y", "y1", "y2", "cy") else x for key, x in place.items()}
            where = " ".join(f'{key}="{x:g}"' for key, x in turned.items())
            parts.append(f"<{name} {where} {style}>{content}</{name}>" if content else f"<{name} {where} {style}/>")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" font-family="sans-serif" font-size="{SIZE}" role="img" '
            f'aria-label="{escape(label, quote=True)}"><rect width="100%" height="100%" fill="#fff"/>'
            f"{''.join(parts)}</svg>\n"
        )


def _norm(norm: Norm) -> str:
    some = "" if norm.lanes is None else f" over {len(norm.lanes)} lanes"
    return f"{'RMS norm' if isinstance(norm, RMSNorm) else 'layer norm'}{some}"


def _positions(T: Transformer) -> list[str]:
    return [] if T.positions is None else [f"+ positions: {brief(type(T.positions).__name__).strip(chr(39))}"]
