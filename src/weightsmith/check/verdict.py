"""Verdicts: exhaustive up to a length, proved, refuted by a counterexample, or unknown."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from weightsmith._version import __version__
from weightsmith.automata import Input, input_text
from weightsmith.check.certificate import AllLengths, Certificate, Exhaustive, which_counterexample
from weightsmith.check.claim import Claim
from weightsmith.check.divergence import Divergence
from weightsmith.check.plan import Plan
from weightsmith.check.proof import sealed
from weightsmith.errors import shown
from weightsmith.operators import meaning
from weightsmith.storage import refusals, write_json
from weightsmith.tables import Page, Table
from weightsmith.tables.latex import escaped

RUN_AGAIN = 1 << 22  # weights × tokens: larger runs are not shown in a notebook
ALL_LENGTHS = "all lengths"


@dataclass(frozen=True, eq=False)
class Verdict:
    """The result of a check."""

    claim: Claim = field(repr=False)
    plan: Plan = field(repr=False)  # without tiers for a verdict of automata
    holds: bool | None  # None: unknown
    inputs: int | None  # the inputs of the claim, or those up to the counterexample; None: infinitely many
    counterexample: Input | None
    sides: dict[str, str]  # the answers of both sides on the counterexample
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
        """Raise: a verdict has more than two values."""
        raise TypeError("a verdict is not a truth value: write verdict.holds")

    def __str__(self) -> str:
        """Return a few lines of text."""
        lines = [self._first_line(), *(f"  {who}: {what}" for who, what in self.sides.items())]
        lines += [f"  {self.divergence}"] if self.divergence is not None else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks; a refuted verdict shows the run on its counterexample."""
        if self.holds or self.counterexample is None:
            return Page(self._first_line())._repr_html_()
        table = Table("who", "says", notes=[] if self.divergence is None else [str(self.divergence)])
        for who, what in self.sides.items():
            table.add(who, what)
        return Page(self._first_line(), table)._repr_html_() + self._shown_runs(self.counterexample)

    def _shown_runs(self, tokens: Input) -> str:
        """Return the page of the runs on an input, as HTML; "" for large models."""
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

    def latex(self) -> str:
        """Return the claim and its result as a sentence for LaTeX."""
        return f"\\noindent {escaped(self._summary({}).theorem())}.\n"

    def to_json(self) -> str:
        """Return the certificate as a text."""
        return json.dumps(self.certificate(), indent=2)

    def save(self, path: str | os.PathLike[str], files: Sequence[str] | None = None) -> None:
        """Write the certificate to a file, which `replay` reads; `files` are the names of the models, as a hint."""
        data = self._entries({} if files is None else {"files": list(files)})
        with refusals("cannot write", path):
            write_json(Path(path), data, entry_lines="proof" in data)

    def certificate(self) -> dict[str, Any]:
        """Return the certificate: the claim, the result, versions, and a digest for each shard, or the proof."""
        return self._entries({})

    def summary(self) -> dict[str, Any]:
        """Return the certificate without its proof."""
        return self._summary({}).dump()

    def _entries(self, origin: Mapping[str, Any]) -> dict[str, Any]:
        return self._summary(origin).dump()

    def _summary(self, origin: Mapping[str, Any]) -> Certificate:
        verdict = self.claim.frame.reach(self.plan.up_to) if self.holds else "refuted"
        shards = [list(tier) for tier in self.digests]
        return Exhaustive.of(self.claim, self.plan, verdict=verdict, **self._result(), shards=shards, **origin)

    def _result(self) -> dict[str, Any]:
        """Return the entries of a certificate that both kinds have, besides the claim and the verdict."""
        refutation = None
        if self.counterexample is not None:
            parted = None if self.divergence is None else self.divergence.to_json()
            refutation = {"input": list(self.counterexample), "sides": self.sides, "divergence": parted}
        return {
            "holds": self.holds,
            "inputs": self.inputs,
            "counterexample": refutation,
            "seconds": round(self.seconds, 3),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {
                "weightsmith": __version__,
                "python": platform.python_version(),
                **{name: version(name) for name in ("numpy", "numba")},
            },
        }


@dataclass(frozen=True, eq=False)
class EveryLength(Verdict):
    """The verdict of automata on inputs of every length, or on every input that fits a position table."""

    longest: int | None = None  # the longest input that it is about
    unknown: str = ""  # the reason, where nothing is known
    decided: int = 0  # where nothing is known of all lengths: the claim holds up to here
    beyond: int | None = None  # where it holds up to the length that was asked for: the length of its first failure
    shortest: bool = True  # whether `verify.py` has accepted that no input shorter than the counterexample refutes it
    proof: dict[str, Any] | None = field(default=None, repr=False)  # accepted by `verify.py`

    @property
    def up_to(self) -> int | None:
        """The longest input that the verdict is about; None for all lengths."""
        return self.longest if self.holds is not None else self.decided or None

    @property
    def scope(self) -> str:
        """Which inputs it is about: "all lengths", "up to 64"."""
        longest = self.longest if self.holds is not None else self.decided
        return ALL_LENGTHS if longest is None else f"up to {longest}"  # "up to 0": no input

    def _first_line(self) -> str:
        name, rate = str(self.claim), f"{self.seconds:.2f} s"
        if self.counterexample is not None:
            size = f" of length {len(self.counterexample)}" if len(self.counterexample) > 20 else ""
            which = which_counterexample(self.shortest)
            return f"{name}: refuted by {shown(input_text(self.counterexample))}{size}, {which} ({rate})"
        if self.holds is None:
            far = f"; every input up to {self.decided} was run, and it holds" if self.decided else ""
            return f"{name}: unknown: {self.unknown}{far} ({rate})"
        if self.longest is None:
            return f"{name}: proved for all lengths ({rate})"
        more = "" if self.beyond is None else f"; the first failure has length {self.beyond}"
        return f"{name}: proved up to {self.longest}, {counted_inputs(self.inputs)}, by automata{more} ({rate})"

    def _summary(self, origin: Mapping[str, Any]) -> Certificate:
        rare: dict[str, Any] = {"unknown": self.unknown} if self.holds is None else {}
        rare |= {"shortest": False} if self.holds is False and not self.shortest else {}
        verdict = AllLengths.expected_verdict(self.scope, self.holds)
        return AllLengths.of(self.claim, None, scope=self.scope, verdict=verdict, **self._result(), **rare, **origin)

    def _entries(self, origin: Mapping[str, Any]) -> dict[str, Any]:
        data = super()._entries(origin)
        return data if self.proof is None else sealed({**data, **self.proof})


def counted_inputs(number: int | None) -> str:
    """Return the number of inputs of a claim in words."""
    if number is None:
        return "all inputs"
    return {0: "no input", 1: "the only input"}.get(number, f"all {number:,} inputs")
