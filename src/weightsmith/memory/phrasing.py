"""Facts that several phrasings call up: one neuron that fires for all of them, and for no rival.

A neuron reads one direction of the layer's input. For a single key that is the key. For several phrasings it is the
mean of their patterns; with texts it is C⁻¹ times that mean, where C is the mean of x xᵀ over the layer's inputs x in
these texts, as in ROME. So directions in which all inputs are large count for less.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Native
from weightsmith.errors import InputError, brief, named, shown
from weightsmith.memory.edit import empty_layer, splice
from weightsmith.memory.facts import Pattern, read_margin, read_values
from weightsmith.memory.neurons import Rivals, collision, columns, differ, gather, new_names, open_gates
from weightsmith.memory.read import Seen, Tokens, look
from weightsmith.memory.threshold import Chosen
from weightsmith.model import FeedForward, Transformer
from weightsmith.model.lookup import block_at
from weightsmith.model.members import real

RIDGE = 0.01  # of the mean of C's diagonal, added to it: few texts leave directions that never occurred
STRETCHED = tuple(1 + 2.0**-k for k in (60, 40, 30, 20, 10, 6, 4))  # the first leaves a number as it is


def write_phrased(
    T: Transformer,
    block: int,
    phrasings: Sequence[Tokens],
    value: Pattern,
    texts: Sequence[Tokens] = (),
    margin: float = 1.0,
    name: str | None = None,
    rivals: Sequence[Pattern] = (),
    inputs: Sequence[Tokens] = (),
    ridge: float = RIDGE,
) -> Transformer:
    """Add a neuron that fires at the last position of each phrasing, and then adds a value to the stream.

    Requires: members for the value; a positive margin; no rival at which the direction that the neuron reads is as
      strong as at the weakest phrasing.
    Ensures: the neuron's pre-activation is about 1 at the weakest phrasing, more at the others, and at most −margin at
      every rival. With ReLU it adds the value times the pre-activation there, and nothing at a rival.
    Exact in: no arithmetic; the neuron's responses are computed once in the arithmetic of the model, and what does not
      keep the margin is refused.
    Because: the direction is the mean pattern, or with `texts` C⁻¹ times it; b is set by the weakest phrasing.

    Rivals are those of `write`. `ridge` times the mean of C's diagonal is added to that diagonal.
    """
    label = "the new fact" if name is None else named(name)
    seen, patterns = _patterns(T, block, phrasings)
    layer = block_at(T, block).feed_forward or empty_layer(T)
    names = new_names(layer, ["" if name is None else name])
    values = read_values(T, [value], [f"the value of {label}"])
    others = _rivals(T, block, layer, patterns, label, rivals, inputs)
    collision(T.arithmetic, layer, patterns, [label] * len(patterns))
    direction = _direction(T, block, patterns, texts, _ridge(ridge))
    found = _fitted(T.arithmetic, direction, patterns, others, read_margin(margin), _Words(label, seen, others))
    weakest = int(np.argmin(found.at_phrasings))
    new = FeedForward(
        W_1=found.W[np.newaxis],
        b_1=np.array([found.b]),
        W_2=columns(T, layer, values, [label]),
        b_2=np.zeros(len(T.lanes)),
        activation=layer.activation,
        names=names,
        keys=patterns[[weakest]],
        **open_gates(layer, patterns[[weakest]]),
    )
    said = f"{len(patterns)} phrasings, {len(texts)} texts, margin={margin!r}"
    text = f"memory.write_phrased({f'{name!r}, ' if name else ''}block={block}, {said})"
    return splice(T, block, len(layer.W_1), 0, new, text)


def _ridge(ridge: object) -> float:
    number = real(ridge, "ridge")
    if number <= 0:
        raise InputError(f"ridge={brief(ridge)}: write a number above 0, such as {RIDGE:g}")
    return number


def _patterns(T: Transformer, block: int, phrasings: Sequence[Tokens]) -> tuple[Seen, Array]:
    """Return what the layer reads of the phrasings, and the pattern at the last position of each."""
    if isinstance(phrasings, str) or not isinstance(phrasings, Sequence) or not phrasings:
        raise InputError(f"phrasings={brief(phrasings)}: write a list of inputs that ask for the fact")
    block_at(T, block)
    seen = look(T, block, phrasings)
    rows = {source: row for row, source in enumerate(seen.sources)}
    last = [rows[n, len(tokens) - 1] for n, tokens in enumerate(seen.inputs)]
    patterns = seen.vectors[last]
    empty = np.flatnonzero(~patterns.any(axis=1))
    if empty.size:
        which = shown(" ".join(seen.inputs[int(empty[0])])[:200])
        raise InputError(f"the phrasing {which}: the layer reads 0 in every lane there, so no neuron can fire for it")
    return seen, patterns


def _rivals(
    T: Transformer,
    block: int,
    layer: FeedForward,
    patterns: Array,
    label: str,
    rivals: Sequence[Pattern],
    inputs: Sequence[Tokens],
) -> Rivals:
    """Return the rivals of all phrasings together: none of them is a rival of another."""
    found = gather(T, block, layer, patterns, [label] * len(patterns), rivals, inputs)
    common: Chosen = np.all(found.allowed, axis=0)
    if isinstance(T.arithmetic, Native):
        for pattern in patterns:
            common &= differ(T.arithmetic, found.patterns, pattern)
    kept = np.flatnonzero(common)
    return Rivals(found.patterns[kept], common[np.newaxis, kept], [found.texts[n] for n in kept.tolist()])


def _direction(T: Transformer, block: int, patterns: Array, texts: Sequence[Tokens], ridge: float) -> Array:
    """Return the direction that the neuron reads, of length 1."""
    mean: Array = patterns.mean(axis=0)
    inputs = look(T, block, texts).vectors
    if len(inputs):
        C = inputs.T @ inputs / len(inputs)
        mean[:] = np.linalg.solve(C + ridge * max(float(np.trace(C)) / len(C), 1e-30) * np.eye(len(C)), mean)
    size = float(np.linalg.norm(mean))
    direction: Array = np.asarray(mean / size if size > 0 else mean, np.float64)
    return direction


@dataclass(frozen=True)
class _Words:
    """What messages call the fact, its phrasings and its rivals."""

    label: str
    seen: Seen
    rivals: Rivals

    def phrasing(self, n: int) -> str:
        return f"the phrasing {shown(' '.join(self.seen.inputs[n])[:200])}"


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A neuron, and its responses."""

    W: Array
    b: float
    at_phrasings: Array
    at_rival: float

    def good(self, margin: float) -> bool:
        return bool(self.at_phrasings.min() > 0 and self.at_rival <= -margin)


def _fitted(A: Arithmetic, direction: Array, patterns: Array, rivals: Rivals, margin: float, words: _Words) -> _Fitted:
    """Return weights and bias that respond to all phrasings and to no rival, or refuse."""
    ours, theirs = patterns @ direction, rivals.patterns @ direction
    weakest, strongest = int(np.argmin(ours)), int(np.argmax(theirs))
    apart = float(ours[weakest] - theirs[strongest])
    if apart <= 0:
        raise InputError(
            f"{words.label} cannot be distinguished from {rivals.text(strongest)}: the direction of the phrasings "
            f"gives {ours[weakest]:g} at {words.phrasing(weakest)} and {theirs[strongest]:g} there; leave out one of "
            "the two, write each phrasing as a fact of its own, or give texts, which make directions more different"
        )
    least = (1 + margin) / apart
    found = None
    for stretched in STRETCHED:
        found = _neuron(A, least * stretched * direction, patterns, rivals.patterns)
        if found.good(margin):
            return found
    assert found is not None
    raise InputError(
        f"{words.label} cannot be written in {A}: its responses would be {found.at_phrasings.min():g} at a phrasing "
        f"and {found.at_rival:g} at a rival, and they must be above 0 and at most {-margin:g}: use a wider "
        "arithmetic, or another margin"
    )


def _neuron(A: Arithmetic, w: Array, patterns: Array, rivals: Array) -> _Fitted:
    """Return the neuron with the weights nearest to w, and its responses in the arithmetic."""
    W = A.round(w)
    with np.errstate(all="ignore"):
        at = A.matvec(W[np.newaxis], patterns)[:, 0]
        b = A.subtract(A.round(1.0), at.min())
        there = A.add(A.matvec(W[np.newaxis], rivals)[:, 0], b)
        ours = A.add(at, b)
    return _Fitted(W, float(b), np.nan_to_num(ours, nan=-np.inf), float(np.nan_to_num(there, nan=np.inf).max()))
