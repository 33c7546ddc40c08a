"""Circuits are proved for all inputs from the weights alone, and refuted when the claim or the weights are changed."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.circuits.examples import C17, adder, drawn, multiplier, wrong_inputs
from weightsmith import Fixed, Float
from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import FileError, InputError
from weightsmith.model import Attention, PositionTable, Transformer
from weightsmith.programs import Circuit, CompiledCircuit, compile_circuit, read_circuit, replay_circuit
from weightsmith.programs.circuits import proof
from weightsmith.programs.circuits.certificate import certify
from weightsmith.programs.circuits.circuit import GATES
from weightsmith.programs.circuits.proof import Claim, prove_circuit
from weightsmith.programs.proof.lemmas import LemmaError

THREE: dict[str, Callable[[], Circuit]] = {
    "c17": lambda: read_circuit(C17),
    "an adder of 32 bits": lambda: read_circuit(adder(32), 64),
    "a multiplier of 8 bits": lambda: read_circuit(multiplier(8), 16),
}
OTHER = {"and": "or", "or": "xor", "xor": "or", "nor": "and", "andnot": "and", "not": "copy", "copy": "not"}


def claim_of(C: CompiledCircuit) -> Claim:
    return Claim(C.circuit.inputs, C.circuit.gates, C.circuit.outputs or ())


def changed(C: CompiledCircuit, **parts: Any) -> ws.Chain:
    """Return the chain with some parts of its transformer changed."""
    return ws.Chain(replace(C.transformer, **parts), steps=C.steps, outputs=C.outputs)


def with_heads(C: CompiledCircuit, **parts: Any) -> ws.Chain:
    """Return the chain with some parts of its heads changed."""
    (block,) = C.transformer.blocks
    assert block.attention is not None
    heads = [replace(head, **parts) for head in block.attention.heads]
    return changed(C, blocks=(replace(block, attention=replace(block.attention, heads=heads)),))


@pytest.fixture(scope="module", params=THREE)
def compiled(request: pytest.FixtureRequest) -> CompiledCircuit:
    return compile_circuit(THREE[request.param]())


def test_it_is_proved_for_all_inputs(compiled: CompiledCircuit) -> None:
    found = compiled.certificate()
    assert (found.inputs, found.gates, found.outputs) == (
        compiled.circuit.inputs, compiled.circuit.gates, compiled.circuit.outputs,
    )  # fmt: skip
    N, first = compiled.circuit.wires - 1, compiled.circuit.inputs
    pairs = sum(range(first, N + 1))  # of a writing position and one that it sees
    assert [lemma.cases for lemma in found.lemmas if lemma.statement.startswith("from each")] == [pairs, pairs]
    assert str(found).startswith(f"a circuit of {first} inputs,")


def test_a_claim_with_one_other_gate_is_refuted(compiled: CompiledCircuit) -> None:
    circuit = compiled.circuit
    for number in random.Random(7).sample(range(len(circuit.gates)), 8):
        gates = list(circuit.gates)
        name, *wires = gates[number]
        gates[number] = (OTHER[name], *wires)
        wire = circuit.inputs + number
        with pytest.raises(LemmaError, match=rf"^wire {wire}: the claim says {OTHER[name]}\(.*, and for the wires"):
            certify(compiled, circuit.inputs, gates, circuit.outputs or ())
        gates[number] = (name, *((wire + 1) % (circuit.inputs + number) for wire in wires))
        with pytest.raises(LemmaError, match=rf"^wire {wire}: the claim says .*, and (the chain reads|for the) wires"):
            certify(compiled, circuit.inputs, gates, circuit.outputs or ())


def test_a_permuted_table_is_refuted(compiled: CompiledCircuit) -> None:
    assert isinstance(compiled.transformer.positions, PositionTable)
    values = compiled.transformer.positions.values
    first = compiled.circuit.inputs
    for one in random.Random(8).sample(range(first, len(values)), 5):
        order = np.arange(len(values))
        order[[one, one - 1]] = one - 1, one
        with pytest.raises(LemmaError, match="wire|block 0, head"):
            prove_circuit(changed(compiled, positions=PositionTable(values[order])), claim_of(compiled))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("arithmetic", [Fixed(1, 1), Fixed(3, 2), Float(3, 3)], ids=str)
@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n < 2 else pytest.mark.long) for n in range(20)])
def test_a_chain_with_a_changed_weight_is_refuted_unless_it_is_still_right(seed: int, arithmetic: Arithmetic) -> None:
    C = compile_circuit(drawn(seed, list(GATES), 4, 12), arithmetic=arithmetic)
    draw, refuted = random.Random(seed), 0
    for _ in range(60):
        other = ws.Chain(_with_a_changed_weight(C.transformer, draw), steps=C.steps, outputs=C.outputs)
        try:
            prove_circuit(other, claim_of(C))
        except LemmaError:
            refuted += 1
        else:
            assert wrong_inputs(other, C.circuit) == 0
    assert refuted >= 10


def _with_a_changed_weight(T: Transformer, draw: random.Random) -> Transformer:
    """Return a transformer in which one number, anywhere, is another member."""
    (block,) = T.blocks
    assert block.attention is not None
    assert isinstance(T.positions, PositionTable)
    members = T.arithmetic.values()

    def other(array: Any) -> Any:
        result = np.array(array)
        place = tuple(draw.randrange(size) for size in result.shape)
        result[place] = draw.choice([value for value in members if value != result[place]])
        return result

    part = draw.choice(
        ["table", "embedding", "output", "output_bias", "b_O", "W_1", "b_1", "W_2", "b_2", *["head"] * 4]
    )
    if part == "table":
        return replace(T, positions=PositionTable(other(T.positions.values)))
    if part == "b_O":
        attention = replace(block.attention, b_O=other(np.zeros(len(T.lanes))))
        return replace(T, blocks=(replace(block, attention=attention),))
    if part == "output_bias":
        return replace(T, output_bias=other(np.zeros(2)))
    if part in ("embedding", "output"):
        return replace(T, **{part: other(getattr(T, part))})
    if part != "head":
        layer = replace(block.feed_forward, **{part: other(getattr(block.feed_forward, part))})  # type: ignore[type-var]
        return replace(T, blocks=(replace(block, feed_forward=layer),))
    heads, number = list(block.attention.heads), draw.randrange(2)
    name = draw.choice(["W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V"])
    old = np.zeros(1) if name == "b_V" else getattr(heads[number], name)
    heads[number] = replace(heads[number], **{name: other(old)})
    return replace(T, blocks=(replace(block, attention=Attention(heads)),))


def test_the_wrong_number_of_steps_or_outputs_is_refuted() -> None:
    C = compile_circuit(adder(2), inputs=4)
    T, steps, claim = C.transformer, len(C.circuit.gates), claim_of(C)
    for other, text in (
        (ws.Chain(T, steps=steps - 1, outputs=3), "the chain writes 9 tokens, and the circuit has 10 gates"),
        (ws.Chain(T, steps=steps, outputs=2), "the last 2 tokens answer, and the circuit has 3 outputs"),
        (ws.Chain(T, steps=steps, prompt="1", outputs=3), "has a prompt, or tokens that end it"),
        (ws.Chain(T, steps=steps, outputs=3, answers={"0": "1", "1": "0"}), "the last token is translated"),
        (ws.Chain(T, steps=steps, outputs=3, inputs="1"), "the inputs do not consist of 0 and 1"),
        (changed(C, mask="full"), "not causal"),
        (changed(C, final_norm=ws.RMSNorm(1.0)), "a final norm"),
        (changed(C, blocks=(*T.blocks, *T.blocks)), "not one block and a position table"),
        (changed(C, blocks=(replace(T.blocks[0], feed_forward=None),)), "no attention or no feed-forward"),
        (changed(C, blocks=(replace(T.blocks[0], attention_norm=ws.RMSNorm(1.0)),)), "has a norm"),
        (changed(C, blocks=(replace(T.blocks[0], parallel=True),)), "is parallel"),
        (with_heads(C, weighting=ws.Softmax(True, "error")), "may end a run with an error"),
        (with_heads(C, positions=ws.Relative(np.zeros((4, 8)))), "positions of its own"),
        (changed(C, arithmetic=ws.Native("float64")), "may add in another order"),
    ):
        with pytest.raises(LemmaError, match=text):
            prove_circuit(other, claim)


def test_what_is_no_circuit_is_no_claim() -> None:
    C = compile_circuit([("nand", 0, 1), ("nand", 1, 2)], inputs=2)
    for inputs, gates, outputs, text in (
        (0, [("nand", 0, 1)], [1], "it is no circuit"),
        (2, [], [1], "it is no circuit"),
        (2, [("nand", 0, 1), ("maybe", 1, 2)], [3], "wire 3 is .*, which is no gate"),
        (2, [("nand", 0, 1), ("nand", 1)], [3], "which is no gate"),
        (2, [("nand", 0, 2), ("nand", 1, 2)], [3], "wire 2 reads .*: these are not earlier wires"),
        (2, [("nand", 0, 1), ("nand", 1, 2)], [2], "they are not the last gates"),
        (2, [("nand", 0, 1), ("nand", 1, 2)], [1, 2, 3], "they are not the last gates"),
        (3, [("nand", 0, 1), ("nand", 1, 2)], [4], "the chain reads at most 2 bits"),
    ):
        with pytest.raises(LemmaError, match=text):
            certify(C, inputs, gates, outputs)


@pytest.mark.parametrize("precision", ["constant", "log"])
def test_pieces_of_any_size_give_the_same_lemmas(precision: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    C = compile_circuit(drawn(4, list(GATES)), precision)
    whole = C.certificate()
    gates = list(C.circuit.gates)
    gates[-1] = ("const0",) if gates[-1][0] != "const0" else ("const1",)
    for some in (1, 100):
        monkeypatch.setattr(proof, "PAIRS_AT_ONCE", some)
        assert C.certificate() == whole
        with pytest.raises(LemmaError, match=f"^wire {C.circuit.wires - 1}: the claim says const"):
            certify(C, C.circuit.inputs, gates, C.circuit.outputs or ())


def test_hard_heads_are_proved_too_and_a_head_that_divides_its_weight_is_refuted() -> None:
    C = compile_circuit(adder(2), "log", inputs=4)
    for weighting, right in ((ws.LeftmostHard(), True), (ws.Softmax(), False), (ws.Softmax(empty="uniform"), False)):
        other = with_heads(C, weighting=weighting)
        if right:
            assert prove_circuit(other, claim_of(C)) == C.certificate().lemmas
        else:
            with pytest.raises(LemmaError, match="block 0, head 0: at position . the weights are not 1 for one"):
                prove_circuit(other, claim_of(C))


def test_one_weight_that_is_not_1_is_refuted() -> None:
    """Without 1 among the members, the weight of a hard head is ∞ < 1."""
    A, lanes, nothing = Fixed(0, 3), ("value",), np.zeros((1, 1))
    head = ws.Head(nothing, nothing, nothing, nothing, ws.LeftmostHard())
    layer = ws.feed_forward(lanes, [ws.Neuron({"value": 0.5}, {})])
    T = Transformer(
        A, ("0", "1"), lanes, np.zeros((2, 1)), PositionTable(np.zeros((1, 1))),
        (ws.Block(Attention((head,)), layer),), np.zeros((2, 1)), ("0", "1"),
    )  # fmt: skip
    with pytest.raises(LemmaError, match="at position 0 the weights are not 1 .*, but 0.875 for position 0"):
        certify(ws.Chain(T, steps=1), 1, [("const0",)], [1])
    one = replace(T, arithmetic=Fixed(1, 1))
    assert certify(ws.Chain(one, steps=1), 1, [("const0",)], [1]).lemmas


def test_a_certificate_is_derived_again_from_a_file_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    C, file = compile_circuit(C17, "log"), tmp_path / "c17.json"
    found = C.certificate()
    found.save(file)
    assert replay_circuit(file, C) == found == replay_circuit(file, C.transformer)
    data = json.loads(file.read_text())
    for key, value, error, text in (
        ("format", "another", FileError, "not the certificate of a circuit"),
        ("inputs", 2.5, FileError, "inputs is 2.5"),
        ("gates", [["and", 0, 1, 2, 3]], FileError, "a gate has 5 items"),
        ("gates", [[]], FileError, "the name of a gate is None"),
        ("gates", [["and", 0, -1]], FileError, "a wire is -1"),
        ("outputs", [True], FileError, "an output is True"),
        ("model", "0" * 64, InputError, "the certificate is of the model"),
        ("arithmetic", "fixed(4,4)", FileError, "says arithmetic"),
        ("lemmas", [], FileError, "other lemmas"),
        ("gates", [["const0"], *data["gates"][1:]], LemmaError, "^wire 5: the claim says const0"),
    ):
        with pytest.raises(error, match=text):
            replay_circuit({**data, key: value}, C)
    with pytest.raises(FileError, match="unknown key 'more'"):
        replay_circuit({**data, "more": 1}, C)
    with pytest.raises(InputError, match="neither a chain nor a transformer"):
        replay_circuit(data, 3)  # type: ignore[arg-type]


def test_each_gate_means_the_same_in_the_proof_as_in_the_compiler() -> None:
    assert set(proof.GATES) == set(GATES)
    for name, (count, meaning) in proof.GATES.items():
        rows = [[bool(row >> (count - 1 - i) & 1) for i in range(count)] for row in range(1 << count)]
        assert "".join(str(int(meaning(*row))) for row in rows) == GATES[name]
