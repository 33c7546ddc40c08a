"""Claims about a family: each T_n on the inputs of length n, or up to n; one verdict and one certificate."""

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weightsmith.automata import Input, input_text
from weightsmith.check.family_certificate import family_certificate
from weightsmith.check.members import Arithmetics, LengthResult, Question, arithmetic_at, longest
from weightsmith.check.options import Options, Progress
from weightsmith.check.verdict import counted_inputs
from weightsmith.errors import shown
from weightsmith.model import Family
from weightsmith.storage import refusals, write_json
from weightsmith.tables import Cell, Table, Tabled

STYLES = {"right": "good", "wrong": "bad", "refused": "new", "unknown": "faint"}


@dataclass(frozen=True, eq=False)
class FamilyVerdict(Tabled):
    """The result of `check.family`: T_1, T_2, … up to the first that is wrong."""

    question: Question = field(repr=False)
    up_to: int
    results: tuple[LengthResult, ...] = field(repr=False)
    seconds: float

    @property
    def family(self) -> Family:
        """The family."""
        return self.question.family

    @property
    def holds(self) -> bool | None:
        """Whether every T_n is right; None where that is unknown."""
        if self.results[-1].status == "wrong":
            return False
        done = len(self.results) == self.up_to
        return True if done and all(result.status == "right" for result in self.results) else None

    @property
    def counterexample(self) -> Input | None:
        """The first input of the smallest n on which T_n is wrong; `n` is that n."""
        return self.results[-1].counterexample

    @property
    def n(self) -> int | None:
        """The smallest n with T_n wrong; None where there is none."""
        return self.results[-1].n if self.results[-1].status == "wrong" else None

    @property
    def inputs(self) -> int:
        """The inputs on which a T_n was decided."""
        counts = (result.verdict.inputs for result in self.results if result.verdict is not None)
        return sum(count or 0 for count in counts)

    @property
    def scope(self) -> str:
        """Which inputs the verdict is about."""
        reach = "up to n" if self.question.shorter else "of length n"
        return f"inputs {reach}, n = 1 … {self.up_to}"

    @property
    def unknown(self) -> str:
        """The reason, where nothing is known; "" otherwise."""
        first = next((result for result in self.results if result.status in ("unknown", "refused")), None)
        return "" if self.holds is not None or first is None else f"n = {first.n}: {first.reason}"

    def __bool__(self) -> bool:
        """Raise: a verdict has more than two values."""
        raise TypeError("a verdict is not a truth value: write verdict.holds")

    def __str__(self) -> str:
        """Return a line of text."""
        name, rate = f"family {shown(self.family.name)}, {self.scope}", f"{self.seconds:.2f} s"
        if self.counterexample is not None:
            arithmetic = self.results[-1].arithmetic
            text = shown(input_text(self.counterexample))
            return f"{name}: refuted at n = {self.n} in {arithmetic} by {text} ({rate})"
        if self.holds is None:
            return f"{name}: unknown: {self.unknown} ({rate})"
        ways = {result.how for result in self.results}
        how = "exhaustive" if ways == {"exhaustive"} else "proved" if ways == {"proved"} else "exhaustive or proved"
        return f"{name}: {how}, {counted_inputs(self.inputs)} ({rate})"

    def table(self) -> Table:
        """Return a row for each n."""
        shown_rows = Table("n", "arithmetic", "T_n is", "by", right=[0], title=str(self))
        for result in self.results:
            by = result.how or result.reason or shown(input_text(result.counterexample or ""))
            status = Cell(result.status, STYLES[result.status])  # type: ignore[arg-type]
            shown_rows.add(str(result.n), result.arithmetic, status, by)
        return shown_rows

    def certificate(self) -> dict[str, Any]:
        """Return the certificate: a certificate for each n, and the models in it, which `replay` reads."""
        return family_certificate(self.question, self.results, self.up_to, self.holds, self.seconds)

    def to_json(self) -> str:
        """Return the certificate as a text."""
        return json.dumps(self.certificate(), indent=2)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate to a file, which `replay` reads."""
        with refusals("cannot write", path):
            write_json(Path(path), self.certificate())


def check_family(
    question: Question, up_to: object, arithmetic: Arithmetics, options: Options, progress: Progress | None
) -> FamilyVerdict:
    """Check T_1, T_2, … up to the first that is wrong."""
    most = longest(up_to)
    systems = [arithmetic_at(arithmetic, n) for n in range(1, most + 1)]
    begin = time.perf_counter()
    end = None if options.seconds is None else time.monotonic() + options.seconds
    results = list[LengthResult]()
    for n, A in enumerate(systems, 1):
        results.append(question.check(n, A, options, end))
        if progress is not None:
            progress(n, most)
        if results[-1].status == "wrong":
            break
    return FamilyVerdict(question, most, tuple(results), time.perf_counter() - begin)
