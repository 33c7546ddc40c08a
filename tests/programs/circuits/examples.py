"""Circuits that tests share: c17, adders, multipliers, and random ones."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.inspect.chains import written
from weightsmith.model import Chain
from weightsmith.programs import Circuit
from weightsmith.programs.circuits.circuit import GATES, Gate

# The smallest of the ISCAS-85 benchmarks: six nand-gates
C17 = """aag 11 5 0 2 6
2
4
6
8
10
21
23
12 2 6
14 6 8
16 4 15
18 15 10
20 13 17
22 17 19
i0 1gat
i4 7gat
o0 22gat
c
c17
"""


def c17(a: int, b: int, c: int, d: int, e: int) -> tuple[int, int]:
    """Return what c17 computes, written out by hand."""
    cd = 1 - (c & d)
    b_cd = 1 - (b & cd)
    return 1 - ((1 - (a & c)) & b_cd), 1 - (b_cd & (1 - (cd & e)))


def adder(bits: int) -> Callable[..., Any]:
    """Return a function that adds two numbers, the lowest bits first."""

    def add(*x: Any) -> tuple[Any, ...]:
        carry, total = 0, []
        for a, b in zip(x[:bits], x[bits:], strict=True):
            total.append(a ^ b ^ carry)
            carry = (a & b) | (carry & (a ^ b))
        return (*total, carry)

    return add


def multiplier(bits: int) -> Callable[..., Any]:
    """Return a function that multiplies two numbers, the lowest bits first, by adding row after row."""

    def multiply(*x: Any) -> tuple[Any, ...]:
        first, second = x[:bits], x[bits:]
        total: list[Any] = [0] * (2 * bits)
        for shift, b in enumerate(second):
            carry: Any = 0
            for i, a in enumerate(first):
                here, term = total[i + shift], a & b
                total[i + shift] = here ^ term ^ carry
                carry = (here & term) | (carry & (here ^ term))
            total[shift + bits] = carry
        return tuple(total)

    return multiply


def number(bits: Sequence[Any]) -> int:
    """Return the number with these bits, the lowest first."""
    return sum(int(bit) << i for i, bit in enumerate(bits))


def drawn(seed: int, kinds: Sequence[str] = ("nand",), most_inputs: int = 8, most_gates: int = 60) -> Circuit:
    """Return a random circuit."""
    draw = random.Random(seed)
    inputs = draw.randint(1, most_inputs)
    gates: list[Gate] = []
    for wire in range(inputs, inputs + draw.randint(1, most_gates)):
        name = draw.choice(kinds)
        gates.append((name, *(draw.randrange(wire) for _ in range(len(GATES[name]).bit_length() - 1))))
    outputs = [draw.randrange(inputs + len(gates)) for _ in range(draw.randint(1, 3))]
    return Circuit(inputs, gates, None if seed % 2 else outputs)


def all_inputs(count: int) -> npt.NDArray[np.intp]:
    """Return all inputs of so many bits."""
    return np.arange(1 << count)[:, np.newaxis] >> np.arange(count) & 1


def wrong_inputs(C: Chain, circuit: Circuit) -> int:
    """Return on how many inputs a chain writes another token than the value of its gate; the inputs are all run."""
    bits = all_inputs(circuit.inputs)
    tokens, halted = written(C, bits)  # the tokens 0 and 1 are their own ids
    assert halted.all()
    return int((tokens != circuit.values(bits)[:, circuit.inputs :]).any(axis=1).sum())
