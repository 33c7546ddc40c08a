"""Verdicts: exhaustive up to a length, or refuted, never more; and where two streams part on the refuting input."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weightsmith._version import __version__
from weightsmith.automata import Input, input_text
from weightsmith.check.plan import Plan
from weightsmith.errors import shown
from weightsmith.inspect.run import Run
from weightsmith.model.sites import stage_site
from weightsmith.operators import meaning
from weightsmith.storage import refusals, write_json
from weightsmith.tables import Page, Table

if TYPE_CHECKING:
    from weightsmith.check.claim import Claim

CERTIFICATE_FORMAT = "weightsmith certificate 3"
RUN_AGAIN = 1 << 22  # weights × tokens: so much is run again, to be shown in a notebook


@dataclass(frozen=True)
class Divergence:
    """The first place at which the streams of two transformers differ on an input, among the lanes that both have."""

    stage: str  # "embedding", "block 0 attention", …
    block: int | None  # None for the embedding
    position: int
    lane: str
    values: tuple[float, float]

    def __str__(self) -> str:
        """Say it in a line."""
        first, second = self.values
        return (
            f"the streams part after {self.stage}, position {self.position}, lane {shown(self.lane)}: "
            f"{first:g} and {second:g}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as data."""
        return {**asdict(self), "values": list(self.values)}


@dataclass(frozen=True, eq=False)
class Verdict:
    """What checking a claim gave."""

    claim: "Claim" = field(repr=False)
    plan: Plan = field(repr=False)  # how every input was gone through; without tiers where automata decided
    holds: bool | None  # None where nothing is known
    inputs: (
        int | None
    )  # None for countless; all that the claim is about; where it is refuted, those up to the first that refutes it
    counterexample: Input | None
    sides: dict[str, str]  # what each side says of the counterexample
    divergence: Divergence | None
    seconds: float
    digests: tuple[tuple[str, ...], ...] = field(repr=False)  # a digest for each shard of each finished tier

    @property
    def up_to(self) -> int | None:
        """The length up to which it was checked; None for all lengths."""
        return self.plan.up_to

    @property
    def scope(self) -> str:
        """Which inputs the verdict is about: "up to 10", "length 4", "all lengths"."""
        length = self.claim.frame.length
        return f"up to {self.up_to}" if length is None else f"length {length}"

    def __bool__(self) -> bool:
        """Refuse: a verdict that is taken for a truth value is easily read as more than it is."""
        raise TypeError("a verdict is not a truth value: write verdict.holds")

    def __str__(self) -> str:
        """Say it in a few lines."""
        lines = [self._first_line(), *(f"  {who}: {what}" for who, what in self.sides.items())]
        lines += [f"  {self.divergence}"] if self.divergence is not None else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return it as HTML, for notebooks; where it is refuted, with a page of what happens on the counterexample."""
        if self.holds or self.counterexample is None:
            return Page(self._first_line())._repr_html_()
        table = Table("who", "says", notes=[] if self.divergence is None else [str(self.divergence)])
        for who, what in self.sides.items():
            table.add(who, what)
        return Page(self._first_line(), table)._repr_html_() + self._shown_runs(self.counterexample)

    def _shown_runs(self, tokens: Input) -> str:
        """Return a page of what happens on an input, as HTML; nothing where that would be large."""
        models = self.claim.models[:2]
        if sum(T.weights for T in models) * len(tokens) > RUN_AGAIN:
            return ""
        first, *others = (self.claim.run(T, tokens) for T in models)
        names = list(self.sides) if len(models) == len(self.sides) else ["the transformer"]
        shown: str = meaning("in_notebook")(first, "", beside=next(iter(others), None), names=names)
        return shown

    def _first_line(self) -> str:
        name, rate = str(self.claim), f"{self.seconds:.2f} s"
        fixed = self.claim.frame.length is not None
        if self.counterexample is not None:
            which = "the first" if fixed else "the shortest"
            return f"{name}: refuted by {shown(input_text(self.counterexample))}, {which} ({rate})"
        counted = counted_inputs(self.inputs)
        return f"{name}: exhaustive{'' if fixed else f' up to {self.up_to}'}, {counted} ({rate})"

    def to_json(self) -> str:
        """Return the certificate: what was checked, with what, and a digest of what each shard showed."""
        return json.dumps(self.certificate(), indent=2)

    def save(self, path: str | os.PathLike[str], files: Sequence[str] | None = None) -> None:
        """Write the certificate to a file, which `replay` reads; it may hint at the files of its models."""
        hint = {} if files is None else {"files": list(files)}
        with refusals("cannot write", path):
            self._write(Path(path), {**self.summary(), **hint})

    def _write(self, path: Path, data: dict[str, Any]) -> None:
        write_json(path, data)

    def certificate(self) -> dict[str, Any]:
        """Return the certificate as data."""
        return self.summary()

    def summary(self) -> dict[str, Any]:
        """Return what was decided, as data."""
        return {
            "format": CERTIFICATE_FORMAT,
            **self.claim.identity(self.plan),
            "verdict": self.claim.frame.reach(self.plan.up_to) if self.holds else "refuted",
            "holds": self.holds,
            "inputs": self.inputs,
            "counterexample": self.refutation(),
            "shards": [list(tier) for tier in self.digests],
            **self.origin(),
        }

    def refutation(self) -> dict[str, Any] | None:
        """Return what a certificate says of the counterexample."""
        tokens = self.counterexample
        if tokens is None:
            return None
        parted = None if self.divergence is None else self.divergence.to_json()
        return {"input": list(tokens), "sides": self.sides, "divergence": parted}

    def origin(self) -> dict[str, Any]:
        """Return what a certificate says of where it comes from."""
        return {
            "seconds": round(self.seconds, 3),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {
                "weightsmith": __version__,
                "python": platform.python_version(),
                **{name: version(name) for name in ("numpy", "numba")},
            },
        }


def counted_inputs(number: int | None) -> str:
    """Say how many inputs a claim is about."""
    if number is None:
        return "all inputs"
    return {0: "no input", 1: "the only input"}.get(number, f"all {number:,} inputs")


def first_difference(first: Run, second: Run) -> Divergence | None:
    """Find where two streams part; None where they do not, or have no lane in common."""
    S, T = first.transformer, second.transformer
    positions = min(first.stream.shape[1], second.stream.shape[1])  # only one may be followed by a suffix
    common = [lane for lane in S.lanes if lane in T.lanes]
    mine, other = ([list(model.lanes).index(lane) for lane in common] for model in (S, T))
    for stage in range(min(len(first.stream), len(second.stream))):
        a, b = first.stream[stage][:positions, mine], second.stream[stage][:positions, other]
        if (a != b).any():
            position, j = (int(i) for i in np.argwhere(a != b)[0])
            values = (float(a[position, j]), float(b[position, j]))
            return Divergence(first.stages[stage], stage_site(stage).block, position, common[j], values)
    return None
