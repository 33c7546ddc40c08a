"""The checker accepts the proofs that the engine finds: of the library, its forms, compositions and random models."""

import json
from functools import partial
from itertools import count
from typing import Any

import pytest

import weightsmith as ws
from tests.automata.models import random_model
from tests.check.test_every_length import COMPOSED, REGULAR, flagged
from tests.verifying.certificates import certificate, checked, decision, inputs
from weightsmith import verify
from weightsmith.automata.extraction import Budget, UnknownError, extract
from weightsmith.files import model_bytes


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", [lambda T: T, ws.infinity_form, ws.signed_infinity_form], ids=["plain", "∞", "±∞"])
@pytest.mark.parametrize("entry", REGULAR, ids=lambda entry: entry.name)
def test_it_accepts_the_library_and_its_forms(entry: Any, form: Any) -> None:
    T = entry.build()
    checked([form(T)], certificate(ws.check.recognizes(form(T), entry.language)))
    checked([T, form(T)], certificate(ws.check.same_decisions(T, form(T))))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", COMPOSED)
def test_it_accepts_compositions(name: str) -> None:
    make, language = COMPOSED[name]
    checked([make()], certificate(ws.check.recognizes(make(), language)))


def test_it_accepts_tables_parts_of_languages_and_lengths() -> None:
    S, T = ws.library.ends_with("01"), flagged(ws.library.ends_with("01"))
    assert checked([T], certificate(ws.check.recognizes(T, ".*01"))).scope == "up to 64"
    assert checked([S, T], certificate(ws.check.same_decisions(S, T))).scope == "up to 64"
    assert not ws.check.recognizes(S, "1*01", within="1*0*1*").holds
    theorem = checked([S], certificate(ws.check.recognizes(S, "1*0+1", within="1*0*1?")))
    assert theorem.within == "the inputs that match 1*0*1?"
    majority = ws.library.majority("1", arithmetic=ws.Fixed(2, 2))
    up_to = ws.check.same_decisions(majority, ~~majority, up_to=40)
    assert checked([majority, ~~majority], certificate(up_to)).scope == "up to 40"


def test_it_accepts_formulas() -> None:
    for formula in ("O(a & Y b)", "(!a S b) | H a"):
        P = ws.programs.compile_ltl(formula, vocabulary="ab")
        checked([P.transformer], certificate(ws.check.recognizes(P.transformer, P.automaton)))


@pytest.mark.parametrize(
    "begin", [pytest.param(n, marks=[] if n < 20 else pytest.mark.long) for n in range(0, 400, 20)]
)
def test_it_accepts_random_models_of_every_kind(begin: int) -> None:
    found = 0
    for T in map(random_model, range(begin, begin + 20)):
        try:
            looks = Budget(3000, 200, clock=partial(next, count(0.0)))  # so that the same end on every machine
            data = json.loads(json.dumps(extract(T, looks).trace.to_json()))
        except (UnknownError, ws.ModelError):  # a norm of 0 has no root
            continue
        model, found = verify.Model(model_bytes(T)), found + 1
        machines = verify.Proof(model, data["machines"], data["blocks"], verify.Work()).machines
        for tokens in inputs(T.vocabulary[:2], min(4, T.max_length or 4)):  # some machine speaks, and says the decision
            states = [0] * len(machines)
            for token in tokens:
                states = [M.table[s][model.letter_of[token]] for M, s in zip(machines, states, strict=True)]
            (label,) = {M.labels[s] for M, s in zip(machines, states, strict=True)} - {0}
            assert T.classes[label - 1] == decision(T, tokens)
    assert found >= 3
