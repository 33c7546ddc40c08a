"""Compiled circuits are right on every input: run one by one here, and proved in `test_proof`."""

import copy
import operator
import pickle
import random
from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.circuits.examples import C17, adder, all_inputs, c17, drawn, multiplier, number, wrong_inputs
from weightsmith import Fixed, Float, LawError
from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import InputError
from weightsmith.inspect.chains import written
from weightsmith.programs import Circuit, compile_circuit, read_circuit
from weightsmith.programs.circuits.circuit import GATES

FOUR = (Fixed(1, 1), Fixed(2, 2), Fixed(4, 4), Float(3, 3))


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n < 6 else pytest.mark.long) for n in range(100)])
@pytest.mark.parametrize("arithmetic", FOUR, ids=str)
def test_a_random_circuit_of_nand_gates_is_right_on_every_input(seed: int, arithmetic: Arithmetic) -> None:
    C = compile_circuit(drawn(seed), arithmetic=arithmetic)
    assert wrong_inputs(C, C.circuit) == 0


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n < 12 else pytest.mark.long) for n in range(100)])
def test_a_random_circuit_of_all_gates_is_right_on_every_input_with_either_precision(seed: int) -> None:
    source = drawn(seed, list(GATES), 6, 30)
    for precision in ("constant", "log"):
        C = compile_circuit(source, precision)
        assert wrong_inputs(C, C.circuit) == 0
        assert (source.values(all_inputs(source.inputs))[:, source.outputs] == _answers(C, source.inputs)).all()


def _answers(C: ws.Chain, inputs: int) -> np.ndarray:
    return written(C, all_inputs(inputs))[0][:, -C.outputs :]


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("arithmetic", [*FOUR, Fixed(2, 0), Float(4, 2)], ids=str)
def test_each_gate_alone_is_right(name: str, arithmetic: Arithmetic) -> None:
    C = compile_circuit([(name, *range(len(GATES[name]).bit_length() - 1))], arithmetic=arithmetic, inputs=2)
    assert wrong_inputs(C, C.circuit) == 0


def test_lanes_grow_with_the_logarithm_of_the_size_and_are_constant_with_log_precision() -> None:
    for gates in (1, 2, 3, 6, 7, 61, 62, 63):
        nands = [("nand", wire, wire + 1) for wire in range(gates)]
        T = compile_circuit(nands, inputs=2).transformer
        bits = max(1, (T.max_length - 1).bit_length())  # type: ignore[operator]
        assert len(T.lanes) == 3 * bits + 3
        assert len(compile_circuit(nands, "log", inputs=2).transformer.lanes) == 7
    assert len(compile_circuit([("or", 0, 1), ("copy", 2), ("or", 2, 2)], inputs=2).transformer.lanes) == 3 * 2 + 3
    kinds = [(name, 0, 1) for name in ("and", "nor", "xor", "xnor")]
    assert len(compile_circuit(kinds, inputs=2).transformer.lanes) == 3 * 3 + 7
    assert len(compile_circuit(kinds, "log", inputs=2).transformer.lanes) == 11


def test_a_chain_of_a_circuit_has_one_block_two_heads_and_a_token_for_each_gate() -> None:
    C = compile_circuit(adder(2), inputs=4)
    (block,) = C.transformer.blocks
    assert block.attention is not None
    assert len(block.attention.heads) == 2
    r = C.run("1101")
    assert len(r.generated) == len(C.circuit.gates)
    assert "".join(r.text) == "".join(str(int(v)) for v in C.circuit.values([1, 1, 0, 1]))
    assert r.answer == ("1", "0", "1") == C("1101")  # 3 + 2 = 5, the lowest bit first
    assert (r.run.empty_softmax, r.halted) == (0, True)


def test_an_adder_adds_and_a_multiplier_multiplies() -> None:
    draw = random.Random(1)
    for make, bits, meaning in ((adder, 8, operator.add), (multiplier, 4, operator.mul)):
        C = compile_circuit(make(bits), inputs=2 * bits)
        for _ in range(3):
            x = [draw.randint(0, 1) for _ in range(2 * bits)]
            assert number(C([str(bit) for bit in x])) == meaning(number(x[:bits]), number(x[bits:]))


def test_c17_from_its_file_is_what_is_written_out_by_hand() -> None:
    C = compile_circuit(C17)
    assert len(C.circuit.gates) == 8  # six, and the two inverted outputs
    for bits in all_inputs(5).tolist():
        assert C([str(bit) for bit in bits]) == tuple(map(str, c17(*bits)))


def test_one_output_is_a_token_and_several_are_a_tuple() -> None:
    assert compile_circuit(lambda a, b: a & b)("11") == "1"
    assert compile_circuit(lambda a, b: (b, a))("10") == ("0", "1")
    assert compile_circuit(lambda a: (0, a, 1))("1") == ("0", "1", "1")
    assert compile_circuit(Circuit(3, [], [1]))("010") == "1"


def test_a_function_is_called_once_and_equal_gates_are_one() -> None:
    C = read_circuit(lambda a, b: [(a & b) | (b & a), 1 ^ a, (a | 0) & 1, ~(a ^ b)])
    assert [gate[0] for gate in C.gates] == ["and", "or", "not", "xor", "not"]
    assert [C.answer(x) for x in ("00", "10")] == [("0", "1", "0", "1"), ("0", "0", "1", "0")]


def test_an_arithmetic_that_lacks_a_law_is_refused_with_the_law() -> None:
    for arithmetic, law in ((Float(2, 4), "exp of −∞"), (Fixed(1, 0), "1 below ∞"), (Fixed(0, 3), "unit product")):
        with pytest.raises(LawError, match=rf"\({law}\).*write arithmetic=Fixed\(1, 1\)"):
            compile_circuit([("nand", 0, 1)], arithmetic=arithmetic, inputs=2)
    with pytest.raises(InputError, match=r"may add in any order.*write Fixed\(4, 4\)"):
        compile_circuit([("nand", 0, 1)], arithmetic=ws.Native("float32"), inputs=2)


def test_no_arithmetic_with_fewer_bits_than_the_default_has_all_laws() -> None:
    assert compile_circuit([("nand", 0, 1)], inputs=2).transformer.arithmetic == Fixed(1, 1)
    for whole, fraction in ((0, 1), (1, 0)):
        with pytest.raises(LawError):
            compile_circuit([("nand", 0, 1)], arithmetic=Fixed(whole, fraction), inputs=2)


def test_log_precision_takes_the_smallest_arithmetic_and_refuses_a_smaller_one() -> None:
    circuit = drawn(3)
    C = compile_circuit(circuit, "log")
    bits = C.transformer.arithmetic.precision
    assert C.transformer.arithmetic == Fixed(bits, 0)
    with pytest.raises(LawError, match="positions needs the whole numbers up to.*write arithmetic=None"):
        compile_circuit(circuit, "log", Fixed(bits - 1, 0))
    with pytest.raises(LawError, match="needs a whole number s with exp"):
        compile_circuit([("nand", 0, 1)], "log", Fixed(2, 8), inputs=2)
    for arithmetic in (Fixed(bits + 3, 4), Fixed(bits, 0), Fixed(20, 5)):
        assert wrong_inputs(compile_circuit(circuit, "log", arithmetic), C.circuit) == 0
    with pytest.raises(LawError, match="needs Fixed.*write precision='constant'"):
        compile_circuit([("nand", 0, 1)] * 9000, "log", inputs=2)


def test_an_input_has_as_many_bits_as_the_circuit_reads() -> None:
    C = compile_circuit([("nand", 0, 2)], inputs=3)
    for wrong in ("01", "0110"):
        with pytest.raises(InputError, match="tokens|bits"):
            C(wrong)
    with pytest.raises(InputError, match="the input has 2 tokens, and this chain reads 3: write all of them"):
        C("01")


def test_a_copied_chain_keeps_its_circuit_and_a_changed_one_has_none() -> None:
    C = compile_circuit(adder(2), inputs=4)
    for other in (copy.copy(C), copy.deepcopy(C), pickle.loads(pickle.dumps(C))):
        assert other == C
        assert other.circuit == C.circuit
        assert other.certificate() == C.certificate()
    with pytest.raises(InputError, match="compile the circuit again"):
        _ = replace(C, outputs=1).circuit
