"""A transformer: plain frozen data with names."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.errors import ModelError
from weightsmith.model.block import Block, parts
from weightsmith.model.checks import check
from weightsmith.model.describe import description
from weightsmith.model.edit import Edit
from weightsmith.model.frozen import Frozen
from weightsmith.model.names import checked_names, checked_text
from weightsmith.model.norms import Norm
from weightsmith.model.positions import (
    Distances,
    Positions,
    PositionTable,
    Sinusoidal,
    added,
    attending,
    checked_positions,
)
from weightsmith.model.walk import named_arrays
from weightsmith.operators import meaning

Mask: TypeAlias = Literal["causal", "full"]


@dataclass(frozen=True, eq=False, repr=False)
class Transformer(Frozen):
    """A transformer over an arithmetic.

    Every way of making one runs the same checks: shapes fit, names differ, every weight is a member. Two compare
    equal when everything but their history (provenance, edits, names of neurons) is equal, bit for bit.
    """

    arithmetic: Arithmetic
    vocabulary: Sequence[str]
    lanes: Sequence[str]
    embedding: Array  # (vocabulary, lanes)
    positions: Positions | None = None
    blocks: Sequence[Block] = ()
    output: Array = None  # type: ignore[assignment]  # (classes, lanes); None with tied=True
    classes: Sequence[str] = ("NO", "YES")
    mask: Mask = "causal"
    output_bias: Array | None = None  # (classes)
    final_norm: Norm | None = None
    tied: bool = False  # the output is the embedding, and the classes are the vocabulary
    flags: Sequence[str] = ()  # lanes that are 1 at chosen positions, 0 elsewhere, and that no block writes
    provenance: Sequence[str] = field(default=(), compare=False)
    edits: Sequence[Edit] = field(default=(), compare=False)  # what `memory` changed, to be undone

    def __post_init__(self) -> None:
        """Freeze and check everything."""
        if not isinstance(self.arithmetic, Arithmetic):
            raise ModelError(f"arithmetic={self.arithmetic!r:.80} is not an arithmetic: write Fixed(4, 4), for example")
        vocabulary = tuple(self.vocabulary) if isinstance(self.vocabulary, str) else self.vocabulary
        self._set("vocabulary", checked_names(vocabulary, "vocabulary", printable=False))
        self._set("lanes", checked_names(self.lanes, "lanes", printable=True))
        if type(self.tied) is not bool:
            raise ModelError(f"tied={self.tied!r:.80}: write True or False")
        if self.tied:
            self._tie()
        self._set("classes", checked_names(self.classes, "classes", printable=False))
        self._set("blocks", parts(self.blocks, Block, "blocks"))
        self._set("flags", parts(self.flags, str, "flags"))
        self._set("provenance", parts(self.provenance, str, "provenance"))
        for line in self.provenance:
            checked_text(line, "a line of provenance")
        self._set("edits", parts(self.edits, Edit, "edits"))
        if self.mask not in get_args(Mask):
            raise ModelError(f"mask={self.mask!r:.80}: write 'causal' (j ≤ i) or 'full' (every j)")
        self._set("positions", checked_positions(self.positions))
        if self.final_norm is not None and not isinstance(self.final_norm, Norm):
            raise ModelError(f"final_norm={self.final_norm!r:.80}: write LayerNorm(…), RMSNorm(…) or None")
        self._arrays(embedding=2)
        self._arrays(output=2)
        self._optional_arrays(output_bias=1)
        check(self)

    def _tie(self) -> None:
        """Take the embedding for the output and the vocabulary for the classes; refuse others."""
        if self.classes not in (("NO", "YES"), tuple(self.vocabulary), list(self.vocabulary)):
            raise ModelError("tied=True makes the vocabulary the classes: leave out classes, or write tied=False")
        if self.output is not None and not np.array_equal(self.output, self.embedding):
            raise ModelError(
                "tied=True makes the embedding the output, and the output given is another: write output=None, "
                "or tied=False"
            )
        self._set("classes", tuple(self.vocabulary))
        self._set("output", self.embedding)

    @property
    def max_length(self) -> int | None:
        """The longest input; None where any length will do."""
        vectors = added(self.positions)
        if isinstance(vectors, PositionTable):
            return len(vectors.values)
        return vectors.max_length if isinstance(vectors, Sinusoidal) else None

    @property
    def attention_positions(self) -> Distances | None:
        """The rule inside attention that its heads share, unless they have their own."""
        return attending(self.positions)

    @property
    def weights(self) -> int:
        """How many numbers it consists of."""
        return sum(array.size for _, array in named_arrays(self))

    @property
    def nonzero_weights(self) -> int:
        """How many of them are not 0."""
        return sum(int(np.count_nonzero(array)) for _, array in named_arrays(self))

    def __and__(self, other: "Transformer") -> "Transformer":
        """S & T: YES where both say YES."""
        return self._operate("&", other)

    def __or__(self, other: "Transformer") -> "Transformer":
        """S | T: YES where one of them, or both, say YES."""
        return self._operate("|", other)

    def __xor__(self, other: "Transformer") -> "Transformer":
        """S ^ T: YES where just one of them says YES."""
        return self._operate("^", other)

    def __invert__(self) -> "Transformer":
        """~T: YES where T says NO."""
        return self._operate("~")

    def __bool__(self) -> bool:
        """Refuse: `S and not T` would be one of the two, or False, without a word."""
        raise TypeError("a transformer is not a truth value: write S & T, S | T, ~T instead of and, or, not")

    def _operate(self, symbol: str, *others: "Transformer") -> "Transformer":
        for other in others:
            if not isinstance(other, Transformer):
                raise ModelError(f"a transformer can be composed with a transformer, not with {other!r:.80}")
        result: Transformer = meaning(symbol)(self, *others)
        return result

    def __repr__(self) -> str:
        """Describe it briefly."""
        return description(self)
