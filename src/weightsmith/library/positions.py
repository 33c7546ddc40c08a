"""Positions of the lecture: word and position added, and two models that have learnt theirs."""

from typing import Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Arithmetic, Native
from weightsmith.errors import InputError, brief
from weightsmith.library.shipped import read_shipped
from weightsmith.model import PositionTable, Sinusoidal, Transformer, matrix
from weightsmith.rewrites import to_arithmetic

Part: TypeAlias = Literal["sum", "word", "position"]
LANES = ("dim 0", "dim 1", "dim 2", "dim 3")
EMBEDDINGS = {  # "cat" is in the lecture, the others are not
    "The": (-1.0, 0.4, 1.1, -0.6),
    "cat": (0.5, 0.3, -0.2, 0.8),
    "sat": (0.2, -1.5, -0.9, 0.1),
}
LONGEST = 3


def word_and_position(part: Part = "sum", arithmetic: Arithmetic | None = None) -> Transformer:
    """Name the last of up to three words, from the sum of its embedding and a sinusoidal vector for its position.

    There is no block: the stream is the sum itself, "cat" at position 1 as in the lecture. With part="word" or
    part="position" the stream is one of the two summands alone.
    """
    if part not in get_args(Part):
        raise InputError(f"part={brief(part)}: write 'sum', 'word' or 'position'")
    A = Native("float64")
    known = {(word, lane): x for word, row in EMBEDDINGS.items() for lane, x in zip(LANES, row, strict=True)}
    words = matrix(list(EMBEDDINGS), LANES, known)
    nowhere = PositionTable(np.zeros((LONGEST, len(LANES))))
    T = Transformer(
        arithmetic=A,
        vocabulary=tuple(EMBEDDINGS),
        lanes=LANES,
        embedding=np.zeros_like(words) if part == "position" else words,
        positions=nowhere if part == "word" else Sinusoidal(LONGEST),
        output=words,
        classes=tuple(EMBEDDINGS),
        provenance=("library.word_and_position()" if part == "sum" else f"library.word_and_position({part!r})",),
    )
    return T if arithmetic is None or arithmetic == A else to_arithmetic(T, arithmetic)


def learned_positions(arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs of up to 8 bits whose third is 1, with a table of positions that was learnt.

    It was trained in fixed(3,3), from random vectors for the 8 positions. A longer input is refused: no vector was
    learnt for it.
    """
    return read_shipped("learned_positions", arithmetic)


def relative_positions(arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs whose fourth bit from the end is 1, with learnt vectors for distances.

    It was trained in fixed(3,3) on strings of up to 10 bits, from random vectors for the distances 0, 1, 2, 3 and "4 or
    more": larger distances are clipped and share a vector. So it takes inputs of every length.
    """
    return read_shipped("relative_positions", arithmetic)
