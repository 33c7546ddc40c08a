"""A kind of claim is one class: it is explained, certified, recorded and replayed without any other change."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from weightsmith.automata import Input, Inputs, Truths
from weightsmith.check.claim import Claim, Values
from weightsmith.check.engine import check_exhaustively
from weightsmith.check.frame import Frame, make_frame
from weightsmith.check.options import Options
from weightsmith.errors import FileError, InputError

T = ws.library.ends_with("b", "ab")
KINDS = {
    "same_decisions",
    "same_logits",
    "recognizes",
    "agrees_with",
    "final_vectors",
    "computes",
    "vectors",
    "same_lanes",
}


@pytest.fixture
def never() -> Iterator[type[Claim]]:
    """A further kind, known while the test runs."""

    @dataclass(frozen=True, eq=False)
    class NeverBoth(Claim):
        """No input is decided as `name` by each of three models."""

        kind = "never_both"
        quantity = "decisions"
        about = 3
        three: tuple[ws.Transformer, ...]
        name: str

        @property
        def models(self) -> tuple[ws.Transformer, ...]:
            return self.three

        def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
            is_name = [found == M.classes.index(self.name) for M, found in zip(self.three, values, strict=True)]
            return ~(is_name[0] & is_name[1] & is_name[2]), list(values)

        def sides(self, tokens: Input, evidence: Any) -> dict[str, str]:
            return {f"model {n}": self.run(M, tokens).decision for n, M in enumerate(self.three)}

        def described(self) -> dict[str, Any]:
            return {"name": self.name}

        @classmethod
        def read(cls, data: Mapping[str, Any], models: Sequence[ws.Transformer], frame: Frame) -> Self:
            return cls(tuple(models), data["name"], frame=frame)

    yield NeverBoth
    del Claim.kinds["never_both"]


def test_the_kinds_are_known_by_their_names() -> None:
    assert set(Claim.kinds) == KINDS
    for name, kind in Claim.kinds.items():
        assert kind.kind == name
        assert not inspect.isabstract(kind)


def test_a_further_kind_is_checked_recorded_certified_and_replayed(never: Any, cut: Cut, tmp_path: Path) -> None:
    cut(2)
    models = (T, ws.library.contains("a", "ab"), ws.library.contains("b", "ab"))
    frame = make_frame(models, (), None, "[ab]*")
    for name, refuting in (("YES", "ab"), ("NO", None)):
        claim = never(models, name, frame=frame)
        verdict = check_exhaustively(claim, 5, Options(ledger=tmp_path / name))
        assert verdict.counterexample == refuting
        assert verdict.sides == ({} if refuting is None else dict.fromkeys(("model 0", "model 1", "model 2"), "YES"))
        assert str(verdict).startswith(
            "never both, inputs that match [ab]*: " + ("refuted by ab" if refuting else "exhaustive up to 5")
        )
        again = check_exhaustively(claim, 5, Options(ledger=tmp_path / name))
        assert again.digests == verdict.digests
        assert ws.check.replay(verdict.to_json(), models, sample=100).agrees
        if refuting is not None:
            tampered = {**verdict.certificate(), "name": "NO"}
            assert "the counterexample refutes nothing" in ws.check.replay(tampered, models).problems
    with pytest.raises(InputError, match=r"never_both is about 3 model\(s\), and 1 are given"):
        ws.check.replay(verdict.to_json(), [T])


def test_a_kind_that_nobody_knows_any_more_is_refused() -> None:
    certificate = {**ws.check.recognizes(T, ".*b", 3).certificate(), "claim": "never_both"}
    with pytest.raises(FileError, match="there is no claim 'never_both'"):
        ws.check.replay(certificate, [T])


def test_every_kind_that_consists_of_data_is_a_command_and_a_function() -> None:
    from weightsmith.cli.check import check

    data = {name for name, kind in Claim.kinds.items() if not kind.had_function({})}
    with_a_file = {"agrees-with"}  # whose function is in a file of its own
    assert {command.name for command in check.registered_commands} == {
        *(name.replace("_", "-") for name in data),
        *with_a_file,
    }
    assert set(Claim.kinds) <= set(ws.check.__all__)


def test_a_class_that_is_not_YES_stands_in_the_certificate() -> None:
    bank = ws.library.bank()
    for predicate in ("bank", "deposit.* bank"):
        verdict = ws.check.recognizes(bank, predicate, 2, yes="financial")
        assert verdict.certificate()["yes"] == "financial"
        assert ws.check.replay(verdict.to_json(), [bank]).agrees


@pytest.mark.parametrize("name", ["language", "within", "function", "condition"])
def test_a_claim_with_a_function_is_refused_as_such(name: str) -> None:
    def ends(word: str) -> bool:
        return word.endswith("b")

    verdicts = {
        "language": lambda: ws.check.recognizes(T, ends, 3),
        "within": lambda: ws.check.recognizes(T, ".*b", 3, within=ends),
        "function": lambda: ws.check.agrees_with(T, lambda word: "NO", 3),
        "condition": lambda: ws.check.final_vectors(T, lambda vectors: vectors[:, 0] > 1e9, 3),
    }
    with pytest.raises(InputError, match="Python code, which is not run by itself"):
        ws.check.replay(verdicts[name]().to_json(), [T])


def test_a_claim_is_about_so_many_models_and_no_more() -> None:
    with pytest.raises(
        InputError, match=r"recognizes is about 1 model\(s\), and 2 are given: write \[S, T\], or \[T\]"
    ):
        ws.check.replay(ws.check.recognizes(T, ".*b", 3).to_json(), [T, T])
