"""The sizes and kinds of a TransformerLens model of a transformer, and what TransformerLens lacks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from weightsmith.errors import ExportError
from weightsmith.export.capabilities import SHOWN, check_features
from weightsmith.model import AttentionPositions, FeedForward, Head, LayerNorm, Norm, Transformer
from weightsmith.model.block import GATED
from weightsmith.model.positions import NO_POSITIONS, Rotation, added

CONTEXT = 1024  # positions that there is room for, where the model has no longest input
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu_tanh": "gelu_new", "silu": "silu"}  # with TransformerLens's names
FINAL_NORMS: dict[str | None, tuple[str | None, ...]] = {None: (None, "RMS"), "LN": ("LN", "RMS"), "RMS": ("RMS",)}

Found: TypeAlias = tuple[int, int, Head, AttentionPositions]  # a head with its block, its number and its scheme


@dataclass(frozen=True)
class Turn:
    """A rotation of queries and keys, and the first of the pairs of coordinates that are set aside for it."""

    scheme: AttentionPositions
    key_size: int
    rotation: Rotation
    first: int


@dataclass(frozen=True)
class Shape:
    """The sizes and kinds that all blocks of a TransformerLens model share."""

    blocks: int
    heads: int
    head_size: int  # a power of 4, so that the division by its root is exact
    neurons: int
    context: int
    norm: str | None  # "LN", "RMS"
    final_rms: bool
    eps: float
    activation: str
    gated: bool
    turns: tuple[Turn, ...]


def shape_of(T: Transformer, max_length: int | None, own_modules: bool) -> Shape:
    """Return the shape of a TransformerLens model of a transformer; refuse features that it lacks.

    With modules of ours heads may follow any rule.
    """
    heads, layers = list(heads_of(T)), [block.feed_forward for block in T.blocks if block.feed_forward is not None]
    check_features(T, "TransformerLens, own modules" if own_modules else "TransformerLens")
    context = T.max_length or max_length or CONTEXT
    turns = _turns(T, context)
    if turns and added(T.positions) is not None:
        _refuse("rotary positions beside vectors that are added to the embedding", "the transformer has both")
    activation, gated = _activation(layers)
    norm, final_rms, eps = _norms(T)
    return Shape(
        blocks=max(1, len(T.blocks)),
        heads=max([1, *(len(block.attention.heads) for block in T.blocks if block.attention is not None)]),
        head_size=_head_size(turns, heads),
        neurons=max([1, *(len(layer.W_1) for layer in layers)]),
        context=context,
        norm=norm,
        final_rms=final_rms,
        eps=eps,
        activation=activation,
        gated=gated,
        turns=turns,
    )


def turning(turns: Sequence[Turn]) -> int:
    """Return how many coordinates of queries and keys turn; they are the first."""
    return 2 * sum(len(turn.rotation.first) for turn in turns)


def coordinates(turns: Sequence[Turn], head: Head, scheme: AttentionPositions) -> list[int]:
    """Return where the coordinates of a head's queries and keys are put: pairs that turn, then the others."""
    size = len(head.W_K)
    turn = next((turn for turn in turns if turn.key_size == size and turn.scheme == scheme), None)
    columns, after = [-1] * size, turning(turns)
    for p, (a, b) in enumerate(zip(turn.rotation.first, turn.rotation.second, strict=True) if turn else ()):
        columns[a], columns[b] = 2 * (turn.first + p), 2 * (turn.first + p) + 1  # type: ignore[union-attr]
    for c in range(size):
        if columns[c] < 0:
            columns[c], after = after, after + 1
    return columns


def _head_size(turns: Sequence[Turn], heads: Sequence[Found]) -> int:
    """Return the smallest power of 4 that has room for every head."""
    keys = [place + 1 for _, _, head, scheme in heads for place in coordinates(turns, head, scheme)]
    least = max([1, turning(turns), *keys, *(len(head.W_V) for _, _, head, _ in heads)])
    size = 1
    while size < least:
        size *= 4
    return size


def heads_of(T: Transformer) -> Iterator[Found]:
    """Yield each head with its block, its number there, and the scheme of positions that it follows."""
    for b, block in enumerate(T.blocks):
        for i, head in enumerate(block.attention.heads if block.attention is not None else ()):
            assert block.attention is not None
            yield b, i, head, block.attention.positions_of(i, T.attention_positions) or NO_POSITIONS


def _refuse(what: str, where: str) -> NoReturn:
    raise ExportError(f"TransformerLens has no {what}, and {where}: {SHOWN}")


def _activation(layers: list[FeedForward]) -> tuple[str, bool]:
    found = sorted({layer.activation for layer in layers if len(layer.W_1)}) or ["relu"]
    if len(found) > 1:
        _refuse("layers with different activations", f"the transformer has {' and '.join(found)}")
    return ACTIVATIONS[GATED.get(found[0], found[0])], found[0] in GATED


def _turns(T: Transformer, context: int) -> tuple[Turn, ...]:
    """Return each rotation that some head follows, once, with pairs of coordinates of its own."""
    found: list[Turn] = []
    for _, _, head, scheme in heads_of(T):
        size, first = len(head.W_K), sum(len(turn.rotation.first) for turn in found)
        rotation = scheme.rotation(T.arithmetic, size, context)
        if rotation is not None and not any(turn.key_size == size and turn.scheme == scheme for turn in found):
            found.append(Turn(scheme, size, rotation, first))
    return tuple(found)


def _norms(T: Transformer) -> tuple[str | None, bool, float]:
    """Return the kind of the norms, whether the last is an RMSNorm whatever the others are, and eps."""
    present = [(block, part) for block in T.blocks for part in ("attention", "feed_forward")]
    inner = [getattr(block, f"{part}_norm") for block, part in present if getattr(block, part) is not None]
    every = [norm for norm in (*inner, T.final_norm) if norm is not None]
    kinds = {_kind(norm) for norm in inner}
    eps = {float(T.arithmetic.round(norm.eps)) for norm in every}
    last = _kind(T.final_norm)
    kind = next(iter(kinds)) if kinds else "LN" if last == "LN" else None
    if len(kinds) > 1 or len(eps) > 1 or last not in FINAL_NORMS[kind]:
        _refuse("norms that differ from sublayer to sublayer", "the transformer has some, or one is missing")
    return kind, last == "RMS", eps.pop() if eps else 1e-5


def _kind(norm: Norm | None) -> str | None:
    return None if norm is None else "LN" if isinstance(norm, LayerNorm) else "RMS"
