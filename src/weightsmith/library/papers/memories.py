"""Facts in one matrix: a sum of outer products of random vectors, and how many it holds."""

from random import Random

import numpy as np

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import whole_number
from weightsmith.model import Attention, Block, Head, RightmostHard, Transformer, matrix

MOST = 1 << 12


def facts(number: int, answers: int, seed: int = 0) -> dict[str, str]:
    """Return random facts: an answer for each subject.

    >>> facts(2, 4)
    {'s0': 'a1', 's1': 'a3'}
    """
    draw = Random(f"facts {seed}")
    return {f"s{x}": f"a{int(draw.random() * answers)}" for x in range(number)}


def signs(rows: int, size: int, seed: str) -> np.ndarray:
    """Return random vectors of 1 and −1. The first rows do not depend on the number of rows."""
    draw = Random(seed)
    return np.array([[1.0 if draw.random() < 0.5 else -1.0 for _ in range(size)] for _ in range(rows)])


def outer_product_memory(
    number: int, size: int = 16, answers: int = 16, arithmetic: Arithmetic | None = None, seed: int = 0
) -> Transformer:
    """Recall facts from one matrix W = Σ u_answer e_subjectᵀ of size × size, in the values of a head.

    Subjects and answers are random vectors of 1 and −1. The head looks at its own position, so its W_V is the memory;
    the answer is the u with the largest product with W e. The products of other facts are noise. W and the u are
    scaled by the largest powers of two with which no sum saturates, as far as the arithmetic has them.

    >>> T = outer_product_memory(4)
    >>> len(T.vocabulary), len(T.classes)
    (4, 16)
    """
    A = or_default(arithmetic)
    number = whole_number(number, "number", 1, MOST, "the number of facts")
    size, answers = whole_number(size, "size", 1, MOST), whole_number(answers, "answers", 1, MOST)
    known = facts(number, answers, seed)
    E, U = signs(number, size, f"subjects {seed}"), signs(answers, size, f"answers {seed}")
    W = sum(np.outer(U[int(answer[1:])], e) for answer, e in zip(known.values(), E, strict=True))
    keys, values = [f"e{k}" for k in range(size)], [f"v{k}" for k in range(size)]
    lanes = keys + values
    W = np.asarray(A.round(W * _fitting(E[:, np.newaxis, :] * W, A)))
    U = U * _fitting((E @ W.T)[:, np.newaxis, :] * U, A)
    W_V = np.hstack([W, np.zeros((size, size))])
    here = Head(
        W_Q=matrix(["0"], lanes, {}),
        W_K=matrix(["0"], lanes, {}),
        W_V=W_V,
        W_O=matrix(lanes, values, {(v, v): 1.0 for v in values}),
        weighting=RightmostHard(),
        name="the memory",
    )
    classes = [f"a{y}" for y in range(answers)]
    return Transformer(
        arithmetic=A,
        vocabulary=tuple(known),
        lanes=lanes,
        embedding=np.hstack([E, np.zeros((number, size))]),
        blocks=(Block(Attention((here,)), origin="recall"),),
        output=np.hstack([np.zeros((answers, size)), U]),
        classes=classes,
        provenance=(f"library.papers.outer_product_memory({number}, {size}, {answers})",),
        description=f"Recalls the answer to each of {number} keys, from one matrix.",
    )


def _fitting(terms: np.ndarray, A: Arithmetic) -> float:
    """Return the largest power of two, at most 1, with which no sum over the last axis saturates on its way."""
    largest = float(np.abs(np.cumsum(terms, axis=-1)).max())
    scale, infinity, smallest = 1.0, float(np.asarray(A.infinity)), float(np.asarray(A.smallest))
    while scale * largest > infinity and scale > smallest:
        scale /= 2
    return scale
