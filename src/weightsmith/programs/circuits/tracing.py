"""Circuits of Python functions: a function is called once, with bits that remember what is done to them."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from weightsmith.errors import InputError, brief, whole_number
from weightsmith.programs.circuits.circuit import MAX_WIRES, Circuit, Gate

Traced: TypeAlias = "Bit | int"


@dataclass
class Tracer:
    """The gates so far, each once."""

    inputs: int
    gates: dict[Gate, int] = field(default_factory=dict)  # with their wires

    def wire(self, gate: Gate) -> int:
        """Return the wire of a gate, an old one if it has been there before."""
        if gate not in self.gates and self.inputs + len(self.gates) >= MAX_WIRES:
            raise InputError(f"the function has more than {MAX_WIRES:,} inputs and gates: write a smaller one")
        return self.gates.setdefault(gate, self.inputs + len(self.gates))


class Bit:
    """A bit whose value is not known yet: & | ^ ~ of it are gates."""

    def __init__(self, tracer: Tracer, wire: int) -> None:
        """Take the wire."""
        self.tracer, self.wire = tracer, wire

    def __and__(self, other: object) -> Traced:
        """Return the bit that is 1 where both are."""
        return self._gate("and", other, {0: 0, 1: self})

    def __or__(self, other: object) -> Traced:
        """Return the bit that is 1 where one of them is, or both."""
        return self._gate("or", other, {0: self, 1: 1})

    def __xor__(self, other: object) -> Traced:
        """Return the bit that is 1 where just one of them is."""
        flips = isinstance(other, int) and other == 1
        return ~self if flips else self._gate("xor", other, {0: self})

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> "Bit":
        """Return the bit that is 1 where this one is 0."""
        return Bit(self.tracer, self.tracer.wire(("not", self.wire)))

    def _gate(self, name: str, other: object, constant: dict[int, Traced]) -> Traced:
        if isinstance(other, Bit):
            first, second = sorted((self.wire, other.wire))  # these gates do not depend on the order
            return Bit(self.tracer, self.tracer.wire((name, first, second)))
        if isinstance(other, int) and other in (0, 1):
            return constant[int(other)]
        raise InputError(f"a bit is combined with {brief(other)} by {name}: write bits, 0 or 1")

    def __bool__(self) -> NoReturn:
        """Refuse: a circuit does the same for every input."""
        raise InputError(
            "the function asks for the value of a bit, by if, and, or, not, == or while: a circuit has no branches; "
            "write & | ^ ~"
        )

    def __eq__(self, other: object) -> bool:
        """Refuse: the result would not be a gate. A bit is itself, so that it can stand in lists."""
        return True if self is other else bool(self)

    __hash__ = object.__hash__


def trace(function: Callable[..., Any], inputs: int | None) -> Circuit:
    """Return the circuit that a function of bits computes; it returns a bit, or a list or tuple of bits."""
    count = _count(function, inputs)
    tracer = Tracer(count)
    returned = function(*(Bit(tracer, wire) for wire in range(count)))
    results = list(returned) if isinstance(returned, list | tuple) else [returned]
    if not results:
        raise InputError("the function returns no bits: write return a & b, or a tuple of bits")
    outputs = [_output(tracer, result) for result in results]
    return Circuit(count, list(tracer.gates), outputs)


def _output(tracer: Tracer, result: object) -> int:
    if isinstance(result, Bit) and result.tracer is tracer:
        return result.wire
    if isinstance(result, int) and result in (0, 1):
        return tracer.wire((f"const{int(result)}",))
    raise InputError(f"the function returns {brief(result)}: write a bit that is made of its arguments, 0 or 1")


def _count(function: Callable[..., Any], inputs: int | None) -> int:
    """Return how many bits a function takes: as many as are said, or as it has parameters."""
    if inputs is not None:
        return whole_number(inputs, "inputs", 1, MAX_WIRES, f"how many bits the function takes, 1 to {MAX_WIRES:,}")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    if not parameters or any(one.kind in (one.VAR_POSITIONAL, one.KEYWORD_ONLY) for one in parameters):
        raise InputError("how many bits does the function take? write compile_circuit(function, inputs=3)")
    return len(parameters)
