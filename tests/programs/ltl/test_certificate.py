"""Formulas have certificates: for inputs of every length, derived again from files, and refused for other weights."""

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.ltl.drawn import formula
from weightsmith.errors import WeightsmithError
from weightsmith.model.folds import map_arrays, named_arrays
from weightsmith.programs import CompiledFormula, compile_ltl, replay
from weightsmith.programs.proof.formulas import prove_formula
from weightsmith.programs.proof.lemmas import LemmaError

SMALL = ["O(a & Y b) | (!c S a)", "H< a", "a S< b", "Y Y a ^ O b", "H(a -> Y b)", "true", "O a & O(a & a)", "Y false"]
MANY = "(O a & O b & O c & Y a & Y b & Y Y a) | (a S b & H< a)"


def data_of(P: CompiledFormula) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(P.certificate().to_json()))
    return data


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("arithmetic", "soft"), [("fixed(1,1)", False), ("fixed(4,4)", False), ("fixed(4,4)", True)])
def test_random_formulas_are_proved(arithmetic: str, soft: bool) -> None:
    for seed in range(60):
        P = compile_ltl(formula(Random(seed), 1 + seed % 4, "abc"), "abc", ws.parse_arithmetic(arithmetic), soft=soft)
        assert P.certificate().safe_length is None, seed


def test_complement_lanes_are_proved() -> None:
    P = compile_ltl(MANY, "abc", ws.Fixed(1, 1))
    assert any(lane.startswith("complement of ") for lane in P.transformer.lanes)
    assert "complement" in json.dumps(data_of(P)["stated"]["lanes"])


def faulted(T: ws.Transformer, draw: Random) -> ws.Transformer:
    """Return the transformer with one weight changed."""
    arrays = [array for _, array in named_arrays(T)]
    which = draw.randrange(len(arrays))
    place, change = draw.randrange(arrays[which].size), draw.choice([1.0, -1.0, 0.5])
    number = iter(range(len(arrays)))

    def changed(array: Any) -> Any:
        found = np.array(array)
        if next(number) == which:
            found.flat[place] = T.arithmetic.add(found.flat[place], change)
        return found

    return map_arrays(T, changed)


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("soft", [False, True])
def test_other_weights_are_refused_or_decide_the_same(text: str, soft: bool) -> None:
    P, draw, refused = compile_ltl(text, "abc", soft=soft), Random(text), 0
    stated = data_of(P)["stated"]
    for _ in range(20):
        T = faulted(P.transformer, draw)
        try:
            prove_formula(T, stated["formula"], stated["lanes"])
        except LemmaError:
            refused += 1
        else:
            assert ws.check.recognizes(T, P.automaton).holds
    assert refused >= 5


def test_a_certificate_is_derived_again_from_files(tmp_path: Path) -> None:
    P = compile_ltl(SMALL[0], "abc")
    P.certificate().save(tmp_path / "P.json")
    ws.save(P.transformer, tmp_path / "P.safetensors")
    done = replay(tmp_path / "P.json", ws.load(tmp_path / "P.safetensors"))
    assert done.lemmas == P.certificate().lemmas
    assert str(done).endswith("proved: right at every position of every input, of any length")
    assert P.certificate().inputs is None
    assert "right at every position of every input of any length, by 7 lemmas" in str(P.certificate())


def test_what_a_certificate_says_must_be_so() -> None:
    P = compile_ltl("O(a & Y b)", "ab")
    for key, value, says in [
        ("safe_length", 5, "says safe_length 5"),
        ("model", "0" * 64, "is of the model"),
        ("lemmas", [], "lists other lemmas"),
        ("stated", {"formula": "O a", "lanes": data_of(P)["stated"]["lanes"]}, "the output is not YES where O a holds"),
        ("stated", {"formula": "O(a & Y b)", "lanes": {}}, "is written twice, or not stated"),
        ("stated", {"formula": "O(a & Y b)", "lanes": 3}, "the lanes are 3"),
        ("stated", {"formula": 3, "lanes": {}}, "a formula is 3"),
    ]:
        with pytest.raises(WeightsmithError, match=says):
            replay({**copy.deepcopy(data_of(P)), key: value}, P.transformer)


def test_a_formula_that_depends_on_too_much_has_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weightsmith.programs.proof.formula_cases.MOST_CASES", 3)
    with pytest.raises(LemmaError, match="3 tokens and 1 truths have too many combinations"):
        compile_ltl(SMALL[0], "abc").certificate()
