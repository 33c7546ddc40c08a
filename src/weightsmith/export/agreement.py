"""How far an exported model is from the original: both are run on the same inputs, and the difference is measured."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import ExportError, listed, whole_number
from weightsmith.export.inputs import RANDOM_LENGTH as RANDOM_LENGTH  # for exporters
from weightsmith.export.inputs import inputs as inputs
from weightsmith.export.inputs import some
from weightsmith.export.lowering import advice
from weightsmith.export.needed import readable
from weightsmith.export.saturation import relying_on_saturation
from weightsmith.export.survival import survival
from weightsmith.inspect.run import evaluate
from weightsmith.kernels.blas import BlasRun
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids
from weightsmith.semantics.reference import read_off

SURVIVAL_INPUTS = 1_000  # that are run in other dtypes
SATURATION_INPUTS = 300  # that are run without saturation


@dataclass(frozen=True)
class Outputs:
    """What a model gives for inputs of one length."""

    logits: Array  # (inputs, positions, classes)
    stream: Sequence[Array] | None = None  # after the embedding and each sublayer, (inputs, positions, lanes)


class Exported(Protocol):
    """An exported model, as it is measured."""

    target: str  # "PyTorch"
    dtype: str  # "float32"

    # What saturates as the original does also says saturates = True; what rounds as well, rounds = True

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
    saturates: tuple[str, ...] = ()  # the sublayers that rely on saturation, which the target lacks
    error_bound: float | None = None  # of an approximate target: how far a logit is off, but for saturation

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
            lines.append(f"relies on saturation, which the target lacks: {listed(self.saturates)}")
        return "\n".join(lines)


def agreement(T: Transformer, exported: Any, *, up_to: int | None = None, seed: int = 0) -> Agreement:
    """Run a transformer and what was made of it on the same inputs, and report how far they are from each other.

    `exported` is what an exporter of Weightsmith made, or wrote to a path; or any function that takes places in the
    vocabulary, an int64 array (inputs, positions), and returns logits (inputs, positions, classes). With `up_to` no
    input is longer than that.
    """
    if up_to is not None:
        whole_number(up_to, "up_to", 1)
    readable(T, "agreement")
    from weightsmith.export.targets import as_exported  # here, because it needs this file

    return measure(T, as_exported(T, exported), up_to=up_to, seed=seed)


def measure(T: Transformer, exported: Exported, *, up_to: int | None = None, seed: int = 0) -> Agreement:
    """Run a transformer and what was made of it on the same inputs; report how far they are from each other.

    Where the target does not round as the original does, the report also says in which dtypes every decision stays;
    where it does not saturate, which sublayers rely on that.
    """
    complete, longest, count = 0, 0, 0
    logit, stream, margin = 0.0, 0.0, np.inf
    wrong, first, shows = 0, None, True
    decided: list[tuple[Ids, Ids]] = []
    for ids, exhaustive in inputs(T, seed, up_to):
        a, b = original(T, ids), exported.outputs(ids)
        count, longest = count + len(ids), max(longest, ids.shape[1])
        complete = ids.shape[1] if exhaustive else complete
        logit = max(logit, _difference(a.logits, b.logits))
        if a.stream is not None and b.stream is not None:
            stream = max([stream, *(_difference(x, y) for x, y in zip(a.stream, b.stream, strict=True))])
        else:
            shows = False
        compared = a.logits if T.mask == "causal" else a.logits[:, -1:]  # a prefix of a causal input is one as well
        margin = min(margin, smallest_margin(compared))
        decided.append((ids, np.argmax(compared, -1)))
        theirs = b.logits[:, -compared.shape[1] :]
        differ = (decided[-1][1] != np.argmax(theirs, -1)) | ~np.isfinite(theirs).all(-1)
        wrong += int(differ.sum())
        if first is None and differ.any():
            n, i = np.argwhere(differ)[0]
            first = tuple(T.vocabulary[k] for k in ids[n, : ids.shape[1] - compared.shape[1] + i + 1])
    found = Agreement(
        exported.target, exported.dtype, count, complete, longest, logit, stream if shows else None, wrong, first,
        margin,
    )  # fmt: skip
    if not getattr(exported, "rounds", False):
        found = replace(found, survives=survival(T, some(decided, SURVIVAL_INPUTS)))
    if not (getattr(exported, "rounds", False) or getattr(exported, "saturates", False)):
        tried = (ids for ids, _ in some(decided, SATURATION_INPUTS))
        found = replace(found, saturates=relying_on_saturation(T, tried))
    return found


def required(found: Agreement, allow_differences: bool, T: Transformer | None = None) -> Agreement:
    """Return a report, or refuse an exported model that decides otherwise, unless that is allowed."""
    if found.agrees or allow_differences:
        return found
    hint = "" if T is None else f" {advice(T, found.saturates)}"
    raise ExportError(
        f"{found.target} in {found.dtype} decides {found.different_decisions:,} times otherwise, first on "
        f"{listed(found.first_difference or ())}.{hint} Write allow_differences=True to have it nevertheless "
        "(--allow-differences on the command line)"
    )


def original(T: Transformer, ids: Ids) -> Outputs:
    """Return what the transformer itself gives: the logits at every position, and the stream."""
    found = evaluate(T, ids)
    last = found.stream[-1]
    logits = BlasRun(T).read_off(last) if isinstance(T.arithmetic, Native) else read_off(T, last)
    return Outputs(logits.astype(np.float64), [stage.astype(np.float64) for stage in found.stream])


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
