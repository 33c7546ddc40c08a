"""Each check of the proof has a fault that only it sees: without the check, the fault is certified."""

from typing import Any

import pytest

from tests.programs.proof import place_faults
from tests.programs.proof.faults import FAULTS, LENGTH, planted, program_of
from weightsmith.programs import compile
from weightsmith.programs.proof import linear
from weightsmith.programs.proof.aggregates import Aggregates
from weightsmith.programs.proof.counting import Counting
from weightsmith.programs.proof.functions import Functions
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.selectors import Differences
from weightsmith.programs.proof.selects import Selects
from weightsmith.programs.proof.weights import Proof

CHECKS: dict[str, tuple[Any, str, Any]] = {
    "planner: which code stands for which answer": (Functions, "require_equal", lambda *_: None),
    "boundaries: the sign of a head": (Differences, "selects", lambda *_: 1),
    "selecting: values without an order": (Selects, "_is_select", lambda self, node, *_: self._stated_pairs(node)),
    "counting: at least one position": (Counting, "_low", lambda *_: 1),
    "counting: at most one position": (Counting, "_high", lambda *_: 1),
    "counting: whether selected values are alike": (Counting, "alike", lambda *_: True),
    "counting: what differs at all positions": (Counting, "differ", lambda *_: True),
    "counting: positions that are equal in an order": (Counting, "_before", lambda *_: True),
    "planner: whether no later position is selected": (Selects, "_require_looks_back", lambda *_: None),
    "gathering: what is the length": (Aggregates, "_counts", lambda *_: True),
    "halves: the default": (Aggregates, "_is_half", lambda self, node, mean, holding: holding),
    "coding: what is positive where it is true": (Aggregates, "_is_truth", lambda self, node, holding, *_: holding),
    "needs: whether only the truth matters": (Functions, "_about", lambda *_: "value"),
    "pointwise: a multiple": (linear, "same", lambda wanted, found: isinstance(found, type(wanted))),
    "planner: all codes of the output": (Proof, "_readout", lambda *_: None),
    "lowering: the mask": (Proof, "_require_kind", lambda *_: None),
    "lowering: the bias of a neuron": (Proof, "_feed_forward", lambda *_: None),
    "lowering: the scale of a score": (Proof, "_attention", lambda *_: None),
    "planner: which value a token has": (Functions, "_is_feature", lambda self, node, holding, *_: holding),
    "planner: what a constant is": (Functions, "_is_constant", lambda self, holding, value: holding),
    **place_faults.CHECKS,
}


@pytest.mark.parametrize("decision", CHECKS)
def test_without_a_check_its_fault_is_certified(decision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (fault,) = (one for one in [*FAULTS, *place_faults.PLACE_FAULTS] if one.decision == decision)
    program = program_of(fault)
    planted(fault, monkeypatch)
    with pytest.raises(LemmaError):
        compile(program, fault.vocabulary, LENGTH)
    monkeypatch.setattr(*CHECKS[decision])
    assert compile(program, fault.vocabulary, LENGTH).certificate().safe_length == LENGTH
