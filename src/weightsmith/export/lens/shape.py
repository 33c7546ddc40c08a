"""What a TransformerLens model of a transformer must have room for, and what TransformerLens cannot say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

import numpy as np

from weightsmith.errors import ExportError
from weightsmith.model import AttentionPositions, Block, FeedForward, Head, LayerNorm, Norm, Softmax, Transformer
from weightsmith.model.block import GATED
from weightsmith.model.positions import NO_POSITIONS, Rotation, added

CONTEXT = 1024  # positions that there is room for, where the model has no longest input
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu_tanh": "gelu_new", "silu": "silu"}  # with TransformerLens's names
FINAL_NORMS: dict[str | None, tuple[str | None, ...]] = {None: (None, "RMS"), "LN": ("LN", "RMS"), "RMS": ("RMS",)}
INSTEAD = "export.to_onnx(T, path, trace=True) shows every value of such a model"

OWN_MODULES = "leave out own_modules=False, for blocks of Weightsmith's own in the bridge"

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
    """Return what a TransformerLens model of a transformer looks like; refuse what none can be.

    With modules of ours heads may follow any rule.
    """
    heads, layers = list(heads_of(T)), [block.feed_forward for block in T.blocks if block.feed_forward is not None]
    for b, i, head, scheme in () if own_modules else heads:
        _check_head(f"block {b}, head {i}", head, scheme)
    for b, block in enumerate(T.blocks):
        _check_block(b, block)
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
    places, after = [-1] * size, turning(turns)
    for p, (a, b) in enumerate(zip(turn.rotation.first, turn.rotation.second, strict=True) if turn else ()):
        places[a], places[b] = 2 * (turn.first + p), 2 * (turn.first + p) + 1  # type: ignore[union-attr]
    for c in range(size):
        if places[c] < 0:
            places[c], after = after, after + 1
    return places


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


def _refuse(what: str, where: str, instead: str = INSTEAD) -> NoReturn:
    raise ExportError(f"TransformerLens has no {what}, and {where}: {instead}")


def _check_head(name: str, head: Head, scheme: AttentionPositions) -> None:
    if not isinstance(head.weighting, Softmax):
        _refuse("hard attention", f"{name} has {type(head.weighting).__name__}()", OWN_MODULES)
    if head.strict:
        _refuse("strict heads", f"{name} sees only what is before", OWN_MODULES)
    if scheme.key_offsets() is not None:
        _refuse("relative positions", f"{name} has Relative(…)", OWN_MODULES)
    if type(scheme).penalties is not AttentionPositions.penalties:
        _refuse("penalties for distance", f"{name} has Alibi(…)", OWN_MODULES)


def _check_block(b: int, block: Block) -> None:
    if block.reads_entry:
        _refuse("attention and feed-forward in parallel in a model of its own", f"block {b} has them")
    layer = block.feed_forward
    if layer is not None and layer.W_3 is not None and any(np.any(bias) for bias in (layer.b_1, layer.b_2, layer.b_3)):
        _refuse("biases in gated layers", f"block {b} feed-forward has some")


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
    inner: list[Norm | None] = []
    for b, block in enumerate(T.blocks):
        for part in ("attention", "feed_forward"):
            norm: Norm | None = getattr(block, f"{part}_norm")
            inner += [norm] if getattr(block, part) is not None else []
            if norm is not None and block.norm_placement == "post":
                _refuse("norms after a sublayer", f"block {b} {part.replace('_', '-')} has one")
    every = [norm for norm in (*inner, T.final_norm) if norm is not None]
    if any(norm.lanes is not None for norm in every):
        _refuse("norms over some lanes only", "the transformer has one")
    kinds = {_kind(norm) for norm in inner}
    eps = {float(T.arithmetic.round(norm.eps)) for norm in every}
    last = _kind(T.final_norm)
    kind = next(iter(kinds)) if kinds else "LN" if last == "LN" else None
    if len(kinds) > 1 or len(eps) > 1 or last not in FINAL_NORMS[kind]:
        _refuse("norms that differ from sublayer to sublayer", "the transformer has some, or one is missing")
    return kind, last == "RMS", eps.pop() if eps else 1e-5


def _kind(norm: Norm | None) -> str | None:
    return None if norm is None else "LN" if isinstance(norm, LayerNorm) else "RMS"
