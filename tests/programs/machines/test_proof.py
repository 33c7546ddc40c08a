"""The proof is read off the weights: a wrong weight, a small arithmetic or a changed certificate is refused."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.machines.simulator import every_run
from tests.programs.machines.test_random import drawn
from weightsmith import Fixed, Float
from weightsmith.programs import compile_machine, machines
from weightsmith.programs.machines import MachineChain, replay_machine
from weightsmith.programs.machines.proof.steps import MachineProof
from weightsmith.programs.machines.weights import MachineWeights
from weightsmith.programs.proof.lemmas import LemmaError

SOME: dict[str, Callable[[], MachineChain]] = {
    "turing": lambda: compile_machine(machines.increment(), max_length=2, max_steps=6),
    "counters": lambda: compile_machine(machines.equal_numbers(), max_length=2, max_steps=6),
    "automaton": lambda: compile_machine(machines.parity(), max_length=3),
    "stuck": lambda: compile_machine(machines.palindromes("a"), max_length=3, max_steps=9),
    "two tapes": lambda: compile_machine(drawn(1, tapes=2), max_length=2, max_steps=6),
}


def test_the_certificate_says_what_was_shown() -> None:
    C = compile_machine(machines.busy_beaver(2), max_length=2, max_steps=6)
    lines = str(C.certificate()).splitlines()
    cases = sum(lemma.cases for lemma in C.certificate().lemmas)
    assert lines[0] == (
        "in fixed(5,0): every step is right on every input up to 2 tokens, for up to 6 steps, by 6 lemmas over "
        f"{cases:,} cases"
    )
    assert "the last token that wrote on the cell under the tape's head, or a blank" in lines[5]


@pytest.mark.parametrize("name", SOME)
def test_a_certificate_is_derived_again_from_the_weights(name: str, tmp_path: Path) -> None:
    C = SOME[name]()
    C.certificate().save(tmp_path / "machine.json")
    found = replay_machine(tmp_path / "machine.json", C.transformer, C.machine)
    assert found.lemmas == C.certificate().lemmas
    other = compile_machine(machines.busy_beaver(3), max_steps=9)
    with pytest.raises(ws.InputError, match="of the model"):
        replay_machine(tmp_path / "machine.json", other.transformer)
    with pytest.raises(ws.InputError, match="of another machine"):
        replay_machine(tmp_path / "machine.json", C.transformer, other.machine)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_steps": 4096}, "which fixed"),
        ({"max_steps": 0}, "max_steps is 0"),
        ({"lemmas": []}, "other lemmas"),
        ({"arithmetic": "fixed(9,9)"}, "arithmetic"),
        ({"stated": {}}, "lacks 'start'"),
        ({"format": "weightsmith machine certificate 0"}, "another version"),
        ({"more": 1}, "unknown key"),
    ],
)
def test_a_changed_certificate_is_refused(change: dict[str, Any], message: str) -> None:
    C = SOME["turing"]()
    with pytest.raises(ws.WeightsmithError, match=message):
        replay_machine({**C.certificate().to_json(), **change}, C.transformer)


def test_a_certificate_of_other_rules_is_refused() -> None:
    C = SOME["turing"]()
    data = C.certificate().to_json()
    rules = [[state, shows, 1 - number if number < 2 else number] for state, shows, number in data["stated"]["rules"]]
    with pytest.raises(LemmaError, match="and the machine does not"):
        replay_machine({**data, "stated": {**data["stated"], "rules": rules}}, C.transformer)


def faults(T: ws.Transformer) -> list[tuple[str, ws.Transformer]]:
    """Return the model with one weight changed, for every weight that is not 0 and some that are."""
    found = []
    for b, block in enumerate(T.blocks):
        attention, layer = block.attention, block.feed_forward
        assert attention is not None
        for h, head in enumerate(attention.heads):
            for name in ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K"):
                for changed in _changed(getattr(head, name)):
                    heads = list(attention.heads)
                    heads[h] = replace(head, **{name: changed})
                    new = replace(block, attention=replace(attention, heads=tuple(heads)))
                    found.append((f"block {b} head {h} {name}", _with(T, b, new)))
        if layer is not None:
            for name in ("W_1", "b_1", "W_2"):
                for changed in _changed(getattr(layer, name)):
                    new = replace(block, feed_forward=replace(layer, **{name: changed}))
                    found.append((f"block {b} {name}", _with(T, b, new)))
    for name in ("embedding", "output"):
        found += [(name, replace(T, **{name: changed})) for changed in _changed(getattr(T, name))]
    return found


def _changed(W: Any) -> list[Any]:
    result = []
    for place in np.argwhere(np.asarray(W) != 0):
        for value in (0.0, -np.asarray(W)[tuple(place)]):
            changed = np.array(W, np.float64)
            changed[tuple(place)] = value
            result.append(changed)
    return result


def _with(T: ws.Transformer, b: int, block: ws.Block) -> ws.Transformer:
    blocks = list(T.blocks)
    blocks[b] = block
    return replace(T, blocks=tuple(blocks))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SOME)
def test_a_wrong_weight_is_refused_or_changes_no_run(name: str) -> None:
    C = SOME[name]()
    right, refused = every_run(C, 2), 0
    planted = faults(C.transformer)[::3]
    assert len(planted) > 40
    for where, T in planted:
        D = replace(C, transformer=T)
        try:
            D.certificate()
        except LemmaError:
            refused += 1
            continue
        assert every_run(D, 2) == right, where
    assert refused > len(planted) // 2


def test_a_model_with_anything_besides_is_refused() -> None:
    C = SOME["turing"]()
    T, table = C.transformer, C.table
    block = T.blocks[0]
    assert block.attention is not None
    (head,) = block.attention.heads
    strict = replace(block, attention=replace(block.attention, heads=(replace(head, strict=True),)))
    for other, message in (
        (replace(T, mask="full"), "has not a causal mask"),
        (replace(T, positions=ws.PositionTable(np.zeros((20, len(T.lanes))))), "positions is not what it is"),
        (replace(T, output_bias=np.ones(len(T.classes))), "output_bias is not what it is"),
        (replace(T, blocks=T.blocks[:1]), "has 1 blocks"),
        (_with(T, 0, strict), "strict is not what it is"),
        (_with(T, 0, replace(block, parallel=True)), "parallel is not what it is"),
    ):
        with pytest.raises(LemmaError, match=message):
            MachineProof(other, table, 2, 6)


@pytest.mark.parametrize("name", SOME)
def test_the_arithmetic_is_the_smallest_in_which_the_weights_are_proved(name: str) -> None:
    C = SOME[name]()
    assert C.machine is not None
    A = C.transformer.arithmetic
    assert isinstance(A, Fixed)
    steps = C.steps_for(C.max_length or 0)
    with pytest.raises(ws.LawError, match=f"the smallest arithmetic that will do is {A}".replace("(", r"\(")[:-1]):
        compile_machine(C.machine, C.max_length or 0, steps, Fixed(A.integer_bits - 1, 0))
    for larger in (Fixed(A.integer_bits + 1, 0), Fixed(4, 4), Float(6, A.integer_bits)):
        D = compile_machine(C.machine, C.max_length or 0, steps, larger)
        assert every_run(D, 2) == every_run(C, 2)
        assert D.certificate().arithmetic == str(larger)


def test_a_smaller_arithmetic_would_be_wrong() -> None:
    """The proof refuses Fixed(5, 0) for a reason: there the busy beaver loses its way."""
    machine = machines.busy_beaver(4)
    right = compile_machine(machine, max_length=1, max_steps=107)
    small = Fixed(5, 0)
    weights = MachineWeights(right.table, small)
    wrong = replace(right, transformer=weights.transformer())
    assert wrong.run(()).generated != right.run(()).generated
    with pytest.raises(ws.LawError, match="fixed\\(5,0\\) is too small for 107 steps .* which fixed\\(5,0\\) has not"):
        compile_machine(machine, max_length=1, max_steps=107, arithmetic=small)
    with pytest.raises(ws.LawError, match="another cell than its own scores as high"):
        compile_machine(machine, max_length=1, max_steps=107, arithmetic=Fixed(7, 0))


def test_an_arithmetic_that_lacks_what_the_weights_need_is_refused() -> None:
    with pytest.raises(ws.LawError, match="lacks a score whose exp is ∞"):
        compile_machine(machines.parity(), arithmetic=Float(2, 4))
    with pytest.raises(ws.InputError, match="a machine is proved in a finite arithmetic"):
        compile_machine(machines.parity(), arithmetic=ws.Native("float32"))


def test_a_chain_with_other_answers_has_no_certificate() -> None:
    C = SOME["automaton"]()
    D = replace(C, answers={"YES": "NO", "NO": "YES"})
    assert D("1") == "NO"
    with pytest.raises(LemmaError, match="other answers"):
        D.certificate()


def test_a_machine_and_its_chain_can_be_pickled() -> None:
    for make in SOME.values():
        C = pickle.loads(pickle.dumps(make()))
        assert make() == C
        assert C.certificate().lemmas == make().certificate().lemmas


def test_a_causal_program_whose_outputs_are_tokens_is_a_chain() -> None:
    text = 'ones = selector_width(select(tokens, "1", ==)); flip = ("1" if ones % 2 == 0 else "0");'
    P: Any = ws.programs.compile_rasp(text, name="flip", vocabulary="01", max_length=9, causal=True)
    C = ws.Chain(P, steps=4)
    for start in ("0", "1", "0110", "11"):
        known = start
        for _ in range(4):
            known += "0" if known.count("1") % 2 else "1"
        assert "".join(C.run(start).text) == known


@pytest.mark.parametrize(
    ("block", "part", "lane"),
    [
        (1, "W_V", "tape place"),
        (1, "W_Q", "index"),
        (1, "W_K", "counter 0 is positive"),
        (1, "W_1", "counter 0 place"),
        (None, "output", "tape place"),
    ],
)
def test_weights_that_read_a_lane_which_they_must_not_are_refused(block: int | None, part: str, lane: str) -> None:
    C = SOME["counters"]()
    T = C.transformer
    owner: Any = T if block is None else T.blocks[block].feed_forward
    if part in ("W_V", "W_Q", "W_K"):
        owner = T.blocks[1].attention.heads[0]  # type: ignore[union-attr]
    weights = np.array(getattr(owner, part), np.float64)
    weights[0, list(T.lanes).index(lane)] = 1.0
    new = replace(owner, **{part: weights})
    if block is None:
        T = new
    elif part == "W_1":
        T = _with(T, 1, replace(T.blocks[1], feed_forward=new))
    else:
        T = _with(T, 1, replace(T.blocks[1], attention=ws.Attention((new,))))
    with pytest.raises(LemmaError, match=f"reads the lane '{lane}'"):
        replace(C, transformer=T).certificate()


def test_a_counter_that_does_not_look_the_same_for_all_positive_values_is_refused() -> None:
    C = SOME["counters"]()
    layer = C.transformer.blocks[0].feed_forward
    assert layer is not None
    values = np.array(layer.W_2, np.float64)
    values[:, 1] = 0.0  # the neuron "counter 0 above 1"
    T = _with(C.transformer, 0, replace(C.transformer.blocks[0], feed_forward=replace(layer, W_2=values)))
    with pytest.raises(LemmaError, match="positive values of counter 0 look different"):
        replace(C, transformer=T).certificate()
