"""Limits of families: every n that fails, against the independent witness and against exhaustive runs."""

import re
from collections.abc import Callable
from itertools import product
from typing import Any
from xml.etree import ElementTree

import pytest

import weightsmith as ws
from tests.witness.runs import witness_run
from weightsmith import verify
from weightsmith.check.limits import Limit
from weightsmith.library import papers
from weightsmith.library.papers import Entry

ARITHMETICS = (
    *("fixed(2,2)", "fixed(4,4)", "fixed(6,4)", "fixed(8,8)"),
    *("float(4,3)", "float(5,4)", "bfloat16", "float16"),
)
NAMES = (
    *("majority-soft", "majority-average-hard", "first", "parity", "parity-layer-norm"),
    *("dyck-1", "dyck-2-depth-3"),
)
LONGEST = {"dyck-2-depth-3": 6}  # of four tokens; the others have two


def member(entry: Entry) -> Callable[[tuple[str, ...]], bool]:
    """Return the language of an entry, defined here once more."""

    def nested(tokens: tuple[str, ...], depth: float) -> bool:
        waiting: list[str] = []
        for token in tokens:
            if token in "([":
                waiting.append(token)
            elif not waiting or waiting.pop() != {")": "(", "]": "["}[token]:
                return False
            if len(waiting) > depth:
                return False
        return not waiting

    return {
        "majority": lambda tokens: 2 * tokens.count("1") > len(tokens),
        "first": lambda tokens: tokens[0] == "1",
        "parity": lambda tokens: tokens.count("1") % 2 == 1,
        "dyck-1": lambda tokens: nested(tokens, float("inf")),
        "dyck-2": lambda tokens: nested(tokens, 3),
    }[next(name for name in ("majority", "first", "parity", "dyck-1", "dyck-2") if entry.name.startswith(name))]


def by_runs(entry: Entry, n: int, A: ws.Arithmetic) -> tuple[str, tuple[str, ...] | None]:
    """Run every input of length n through T_n: the status, and the first wrong input."""
    try:
        T = entry.family(n, A)
    except ws.LawError:
        return "refused", None
    assert isinstance(T, ws.Transformer)
    tokens = [token for token in T.vocabulary if token not in entry.family.suffix]
    inputs, wanted = list(product(tokens, repeat=n)), member(entry)
    decided = ws.decisions(T, [[*one, *entry.family.suffix] for one in inputs])
    wrong = [one for one, said in zip(inputs, decided, strict=True) if (said == "YES") != wanted(one)]
    return ("wrong", wrong[0]) if wrong else ("right", None)


def compare(name: str, arithmetic: str, up_to: int, one_by_one: bool = False) -> Limit:
    """Compare the limits with runs; `one_by_one` hides that one model serves every n."""
    entry = papers.find(name)
    F = ws.Family(entry.family.build, name, entry.family.suffix) if one_by_one else entry.family
    row = ws.limits(F, entry.language, [arithmetic], up_to, seconds=20).rows[0]
    A = ws.parse_arithmetic(arithmetic)
    for n, result in enumerate(row.results, 1):
        first = None if result.counterexample is None else tuple(result.counterexample)
        assert (result.status, first) == by_runs(entry, n, A), (name, arithmetic, n)
    assert len(row.results) == up_to
    return row


QUICK = [(name, a) for name in ("majority-soft", "first", "dyck-1") for a in ("fixed(2,2)", "float(4,3)")]  # automata


@pytest.mark.parametrize(("name", "arithmetic"), QUICK)
def test_limits_by_automata_are_those_of_exhaustive_runs(name: str, arithmetic: str) -> None:
    compare(name, arithmetic, 8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("name", NAMES)
def test_limits_are_those_of_exhaustive_runs(name: str, arithmetic: str) -> None:
    compare(name, arithmetic, min(6, LONGEST.get(name, 7) - 1), one_by_one=True)


@pytest.mark.long
@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("name", NAMES)
def test_limits_are_those_of_exhaustive_runs_up_to_ten(name: str, arithmetic: str) -> None:
    compare(name, arithmetic, LONGEST.get(name, 10))


def says_yes(T: Any, tokens: list[str]) -> bool:
    logits = witness_run(T, tokens).logits
    return bool(logits[1] > logits[0])


@pytest.mark.parametrize(
    ("name", "arithmetic"), [("parity", "float(4,3)"), ("dyck-1", "fixed(2,2)"), ("first", "float(4,3)")]
)
def test_the_witness_agrees_up_to_length_four(name: str, arithmetic: str) -> None:
    entry, A = papers.find(name), ws.parse_arithmetic(arithmetic)
    row = ws.limits(entry.family, entry.language, [arithmetic], 4).rows[0]
    for n in range(1, 5):
        T = entry.family(n, A)
        tokens = [token for token in T.vocabulary if token not in entry.family.suffix]
        wrong = [
            one for one in product(tokens, repeat=n) if says_yes(T, [*one, *entry.family.suffix]) != member(entry)(one)
        ]
        found = row.results[n - 1].counterexample
        assert (tuple(found) if found else None) == (wrong[0] if wrong else None)


def test_first_is_right_at_all_lengths_in_a_smaller_range_and_fails_at_27_in_a_larger_one() -> None:
    entry = papers.find("first")
    found = ws.limits(entry.family, entry.language, ["fixed(4,4)", "fixed(6,4)"], 30)
    assert found["fixed(4,4)"].every_length
    assert found["fixed(6,4)"].failing == (27, 28, 29, 30)
    assert found["fixed(6,4)"].shortest == "1" + 26 * "0"
    assert [row.summary() for row in found.rows] == ["all lengths", "fails at 27–30"]


def test_parity_fails_at_4_and_is_right_at_5_to_7() -> None:
    row = ws.limits(papers.find("parity").family, papers.find("parity").language, ["float(4,3)"], 8).rows[0]
    assert row.failing == (4, 8)
    assert row.of("right") == (1, 2, 3, 5, 6, 7)


def test_a_first_failure_beyond_the_last_n_is_named() -> None:
    (entry,) = (entry for entry in ws.library.ENTRIES if entry.name == "majority")
    row = ws.limits(entry.family(), entry.describing, ["fixed(2,2)"], 12).rows[0]
    assert (row.holds, row.beyond, row.shortest_is_known) == (False, 16 * "1" + 15 * "0", True)
    assert row.summary() == "right up to 12; the first failure has length 31"


def test_without_time_nothing_is_called_right() -> None:
    entry = papers.find("parity")
    row = ws.limits(entry.family, entry.language, ["fixed(4,4)"], 12, seconds=0.02).rows[0]
    assert row.results[-1].status == "unknown"
    assert row.holds is not True
    assert "unknown at" in row.summary()


def test_lengths_that_the_checker_does_not_prove_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*given: Any, **more: Any) -> Any:
        raise verify.Refused("for a test")

    monkeypatch.setattr(verify, "check", refusing)
    entry = papers.find("first")
    row = ws.limits(entry.family, entry.language, ["fixed(4,4)"], 14).rows[0]
    assert not row.every_length
    assert {result.how for result in row.results} == {"exhaustive"}


def test_a_failure_behind_unknown_lengths_is_not_called_the_shortest() -> None:
    first, second = (ws.check.members.LengthResult(n, "fixed(4,4)", s) for n, s in ((1, "unknown"), (2, "wrong")))  # type: ignore[arg-type]
    row = Limit(ws.Fixed(4, 4), (first, ws.check.members.LengthResult(2, "fixed(4,4)", "wrong", "01")))
    assert not row.shortest_is_known
    assert second.status == "wrong"
    entry = papers.find("first")
    question = ws.check.members.Question(entry.family, entry.language)
    assert "01, perhaps not the shortest" in str(ws.Limits(question, 2, (row,)))


def test_a_refusal_of_the_builder_is_named_with_its_reason() -> None:
    entry = papers.find("dyck-2-depth-3")
    found = ws.limits(entry.family, entry.language, ["fixed(2,2)"], 3)
    assert found.rows[0].of("refused") == (1, 2, 3)
    assert "counts to 3" in found.rows[0].reasons["refused"]
    assert "refused at 1–3" in str(found)


def test_the_picture_has_a_cell_for_each_length_and_arithmetic() -> None:
    entry = papers.find("parity")
    found = ws.limits(entry.family, entry.language, ["float(4,3)", "float16"], 5)
    root = ElementTree.fromstring(found.svg())
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 10
    assert "float(4,3), n = 4: wrong" in titles
    hostile = ws.Family(entry.family.build, name="<script>&", suffix=("CLS",))
    ElementTree.fromstring(ws.limits(hostile, entry.language, ["float16"], 1).svg())


def test_the_data_is_complete() -> None:
    entry = papers.find("parity")
    data = ws.limits(entry.family, entry.language, ["float(4,3)"], 4).data()
    assert data["language"] == {"named": "parity", "arguments": {"symbol": "1"}}
    assert data["rows"][0]["counterexamples"] == {"4": ["1", "1", "1", "1"]}


F = papers.find("first").family
ANY: Any = ws.Family  # for builders of other types
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "no family": (lambda: ws.limits(3, "1.*", ["fixed(4,4)"], 3), "3 is not a family: write Family"),  # type: ignore[arg-type]
    "no list": (lambda: ws.limits(F, "1.*", "fixed(4,4)", 3), "arithmetics='fixed(4,4)': write a list"),
    "none": (lambda: ws.limits(F, "1.*", [], 3), "write a list"),
    "twice": (lambda: ws.limits(F, "1.*", ["fixed(4,4)", ws.Fixed(4, 4)], 3), "not all different"),
    "no language": (lambda: ws.limits(F, 3, ["fixed(4,4)"], 3), "3 is not a set of inputs"),  # type: ignore[arg-type]
    "another token": (lambda: ws.limits(F, ws.languages.majority("a"), ["fixed(4,4)"], 3), "needs the token a"),
    "no length": (lambda: ws.limits(F, "1.*", ["fixed(4,4)"], 0), "up_to=0: write the greatest n"),
    "no class": (lambda: ws.limits(F, "1.*", ["fixed(4,4)"], 2, yes="MAYBE"), "the class MAYBE does not exist"),
    "no time": (lambda: ws.limits(F, "1.*", ["fixed(4,4)"], 2, seconds=0), "seconds=0"),
    "no such row": (lambda: ws.limits(F, "1.*", ["fixed(4,4)"], 2)["fixed(2,2)"], "there is no row for fixed(2,2)"),
    "a builder that fails": (lambda: ws.limits(ANY(lambda n, A: 1 // 0), "1", ["fixed(4,4)"], 2),
                             "the builder of <lambda> for n = 1 in fixed(4,4) fails: ZeroDivisionError"),
    "no transformer": (lambda: ws.limits(ANY(lambda n, A: n), "1", ["fixed(4,4)"], 2),
                       "returns 1: it must return"),
    "another arithmetic": (lambda: ws.limits(ws.Family(lambda n, A: ws.library.contains("1")), "1", ["fixed(2,2)"], 2),
                           "returns a transformer in fixed(4,4)"),
    "too short": (lambda: ws.limits(ws.Family(lambda n, A: ws.library.length_modulo(2, arithmetic=A, max_length=1)),
                                    "1", ["fixed(2,2)"], 2), "for at most 1 tokens: T_2 must read 2"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_with_the_line_to_write(what: str) -> None:
    attempt, text = BAD[what]
    with pytest.raises(ws.InputError, match=re.escape(text)):
        attempt()
