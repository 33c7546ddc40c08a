"""AIGER files: read, written, and refused by name."""

import random
from pathlib import Path
from typing import Any

import pytest

from tests.programs.circuits.examples import C17, adder, all_inputs, c17, drawn
from weightsmith.errors import FileError, InputError
from weightsmith.programs import Circuit, compile_circuit, read_circuit, write_circuit
from weightsmith.programs.circuits.aiger import to_aag, to_aig
from weightsmith.programs.circuits.circuit import GATES


def by_hand(text: str, bits: list[int]) -> tuple[str, ...]:
    """Return the outputs of an AIGER text, straight from its lines."""
    first, *lines = text.splitlines()
    _, _, count, _, outputs, ands = first.split()
    I, O, A = int(count), int(outputs), int(ands)  # noqa: E741
    values = {0: 0} | {int(line) // 2: bit for line, bit in zip(lines[:I], bits, strict=True)}

    def value(literal: int) -> int:
        return values[literal // 2] ^ literal % 2

    waiting = [[int(word) for word in line.split()] for line in lines[I + O : I + O + A]]
    while waiting:
        ready = [one for one in waiting if one[1] // 2 in values and one[2] // 2 in values]
        assert ready
        values |= {one[0] // 2: value(one[1]) & value(one[2]) for one in ready}
        waiting = [one for one in waiting if one not in ready]
    return tuple(str(value(int(line))) for line in lines[I : I + O])


def same(circuit: Circuit, text: str) -> bool:
    return all(circuit.answer(bits) == by_hand(text, bits) for bits in all_inputs(circuit.inputs).tolist())


@pytest.mark.parametrize("seed", range(30))
def test_a_circuit_that_is_written_and_read_again_computes_the_same(seed: int, tmp_path: Path) -> None:
    circuit = drawn(seed, list(GATES), 4, 20)
    text, binary = to_aag(circuit), to_aig(circuit)
    assert same(circuit, text)
    assert read_circuit(text) == read_circuit(binary)
    assert same(read_circuit(text), text)
    for name, data in (("one.aag", text.encode()), ("one.aig", binary)):
        write_circuit(circuit, tmp_path / name)
        assert (tmp_path / name).read_bytes() == data
        assert read_circuit(tmp_path / name) == read_circuit(str(tmp_path / name)) == read_circuit(text)


def test_what_was_read_is_written_with_as_many_gates() -> None:
    for text in (C17, to_aag(read_circuit(adder(5), 10))):
        assert to_aag(read_circuit(text)).splitlines()[0] == text.splitlines()[0]
        assert to_aag(read_circuit(to_aag(read_circuit(text)))) == to_aag(read_circuit(text))


def test_large_differences_of_a_binary_file_take_several_bytes() -> None:
    circuit = Circuit(40_000, [("and", 39_999, 0), ("andnot", 40_000, 1)])
    assert read_circuit(to_aig(circuit)) == circuit == read_circuit(to_aag(circuit))


def test_c17_is_read_with_its_symbols_and_comments() -> None:
    circuit = read_circuit(C17)
    assert [gate[0] for gate in circuit.gates[-2:]] == ["not", "not"]
    for bits in all_inputs(5).tolist():
        assert circuit.answer(bits) == tuple(map(str, c17(*bits))) == by_hand(C17, bits)


def test_and_gates_may_stand_in_any_order_and_variables_may_have_gaps() -> None:
    draw = random.Random(3)
    first, *lines = C17.splitlines()
    for _ in range(10):
        ands = lines[7:13]
        draw.shuffle(ands)
        assert same(read_circuit("\n".join([first, *lines[:7], *ands])), C17)
    assert same(read_circuit("aag 900 2 0 1 1\n8\n4\n1801\n1800 8 5\n"), "aag 900 2 0 1 1\n8\n4\n1801\n1800 8 5\n")


def test_constants_and_inputs_may_be_outputs() -> None:
    text = "aag 5 2 0 7 3\n2\n4\n0\n1\n2\n5\n6\n8\n11\n6 1 4\n8 0 3\n10 1 1\n"
    circuit = read_circuit(text)
    assert same(circuit, text)
    assert compile_circuit(text)("10") == circuit.answer("10") == ("0", "1", "1", "1", "0", "0", "0")


AND = "aag 3 2 0 1 1\n2\n4\n6\n6 2 4\n"
GAP = AND.replace("3 2", "4 2")
LINE = r"^AIGER, line {}: "


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("aag 3 1 1 1 1\n2\n4 6\n6\n6 2 4\n", LINE.format(1) + "it has 1 latches, .*: unroll it"),
        ("aag 1000000000000 2 0 1 1\n", LINE.format(1) + "the header announces 1,000,000,000,000 variables: at most"),
        ("aag 5 2 0 1 999999999999999999\n", LINE.format(1) + "the header announces .* inputs and gates: at most"),
        ("aag 5 2 0 99999999999 1\n", LINE.format(1) + "the header announces 99,999,999,999 outputs: at most"),
        ("aag " + "9" * 30 + " 2 0 1 1\n", LINE.format(1) + "'9+' is no whole number"),
        ("aag 3 2 0 1\n2\n", LINE.format(1) + "the first line must be 'aag M I L O A'"),
        ("aag 3 2 0 1 1 1\n", LINE.format(1) + "it has bad states"),
        ("aag 3 2 0 1 x\n", LINE.format(1) + "'x' is no whole number"),
        ("aag 1 0 0 1 1\n2\n2 1 1\n", LINE.format(1) + "it has no inputs"),
        ("aag 3 2 0 0 1\n2\n4\n6 2 4\n", LINE.format(1) + "it has no outputs"),
        ("aag 2 2 0 1 1\n2\n4\n6\n6 2 4\n", LINE.format(1) + r"M is 2, and I \+ L \+ A is 3"),
        ("aig 4 2 0 1 1\n6\n\x02\x02", LINE.format(1) + r"M is 4, and I \+ L \+ A is 3"),
        (AND.replace("6 2 4", "6 2"), LINE.format(5) + "it has 2 numbers, and an and-gate"),
        (AND.replace("6 2 4\n", ""), LINE.format(5) + "the file ends"),
        (AND.replace("6 2 4\n", "6 2 " + "0" * 300), LINE.format(5) + "the line is longer than 200 bytes"),
        (AND.replace("6 2 4", "7 2 4"), LINE.format(5) + "the literal 7 is defined: only even"),
        (AND.replace("6 2 4", "8 2 4"), LINE.format(5) + "the literal 8 is larger than 2M = 6"),
        (AND.replace("6 2 4", "4 2 2"), LINE.format(5) + "the literal 4 is defined twice"),
        (AND.replace("2\n4\n", "2\n2\n"), LINE.format(3) + "the literal 2 is defined twice"),
        (AND.replace("2\n4\n", "2\n0\n"), LINE.format(3) + "the literal 0 is defined: only even"),
        (AND.replace("6 2 4", "6 2 6"), "AIGER: the and-gate 6 reads itself through others: a cycle"),
        ("aag 4 2 0 1 2\n2\n4\n8\n6 2 8\n8 7 4\n", "AIGER: the and-gate 6 reads itself through others: a cycle"),
        (GAP.replace("6 2 4", "6 2 9"), "^AIGER: the and-gate 6 reads the literal 8, which nothing"),
        (GAP.replace("\n6\n", "\n8\n"), "^AIGER: the output 8 reads the literal 8, which nothing"),
        ("aig 3 2 0 1 1\n6\n", "^AIGER: the file ends in and-gate 0 of 1: it is truncated"),
        ("aig 3 2 0 1 1\n6\n\x02", "^AIGER: the file ends in and-gate 0 of 1: it is truncated"),
        (b"aig 3 2 0 1 1\n6\n\x82", "^AIGER: the file ends in and-gate 0 of 1: it is truncated"),
        (b"aig 3 2 0 1 1\n6\n\xff\xff\xff\xff\xff\xff\x01\x00", "^AIGER: and-gate 0 has a difference of more than 4"),
        ("aig 3 2 0 1 1\n6\n\x00\x02", "^AIGER: and-gate 0 reads 6 and 4, not smaller than its literal 6"),
        ("aig 3 2 0 1 1\n6\n\x07\x00", "^AIGER: and-gate 0 reads -1 and -1"),
        ("module adder;\nendmodule\n", "^this is not an AIGER file: the first line must be 'aag M I L O A'"),
        (b"", "^this is not an AIGER file"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_circuit_is_refused_by_name(text: Any, refused: str) -> None:
    with pytest.raises(InputError, match=refused):
        read_circuit(text)


def test_what_is_no_file_is_refused_with_its_name(tmp_path: Path) -> None:
    bad = tmp_path / "latches.aag"
    bad.write_text("aag 1 0 1 0 0\n2 3\n")
    for path, text in (
        (tmp_path / "nothing.aag", "cannot read '.*nothing.aag': No such file"),
        (tmp_path, "cannot read .*: .*"),
        (bad, "cannot read '.*latches.aag': AIGER, line 1: it has 1 latches"),
    ):
        for source in (path, str(path)):
            with pytest.raises(FileError, match=text):
                compile_circuit(source)
    with pytest.raises(FileError, match="write a name that ends in .aag"):
        write_circuit(Circuit(2, [("and", 0, 1)]), tmp_path / "one.txt")
    with pytest.raises(InputError, match="3 is no circuit"):
        write_circuit(3, tmp_path / "one.aag")  # type: ignore[arg-type]


def test_no_file_makes_anything_but_an_error_of_ours() -> None:
    draw = random.Random(5)
    for data in (C17.encode(), to_aig(read_circuit(C17)), AND.encode()):
        for _ in range(400):
            broken = bytearray(data)
            for _ in range(draw.randint(1, 3)):
                broken[draw.randrange(len(broken))] = draw.choice(b"0123456789 \n\x80\xffx")
            try:
                read_circuit(bytes(broken[: draw.choice([len(broken), draw.randrange(len(broken))])]))
            except InputError as error:
                assert "AIGER" in str(error)  # noqa: PT017
