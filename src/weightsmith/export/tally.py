"""Counting how an exported model differs from its original, input by input, also in other types of floats."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError, ModelError, named
from weightsmith.export.inputs import some
from weightsmith.export.outputs import Exported, Outputs, answers, original
from weightsmith.export.report import Agreement
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import AnswerIds, Ids

MOST_RUNS = 4  # of an input that is made shorter
MOST_CAUSES = 20  # differences, the shortest, whose cause is looked for
MOST_PRODUCTS = 10**8  # multiplications for inputs that are run once more with other ends
TYPES = ("float32", "bfloat16", "float16")
LARGE = 10**7  # weights: beyond, only float32 is tried


@dataclass
class Tally:
    """The differences so far between a transformer and its exported model."""

    T: Transformer
    exported: Exported
    complete: int = 0  # all inputs up to this length were run
    longest: int = 0
    logit: float = 0.0  # the largest difference
    stream: float | None = 0.0
    margin: float = np.inf
    wrong: int = 0
    counts: dict[str, int] = field(default_factory=lambda: {"all": 0, "random": 0, "searched": 0})
    decided: list[tuple[Ids, AnswerIds]] = field(default_factory=list)  # inputs, and the original's answers
    sought: list[Ids] = field(default_factory=list)  # inputs that were searched for
    differing: list[tuple[int, Ids]] = field(default_factory=list)  # positions, and inputs up to there

    def add(self, ids: Ids, ours: Outputs, kind: str) -> None:
        """Run the exported model on inputs of one length, and compare it with the original's outputs."""
        T, theirs = self.T, self.exported.outputs(ids)
        self.counts[kind] += len(ids)
        self.longest = max(self.longest, ids.shape[1])
        if kind == "all":
            self.complete = ids.shape[1]
        if kind == "searched":
            self.sought.append(ids)
        self.logit = max(self.logit, _difference(ours.logits, theirs.logits))
        if self.stream is not None and ours.stream is not None and theirs.stream is not None:
            pairs = zip(ours.stream, theirs.stream, strict=True)
            self.stream = max([self.stream, *(_difference(x, y) for x, y in pairs)])
        else:
            self.stream = None
        if T.readout is None:
            self.margin = min(self.margin, smallest_margin(ours.logits))
        right, said = answers(T, ours.logits), answers(T, theirs.logits)
        self.decided.append((ids, right))
        differ = (right != said) | (said < 0)
        self.wrong += int(differ.sum())
        self._note(ids, differ)

    def _note(self, ids: Ids, differ: npt.NDArray[np.bool_]) -> None:
        """Keep the shortest inputs on which something differs; a beginning of a causal input is one as well."""
        if not differ.any():
            return
        rows = np.flatnonzero(differ.any(-1))
        first = differ[rows].argmax(-1)
        causal = self.T.mask == "causal"
        for k in np.argsort(first, kind="stable")[:MOST_CAUSES]:
            row, place = ids[rows[k]], int(first[k])
            self.differing.append((place, row[: place + 1] if causal else row))
        self.differing.sort(key=lambda each: len(each[1]))
        del self.differing[max(1, min(MOST_CAUSES, MOST_PRODUCTS // max(self.T.weights * self.longest, 1))) :]

    def some(self, most: int) -> list[Ids]:
        """Return about `most` of the inputs, and a fifth as many of the searched ones.

        Of a large model there are fewer, for speed.
        """
        most = min(most, max(1, MOST_PRODUCTS // max(self.T.weights * self.longest, 1)))
        return [*_spread([ids for ids, _ in self.decided], most), *_spread(self.sought, -(-most // 5))]

    def report(self) -> Agreement:
        """Return the report."""
        made = self.exported
        return Agreement(
            target=made.target,
            dtype=made.dtype,
            inputs=sum(self.counts.values()),
            outputs=sum(ids.size for _, ids in self.decided),
            up_to=self.complete,
            longest=self.longest,
            logit_difference=self.logit,
            stream_difference=self.stream,
            different_decisions=self.wrong,
            first_difference=None,
            first_position=None,
            smallest_margin=self.margin if self.T.readout is None else None,
            random=self.counts["random"],
            searched=self.counts["searched"],
            saturates_at_ends=bool(getattr(made, "saturates", False)),
        )


def _spread(given: Sequence[Ids], most: int) -> list[Ids]:
    """Return at most `most` inputs, evenly spread over several arrays."""
    ends = np.cumsum([len(ids) for ids in given])
    total = int(ends[-1]) if given else 0
    kept = np.unique(np.linspace(0, total - 1, min(most, total)).astype(int))
    chosen = [kept[(end - len(ids) <= kept) & (kept < end)] - end for ids, end in zip(given, ends, strict=True)]
    return [ids[rows] for ids, rows in zip(given, chosen, strict=True) if len(rows)]


def shortened(T: Transformer, exported: Exported, place: int, ids: Ids) -> tuple[int, Ids]:
    """Return a position and an input with shorter runs on which the two still differ; only of few runs, and causal."""
    ends = np.flatnonzero(np.diff(ids, append=-1)) + 1
    counts, letters = np.diff(ends, prepend=0), ids[ends - 1]
    if T.mask != "causal" or len(counts) > MOST_RUNS or len(ids) <= MOST_RUNS:
        return place, ids
    for run in range(len(counts)):
        for less in 2 ** np.arange(int(counts[run]).bit_length())[::-1]:
            fewer = counts - less * (np.arange(len(counts)) == run)
            if fewer[run] > 0 and _differs(T, exported, np.repeat(letters, fewer)):
                counts = fewer
    ids = np.repeat(letters, counts)
    return len(ids) - 1, ids


def _differs(T: Transformer, exported: Exported, ids: Ids) -> bool:
    """Return whether the two differ at the end of an input."""
    try:
        ours = answers(T, original(T, ids[np.newaxis]).logits)[0, -1]
    except ModelError:
        return False
    theirs = answers(T, exported.outputs(ids[np.newaxis]).logits)[0, -1]
    return bool(ours != theirs or theirs < 0)


def says_otherwise(T: Transformer, late: Transformer, place: int, ids: Ids) -> bool:
    """Return whether the original itself gives another answer at a position if its sums saturate at their ends only."""
    try:
        ours, others = (answers(T, original(model, ids[np.newaxis]).logits)[0, place] for model in (T, late))
    except ModelError:
        return True
    return bool(ours != others)


def said(T: Transformer, place: int) -> str:
    """Return an answer for a message."""
    if place < 0:
        return "nothing that is an answer"
    value = T.answers[place]
    return named(value) if isinstance(value, str) else repr(value)


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


def survival(T: Transformer, exported: Exported, seen: Tally, most: int) -> dict[str, bool]:
    """Tell for each type whether the exported model, cast to it, keeps every answer, on about `most` inputs.

    Empty where the model cannot be had in another type.
    """
    cast = getattr(exported, "in_dtype", None)
    if cast is None:
        return {}
    found = {}
    for dtype in TYPES if T.weights <= LARGE else TYPES[:1]:
        if dtype == exported.dtype:
            found[dtype] = seen.wrong == 0
        else:
            other = cast(dtype)
            found[dtype] = other is not None and _survives(T, other, seen, most)
    return found


def _survives(T: Transformer, exported: Exported, seen: Tally, most: int) -> bool:
    for ids, decided in some(seen.decided, most):
        said = answers(T, exported.outputs(ids).logits)
        if (said < 0).any() or (said != decided).any():
            return False
    return True
