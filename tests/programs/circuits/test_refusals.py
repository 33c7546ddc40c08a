"""What is no circuit is refused, with the line to write."""

from collections.abc import Callable
from typing import Any

import pytest

from weightsmith.errors import InputError
from weightsmith.programs import Circuit, compile_circuit

NAND = [("nand", 0, 1)]


def gates(*gates: Any) -> Callable[[], object]:
    """Return a call that compiles gates with two inputs."""
    return lambda: compile_circuit(list(gates), inputs=2)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: compile_circuit(NAND), r"how many inputs do the gates have\? write .*inputs=3"),
        (lambda: compile_circuit(NAND, inputs=0), "^inputs=0: write how many inputs the circuit has, 1 to 65,536"),
        (lambda: compile_circuit(NAND, inputs=10**12), "^inputs=1000000000000: write how many inputs"),
        (gates(), r"the circuit has no gates: write at least one, such as \(\"nand\", 0, 1\)"),
        (gates(*[("nand", 0, 1)] * 70_000), "2 inputs and 70,000 gates: at most 65,536 in all"),
        (gates("nand"), "gate 0 is 'nand': write a name and the wires that it reads"),
        (gates(("nond", 0, 1)), "gate 0 is called nond: did you mean .*nand.* write one of and,"),
        (gates((3, 0, 1)), "gate 0 is called 3: write one of and,"),
        (gates(("nand", 0)), r"nand reads 2 wires; write \('nand', 0, 1\), for example"),
        (gates(("not", 0, 1)), r"not reads 1 wire; write \('not', 0\), for example"),
        (gates(("const1", 0)), r"const1 reads no wires; write \('const1',\), for example"),
        (gates(("nand", 0, 5)), "is wire 2 and reads wire 5: a gate reads earlier wires, 0 to 1;"),
        (gates(("nand", 0, 2)), "is wire 2 and reads wire 2: a gate reads earlier wires"),
        (gates(("nand", 0, -1)), "reads -1: a wire is a number from 0 on"),
        (gates(("nand", 0, True)), "reads True: a wire is a number from 0 on"),
        (lambda: compile_circuit(NAND, inputs=2, outputs=[3]), "the output 3 is no wire: the wires are 0 to 2"),
        (lambda: compile_circuit(NAND, inputs=2, outputs=[]), r"outputs=\[\]: write the wires that are outputs"),
        (lambda: compile_circuit(NAND, "high", inputs=2), "^precision='high': write 'constant' or 'log'"),  # type: ignore[arg-type]
        (lambda: compile_circuit(NAND, arithmetic=3, inputs=2), "3"),  # type: ignore[arg-type]
        (lambda: compile_circuit("aag 1 1 0 1 0\n2\n2\n", inputs=1), "is for gates and functions: leave it out"),
        (lambda: compile_circuit(lambda a: a, outputs=[0]), "is for a list of gates: leave it out"),
        (lambda: compile_circuit(3), "3 is no circuit: write an AIGER file"),  # type: ignore[arg-type]
        (lambda: compile_circuit(lambda *x: x[0]), r"how many bits does the function take\? write .*inputs=3"),
        (lambda: compile_circuit(lambda: 1), "how many bits does the function take"),
        (lambda: compile_circuit(lambda a: a, inputs=0), "^inputs=0: write how many bits the function takes"),
        (lambda: compile_circuit(lambda a, b: a and b), "a circuit has no branches; write & | ^ ~"),
        (lambda: compile_circuit(lambda a, b: a == b), "a circuit has no branches"),
        (lambda: compile_circuit(lambda a, b: a & 2), "a bit is combined with 2 by and: write bits, 0 or 1"),
        (lambda: compile_circuit(lambda a, b: "1" ^ a), "a bit is combined with '1' by xor"),
        (lambda: compile_circuit(lambda a, b: "1"), "the function returns '1': write a bit"),
        (lambda: compile_circuit(lambda a, b: ()), "the function returns no bits"),
        (lambda: compile_circuit(lambda a: _many(a)), "the function has more than 65,536 inputs and gates"),
        (lambda: Circuit(2, NAND).answer("0"), "the input is '0': write 2 bits, each 0 or 1"),
        (lambda: Circuit(2, NAND).answer([0, 2]), "write 2 bits, each 0 or 1"),
        (lambda: Circuit(2, NAND).answer("0x"), "write 2 bits, each 0 or 1"),
        (lambda: Circuit(2, {}), "gates={}: write a list of gates"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_it_is_refused_with_the_line_to_write(call: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        call()


def _many(bit: Any) -> Any:
    while True:
        bit = ~bit
