"""A transformer: plain frozen data with names."""

import html
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Arithmetic, Weights, checked_arithmetic
from weightsmith.errors import InputError, ModelError, brief
from weightsmith.model.block import Block, parts
from weightsmith.model.checks import check
from weightsmith.model.describe import description
from weightsmith.model.edit import Edit
from weightsmith.model.folds import in_type, named_arrays
from weightsmith.model.frozen import (
    BOTH_OMIT_DEFAULT,
    FILES_OMIT_EMPTY,
    LANES,
    OLD_FILES_LACK_IT,
    Axes,
    Frozen,
    LaneNames,
    array_axes,
    declarations,
)
from weightsmith.model.latex import transformer_latex
from weightsmith.model.names import checked_names, checked_text
from weightsmith.model.norms import Norm
from weightsmith.model.positions import AttentionPositions, Positions, added, attending, checked_positions
from weightsmith.model.readout import Readout, Value
from weightsmith.model.tokenizer import MAX_TOKENIZER
from weightsmith.operators import meaning

if TYPE_CHECKING:
    from weightsmith.model.story import Given, Story

Mask: TypeAlias = Literal["causal", "full"]


@dataclass(frozen=True, eq=False, repr=False)
class Transformer(Frozen):
    """A transformer over an arithmetic.

    Every way of making one runs the same checks: shapes fit, names differ, every weight is a member. Two compare
    equal when everything but their history (provenance, edits, names of heads and neurons), their description and their
    stories is equal, bit for bit.
    """

    arithmetic: Arithmetic
    vocabulary: Sequence[str]
    lanes: Annotated[Sequence[str], LaneNames()]
    embedding: Annotated[Weights, Axes("vocabulary", LANES)]
    positions: Positions | None = None
    blocks: Sequence[Block] = ()
    output: Annotated[Weights, Axes("classes", LANES)] = None  # type: ignore[assignment]  # None if tied, or read out
    classes: Sequence[str] = ("NO", "YES")
    mask: Mask = "causal"
    output_bias: Annotated[Weights | None, Axes("classes")] = None
    final_norm: Norm | None = None
    tied: bool = field(default=False, metadata=OLD_FILES_LACK_IT)  # output is the embedding, classes the vocabulary
    flags: Annotated[Sequence[str], LaneNames()] = ()  # 1 at chosen positions, 0 elsewhere, and no block writes them
    provenance: Sequence[str] = field(default=(), compare=False)
    edits: Sequence[Edit] = field(default=(), compare=False, metadata=OLD_FILES_LACK_IT)  # by `memory`, to be undone
    tokenizer: str = field(default="", compare=False, metadata=FILES_OMIT_EMPTY)  # of a checkpoint, to read texts
    description: str = field(default="", compare=False, metadata=FILES_OMIT_EMPTY)  # what it does, in a sentence
    readout: Readout | None = field(default=None, metadata=BOTH_OMIT_DEFAULT)  # codes in lanes, instead of classes

    def __post_init__(self) -> None:
        """Freeze and check everything."""
        checked_arithmetic(self.arithmetic, ModelError)
        vocabulary = tuple(self.vocabulary) if isinstance(self.vocabulary, str) else self.vocabulary
        self._set("vocabulary", checked_names(vocabulary, "vocabulary", printable=False))
        self._set("lanes", checked_names(self.lanes, "lanes", printable=True))
        if type(self.tied) is not bool:
            raise ModelError(f"tied={brief(self.tied)}: write True or False")
        if self.readout is not None:
            self._read_out()
        elif self.tied:
            self._tie()  # the classes are the vocabulary, which has been checked
        else:
            self._set("classes", checked_names(self.classes, "classes", printable=False))
        self._set("blocks", parts(self.blocks, Block, "blocks"))
        self._set("flags", parts(self.flags, str, "flags"))
        self._set("provenance", parts(self.provenance, str, "provenance"))
        for line in self.provenance:
            checked_text(line, "a line of provenance")
        checked_text(self.tokenizer, "the tokenizer", printable=False, most=MAX_TOKENIZER)
        checked_text(self.description, "the description")
        self._set("edits", parts(self.edits, Edit, "edits"))
        if self.mask not in get_args(Mask):
            raise ModelError(f"mask={brief(self.mask)}: write 'causal' (j ≤ i) or 'full' (every j)")
        self._set("positions", checked_positions(self.positions))
        if self.final_norm is not None and not isinstance(self.final_norm, Norm):
            raise ModelError(f"final_norm={brief(self.final_norm)}: write LayerNorm(…), RMSNorm(…) or None")
        self._freeze(*(name for name in array_axes(type(self)) if not (self.tied and name == "output")))
        if self.tied:
            self._set("output", self.embedding)
        check(self)
        self._hold()

    def axis_sizes(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Return how many tokens, lanes and classes there are."""
        return {"vocabulary": len(self.vocabulary), LANES: len(self.lanes), "classes": len(self.classes)}

    def _hold(self) -> None:
        """Hold every array in the type of the arithmetic, which has all its members."""
        dtype = self.arithmetic.stored
        if any(array.dtype != dtype for _, array in named_arrays(self, history=True)):
            declared = declarations(type(self))
            for each in fields(self):
                self._set(each.name, in_type(getattr(self, each.name), declared.get(each.name), dtype))
            if self.tied:
                self._set("output", self.embedding)

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

    def _read_out(self) -> None:
        """Clear classes and output, which a readout replaces; refuse classes beside it."""
        if not isinstance(self.readout, Readout):
            raise ModelError(f"readout={brief(self.readout)}: write Readout(lanes=(…,), table={{…}}), or None")
        given = self.output is not None and getattr(self.output, "size", 1) != 0
        if given or self.tied or self.output_bias is not None:
            raise ModelError("a readout stands for the output: leave out output, output_bias and tied, or readout")
        if self.classes not in ((), [], ("NO", "YES")):  # the last is the default
            raise ModelError(f"a readout stands for classes={brief(self.classes)}: leave out one of the two")
        self._set("classes", ())
        if self.output is None:
            self._set("output", np.zeros((0, len(self.lanes))))

    @property
    def answers(self) -> tuple[Value, ...]:
        """The possible answers: its classes, or the values of its readout."""
        return tuple(self.classes) if self.readout is None else self.readout.answers

    @property
    def max_length(self) -> int | None:
        """The longest input; None where any length will do."""
        vectors = added(self.positions)
        return None if vectors is None else vectors.max_length

    @property
    def attention_positions(self) -> AttentionPositions | None:
        """The scheme inside attention that its heads share, unless they have their own."""
        return attending(self.positions)

    @cached_property
    def weights(self) -> int:
        """How many numbers it consists of."""
        return sum(array.size for _, array in named_arrays(self))

    @property
    def nonzero_weights(self) -> int:
        """How many of them are not 0."""
        return sum(int(np.count_nonzero(array)) for _, array in named_arrays(self))

    @property
    def distinct_weights(self) -> int:
        """How many different numbers they are, without 0."""
        values = [np.unique(array) for _, array in named_arrays(self)]
        return int(np.count_nonzero(np.unique(np.concatenate(values)))) if values else 0

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
                raise ModelError(f"a transformer can be composed with a transformer, not with {brief(other)}")
        result: Transformer = meaning(symbol)(self, *others)
        return result

    def describe(self, text: str) -> "Transformer":
        """Return the same transformer with a sentence that says what it does: the page shows it, and files keep it."""
        return replace(self, description=text).story(self.told)

    @property
    def told(self) -> "Story | None":
        """The story that `story` attached; None without one."""
        found: Story | None = self.__dict__.get("_story")
        return found

    def story(
        self, steps: "Given | None", *, input: str | Sequence[str] | None = None, title: str = ""
    ) -> "Transformer":
        """Return the same transformer with a story, which the page plays and files hold; None takes it away.

        A step is a mapping or a `StoryStep`: {"stage": "block 0 attention", "position": 2, "head": 1, "text": "…"}.
        `input` is that of the steps that have none of their own. A whole story, such as `T.told` of another model or
        its JSON, can stand for the steps. No run reads it, and `==` ignores it. Every rewrite returns a transformer
        without one: a caption describes the weights that it was written for.
        """
        told: Transformer = meaning("story")(self, steps, input, title)
        return told

    def __reduce__(self) -> tuple[Any, ...]:
        """Go through the constructor when copied or unpickled, and keep the story."""
        plain = super().__reduce__()
        return plain if self.told is None else (_told_again, (*plain[1], self.told))

    def save_html(self, path: str | os.PathLike[str], *, circuit: Mapping[str, Any] | int | None = None) -> None:
        """Write a page that shows the transformer and runs it on typed inputs: one file, which works offline.

        With a circuit of `export.circuit`, or the length up to which it is to be found, the page shows that too.
        """
        meaning("save_html")(self, path, circuit=circuit)

    def latex(self, document: bool = False) -> str:
        """Return its blocks as matrices for LaTeX: a fragment that names its packages, or a whole `document`."""
        return transformer_latex(self, document)

    def __repr__(self) -> str:
        """Describe it briefly."""
        return description(self)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: a page that runs typed inputs; for a large transformer, a description."""
        shown: str = meaning("in_notebook")(self, f"<pre>{html.escape(description(self))}</pre>")
        return shown


def _told_again(kind: type[Transformer], values: dict[str, Any], story: "Story") -> Transformer:
    return kind(**values).story(story)


def checked(T: object) -> Transformer:
    """Return a transformer; refuse any other value."""
    if isinstance(T, Transformer):
        return T
    if isinstance(getattr(T, "transformer", None), Transformer):
        raise InputError(f"a {type(T).__name__} is not a transformer: write .transformer for the one in it")
    raise InputError(f"{brief(T)} is not a transformer: write load('model.safetensors') for a file")


def check_length(T: Transformer, length: int) -> None:
    """Refuse a length beyond the position table."""
    most = checked(T).max_length
    if most is not None and length > most:
        raise InputError(
            f"the input has {length} tokens and the position table holds {most}: "
            f"write at most {most} tokens, or give the transformer a longer table"
        )
