"""AIGER files: circuits of and-gates and inverters, as text (aag) and binary (aig), read and written.

A literal is twice the number of a variable, plus 1 if it is inverted; 0 and 1 are the constants.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from weightsmith.errors import InputError, brief
from weightsmith.programs.circuits.circuit import MAX_WIRES, Circuit, Gate

MAX_VARIABLES = 1 << 20  # the largest number of a variable: numbers in a text may have gaps
MAX_DIGITS = 20
LONGEST_LINE = 200  # bytes of a line with numbers
HEADER_LINE = "the first line must be 'aag M I L O A' or 'aig M I L O A', as in 'aag 3 2 0 1 1'"


def is_aiger(data: bytes) -> bool:
    """Return whether data begins as AIGER files do."""
    return data[:4] in (b"aag ", b"aig ")


def read_aiger(data: bytes) -> Circuit:
    """Return the circuit of an AIGER file: its inputs in order, then its and-gates, each after what it reads.

    An and-gate with inverted inputs is one gate. Inverted outputs are gates of their own at the end.
    """
    return _Reader(data).circuit()


@dataclass
class _Header:
    variables: int
    inputs: int
    latches: int
    outputs: int
    ands: int


class _Reader:
    """Bytes that are read line by line, and then, in binary files, number by number."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.line = data, 0, 0
        self.header = self._header()
        self.wires: dict[int, int] = {}  # of variables
        self.gates: list[Gate] = []

    def _refuse(self, what: str) -> NoReturn:
        raise InputError(f"AIGER, line {self.line}: {what}" if self.line else f"AIGER: {what}")

    def _numbers(self, count: int | None, what: str) -> list[int]:
        """Return the whole numbers of the next line."""
        self.line += 1
        end = self.data.find(b"\n", self.at, self.at + LONGEST_LINE)
        if end < 0 and len(self.data) - self.at >= LONGEST_LINE:
            self._refuse(f"the line is longer than {LONGEST_LINE} bytes, and {what} should stand there")
        found = self.data[self.at : len(self.data) if end < 0 else end].split()
        if not found:
            self._refuse(f"the file ends, or the line is empty, where {what} should stand")
        self.at = len(self.data) if end < 0 else end + 1
        if self.line == 1:
            found = found[1:]
        for word in found:
            if not word.isdigit() or len(word) > MAX_DIGITS:
                self._refuse(f"{brief(word.decode(errors='replace'))} is no whole number, and {what} should stand here")
        if count is not None and len(found) != count:
            self._refuse(f"it has {len(found)} numbers, and {what} should stand here")
        return [int(word) for word in found]

    def _header(self) -> _Header:
        """Read the first line; everything that it announces is bounded before anything is stored."""
        if not is_aiger(self.data):
            raise InputError(f"this is not an AIGER file: {HEADER_LINE}, and the file begins {brief(self.data[:20])}")
        numbers = self._numbers(None, "the header M I L O A")
        if not 5 <= len(numbers) <= 9:
            self._refuse(HEADER_LINE)
        header = _Header(*numbers[:5])
        if any(numbers[5:]):
            self._refuse("it has bad states, constraints, justice or fairness properties: write a circuit without them")
        if header.latches:
            self._refuse(f"it has {header.latches:,} latches, and a circuit has none: unroll it, or cut the latches")
        for what, number, most in (
            ("variables", header.variables, MAX_VARIABLES),
            ("inputs and gates", header.inputs + header.ands, MAX_WIRES),
            ("outputs", header.outputs, MAX_WIRES),
        ):
            if number > most:
                self._refuse(f"the header announces {number:,} {what}: at most {most:,} are read")
        if not header.inputs or not header.outputs:
            self._refuse(f"it has no {'outputs' if header.inputs else 'inputs'}: a chain needs at least one")
        if header.variables < header.inputs + header.ands or (self._binary and self._gaps(header)):
            self._refuse(f"M is {header.variables}, and I + L + A is {header.inputs + header.ands}: correct the header")
        return header

    @property
    def _binary(self) -> bool:
        return self.data[:3] == b"aig"

    @staticmethod
    def _gaps(header: _Header) -> bool:
        return header.variables != header.inputs + header.ands

    def circuit(self) -> Circuit:
        header = self.header
        for number in range(header.inputs):
            self._define(2 * (number + 1) if self._binary else self._numbers(1, "an input")[0], number)
        outputs = [self._numbers(1, "an output")[0] for _ in range(header.outputs)]
        ands = dict(self._deltas()) if self._binary else self._and_lines()
        for variable in self._ordered(ands):
            self.wires[variable] = header.inputs + len(self.gates)
            self.gates.append(self._and(*ands[variable]))
        if all(literal > 1 and literal % 2 == 0 for literal in outputs):
            return Circuit(header.inputs, self.gates, [self._wire(literal) for literal in outputs])
        last = [self._literal(literal) for literal in outputs]  # one gate for each output
        first = header.inputs + len(self.gates)
        return Circuit(header.inputs, [*self.gates, *last], list(range(first, first + len(last))))

    def _define(self, literal: int, wire: int) -> None:
        """Note the wire of an input."""
        self._check_defined(literal, literal // 2 in self.wires)
        self.wires[literal // 2] = wire

    def _check_defined(self, literal: int, again: bool) -> None:
        if literal % 2 or literal < 2:
            self._refuse(f"the literal {literal} is defined: only even literals from 2 on are variables")
        if literal // 2 > self.header.variables:
            self._refuse(f"the literal {literal} is larger than 2M = {2 * self.header.variables}")
        if again:
            self._refuse(f"the literal {literal} is defined twice")

    def _and_lines(self) -> dict[int, tuple[int, int]]:
        """Return the two literals of each variable that is an and-gate."""
        ands: dict[int, tuple[int, int]] = {}
        for _ in range(self.header.ands):
            literal, first, second = self._numbers(3, "an and-gate, three literals,")
            self._check_defined(literal, literal // 2 in self.wires or literal // 2 in ands)
            ands[literal // 2] = first, second
        return ands

    def _deltas(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield the same of a binary file, where each gate has two differences."""
        self.line = 0
        for number in range(self.header.ands):
            literal = 2 * (self.header.inputs + number + 1)
            first = literal - self._delta(number)
            second = first - self._delta(number)
            if not literal > first >= second >= 0:
                self._refuse(f"and-gate {number} reads {first} and {second}, not smaller than its literal {literal}")
            yield literal // 2, (first, second)

    def _delta(self, number: int) -> int:
        """Return a number of seven bits a byte, the last ones first; all bytes but the last have their top bit set."""
        value = 0
        for shift in range(0, 7 * 4, 7):
            if self.at >= len(self.data):
                self._refuse(
                    f"the file ends in and-gate {number} of {self.header.ands}: it is truncated; write it again"
                )
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        self._refuse(f"and-gate {number} has a difference of more than 4 bytes: it is damaged")

    def _ordered(self, ands: dict[int, tuple[int, int]]) -> Iterator[int]:
        """Yield the variables of and-gates, each after those that it reads, else in the order of the file."""
        done, begun = set(self.wires), set[int]()
        for variable in ands:
            stack = [variable]
            while stack:
                here = stack[-1]
                missing = [literal // 2 for literal in ands[here] if literal > 1 and literal // 2 not in done]
                if here in done:
                    stack.pop()
                elif not missing:
                    done.add(stack.pop())
                    yield here
                else:
                    begun.add(here)
                    if missing[0] in begun:
                        raise InputError(f"AIGER: the and-gate {2 * missing[0]} reads itself through others: a cycle")
                    if missing[0] not in ands:
                        self.line = 0
                        self._refuse(f"the and-gate {2 * here} reads {_twice(missing[0])}, which nothing defines")
                    stack.append(missing[0])

    def _wire(self, literal: int) -> int:
        if literal // 2 not in self.wires:
            raise InputError(f"AIGER: the output {literal} reads {_twice(literal // 2)}, which nothing defines")
        return self.wires[literal // 2]

    def _literal(self, literal: int) -> Gate:
        """Return a gate for one literal."""
        if literal < 2:
            return (f"const{literal}",)
        return ("not" if literal % 2 else "copy", self._wire(literal))

    def _and(self, first: int, second: int) -> Gate:
        """Return the gate for an and of two literals."""
        if 0 in (first, second):
            return ("const0",)
        if 1 in (first, second):
            return self._literal(first if second == 1 else second)
        a, b = self._wire(first), self._wire(second)
        if first % 2 == second % 2:
            return ("nor" if first % 2 else "and", a, b)
        return ("andnot", b, a) if first % 2 else ("andnot", a, b)


def _twice(variable: int) -> str:
    return f"the literal {2 * variable}"


def ands_of(circuit: Circuit) -> tuple[list[tuple[int, int]], list[int]]:
    """Return a circuit as and-gates: the two literals of each, the larger first, and the literals of the outputs."""
    ands: list[tuple[int, int]] = []
    literals = [2 * (number + 1) for number in range(circuit.inputs)]

    def both(first: int, second: int) -> int:
        ands.append((max(first, second), min(first, second)))
        return 2 * (circuit.inputs + len(ands))

    for name, *wires in circuit.gates:
        read = [literals[wire] for wire in wires]
        if name in ("const0", "const1"):
            literals.append(int(name == "const1"))
        elif len(read) == 1:
            literals.append(read[0] ^ (name == "not"))
        elif name in ("xor", "xnor"):
            neither = both(both(read[0], read[1] ^ 1) ^ 1, both(read[0] ^ 1, read[1]) ^ 1)
            literals.append(neither ^ (name == "xor"))
        else:
            first, second, result = INVERTED[name]
            literals.append(both(read[0] ^ first, read[1] ^ second) ^ result)
    return ands, [literals[wire] for wire in circuit.outputs or ()]


# of gates that are one and-gate: whether its inputs and its output are inverted
INVERTED = {
    "and": (0, 0, 0),
    "nand": (0, 0, 1),
    "or": (1, 1, 1),
    "nor": (1, 1, 0),
    "andnot": (0, 1, 0),
    "ornot": (1, 0, 1),
}


def to_aag(circuit: Circuit) -> str:
    """Return a circuit as AIGER text; xor and xnor become three and-gates each.

    >>> print(to_aag(Circuit(2, [("nand", 0, 1)])), end="")
    aag 3 2 0 1 1
    2
    4
    7
    6 4 2
    """
    ands, outputs = ands_of(circuit)
    lines = [_first_line("aag", circuit, ands, outputs), *(str(2 * (number + 1)) for number in range(circuit.inputs))]
    lines += map(str, outputs)
    lines += [f"{2 * (circuit.inputs + n)} {a} {b}" for n, (a, b) in enumerate(ands, start=1)]
    return "\n".join(lines) + "\n"


def to_aig(circuit: Circuit) -> bytes:
    """Return a circuit as binary AIGER."""
    ands, outputs = ands_of(circuit)
    data = "\n".join([_first_line("aig", circuit, ands, outputs), *map(str, outputs), ""]).encode()
    for number, (first, second) in enumerate(ands, start=1):
        literal = 2 * (circuit.inputs + number)
        data += _packed(literal - first) + _packed(first - second)
    return data


def _first_line(kind: str, circuit: Circuit, ands: Sequence[object], outputs: Sequence[int]) -> str:
    return f"{kind} {circuit.inputs + len(ands)} {circuit.inputs} 0 {len(outputs)} {len(ands)}"


def _packed(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(128 | value & 127)
        value >>= 7
    return bytes([*found, value])
