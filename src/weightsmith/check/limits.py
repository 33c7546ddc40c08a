"""Limits of a family: in which arithmetics it is right at all lengths, and every n at which it fails in the others."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Unpack

from weightsmith.arithmetic import Arithmetic, parse_arithmetic
from weightsmith.automata import Describing, Input, description_of, input_text
from weightsmith.check.limits_picture import drawn
from weightsmith.check.members import LengthResult, Question, arithmetic_at, longest
from weightsmith.check.options import FamilyKeywords, Options, Progress, takes_options
from weightsmith.check.plan import depth_within
from weightsmith.check.uniform import decide_uniform
from weightsmith.errors import InputError, WeightsmithError, brief, cut, listed, named, shown
from weightsmith.model import Family
from weightsmith.model.family import BuilderError
from weightsmith.tables import Cell, Style, Table, Tabled

DEFAULT_SECONDS = 60.0
FEW_INPUTS = 1 << 12  # of one model for all n: run before automata are tried
NOTES = {
    "refused": "refused: T_n cannot be built or run in this arithmetic.",
    "unknown": "unknown: not decided, so perhaps wrong.",
}
SHORT = 12  # tokens of an input that is written out
MOST_LISTED = 12  # ranges of lengths in a cell of the table


@dataclass(frozen=True, eq=False)
class Limit:
    """One arithmetic: right at all lengths, or the result for each n."""

    arithmetic: Arithmetic
    results: tuple[LengthResult, ...] = field(repr=False)  # n = 1, 2, …
    every_length: bool = False  # whether it is proved right at all lengths
    beyond: Input | None = None  # the shortest input longer than the last n on which it fails, where that is known
    beyond_is_shortest: bool = False  # whether it is proved that no shorter one, longer than the last n, fails
    seconds: float = 0.0

    def of(self, status: str) -> tuple[int, ...]:
        """Return the n with a status: "right", "wrong", "refused", "unknown"."""
        return tuple(result.n for result in self.results if result.status == status)

    @property
    def failing(self) -> tuple[int, ...]:
        """Every n at which T_n decides an input wrongly."""
        return self.of("wrong")

    @property
    def shortest(self) -> Input | None:
        """The shortest input known to be decided wrongly; None where none is. See `shortest_is_known`."""
        return next((result.counterexample for result in self.results if result.status == "wrong"), self.beyond)

    @property
    def shortest_is_known(self) -> bool:
        """Whether no shorter input fails than `shortest`: no n before it is unknown."""
        for result in self.results:
            if result.status in ("wrong", "unknown"):
                return result.status == "wrong"
        return self.beyond_is_shortest

    @property
    def holds(self) -> bool | None:
        """True: right at all lengths. False: some n fails. None: right as far as is known."""
        if self.every_length:
            return True
        return False if self.shortest is not None else None

    @property
    def reasons(self) -> dict[str, str]:
        """Why T_n is refused or unknown: the reason for the first such n."""
        found: dict[str, str] = {}
        for result in self.results:
            if result.reason:
                found.setdefault(result.status, result.reason)
        return found

    def summary(self) -> str:
        """Say in a line where it is right."""
        if self.every_length:
            return "all lengths"
        last = self.results[-1].n
        parts = []
        for status in ("wrong", "refused", "unknown"):
            lengths = self.of(status)
            if lengths:
                word = "fails" if status == "wrong" else status
                parts.append(f"{word} at {ranges(lengths)}")
        if not parts:
            parts = [f"right up to {last}"]
        if self.beyond is not None:
            first = "the first failure" if self.beyond_is_shortest else "a failure"
            parts.append(f"{first} has length {len(self.beyond)}")
        return "; ".join(parts)

    def data(self) -> dict[str, Any]:
        """Return it as data, for JSON."""
        shortest = self.shortest
        return {
            "arithmetic": str(self.arithmetic),
            "holds": self.holds,
            "every_length": self.every_length,
            "summary": self.summary(),
            "failing": list(self.failing),
            "refused": list(self.of("refused")),
            "unknown": list(self.of("unknown")),
            "shortest": None if shortest is None else list(shortest),
            "shortest_is_known": shortest is not None and self.shortest_is_known,
            "counterexamples": {str(r.n): list(r.counterexample) for r in self.results if r.counterexample is not None},
            "reasons": self.reasons,
        }


@dataclass(frozen=True, eq=False)
class Limits(Tabled):
    """The result of `limits`: a row for each arithmetic; `limits["fixed(4,4)"]` is one of them."""

    question: Question = field(repr=False)
    up_to: int
    rows: tuple[Limit, ...]

    @property
    def family(self) -> Family:
        """The family."""
        return self.question.family

    def __getitem__(self, arithmetic: Arithmetic | str) -> Limit:
        """Return the row of an arithmetic."""
        wanted = str(parse_arithmetic(arithmetic) if isinstance(arithmetic, str) else arithmetic)
        for row in self.rows:
            if str(row.arithmetic) == wanted:
                return row
        raise InputError(
            f"there is no row for {named(wanted)}: write {listed([str(row.arithmetic) for row in self.rows])}"
        )

    def table(self) -> Table:
        """Return the table: arithmetic, where it is right, the shortest failure."""
        present = {result.status for row in self.rows for result in row.results}
        notes = [] if all(row.every_length for row in self.rows) else [f"n from 1 to {self.up_to}."]
        notes += [text for status, text in NOTES.items() if status in present]
        title = f"{shown(self.family.name)}: {scope(self.question)}"
        result = Table("arithmetic", "verdict", "the shortest failure", title=title, notes=notes)
        for row in self.rows:
            style: Style = "good" if row.every_length else "bad" if row.holds is False else ""
            failure = "" if row.shortest is None else powers(row.shortest)
            failure += ", perhaps not the shortest" if failure and not row.shortest_is_known else ""
            reason = next(iter(row.reasons.values()), "")
            result.add(str(row.arithmetic), Cell(row.summary(), style), failure or cut(reason))
        return result

    def svg(self) -> str:
        """Return a picture: a row for each arithmetic, a column for each n, green where T_n is right."""
        statuses = [
            ["right"] * self.up_to if row.every_length else [r.status for r in row.results] for row in self.rows
        ]
        names = [str(row.arithmetic) for row in self.rows]
        return drawn(self.family.name, names, statuses, [row.every_length for row in self.rows])

    def _repr_svg_(self) -> str:
        """Return the picture, for notebooks."""
        return self.svg()

    def data(self) -> dict[str, Any]:
        """Return it as data, for JSON."""
        return {
            "family": self.family.name,
            "language": description_of(self.question.language),
            "inputs": scope(self.question),
            "up_to": self.up_to,
            "rows": [row.data() for row in self.rows],
        }

    def to_json(self) -> str:
        """Return it as JSON."""
        return json.dumps(self.data(), indent=2, ensure_ascii=False)


@takes_options
def limits(
    F: Family,
    predicate: Describing,
    arithmetics: Sequence[Arithmetic | str],
    up_to: int,
    *,
    yes: str = "YES",
    shorter: bool = False,
    **options: Unpack[FamilyKeywords],
) -> Limits:
    """Return for each arithmetic where a family recognizes a language: at all lengths, or every n that fails.

    Each T_n is built anew in each arithmetic and asked about the inputs of length n, with `shorter=True` about all up
    to n. A uniform family is decided for all lengths where that is possible. `seconds` is for each arithmetic, 60 by
    default: what is not decided by then is unknown. `progress` is a function of the n that are done and of all. Other
    parameters: help(weightsmith.check).

    >>> from weightsmith.library import papers
    >>> first = papers.find("first")
    >>> found = limits(first.family, first.language, ["fixed(4,4)", "fixed(6,4)"], up_to=32)
    >>> [row.summary() for row in found.rows]
    ['all lengths', 'fails at 27–32']
    """
    question, chosen, most = Question(F, predicate, yes, shorter), Options(**options), longest(up_to)
    description_of(predicate)  # raises
    if not isinstance(arithmetics, list | tuple) or not arithmetics:
        raise InputError(f"arithmetics={brief(arithmetics)}: write a list, such as ['fixed(4,4)', 'float(4,3)']")
    systems = [arithmetic_at(A, 1) for A in arithmetics]
    if len({str(A) for A in systems}) < len(systems):
        raise InputError(f"the arithmetics {listed([str(A) for A in systems])} are not all different: name each once")
    rows = []
    for number, A in enumerate(systems):
        report = _report(chosen.progress, number * most, len(systems) * most)
        rows.append(_limit(question, A, most, chosen, report))
        report(most)
    return Limits(question, most, tuple(rows))


def _report(progress: Progress | None, before: int, total: int) -> Callable[[int], None]:
    return lambda done: None if progress is None else progress(before + done, total)


def _limit(question: Question, A: Arithmetic, up_to: int, options: Options, report: Callable[[int], None]) -> Limit:
    """Decide for one arithmetic."""
    begin = time.perf_counter()
    end = time.monotonic() + (DEFAULT_SECONDS if options.seconds is None else options.seconds)
    known = dict[int, LengthResult]()
    if not question.family.is_uniform:
        _each(question, A, range(1, up_to + 1), known, options, end, report)
        return Limit(A, _in_order(known), seconds=time.perf_counter() - begin)
    try:
        T = question.family(1, A)
    except BuilderError:
        raise
    except WeightsmithError as error:
        refused = (LengthResult(n, str(A), "refused", reason=str(error)) for n in range(1, up_to + 1))
        return Limit(A, tuple(refused), seconds=time.perf_counter() - begin)
    few = depth_within(len(question.vocabulary(T)), up_to, FEW_INPUTS)
    _each(question, A, range(1, few + 1), known, options, end, report)
    half = (time.monotonic() + end) / 2  # the other half is for runs, where automata do not know
    decided = decide_uniform(question, T, A, up_to, options, half)
    if decided.every_length:
        proved = tuple(LengthResult(n, str(A), "right", how="proved") for n in range(1, up_to + 1))
        return Limit(A, proved, True, seconds=time.perf_counter() - begin)
    known |= {result.n: result for result in decided.results}
    _each(question, A, range(1, up_to + 1), known, options, end, report)
    results, seconds = _in_order(known), time.perf_counter() - begin
    return Limit(A, results, False, decided.beyond, decided.beyond_is_shortest, seconds)


def _each(
    question: Question,
    A: Arithmetic,
    lengths: range,
    known: dict[int, LengthResult],
    options: Options,
    end: float,
    report: Callable[[int], None],
) -> None:
    """Check each T_n of which nothing is known."""
    for n in lengths:
        if n not in known:
            known[n] = question.check(n, A, options, end)
        report(n)


def _in_order(known: Mapping[int, LengthResult]) -> tuple[LengthResult, ...]:
    return tuple(known[n] for n in sorted(known))


def scope(question: Question) -> str:
    """Say which inputs T_n is asked about."""
    return "inputs up to n" if question.shorter else "inputs of length n"


def ranges(numbers: Sequence[int]) -> str:
    """Write ascending numbers as ranges.

    >>> ranges([4, 8, 9, 10])
    '4, 8–10'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    parts = ["–".join(map(str, run)) for run in runs]
    more = len(parts) - MOST_LISTED
    return ", ".join(parts[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def powers(tokens: Input) -> str:
    """Write an input; a long one with its runs as powers.

    >>> powers("1" * 16 + "0" * 15)
    '1^16 0^15'
    """
    if len(tokens) <= SHORT:
        return shown(input_text(tokens))
    runs = [(token, len(list(run))) for token, run in groupby(tokens)]
    return cut(" ".join(shown(token) if size == 1 else f"{shown(token)}^{size}" for token, size in runs))
