"""Addition of two numbers by a chain: one digit a token, lowest first, with eleven different weights."""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic, Fixed
from weightsmith.errors import InputError, whole_number
from weightsmith.model import (
    Attention,
    Block,
    Chain,
    Head,
    Neuron,
    Relative,
    Softmax,
    Transformer,
    feed_forward,
    matrix,
)
from weightsmith.model.heads import never

DIGITS = tuple("0123456789")
MOST_DIGITS = 1000


def addition(digits: int = 10, arithmetic: Arithmetic | None = None) -> Chain:
    """Add two numbers of equal length. The input has the digits of both, lowest first, with a 0 after each number.

    The chain writes the digits of the sum, lowest first. To write digit t it needs a_t + b_t, and whether the digits
    before carried: they did if a + b − s, with the digit s that was just written, is 9 or 10 and not −1 or 0. So
    z = a_t + b_t + (a + b − s) / 16 is nearest to the sum of this place with its carry. Two neurons see
    whether that sum is 10 or more; then 10 is taken away. The logit of the digit v is the sum of the first v of
    z − ½, z − 1½, …: largest for the digit nearest to z.

    >>> C = addition(3)
    >>> "".join(C.run(number_pair(999, 25, 3)).answer)  # 1024, lowest first
    '4201'
    """
    A = Fixed(6, 4) if arithmetic is None else arithmetic
    m = whole_number(digits, "digits", 1, MOST_DIGITS)
    marks = [f"≥ {u}" for u in range(1, 10)]
    parts = [f"above {u}" for u in range(1, 10)]
    lanes = [*marks, "z", "ten", *parts]
    both = _mean(lanes, marks, (m, 2 * m + 1), 2.0, A, "the digits of this place")
    carried = _mean(lanes, marks, (m + 1, 2 * m + 2), 1 / 8, A, "the digits of the last place")
    written = _mean(lanes, marks, (0,), -1 / 16, A, "the digit just written")
    ten = [Neuron({"z": 2.0}, {"ten": 1.0}, bias=-18.0), Neuron({"z": 2.0}, {"ten": -1.0}, bias=-19.0)]
    compare = [Neuron({"z": 1.0, "ten": -10.0}, dict.fromkeys(parts, 1.0), bias=0.5)]
    compare += [Neuron({}, dict.fromkeys(parts[u:], -1.0), bias=1.0) for u in range(9)]
    T = Transformer(
        arithmetic=A,
        vocabulary=DIGITS,
        lanes=lanes,
        embedding=matrix(DIGITS, lanes, {(d, lane): 1.0 for v, d in enumerate(DIGITS) for lane in marks[:v]}),
        blocks=(
            Block(Attention((both, carried, written)), feed_forward(lanes, ten), origin="add one place"),
            Block(None, feed_forward(lanes, compare), origin="which digit is nearest"),
        ),
        output=matrix(DIGITS, lanes, {(d, lane): 1.0 for v, d in enumerate(DIGITS) for lane in parts[:v]}),
        classes=DIGITS,
        provenance=(f"library.papers.addition({m})",),
        description="Adds two numbers, digit by digit.",
    )
    length = 2 * m + 2
    return Chain(T, steps=m + 1, outputs=m + 1, inputs=DIGITS, max_length=length, min_length=length)


def number_pair(a: int, b: int, digits: int) -> str:
    """Return the input of `addition` for two numbers: the digits of each, lowest first, then a 0.

    >>> number_pair(12, 7, 2)
    '210700'
    """
    for number in (a, b):
        whole_number(number, "number", 0, 10**digits - 1, f"a number of at most {digits} digits")
    return "".join(f"{number:0{digits}d}"[::-1] + "0" for number in (a, b))


def sum_digits(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the digits of the sum, lowest first, of the pair that an input holds.

    >>> sum_digits("210700")
    ('9', '1', '0')
    """
    text, half = "".join(tokens), len(tokens) // 2
    if len(text) % 2 or text[half - 1] != "0" or text[-1] != "0":
        raise InputError(f"{text} is no pair of numbers: write number_pair(12, 7, 2)")
    a, b = int(text[:half][::-1]), int(text[half:][::-1])
    return tuple(f"{a + b:0{half}d}"[::-1])


def _mean(
    lanes: Sequence[str], marks: Sequence[str], distances: Sequence[int], times: float, A: Arithmetic, name: str
) -> Head:
    """Return a head that adds the mean of the digits at some distances, times a number, to z."""
    far = never(A)
    offsets = np.zeros((max(distances) + 2, 1))
    offsets[list(distances)] = far
    return Head(
        W_Q=matrix(["where"], lanes, {}),
        W_K=matrix(["where"], lanes, {}),
        W_V=matrix(["digit"], lanes, {("digit", lane): 1.0 for lane in marks}),
        W_O=matrix(lanes, ["digit"], {("z", "digit"): times}),
        weighting=Softmax(empty="zero"),
        b_Q=np.ones(1),
        b_K=np.array([-far]),
        positions=Relative(offsets),
        name=name,
    )
