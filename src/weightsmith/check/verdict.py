"""Verdicts: exhaustive up to a length, or refuted; never more."""

import json
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from weightsmith._version import __version__
from weightsmith.check.claims import Claim
from weightsmith.check.explain import Divergence
from weightsmith.check.inputs import Input
from weightsmith.check.languages import text
from weightsmith.check.plan import Plan
from weightsmith.errors import shown
from weightsmith.model import digest
from weightsmith.semantics import SEMANTICS_VERSION
from weightsmith.tables import Page, Table

CERTIFICATE = "weightsmith certificate 1"


@dataclass(frozen=True, eq=False)
class Verdict:
    """What checking a claim gave."""

    claim: Claim = field(repr=False)
    plan: Plan = field(repr=False)
    holds: bool
    inputs: int  # all that the claim is about; where it is refuted, those up to the first that refutes it
    counterexample: Input | None
    sides: dict[str, str]  # what each side says of the counterexample
    divergence: Divergence | None
    seconds: float
    digests: tuple[tuple[str, ...], ...] = field(repr=False)  # a digest for each shard of each finished tier

    @property
    def up_to(self) -> int:
        """The length up to which it was checked."""
        return self.plan.up_to

    def __bool__(self) -> bool:
        """Refuse: a verdict that is taken for a truth value is easily read as more than it is."""
        raise TypeError("a verdict is not a truth value: write verdict.holds")

    def __str__(self) -> str:
        """Say it in a few lines."""
        lines = [self._first_line(), *(f"  {who}: {what}" for who, what in self.sides.items())]
        lines += [f"  {self.divergence}"] if self.divergence is not None else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return it as HTML, for notebooks."""
        if self.holds:
            return Page(self._first_line())._repr_html_()
        table = Table("who", "says", notes=[] if self.divergence is None else [str(self.divergence)])
        for who, what in self.sides.items():
            table.add(who, what)
        return Page(self._first_line(), table)._repr_html_()

    def _first_line(self) -> str:
        name, rate = f"{self.claim.kind.replace('_', ' ')}{self.claim.frame}", f"{self.seconds:.2f} s"
        fixed = self.claim.frame.length is not None
        if self.counterexample is not None:
            which = "the first" if fixed else "the shortest"
            return f"{name}: refuted by {shown(text(self.counterexample))}, {which} ({rate})"
        counted = {0: "no input", 1: "the only input"}.get(self.inputs, f"all {self.inputs:,} inputs")
        return f"{name}: exhaustive{'' if fixed else f' up to {self.up_to}'}, {counted} ({rate})"

    def to_json(self) -> str:
        """Return the certificate: what was checked, with what, and a digest of what each shard showed."""
        return json.dumps(self.certificate(), indent=2)

    def certificate(self) -> dict[str, Any]:
        """Return the certificate as data."""
        tokens = self.counterexample
        refutation = None if tokens is None else {
            "input": list(tokens),
            "sides": self.sides,
            "divergence": None if self.divergence is None else self.divergence.to_json(),
        }  # fmt: skip
        return {
            "format": CERTIFICATE,
            **identity(self.claim, self.plan),
            "verdict": reach(self.claim, self.plan) if self.holds else "refuted",
            "holds": self.holds,
            "inputs": self.inputs,
            "counterexample": refutation,
            "shards": [list(tier) for tier in self.digests],
            "seconds": round(self.seconds, 3),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {
                "weightsmith": __version__,
                "python": platform.python_version(),
                **{name: version(name) for name in ("numpy", "numba")},
            },
        }


def reach(claim: Claim, plan: Plan) -> str:
    """Say how far a claim that holds was checked."""
    length = claim.frame.length
    return f"exhaustive up to {plan.up_to}" if length is None else f"exhaustive at length {length}"


def identity(claim: Claim, plan: Plan) -> dict[str, Any]:
    """Return all that two checks of the same thing have in common."""
    return {
        "claim": claim.kind,
        "models": [digest(T) for T in claim.models],
        **claim.described(),
        **claim.frame.described(),
        "vocabulary": list(claim.vocabulary),
        "up_to": plan.up_to,
        "semantics": SEMANTICS_VERSION,
        "tiers": [asdict(tier) for tier in plan.tiers],
    }
