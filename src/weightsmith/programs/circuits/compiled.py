"""Compiled circuits: chains that write the value of one gate after the other."""

from collections.abc import Sequence
from typing import Any, Literal, cast

from weightsmith.arithmetic import Arithmetic, Native, checked_arithmetic
from weightsmith.errors import InputError, brief
from weightsmith.model import Chain
from weightsmith.programs.circuits.certificate import CircuitCertificate, certify
from weightsmith.programs.circuits.circuit import Circuit
from weightsmith.programs.circuits.lowering import addresses_of, transformer_of
from weightsmith.programs.circuits.sources import Source, read_circuit


class CompiledCircuit(Chain):
    """A chain that computes a Boolean circuit: it reads the inputs as bits, and writes each gate's value as a token.

    The last tokens are the outputs. `circuit` is the circuit whose wires are the tokens of a text, in order.
    """

    @classmethod
    def stored_as(cls) -> str:
        """Return the name in files: a chain among others."""
        return Chain.stored_as()

    @classmethod
    def of(cls, circuit: Circuit, precision: str, arithmetic: Arithmetic | None) -> "CompiledCircuit":
        """Compile a circuit whose last wires are its outputs."""
        T = transformer_of(circuit, addresses_of(circuit, precision, arithmetic))
        chain = cls(T, steps=len(circuit.gates), outputs=len(circuit.outputs or ()), min_length=circuit.inputs)
        chain._set("_circuit", circuit)
        return chain

    @property
    def circuit(self) -> Circuit:
        """The circuit, of which each token of a text is one wire."""
        found: Circuit | None = self.__dict__.get("_circuit")
        if found is None:
            raise InputError("this chain was made by changing a compiled one: compile the circuit again")
        return found

    def certificate(self) -> CircuitCertificate:
        """Return the lemmas by which the chain computes the circuit on every input, derived from the weights alone."""
        circuit = self.circuit
        return certify(self, circuit.inputs, circuit.gates, cast(tuple[int, ...], circuit.outputs))

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the circuit when copied or unpickled."""
        return _rebuilt, (super().__reduce__(), self.__dict__.get("_circuit"))


def _rebuilt(reduced: tuple[Any, tuple[Any, ...]], circuit: Circuit | None) -> CompiledCircuit:
    make, arguments = reduced
    chain: CompiledCircuit = make(*arguments)
    chain._set("_circuit", circuit)
    return chain


def compile_circuit(
    source: Source,
    precision: Literal["constant", "log"] = "constant",
    arithmetic: Arithmetic | None = None,
    inputs: int | None = None,
    outputs: Sequence[int] | None = None,
) -> CompiledCircuit:
    """Compile a Boolean circuit to a chain: one block with two heads, and a token for each gate.

    `source` is an AIGER file (a path, or its text; aag and aig), a list of gates, such as [("nand", 0, 1), …], with
    the number of `inputs`, or a Python function of bits that uses & | ^ ~. Wires are numbered, the inputs first, then
    the gates; `outputs` are wires of a list of gates, the last gate unless given.

    With "constant" precision the lanes grow with the logarithm of the circuit's size, and the arithmetic stays:
    Fixed(1, 1) by default, or any with the laws that are needed. With "log" precision at most 11 lanes will do, and the
    arithmetic grows: by default it is the smallest.

    >>> C = compile_circuit([("nand", 0, 1), ("nand", 0, 2), ("nand", 1, 2), ("nand", 3, 4)], inputs=2)
    >>> C("01"), C("11"), str(C.transformer.arithmetic)
    ('1', '0', 'fixed(1,1)')
    """
    if precision not in ("constant", "log"):
        raise InputError(f"precision={brief(precision)}: write 'constant' or 'log'")
    A = None if arithmetic is None else checked_arithmetic(arithmetic)
    if isinstance(A, Native):
        raise InputError(
            f"arithmetic={A!r} may add in any order: a circuit is proved in Fixed or Float; write Fixed(4, 4)"
        )
    return CompiledCircuit.of(read_circuit(source, inputs, outputs).ending_in_outputs(), precision, A)
