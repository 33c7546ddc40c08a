"""A block: attention, then feed-forward; either may be absent."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Literal, TypeAlias, TypeVar, cast, get_args

import numpy as np

from weightsmith.arithmetic import Activation as Plain
from weightsmith.arithmetic import Weights
from weightsmith.errors import ModelError, brief, is_whole
from weightsmith.model.frozen import (
    BOTH_OMIT_DEFAULT,
    DIGESTS_OMIT_DEFAULT,
    FILES_OMIT_EMPTY,
    LANES,
    NEURONS,
    OLD_FILES_LACK_IT,
    Axes,
    Frozen,
    Labels,
    array_axes,
)
from weightsmith.model.names import MAX_NAME, checked_text
from weightsmith.model.norms import Norm
from weightsmith.model.positions import AttentionPositions
from weightsmith.model.weightings import Softmax, Weighting

Activation: TypeAlias = Literal["relu", "gelu", "gelu_tanh", "silu", "reglu", "swiglu", "geglu_tanh"]
GATED: dict[str, Plain] = {
    "reglu": "relu",
    "swiglu": "silu",
    "geglu_tanh": "gelu_tanh",
}  # with the function of their gate
ARRAYS = frozenset(  # of blocks, that every engine, composition and proof knows
    ["W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O", "W_1", "b_1", "W_2", "b_2", "W_3", "b_3", "keys"]
)
MAX_WINDOW = 1 << 30
Placement: TypeAlias = Literal["pre", "post"]
Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Head(Frozen):
    """One attention head. Queries and keys meet in ⟨W_Q h_i, W_K h_j⟩; the head adds W_O Σ weight ⊗ W_V h_j.

    Queries, keys and values may have a bias: W_Q h ⊕ b_Q. A head with `positions` follows them instead of the
    transformer's scheme inside attention. A `strict` head sees only the positions before its own, whatever the mask. A
    head with a `window` sees no position that is `window` or more before its own: the last `window` positions, its own
    included.
    """

    W_Q: Annotated[Weights, Axes("key size", LANES)]
    W_K: Annotated[Weights, Axes("key size", LANES)]
    W_V: Annotated[Weights, Axes("value size", LANES)]
    W_O: Annotated[Weights, Axes(LANES, "value size")]
    weighting: Weighting = field(default_factory=Softmax)
    b_Q: Annotated[Weights | None, Axes("key size")] = None  # None is nothing
    b_K: Annotated[Weights | None, Axes("key size")] = None
    b_V: Annotated[Weights | None, Axes("value size")] = None
    positions: AttentionPositions | None = field(default=None, metadata=OLD_FILES_LACK_IT)
    strict: bool = field(default=False, metadata=BOTH_OMIT_DEFAULT)
    window: int | None = field(default=None, metadata=BOTH_OMIT_DEFAULT)
    name: str = field(default="", compare=False, metadata=FILES_OMIT_EMPTY)  # its purpose

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        self._freeze()
        if self.positions is not None and not isinstance(self.positions, AttentionPositions):
            given = self.positions
            what = f"{type(given).__name__}(…)" if isinstance(given, Frozen) else brief(given)
            raise ModelError(f"Head(positions={what}): write Relative(…), Rotary(…), Alibi((0.5,)) or None")
        if self.positions is not None:
            self.positions.check_own()
        if not isinstance(self.weighting, Weighting):
            raise ModelError(
                f"Head(weighting={brief(self.weighting)}): write Softmax(), AverageHard() or another weighting"
            )
        if type(self.strict) is not bool:
            raise ModelError(f"Head(strict={brief(self.strict)}): write True or False")
        if self.window is not None:
            if not is_whole(self.window) or not 1 <= int(self.window) <= MAX_WINDOW:
                raise ModelError(
                    f"Head(window={brief(self.window)}): write how many positions it sees, its own included, from 1 to "
                    f"{MAX_WINDOW:,}; or None, for all"
                )
            self._set("window", int(self.window))
        checked_text(self.name, "the name of a head", most=MAX_NAME)


@dataclass(frozen=True, eq=False)
class Attention(Frozen):
    """Heads, whose outputs are added up in this order before the stream gets the total."""

    heads: Sequence[Head]
    b_O: Annotated[Weights | None, Axes(LANES)] = None  # added to the total

    def __post_init__(self) -> None:
        """Freeze the heads."""
        self._set("heads", parts(self.heads, Head, "Attention(heads=…)"))
        self._freeze()

    def positions_of(self, head: int, shared: AttentionPositions | None) -> AttentionPositions | None:
        """Return the scheme that a head follows: its own, or that which the heads of the transformer share."""
        own = self.heads[head].positions
        return own if own is not None or shared is None else shared.of_head(head, len(self.heads))


@dataclass(frozen=True, eq=False)
class FeedForward(Frozen):
    """W_2 act(W_1 h ⊕ b_1) ⊕ b_2 at every position. Row n of W_1 is the key of neuron n, column n of W_2 its value.

    The gated activations "reglu", "swiglu" and "geglu_tanh" have a third matrix: what act gives, relu, silu or
    gelu_tanh, is multiplied by W_3 h ⊕ b_3 before W_2.
    """

    W_1: Annotated[Weights, Axes(NEURONS, LANES)]
    b_1: Annotated[Weights, Axes(NEURONS)] = None  # type: ignore[assignment]  # None is taken for 0
    W_2: Annotated[Weights, Axes(LANES, NEURONS)] = None  # type: ignore[assignment]
    b_2: Annotated[Weights, Axes(LANES)] = None  # type: ignore[assignment]  # None is taken for 0
    activation: Activation = "relu"
    W_3: Annotated[Weights | None, Axes(NEURONS, LANES)] = None  # for gated activations only
    b_3: Annotated[Weights | None, Axes(NEURONS)] = None  # None is taken for 0
    names: Annotated[Sequence[str], Labels(NEURONS)] = field(default=(), compare=False, metadata=OLD_FILES_LACK_IT)
    keys: Annotated[Weights | None, Axes(NEURONS, LANES)] = field(
        default=None, compare=False
    )  # wanted keys, for `memory`

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        if self.activation not in get_args(Activation):
            raise ModelError(
                f"FeedForward(activation={brief(self.activation)}): write one of {', '.join(get_args(Activation))}"
            )
        matrices = ("W_1", "W_2", "W_3")
        self._freeze(*matrices)
        for bias, matrix in (("b_1", self.W_1), ("b_2", self.W_2), ("b_3", self.W_3)):
            if getattr(self, bias) is None and matrix is not None:
                self._set(bias, np.zeros(len(matrix)))
        self._freeze(*(name for name in array_axes(type(self)) if name not in matrices))
        if (self.activation in GATED) != (self.W_3 is not None) or (self.W_3 is None and self.b_3 is not None):
            gated = ", ".join(GATED)
            raise ModelError(
                f"FeedForward(activation={brief(self.activation)}) with{'out' if self.W_3 is None else ''} W_3: "
                f"{gated} need W_3, the others have none"
            )
        self._label()

    def _label(self) -> None:
        """Freeze names and keys, which say what neurons are for; those that say nothing are left out."""
        names = parts(self.names, str, "FeedForward(names=…)")
        for name in names:
            checked_text(name, "the name of a neuron", most=MAX_NAME)
        if names and len(names) != len(self.W_1):
            raise ModelError(f"FeedForward has {len(names)} names for {len(self.W_1)} neurons: write one for each")
        self._set("names", names if any(names) else ())
        if self.keys is not None and self.keys.shape != self.W_1.shape:
            raise ModelError(f"keys has shape {self.keys.shape}, and it must be that of W_1, {self.W_1.shape}")
        if self.keys is not None and not self.keys.any():
            self._set("keys", None)

    @property
    def function(self) -> Plain:
        """The function that act is: that of the gate, where there is one."""
        return GATED.get(self.activation, cast(Plain, self.activation))


@dataclass(frozen=True, eq=False)
class Block(Frozen):
    """Attention, then feed-forward, each with an optional norm before ("pre") or after ("post") it.

    In a `parallel` block both read the stream as it is at the block's entry: h' = (h ⊕ attention(h)) ⊕ feed-forward(h).
    Each has a norm of its own; where two sublayers share one, as in GPT-J and Phi, it is written twice.

    `origin` says in a few words where the block came from.
    """

    attention: Attention | None = None
    feed_forward: FeedForward | None = None
    attention_norm: Norm | None = None
    feed_forward_norm: Norm | None = None
    norm_placement: Placement = "pre"
    origin: str = ""
    parallel: bool = field(default=False, metadata=DIGESTS_OMIT_DEFAULT)

    def __post_init__(self) -> None:
        """Check the kinds of the parts."""
        kinds: dict[str, type] = {
            "attention": Attention,
            "feed_forward": FeedForward,
            "attention_norm": Norm,
            "feed_forward_norm": Norm,
        }
        for name, kind in kinds.items():
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                wanted = "LayerNorm(…) or RMSNorm(…)" if kind is Norm else f"{kind.__name__}(…)"
                raise ModelError(f"Block({name}={brief(value)}): write {wanted}, or None")
        for name in ("attention", "feed_forward"):
            if getattr(self, f"{name}_norm") is not None and getattr(self, name) is None:
                raise ModelError(f"Block({name}_norm=…) without {name}: a norm belongs to a sublayer")
        if self.norm_placement not in get_args(Placement):
            raise ModelError(f"Block(norm_placement={brief(self.norm_placement)}): write 'pre' or 'post'")
        if type(self.parallel) is not bool:
            raise ModelError(f"Block(parallel={brief(self.parallel)}): write True or False")
        if self.parallel and self.norm_placement == "post":
            raise ModelError(
                "Block(parallel=True, norm_placement='post'): the norms of a parallel block stand before its "
                "sublayers: write norm_placement='pre', or parallel=False"
            )
        checked_text(self.origin, "Block(origin=…)")

    @property
    def reads_entry(self) -> bool:
        """Whether the feed-forward layer reads another stream than attention leaves: that at the block's entry."""
        return self.parallel and self.attention is not None and self.feed_forward is not None


def parts(values: Sequence[Part], kind: type[Part], what: str) -> tuple[Part, ...]:
    """Return the parts as a tuple; refuse a part of another type."""
    if not isinstance(values, list | tuple):
        raise ModelError(f"{what} must be a tuple of {kind.__name__}, and it is {brief(values)}")
    for value in values:
        if not isinstance(value, kind):
            raise ModelError(f"{what} must hold {kind.__name__}, and it holds {brief(value)}")
    return tuple(values)


_DECLARED: dict[type, Set[str]] = {kind: array_axes(kind).keys() for kind in (Head, Attention, FeedForward)}


@cache
def _other_arrays(known: frozenset[str]) -> tuple[tuple[type, str], ...]:
    return tuple((kind, name) for kind, names in _DECLARED.items() for name in sorted(names - known))


def first_window(block: Block) -> int | None:
    """Return the number of the first head with a window; engines and proofs refuse it until they know windows."""
    heads = block.attention.heads if block.attention is not None else ()
    return next((i for i, head in enumerate(heads) if head.window is not None), None)


def new_arrays(block: Block, known: frozenset[str] = ARRAYS) -> list[str]:
    """Return the names of a block's arrays that are not known; engines and proofs refuse these until they list them."""
    new = _other_arrays(known)
    if not new:
        return []
    heads = block.attention.heads if block.attention is not None else ()
    parts = (block.attention, block.feed_forward, *heads)
    return [name for kind, name in new for part in parts if isinstance(part, kind) and getattr(part, name) is not None]
