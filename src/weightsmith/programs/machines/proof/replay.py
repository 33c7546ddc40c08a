"""A machine's certificate, derived again from the model, with nothing of the compiler."""

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Protocol

from weightsmith.errors import FileError, InputError, WeightsmithError, brief
from weightsmith.model import Chain, Transformer, digest
from weightsmith.programs.machines.proof.certificate import MACHINE_FORMAT, MachineCertificate
from weightsmith.programs.machines.proof.data import read_table
from weightsmith.programs.machines.proof.steps import MachineProof
from weightsmith.programs.machines.table import StepTable
from weightsmith.programs.proof.parsing import keys, whole
from weightsmith.storage import read_json

KEYS = "format arithmetic vocabulary max_length max_steps lemmas model stated"
MOST = 1 << 16  # of a length and of steps


class HasTable(Protocol):
    """A machine: see `machines.table`."""

    @property
    def table(self) -> StepTable:
        """The machine as a table."""


def is_machine_certificate(data: object) -> bool:
    """Return whether data says that it is the certificate of a machine."""
    return isinstance(data, Mapping) and data.get("format") == MACHINE_FORMAT


def replay_machine(
    certificate: "str | os.PathLike[str] | Mapping[str, Any]", T: Transformer | Chain, machine: HasTable | None = None
) -> MachineCertificate:
    """Derive a machine's certificate again for a model, or raise an error that names what fails.

    The certificate is not trusted: every lemma is shown again for the given weights and the table that it states.
    With a `machine`, that table must be the machine's.

    >>> from weightsmith.programs.machines import compile_machine, parity, replay_machine
    >>> C = compile_machine(parity())
    >>> replay_machine(C.certificate().to_json(), C.transformer).max_length
    8
    """
    T = T.transformer if isinstance(T, Chain) else T
    data = certificate if isinstance(certificate, Mapping) else read_json(certificate, "the certificate")
    if not is_machine_certificate(data):
        raise FileError("this is not the certificate of a machine, or one of another version")
    data = keys(dict(data), "the certificate", KEYS, "files")
    if data["model"] != digest(T):
        raise InputError(
            f"the certificate is of the model {brief(data['model'])[:14]}, and the one given is {digest(T)[:12]}"
        )
    length, steps = (whole(data[name], name, 1, MOST) for name in ("max_length", "max_steps"))
    try:
        table = read_table(data["stated"])
        proof = MachineProof(T, table, length, steps)
    except WeightsmithError:
        raise
    except (ArithmeticError, ValueError, LookupError, TypeError, AssertionError) as error:
        raise FileError(f"the certificate is damaged: {type(error).__name__}: {brief(str(error))}") from error
    if machine is not None and table != machine.table:
        raise InputError("the certificate is of another machine than the one given")
    found = MachineCertificate(
        str(T.arithmetic), list(T.vocabulary), length, steps, tuple(proof.lemmas), digest(T), data["stated"]
    )
    for what in ("arithmetic", "vocabulary"):
        if data[what] != getattr(found, what):
            raise FileError(f"the certificate says {what} {brief(data[what])}, and it is {brief(getattr(found, what))}")
    if list(data["lemmas"]) != [asdict(lemma) for lemma in found.lemmas]:
        raise FileError("the certificate lists other lemmas than those that were derived")
    return found
