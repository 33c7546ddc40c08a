"""Boolean circuits: inputs, gates in the order in which they are computed, and outputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, brief, is_whole, listed, named, nearest_names, whole_number

Gate: TypeAlias = tuple[str, *tuple[int, ...]]  # ("nand", 0, 1): a name, and the wires that the gate reads
Bits: TypeAlias = npt.NDArray[np.bool_]

MAX_WIRES = 1 << 16  # inputs and gates of a circuit
# The value for each value of the wires that a gate reads: for 00, 01, 10, 11; for 0, 1; or for nothing
GATES = {
    "and": "0001",
    "nand": "1110",
    "or": "0111",
    "nor": "1000",
    "xor": "0110",
    "xnor": "1001",
    "andnot": "0010",  # the first and not the second
    "ornot": "1011",  # the first or not the second
    "not": "10",
    "copy": "01",
    "const0": "0",
    "const1": "1",
}
EXAMPLE = '("nand", 0, 1)'


@dataclass(frozen=True)
class Circuit:
    """A Boolean circuit. Wires are numbered: the inputs first, then the gates in order. Gates read earlier wires.

    `outputs` are wires; by default the last gate.

    >>> xor = Circuit(2, [("nand", 0, 1), ("nand", 0, 2), ("nand", 1, 2), ("nand", 3, 4)])
    >>> [xor.answer(bits) for bits in ("00", "01", "10", "11")]
    [('0',), ('1',), ('1',), ('0',)]
    """

    inputs: int
    gates: Sequence[Gate] = ()
    outputs: Sequence[int] | None = None

    def __post_init__(self) -> None:
        """Check everything, and keep it as tuples."""
        most = f"how many inputs the circuit has, 1 to {MAX_WIRES:,}"
        object.__setattr__(self, "inputs", whole_number(self.inputs, "inputs", 1, MAX_WIRES, most))
        if not isinstance(self.gates, list | tuple):
            raise InputError(f"gates={brief(self.gates)}: write a list of gates, such as [{EXAMPLE}]")
        if self.inputs + len(self.gates) > MAX_WIRES:
            raise InputError(
                f"the circuit has {self.inputs:,} inputs and {len(self.gates):,} gates: at most {MAX_WIRES:,} in all"
            )
        gates = tuple(_gate(gate, number, self.inputs + number) for number, gate in enumerate(self.gates))
        object.__setattr__(self, "gates", gates)
        object.__setattr__(self, "outputs", self._checked_outputs())

    def _checked_outputs(self) -> tuple[int, ...]:
        if self.outputs is None:
            if not self.gates:
                raise InputError(f"the circuit has no gates: write at least one, such as {EXAMPLE}, or outputs=[0]")
            return (self.wires - 1,)
        if not isinstance(self.outputs, list | tuple) or not self.outputs:
            raise InputError(f"outputs={brief(self.outputs)}: write the wires that are outputs, such as outputs=[5, 6]")
        if len(self.outputs) > MAX_WIRES:
            raise InputError(f"the circuit has {len(self.outputs):,} outputs: at most {MAX_WIRES:,}")
        for wire in self.outputs:
            if not is_whole(wire) or not 0 <= wire < self.wires:
                raise InputError(f"the output {brief(wire)} is no wire: the wires are 0 to {self.wires - 1}")
        return tuple(int(wire) for wire in self.outputs)

    @property
    def wires(self) -> int:
        """How many wires there are: the inputs and the gates."""
        return self.inputs + len(self.gates)

    def values(self, bits: npt.ArrayLike) -> Bits:
        """Return the value of every wire, (…, wires), for inputs (…, inputs)."""
        given = np.asarray(bits, bool)
        found: Bits = np.zeros((*given.shape[:-1], self.wires), bool)
        found[..., : self.inputs] = given
        for wire, (name, *read) in enumerate(self.gates, start=self.inputs):
            row = np.zeros(given.shape[:-1], np.intp)
            for other in read:
                row = 2 * row + found[..., other]
            found[..., wire] = np.array([value == "1" for value in GATES[name]])[row]
        return found

    def answer(self, bits: str | Sequence[Any]) -> tuple[str, ...]:
        """Return the outputs for one input, as "0" and "1".

        An input is written as such a text, or as a sequence of bits.
        """
        if len(bits) != self.inputs or not all(bit in (0, 1, "0", "1") for bit in bits):
            raise InputError(f"the input is {brief(bits)}: write {self.inputs} bits, each 0 or 1")
        values = self.values([int(bit) for bit in bits])
        return tuple(str(int(values[wire])) for wire in self.outputs or ())

    def ending_in_outputs(self) -> "Circuit":
        """Return the circuit with its outputs as its last wires; where they are not, copies of them follow."""
        outputs = tuple(self.outputs or ())
        last = tuple(range(self.wires - len(outputs), self.wires))
        if outputs == last and last[0] >= self.inputs:
            return self
        gates = (*self.gates, *(("copy", wire) for wire in outputs))
        wires = self.inputs + len(gates)
        return Circuit(self.inputs, gates, tuple(range(wires - len(outputs), wires)))

    def __repr__(self) -> str:
        """Return the sizes, and how often each kind of gate occurs."""
        names = [gate[0] for gate in self.gates]
        kinds = ", ".join(f"{names.count(name)} {name}" for name in GATES if name in names)
        gates = f"{_counted(len(names), 'gate')}{f' ({kinds})' if kinds else ''}"
        outputs = _counted(len(self.outputs or ()), "output")
        return f"<circuit: {_counted(self.inputs, 'input')}, {gates}, {outputs}>"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _gate(gate: object, number: int, wire: int) -> Gate:
    """Return a gate that reads wires before its own."""
    if not isinstance(gate, list | tuple) or not gate:
        raise InputError(f"gate {number} is {brief(gate)}: write a name and the wires that it reads, {EXAMPLE}")
    name, *read = gate
    if not isinstance(name, str) or name not in GATES:
        hint = nearest_names(name, list(GATES)) if isinstance(name, str) else ""
        raise InputError(f"gate {number} is called {named(name)}: {hint}write one of {listed(list(GATES))}")
    wanted = len(GATES[name]).bit_length() - 1
    if len(read) != wanted:
        wires = "no wires" if wanted == 0 else "1 wire" if wanted == 1 else "2 wires"
        example = (name, *range(wanted))
        raise InputError(f"gate {number} is {brief(gate)}: {name} reads {wires}; write {example!r}, for example")
    for other in read:
        if not is_whole(other) or other < 0:
            raise InputError(f"gate {number}, {brief(gate)}, reads {brief(other)}: a wire is a number from 0 on")
        if other >= wire:
            raise InputError(
                f"gate {number}, {brief(gate)}, is wire {wire} and reads wire {other}: a gate reads earlier wires, "
                f"0 to {wire - 1}; write the gates in the order in which they are computed"
            )
    return (name, *(int(other) for other in read))
