"""Certificates of compiled circuits: the lemmas, and the circuit that they are about."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from weightsmith.errors import FileError, InputError, brief
from weightsmith.model import Chain, Transformer, digest
from weightsmith.programs.circuits.proof import Claim, prove_circuit
from weightsmith.programs.proof.lemmas import Lemma, numbered
from weightsmith.programs.proof.parsing import items, keys, text, whole
from weightsmith.storage import read_json, refusals, write_json
from weightsmith.tables import Printed

CIRCUIT_FORMAT = "weightsmith circuit certificate 1"
KEYS = "format arithmetic inputs gates outputs lemmas model"
MOST_WIRES = 1 << 16


@dataclass(frozen=True)
class CircuitCertificate(Printed):
    """The lemmas by which a chain computes a circuit on every input.

    With the circuit and the digest of the weights everything can be derived again.
    """

    arithmetic: str
    inputs: int
    gates: tuple[tuple[Any, ...], ...] = field(repr=False)
    outputs: tuple[int, ...] = field(repr=False)
    lemmas: tuple[Lemma, ...]
    model: str

    @property
    def cases(self) -> int:
        """How many cases were evaluated."""
        return sum(lemma.cases for lemma in self.lemmas)

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as data."""
        return {"format": CIRCUIT_FORMAT, **asdict(self)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate to a file: `replay_circuit(FILE, C)` derives it again."""
        with refusals("cannot write", path):
            write_json(Path(path), self.to_json(), entry_lines=True)

    def __str__(self) -> str:
        """Return the lemmas as numbered lines."""
        counts = {"input": self.inputs, "gate": len(self.gates), "output": len(self.outputs)}
        sizes = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for what, count in counts.items())
        heading = (
            f"a circuit of {sizes} in {self.arithmetic}: right on all 2^{self.inputs} inputs, "
            f"by {len(self.lemmas)} lemmas over {self.cases:,} cases"
        )
        return "\n".join([heading, *(f"  {line}" for line in numbered(self.lemmas))])


def certify(C: Chain, inputs: int, gates: Sequence[Sequence[Any]], outputs: Sequence[int]) -> CircuitCertificate:
    """Return the certificate that a chain computes a circuit, or raise an error that names the lemma that fails."""
    claim = Claim(inputs, tuple(tuple(gate) for gate in gates), tuple(outputs))
    lemmas = prove_circuit(C, claim)
    T = C.transformer
    return CircuitCertificate(str(T.arithmetic), inputs, claim.gates, claim.outputs, lemmas, digest(T))  # type: ignore[arg-type]


def is_circuit_certificate(data: object) -> bool:
    """Return whether data claims to be the certificate of a circuit."""
    return isinstance(data, Mapping) and data.get("format") == CIRCUIT_FORMAT


def replay_circuit(
    certificate: "str | os.PathLike[str] | Mapping[str, Any]", model: Chain | Transformer
) -> CircuitCertificate:
    """Derive a circuit's certificate again for a chain, or for its transformer; nothing of the certificate is trusted.

    >>> from weightsmith.programs import compile_circuit, replay_circuit
    >>> C = compile_circuit(lambda a, b, c: (a & b) ^ c)
    >>> replay_circuit(C.certificate().to_json(), C).inputs
    3
    """
    data = certificate if isinstance(certificate, Mapping) else read_json(certificate, "the certificate")
    if not is_circuit_certificate(data):
        raise FileError("this is not the certificate of a circuit, or one of another version")
    data = keys(dict(data), "the certificate", KEYS)
    inputs = whole(data["inputs"], "inputs", 1, MOST_WIRES)
    gates = [_gate(gate) for gate in items(list(data["gates"]), "the gates", MOST_WIRES)]
    outputs = [whole(wire, "an output", 0, 2 * MOST_WIRES) for wire in items(list(data["outputs"]), "the outputs")]
    C = Chain(model, steps=max(1, len(gates)), outputs=len(outputs)) if isinstance(model, Transformer) else model
    if not isinstance(C, Chain):
        raise InputError(f"{brief(model)} is neither a chain nor a transformer: write replay_circuit(certificate, C)")
    if data["model"] != (found := digest(C.transformer)):
        raise InputError(
            f"the certificate is of the model {brief(data['model'])[:14]}, and the one given is {found[:12]}"
        )
    derived = certify(C, inputs, gates, outputs)
    if data["arithmetic"] != derived.arithmetic:
        raise FileError(f"the certificate says arithmetic {brief(data['arithmetic'])}, and it is {derived.arithmetic}")
    if [dict(keys(one, "a lemma", "where statement cases margin line")) for one in data["lemmas"]] != [
        asdict(lemma) for lemma in derived.lemmas
    ]:
        raise FileError("the certificate lists other lemmas than those that were derived")
    return derived


def _gate(gate: Any) -> tuple[Any, ...]:
    name, *wires = items(list(gate) if isinstance(gate, tuple) else gate, "a gate", 3) or [None]
    return (text(name, "the name of a gate"), *(whole(wire, "a wire", 0, MOST_WIRES) for wire in wires))
