"""Planted faults: whatever the compiler decides wrongly, the proof refuses. Each fault is shown to be one."""

from itertools import product

import pytest

import weightsmith as ws
from tests.programs.proof import faults
from tests.programs.proof.faults import LENGTH, Fault, planted, program_of
from tests.programs.proof.place_faults import PLACE_FAULTS
from weightsmith.programs import Program, compile
from weightsmith.programs.circuit.assembly import place
from weightsmith.programs.compiler import lowering
from weightsmith.programs.compiler.needs import simplify
from weightsmith.programs.compiler.planner import Planner
from weightsmith.programs.interpreter import exact_values
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.values import presented

STAGES = "needs planner pointwise tables symbols selecting gathering counting halves coding boundaries neurons " + (
    "lowering assembly alone numbering splitting"
)
FAULTS = [*faults.FAULTS, *PLACE_FAULTS]
NAMES = [fault.decision for fault in FAULTS]


def unproved(fault: Fault, program: Program) -> ws.Transformer:
    """Return what the compiler makes of a program, without a proof, in an arithmetic with room."""
    circuit = Planner.through(program, simplify(program), tuple(fault.vocabulary), LENGTH).plan()
    lanes = place(circuit)
    for bits in (12, 16, 20):
        blocks = lowering.blocks_of(circuit, lanes)
        T = lowering.transformer(circuit, lanes, blocks, ws.Fixed(bits, 0), list(fault.vocabulary), ["unproved"])
        if T is not None:
            return T
    raise AssertionError("no arithmetic has room for it")


def is_wrong(T: ws.Transformer, program: Program, vocabulary: str) -> bool:
    """Say whether weights say something else than the program on some short input, or nothing at all."""
    for n in range(1, LENGTH + 1):
        for tokens in product(vocabulary, repeat=n):
            wanted = [presented(value) for value in exact_values(program, list(tokens))]
            try:
                said = list(ws.run(T, list(tokens)).outputs)
            except ws.WeightsmithError:  # a code that stands for nothing
                return True
            if said != wanted:
                return True
    return False


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_a_planted_fault_is_refused(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(fault)
    planted(fault, monkeypatch)
    with pytest.raises(LemmaError):
        compile(program, fault.vocabulary, LENGTH)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_a_planted_fault_makes_weights_that_are_wrong(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(fault)
    assert not is_wrong(compile(program, fault.vocabulary, LENGTH).transformer, program, "ab")
    planted(fault, monkeypatch)
    assert is_wrong(unproved(fault, program), program, fault.vocabulary)


def test_there_is_a_fault_for_every_stage() -> None:
    stages = {name.partition(":")[0] for name in NAMES}
    assert stages == set(STAGES.split())
    assert len(set(NAMES)) == len(FAULTS) >= 70
