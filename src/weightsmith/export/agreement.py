"""How far an exported model is from the original: both are run on the same inputs, and the difference is measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import ExportError, whole_number
from weightsmith.export.answers import answers
from weightsmith.export.inputs import RANDOM_LENGTH as RANDOM_LENGTH  # for exporters
from weightsmith.export.inputs import inputs as inputs
from weightsmith.export.inputs import some
from weightsmith.export.lowering import advice
from weightsmith.export.report import Agreement as Agreement  # for exporters
from weightsmith.export.saturation import relying_on_saturation
from weightsmith.export.survival import survival
from weightsmith.inspect.run import evaluate, read_codes
from weightsmith.kernels.blas import BlasRun
from weightsmith.model import Transformer
from weightsmith.model.places import checked
from weightsmith.semantics.evaluation import Ids, Places
from weightsmith.semantics.reference import read_off

SURVIVAL_INPUTS = 1_000  # that are run in other dtypes
SATURATION_INPUTS = 300  # that are run without saturation


@dataclass(frozen=True)
class Outputs:
    """What a model gives for inputs of one length."""

    logits: Array  # (inputs, positions, classes); with a readout its codes, (inputs, positions, lanes of the readout)
    stream: Sequence[Array] | None = None  # after the embedding and each sublayer, (inputs, positions, lanes)


class Exported(Protocol):
    """An exported model, as it is measured."""

    target: str  # "PyTorch"
    dtype: str  # "float32"

    # What saturates as the original does also says saturates = True; what rounds as well, rounds = True

    def outputs(self, ids: Ids) -> Outputs:
        """Run it on places in the vocabulary, (inputs, positions), in float64; no stream where it does not show one."""


def agreement(T: Transformer, exported: Any, *, up_to: int | None = None, seed: int = 0) -> Agreement:
    """Run a transformer and what was made of it on the same inputs, and report how far they are from each other.

    `exported` is what an exporter of Weightsmith made, or wrote to a path; or any function that takes places in the
    vocabulary, an int64 array (inputs, positions), and returns logits (inputs, positions, classes), or the codes of a
    readout (inputs, positions, its lanes). With `up_to` no input is longer than that.
    """
    if up_to is not None:
        whole_number(up_to, "up_to", 1)
    checked(T)
    from weightsmith.export.targets import as_exported  # here, because it needs this file

    return measure(T, as_exported(T, exported), up_to=up_to, seed=seed)


def measure(T: Transformer, exported: Exported, *, up_to: int | None = None, seed: int = 0) -> Agreement:
    """Run a transformer and what was made of it on the same inputs; report how far they are from each other.

    Where the target does not round as the original does, the report also says in which dtypes every decision stays;
    where it does not saturate, which sublayers rely on that.
    """
    complete, longest, count = 0, 0, 0
    logit, stream, margin = 0.0, 0.0, np.inf
    wrong, first, place, shows = 0, None, None, True
    decided: list[tuple[Ids, Places]] = []
    for ids, exhaustive in inputs(T, seed, up_to):
        a, b = original(T, ids), exported.outputs(ids)
        count, longest = count + len(ids), max(longest, ids.shape[1])
        complete = ids.shape[1] if exhaustive else complete
        logit = max(logit, _difference(a.logits, b.logits))
        if a.stream is not None and b.stream is not None:
            stream = max([stream, *(_difference(x, y) for x, y in zip(a.stream, b.stream, strict=True))])
        else:
            shows = False
        margin = min(margin, smallest_margin(a.logits)) if T.readout is None else margin
        decided.append((ids, answers(T, a.logits)))
        theirs = answers(T, b.logits)
        differ = (decided[-1][1] != theirs) | (theirs < 0)
        wrong += int(differ.sum())
        if first is None and differ.any():
            n, place = (int(i) for i in np.argwhere(differ)[0])
            seen = ids[n, : place + 1] if T.mask == "causal" else ids[n]  # a prefix of a causal input is one as well
            first = tuple(T.vocabulary[k] for k in seen)
    found = Agreement(
        exported.target, exported.dtype, count, sum(places.size for _, places in decided), complete, longest, logit,
        stream if shows else None, wrong, first, place, margin if T.readout is None else None,
    )  # fmt: skip
    if not getattr(exported, "rounds", False):
        found = replace(found, survives=survival(T, some(decided, SURVIVAL_INPUTS)))
    if not (getattr(exported, "rounds", False) or getattr(exported, "saturates", False)):
        tried = (ids for ids, _ in some(decided, SATURATION_INPUTS))
        found = replace(found, saturates=relying_on_saturation(T, tried))
    return found


def required(found: Agreement, allow_differences: bool, T: Transformer | None = None) -> Agreement:
    """Return a report, or refuse an exported model that says something else, unless that is allowed."""
    if found.agrees or allow_differences:
        return found
    hint = "" if T is None else f" {advice(T, found.saturates)}"
    says = "decides" if found.smallest_margin is not None else "says something"
    raise ExportError(
        f"{found.target} in {found.dtype} {says} {found.different_decisions:,} times otherwise, first {found.where()}."
        f"{hint} Write allow_differences=True to have it nevertheless (--allow-differences on the command line)"
    )


def original(T: Transformer, ids: Ids) -> Outputs:
    """Return what the transformer itself gives: the logits or codes at every position, and the stream."""
    found = evaluate(T, ids)
    last = found.stream[-1]
    if T.readout is not None:
        logits = read_codes(T, last)
    else:
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
