"""What a circuit can be written as: an AIGER file or its text, a list of gates, a Python function of bits."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from weightsmith.errors import InputError, brief
from weightsmith.programs.circuits.aiger import is_aiger, read_aiger, to_aag, to_aig
from weightsmith.programs.circuits.circuit import Circuit, Gate
from weightsmith.programs.circuits.tracing import trace
from weightsmith.storage import read_bytes, refusals, write_whole

Source: TypeAlias = "str | bytes | os.PathLike[str] | Sequence[Gate] | Callable[..., Any] | Circuit"

MAX_BYTES = 32 << 20  # of an AIGER file; its symbols and comments are not read


def read_circuit(source: Source, inputs: int | None = None, outputs: Sequence[int] | None = None) -> Circuit:
    """Return the circuit that is described by an AIGER file (a path, its text or its bytes), gates, or a function.

    `inputs` is how many bits gates or a function read. `outputs` are wires of gates; the last gate, unless given.

    >>> read_circuit(lambda a, b, c: (a & b) ^ c)
    <circuit: 3 inputs, 2 gates (1 and, 1 xor), 1 output>
    """
    if isinstance(source, list | tuple):
        if inputs is None:
            raise InputError("how many inputs do the gates have? write compile_circuit(gates, inputs=3)")
        return Circuit(inputs, source, outputs)
    if outputs is not None:
        raise InputError(f"outputs={brief(outputs)} is for a list of gates: leave it out, the source has its own")
    if callable(source):
        return trace(source, inputs)
    if inputs is not None:
        raise InputError(f"inputs={brief(inputs)} is for gates and functions: leave it out, the source has its own")
    if isinstance(source, Circuit):
        return source
    if isinstance(source, bytes):
        return read_aiger(source)
    if isinstance(source, str) and (is_aiger(source[:4].encode(errors="replace")) or "\n" in source):
        return read_aiger(source.encode(errors="replace"))
    if isinstance(source, str | os.PathLike):
        with refusals("cannot read", source):
            return read_aiger(read_bytes(Path(source), MAX_BYTES))
    raise InputError(
        f"{brief(source)} is no circuit: write an AIGER file, 'adder.aag', gates, [(\"nand\", 0, 1)] with inputs=2, "
        "or a function of bits"
    )


def write_circuit(circuit: Circuit, path: str | os.PathLike[str]) -> None:
    """Write a circuit to an AIGER file: as text if its name ends in .aag, binary if it ends in .aig."""
    if not isinstance(circuit, Circuit):
        raise InputError(f"{brief(circuit)} is no circuit: write write_circuit(read_circuit(…), 'adder.aag')")
    with refusals("cannot write", path):
        written = {".aag": to_aag(circuit).encode, ".aig": lambda: to_aig(circuit)}.get(Path(path).suffix)
        if written is None:
            raise InputError("write a name that ends in .aag, for text, or in .aig, for the binary form")
        write_whole(Path(path), written())
