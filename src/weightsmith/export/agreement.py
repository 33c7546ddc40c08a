"""How far an exported model is from the original: both are run on the same inputs, and the difference is measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any, Protocol

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import ExportError, listed
from weightsmith.inspect.run import NUMBERS_AT_ONCE, evaluate
from weightsmith.kernels.blas import BlasRun
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids, numbers_held
from weightsmith.semantics.reference import read_off

MOST_INPUTS = 10_000  # up to a length with at most so many inputs, all of them are run
RANDOM_INPUTS = 200  # longer ones besides
RANDOM_LENGTH = 64  # tokens that they have at most
MOST_PRODUCTS = 10**11  # multiplications for all random inputs: a large model is run on fewer


@dataclass(frozen=True)
class Outputs:
    """What a model gives for inputs of one length."""

    logits: Array  # (inputs, positions, classes)
    stream: Sequence[Array] | None = None  # after the embedding and each sublayer, (inputs, positions, lanes)


class Exported(Protocol):
    """An exported model, as it is measured."""

    target: str  # "PyTorch"
    dtype: str  # "float32"

    def outputs(self, ids: Ids) -> Outputs:
        """Run it on places in the vocabulary, (inputs, positions), in float64; no stream where it does not show one."""


@dataclass(frozen=True)
class Agreement:
    """The report on an exported model: how far it is from the original on the inputs that both were run on."""

    target: str
    dtype: str
    inputs: int
    up_to: int  # all inputs up to this length were run; 0: none of them all
    longest: int
    logit_difference: float  # the largest
    stream_difference: float | None  # the largest; None where the target does not show its stream
    different_decisions: int
    first_difference: tuple[str, ...] | None  # the shortest input that is decided otherwise
    smallest_margin: float  # of the original: how far the best class is ahead
    survives: Mapping[str, bool] = field(default_factory=dict)  # in which dtypes every decision stays
    saturates: tuple[str, ...] = ()  # the sublayers whose values saturate, which the target's do not
    error_bound: float | None = (
        None  # of an approximate target: how far a logit is off at most, but for saturation
    )

    @property
    def agrees(self) -> bool:
        """Whether every decision is that of the original."""
        return self.different_decisions == 0

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        plain = asdict(self)
        return {**plain, "survives": dict(self.survives), "agrees": self.agrees}

    def __str__(self) -> str:
        """Say it in a few lines."""
        ran = [f"all inputs up to length {self.up_to}"] if self.up_to else []
        ran += [f"random ones up to {self.longest}"] if self.longest > self.up_to else []
        lines = [f"{self.target}, {self.dtype}: {self.inputs:,} inputs run ({' and '.join(ran)})"]
        if self.agrees:
            lines.append("decisions: all as in the original")
        else:
            shown = " ".join(self.first_difference or ())
            lines.append(f"decisions: {self.different_decisions:,} differ, the first on {shown!r}")
        lines.append(f"largest difference of a logit: {self.logit_difference:.3g}")
        if self.stream_difference is not None:
            lines.append(f"largest difference of the stream: {self.stream_difference:.3g}")
        if self.error_bound is not None:
            lines.append(f"a logit is at most {self.error_bound:.3g} from that of the same weights in exact floats")
        lines.append(f"smallest margin of a decision: {self.smallest_margin:.3g}")
        if self.survives:
            said = ", ".join(f"{dtype} {'yes' if fine else 'NO'}" for dtype, fine in self.survives.items())
            lines.append(f"decisions survive in: {said}")
        if self.saturates:
            lines.append(f"relies on saturation: {listed(self.saturates)}")
        return "\n".join(lines)


def measure(T: Transformer, exported: Exported, *, seed: int = 0) -> Agreement:
    """Run a transformer and what was made of it on the same inputs; report how far they are from each other."""
    up_to, longest, count = 0, 0, 0
    logit, stream, margin = 0.0, 0.0, np.inf
    wrong, first, shows = 0, None, True
    for ids, exhaustive in inputs(T, seed):
        a, b = original(T, ids), exported.outputs(ids)
        count, longest = count + len(ids), max(longest, ids.shape[1])
        up_to = ids.shape[1] if exhaustive else up_to
        logit = max(logit, _difference(a.logits, b.logits))
        if a.stream is not None and b.stream is not None:
            stream = max([stream, *(_difference(x, y) for x, y in zip(a.stream, b.stream, strict=True))])
        else:
            shows = False
        compared = a.logits if T.mask == "causal" else a.logits[:, -1:]  # a prefix of a causal input is one as well
        margin = min(margin, smallest_margin(compared))
        differ = np.argmax(compared, -1) != np.argmax(b.logits[:, -compared.shape[1] :], -1)
        wrong += int(differ.sum())
        if first is None and differ.any():
            n, i = np.argwhere(differ)[0]
            first = tuple(T.vocabulary[k] for k in ids[n, : ids.shape[1] - compared.shape[1] + i + 1])
    return Agreement(
        exported.target, exported.dtype, count, up_to, longest, logit, stream if shows else None, wrong, first, margin
    )


def required(found: Agreement, allow_differences: bool) -> Agreement:
    """Return a report, or refuse an exported model that decides otherwise, unless that is allowed."""
    if found.agrees or allow_differences:
        return found
    hint = f" {listed(found.saturates)} relies on saturation." if found.saturates else ""
    raise ExportError(
        f"{found.target} in {found.dtype} decides {found.different_decisions:,} times otherwise, first on "
        f"{listed(found.first_difference or ())}.{hint} Write allow_differences=True to have it nevertheless"
    )


def with_survival(found: Agreement, survives: Mapping[str, bool], saturates: Sequence[str]) -> Agreement:
    """Return a report that also says in which dtypes decisions survive, and which sublayers saturate."""
    return replace(found, survives=dict(survives), saturates=tuple(saturates))


def original(T: Transformer, ids: Ids) -> Outputs:
    """Return what the transformer itself gives: the logits at every position, and the stream."""
    found = evaluate(T, ids)
    last = found.stream[-1]
    logits = BlasRun(T).read_off(last) if isinstance(T.arithmetic, Native) else read_off(T, last)
    return Outputs(logits.astype(np.float64), [stage.astype(np.float64) for stage in found.stream])


def inputs(T: Transformer, seed: int = 0) -> Iterator[tuple[Ids, bool]]:
    """Yield inputs by length, in parts that fit into memory: all short ones, and random longer ones.

    With each part stands whether all inputs of its length are among the parts.
    """
    symbols, most = len(T.vocabulary), T.max_length or RANDOM_LENGTH
    length, total = 0, 0
    while length < most and total + symbols ** (length + 1) <= MOST_INPUTS:
        length, total = length + 1, total + symbols ** (length + 1)
        everything = np.array(list(product(range(symbols), repeat=length)))
        yield from ((part, True) for part in _parts(T, everything))
    longest = min(most, RANDOM_LENGTH)
    if longest > length:
        generator = np.random.default_rng(seed)
        count = int(np.clip(MOST_PRODUCTS // (max(T.weights, 1) * longest), 3, RANDOM_INPUTS))
        sizes = np.unique(np.linspace(longest, length + 1, count).astype(int), return_counts=True)
        for size, times in zip(*sizes, strict=True):
            yield from ((part, False) for part in _parts(T, generator.integers(0, symbols, (times, size))))


def _parts(T: Transformer, ids: Ids) -> Iterator[Ids]:
    at_once = max(1, NUMBERS_AT_ONCE // 4 // numbers_held(T, ids.shape[1]))
    for first in range(0, len(ids), at_once):
        yield ids[first : first + at_once]


def smallest_margin(logits: Array) -> float:
    """Return by how much the best class is ahead of the second, where that is least; ∞ with a single class."""
    if logits.shape[-1] == 1:
        return float("inf")
    best = np.partition(logits, -2, axis=-1)
    return float((best[..., -1] - best[..., -2]).min())


def _difference(a: Array, b: Array) -> float:
    if a.shape != b.shape:
        raise ExportError(f"the exported model gives an array of shape {b.shape}, and it must be {a.shape}")
    found = np.abs(a - b)
    return float("inf") if np.isnan(found).any() else float(found.max(initial=0.0))
