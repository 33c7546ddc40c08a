"""Claims and verdicts as a person meets them: in help(), printed, and in a notebook."""

import inspect
from dataclasses import replace
from typing import get_type_hints

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import check
from weightsmith.check.options import BudgetKeywords, Keywords, LocalKeywords, Options

CLAIMS = ["same_decisions", "same_logits", "recognizes", "agrees_with", "final_vectors"]
BY_NAME = ["suffix", "length", "within", "workers", "memory", "ledger", "cluster", "insecure_network", "progress"]


def test_options_have_one_type_for_type_checkers_and_for_help() -> None:
    assert get_type_hints(BudgetKeywords) == get_type_hints(Options)
    assert set(LocalKeywords.__annotations__) < set(Keywords.__annotations__) < set(BudgetKeywords.__annotations__)
    T = ws.library.contains("1")
    with pytest.raises(TypeError, match=r"^same_logits\(\) got an unexpected keyword argument 'seconds'$"):
        check.same_logits(T, T, up_to=3, seconds=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", CLAIMS)
def test_every_claim_takes_the_same_parameters_by_name_and_they_are_explained(name: str) -> None:
    parameters = inspect.signature(getattr(check, name)).parameters
    assert parameters["up_to"].default is None
    named = [p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY]
    budgets = ["seconds", "states"] if name in ("same_decisions", "recognizes") else []
    assert [p for p in named if p != "yes"] == BY_NAME + budgets
    assert "help(weightsmith.check)" in " ".join(str(getattr(check, name).__doc__).split())
    for parameter in ("up_to", *BY_NAME, *budgets):
        assert f"`{parameter}" in str(check.__doc__)


@pytest.fixture(scope="module")
def refuted() -> check.Verdict:
    T = replace(ws.library.contains("1"), classes=("<b>NO</b>", "YES"))
    return check.same_decisions(T, replace(T, output=np.zeros_like(T.output)), up_to=3)


def test_a_refuted_verdict_is_a_small_table_in_a_notebook(refuted: check.Verdict) -> None:
    page = refuted._repr_html_()
    assert "same decisions: refuted by 1, the shortest (" in page
    assert "<td" in page
    assert ">the first</td>" in page
    assert ">YES</td>" in page
    assert "&lt;b&gt;NO&lt;/b&gt;</td>" in page
    assert "<b>NO" not in page


def test_a_verdict_that_holds_is_a_line_in_a_notebook() -> None:
    T = ws.library.contains("1")
    verdict = check.recognizes(T, ".*1.*", up_to=3, within="[^<>&]*")
    assert str(verdict).startswith("recognizes, inputs that match [^<>&]*: exhaustive up to 3, all 14 inputs (")
    page = verdict._repr_html_()
    assert "inputs that match [^&lt;&gt;&amp;]*: exhaustive up to 3" in page
    assert "<table" not in page


def test_where_streams_part_stands_below_the_table() -> None:
    S, T = ws.random_transformer(seed=0), ws.random_transformer(seed=1)
    verdict = check.same_decisions(S, T, up_to=8)
    assert verdict.divergence is not None
    assert str(verdict).endswith(f"\n  {verdict.divergence}")
    assert verdict._repr_html_().index("the streams part after") > verdict._repr_html_().index("</table>")


def sense(words: tuple[str, ...]) -> str:
    """What `bank` is to decide."""
    lead = words.count("deposit") - words.count("river")
    return "unclear" if words[-1] != "bank" or not lead else "financial" if lead > 0 else "geographic"


def test_a_transformer_with_three_classes_can_be_claimed_both_ways() -> None:
    bank = ws.library.bank()
    assert check.agrees_with(bank, sense, up_to=3).inputs == 1110
    for meant, other, name in (("deposit", "river", "financial"), ("river", "deposit", "geographic")):
        expression = f"((?!{other} ).)*{meant} ((?!{other} ).)*bank"
        assert check.recognizes(bank, expression, yes=name, up_to=3).holds
    wrong = check.agrees_with(bank, lambda words: "unclear", up_to=3)
    assert wrong.counterexample == ("river", "bank")
    assert wrong.sides == {"the transformer": "geographic", "the function": "unclear"}
    with pytest.raises(ws.InputError) as caught:
        check.recognizes(bank, ".*bank", up_to=3)
    assert str(caught.value) == (
        "the class YES does not exist: the classes are unclear, financial, geographic; "
        "write recognizes(…, yes='financial'), or agrees_with(…) with a function that gives a class"
    )
    with pytest.raises(ws.InputError, match="gives 'money' for the input we: it must give one of unclear, financial"):
        check.agrees_with(bank, lambda words: "money", up_to=3)


@pytest.mark.parametrize("symbols", [1, 30, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 3))])
def test_a_certificate_of_the_greatest_length_is_written_and_replayed(symbols: int) -> None:
    T = ws.library.contains("a", [chr(ord("a") + i) for i in range(symbols)])
    verdict = check.same_decisions(T, ~T, 10_000)
    assert verdict.counterexample == "a"
    assert '"up_to": 10000' in verdict.to_json()
    assert len(verdict.certificate()["tiers"]) > (1000 if symbols > 1 else 0)
    assert check.replay(verdict.to_json(), [T, ~T]).agrees
    with pytest.raises(ws.InputError, match="up_to=10001: write at most 10000; no check goes through longer"):
        check.same_decisions(T, ~T, 10_001)
