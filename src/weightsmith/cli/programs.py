"""Compiling RASP programs in files, for the command line."""

from pathlib import Path
from typing import Any, NamedTuple

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.ending import Refuted
from weightsmith.cli.output import check_outputs, say, say_written
from weightsmith.cli.waiting import waiting
from weightsmith.errors import FileError, InputError, named
from weightsmith.storage import read_bytes, refusals, write_json

LONGEST_FILE = 4_000_000  # bytes
PRINTED = Path("-")


class Limits(NamedTuple):
    """The budget for compiling."""

    seconds: float | None
    memory: int  # bytes


def given_tokens(text: str | None) -> tuple[str, ...] | None:
    """Return the tokens of a vocabulary: words between commas, words between spaces, or characters.

    >>> given_tokens("abc"), given_tokens("cat dog"), given_tokens("a,b"), given_tokens("ab,")
    (('a', 'b', 'c'), ('cat', 'dog'), ('a', 'b'), ('a', 'b', ','))
    """
    if text is None:
        return None
    between_commas = [word.strip() for word in text.split(",")]
    words = between_commas if len(between_commas) > 1 and all(between_commas) else text.split()
    return tuple(words) if len(words) > 1 else tuple(text)


def compile_file(
    program: Path,
    output: Path,
    vocabulary: tuple[str, ...] | None,
    max_length: int | None,
    name: str | None,
    *,
    causal: bool,
    arithmetic: "ws.Arithmetic | None",
    backend: Any,
    certificate: Path | None,
    check: int | None,
    limits: Limits,
) -> None:
    """Compile a program in a file; print a summary, and write the model."""
    if vocabulary is None:
        raise InputError("over which tokens? write --vocabulary abc, or --vocabulary 'cat dog'")
    if max_length is None:
        raise InputError("for inputs up to which length? write --max-length 20")
    check_outputs(output, certificate_file(certificate), read=[program])
    text = program_text(program)
    with waiting(f"compiling {named(str(program))} for inputs up to {max_length} tokens"):
        parsed = ws.programs.parse_rasp(text, name, folder=str(program.parent))
        P = ws.programs.compile(parsed, vocabulary, max_length, causal, arithmetic, backend, *limits)
    also = [] if check is None else [_checked(P, check)]
    ws.save(P.transformer, output)
    say(str(P))
    for verdict in also:
        say(str(verdict))
    say_written(output)
    if certificate is not None:
        hand_over(P.certificate(also), certificate)
    if not all(verdict.holds for verdict in also):
        raise Refuted


def certificate_file(certificate: Path | None) -> Path | None:
    """Return the file to which a certificate is written; None if there is none, or if it is printed."""
    return None if certificate == PRINTED else certificate


def hand_over(
    proof: "ws.programs.Certificate | ws.programs.CircuitCertificate | lazy.MachineCertificate", certificate: Path
) -> None:
    """Write the certificate of a program, formula, circuit or machine, or print it."""
    if certificate == PRINTED:
        say(f"\n{proof}")
        return
    with refusals("cannot write", certificate):
        write_json(certificate, proof.to_json(), entry_lines=True)
    say_written(certificate)


def _checked(P: "ws.programs.CompiledProgram", up_to: int) -> "ws.check.Verdict":
    """Check every input up to a length, with progress."""
    with lazy.shown_progress("computes") as report:
        return ws.check.computes(P, up_to, progress=report)


def program_text(file: Path) -> str:
    """Read a program."""
    with refusals("cannot read", file):
        try:
            return read_bytes(file, LONGEST_FILE).decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileError(f"it is no text in UTF-8: byte {error.start} is {error.object[error.start]:#x}") from None
