"""The weights of a circuit: one block, two heads that read wires, and a neuron for each row of a truth table.

Position p writes wire p + 1. The position table tells it which wires to read, and for which of their values 00, 01, 10,
11 the gate gives 0. A lane for that is left out where all gates agree.
"""

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Fixed
from weightsmith.model import Attention, Block, Neuron, PositionTable, Transformer, feed_forward, matrix
from weightsmith.programs.circuits.addresses import (
    FIRST,
    HERE,
    SECOND,
    WIRES,
    Addresses,
    BinaryAddresses,
    NumberAddresses,
    smallest,
)
from weightsmith.programs.circuits.circuit import GATES, Circuit, Gate

VALUE, BITS = "value", ("0", "1")
ROWS = ("00", "01", "10", "11")  # of a truth table: the first wire, then the second
LEAST = Fixed(1, 1)  # the smallest arithmetic with all laws of binary addresses


def addresses_of(circuit: Circuit, precision: str, arithmetic: Arithmetic | None) -> Addresses:
    """Return the addresses of a circuit's wires; without an arithmetic, in the smallest."""
    positions = circuit.wires - 1  # the last token is written, and not read
    if precision == "constant":
        return BinaryAddresses(positions, LEAST if arithmetic is None else arithmetic)
    return NumberAddresses(positions, smallest(positions) if arithmetic is None else arithmetic)


def transformer_of(circuit: Circuit, addresses: Addresses) -> Transformer:
    """Return the transformer that writes the gates of a circuit one by one."""
    read, tables = _wires(circuit), np.array([_table(gate) for gate in circuit.gates])
    varying = [row for row, column in zip(ROWS, tables.T, strict=True) if len(set(column) - {""}) > 1]
    lanes = (*addresses.lanes, VALUE, *WIRES, *map(_zero_on, varying))
    first, size = circuit.inputs - 1, len(addresses.lanes)
    P = np.zeros((addresses.positions, len(lanes)))
    numbers = [np.arange(addresses.positions), *read]
    P[:, :size] = np.hstack([addresses.table(of, n) for of, n in zip((HERE, *WIRES), numbers, strict=True)])
    for row in varying:
        P[first:, lanes.index(_zero_on(row))] = tables[:, ROWS.index(row)] == "0"
    always = [row for row, column in zip(ROWS, tables.T, strict=True) if set(column) - {""} == {"1"}]
    neurons = [Neuron({VALUE: 1}, {VALUE: -1}, name="clear the old value")]
    neurons += [_neuron(row, row in varying) for row in ROWS if row in varying or row in always]
    heads = tuple(addresses.head(lanes, of) for of in WIRES)
    return Transformer(
        arithmetic=addresses.arithmetic,
        vocabulary=BITS,
        lanes=lanes,
        embedding=matrix(BITS, lanes, {("1", VALUE): 1}),
        positions=PositionTable(P),
        blocks=(Block(Attention(heads), feed_forward(lanes, neurons), origin="one gate"),),
        output=matrix(BITS, lanes, {("1", VALUE): 1}),
        classes=BITS,
        provenance=(f"compile_circuit({circuit!r})",),
    )


def _wires(circuit: Circuit) -> npt.NDArray[np.intp]:
    """Return the first and the second wire that each position reads, (2, positions); wire 0 where it reads none."""
    found = np.zeros((2, circuit.wires - 1), np.intp)
    for position, (_, *wires) in enumerate(circuit.gates, start=circuit.inputs - 1):
        if wires:
            found[:, position] = wires[0], wires[-1]
    return found


def _table(gate: Gate) -> list[str]:
    """Return a gate's value for each row of its truth table; "" where both wires are one, and cannot differ."""
    name, *wires = gate
    truth = GATES[name]
    if len(wires) == 2 and wires[0] != wires[1]:
        return list(truth)
    return [truth[0], "", "", truth[-1]]


def _zero_on(row: str) -> str:
    return f"0 on {row}"


def _neuron(row: str, varies: bool) -> Neuron:
    """Return the neuron that fires where the wires have the values of a row, and the gate does not give 0 there."""
    reads: dict[str, float] = {lane: 1 if bit == "1" else -1 for lane, bit in zip((FIRST, SECOND), row, strict=True)}
    if varies:
        reads[_zero_on(row)] = -1
    bias = {"00": 1.0, "11": -1.0}.get(row, 0.0)
    return Neuron(reads, {VALUE: 1}, bias, name=f"1 on {row}")
