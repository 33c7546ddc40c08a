"""weightsmith check --replay and --cite: derive a certificate again, or print it as a citation.

A certificate names models by their digests. Files that it mentions are opened only if --model names them.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.ending import Refuted
from weightsmith.cli.loading import load_any
from weightsmith.cli.output import say
from weightsmith.cli.progress import shown_progress
from weightsmith.errors import FileError, InputError, brief, cut, shown
from weightsmith.storage import read_json

Replayed = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Derive a certificate again, with the reference semantics; needs --model, unless it is of a family.",
    ),
]
Models = Annotated[
    list[Path] | None,
    typer.Option("--model", metavar="MODEL", help="With --replay: a model of the claim; repeat it, in any order."),
]
Sample = Annotated[
    int | None, typer.Option(metavar="K", help="With --replay: how many shards, chosen at random.", show_default=False)
]
Everything = Annotated[bool, typer.Option("--all", help="With --replay: all of it, however long it takes.")]
Cited = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Print what a certificate says as a citation: text and BibTeX.")
]

SHORT = 12  # hex digits of a digest that tell models apart


def answer(
    verb: str | None,
    replayed: Path | None,
    cited: Path | None,
    models: Sequence[Path],
    sample: int | None,
    everything: bool,
) -> None:
    """Carry out --replay or --cite; return if there is neither."""
    option = "--replay" if replayed is not None else "--cite"
    if replayed is None:
        for name, given in (("--model", models), ("--sample", sample is not None), ("--all", everything)):
            if given:
                raise InputError(f"{name} belongs to --replay: write weightsmith check --replay FILE --model MODEL")
    if verb is not None and (replayed is not None or cited is not None):
        raise InputError(f"{option} needs no claim: write weightsmith check {option} FILE")
    if replayed is not None and cited is not None:
        raise InputError("--replay and --cite are two things: write one of them")
    if replayed is not None:
        _replay(replayed, models, sample, everything)
    if cited is not None:
        say(ws.check.cite(cited))
        raise typer.Exit


def _replay(file: Path, names: Sequence[Path], sample: int | None, everything: bool) -> NoReturn:
    """Replay a certificate, and print the result."""
    if sample is not None and sample < 1:
        raise InputError(f"--sample {brief(sample)}: write how many shards to derive again, 1 or more, or --all")
    if sample is not None and everything:
        raise InputError(f"--sample {brief(sample)} is not --all: leave out one of them")
    if (program := _program_certificate(file)) is not None:
        _replay_program(program, names, sample is not None or everything)
    certificate: Any = read_json(file, "the certificate")
    if lazy.is_family_certificate(certificate):
        models, unit = [load_any(name) for name in names], "models"
    else:
        certificate = lazy.parse(file)
        models, unit = _models(file, certificate, names), "shards"
    with shown_progress("deriving again", unit) as progress:
        try:
            done = ws.check.replay(certificate, models, sample=sample, everything=everything, progress=progress)
        except InputError as error:  # which speaks Python
            said = str(error).replace("everything=True", "--all")
            raise InputError(re.sub(r"\bsample=", "--sample ", said)) from None
    say(str(done))
    if not done.agrees:
        say("the certificate is refuted")
        raise Refuted
    raise typer.Exit


def _program_certificate(file: Path) -> Mapping[str, Any] | None:
    """Return the data of a program's certificate; None where the file is another one."""
    data = read_json(file, "the certificate")
    known = (lazy.is_program_certificate, lazy.is_circuit_certificate, lazy.is_machine_certificate)
    return data if any(is_one(data) for is_one in known) else None


def _replay_program(data: Mapping[str, Any], names: Sequence[Path], shards: bool) -> NoReturn:
    """Derive a program's certificate again, and print the result."""
    if shards:
        raise InputError("a program's certificate has no shards: leave out --sample and --all")
    if len(names) != 1:
        raise InputError("a program's certificate is about one model: write --model MODEL once")
    try:
        replay: Any = ws.programs.replay
        if lazy.is_circuit_certificate(data):
            replay = ws.programs.replay_circuit
        elif lazy.is_machine_certificate(data):
            replay = ws.programs.machines.replay_machine
        say(str(replay(data, ws.load(names[0]))))
    except lazy.LemmaError as error:
        say(f"the certificate is refuted: {error}")
        raise Refuted from None
    raise typer.Exit


def _models(file: Path, certificate: "lazy.Certificate", names: Sequence[Path]) -> "list[ws.Transformer | ws.Chain]":
    """Return the models of a certificate: the files with its digests."""
    wanted, digest = certificate.digests, lazy.digest
    if not 1 <= len(wanted) <= 2:
        raise FileError(f"the certificate is damaged: it names {len(wanted)} models")
    if not names:
        raise InputError(_what_to_write(file, certificate, wanted))
    found = {}
    for name in names:
        T = ws.load(name)
        found[digest(T)] = T
        if digest(T) not in wanted:
            raise InputError(
                f"{cut(shown(str(name)))} has the digest {digest(T)[:SHORT]}, and the claim is about "
                f"{_digests(wanted)}: give the model as it was when it was checked"
            )
    for missing in (one for one in wanted if one not in found):
        raise InputError(f"the claim is also about the model {missing[:SHORT]}: write one more --model MODEL")
    return [found[one] for one in wanted]


def _what_to_write(file: Path, certificate: "lazy.Certificate", wanted: Sequence[str]) -> str:
    """Say which models to give; the names that the file hints at are shown, and nothing of theirs is opened."""
    hints = certificate.origin.get("files")
    hints = hints if isinstance(hints, list) and len(hints) == len(wanted) else []
    names = [name for name in hints if isinstance(name, str) and _is_plain(name)]
    if len(names) < len(wanted):
        names = []
    about = "a model with the digest" if len(wanted) == 1 else f"{len(wanted)} models with the digests"
    called = f" (its author called {'it' if len(names) == 1 else 'them'} {' and '.join(names)})" if names else ""
    options = " ".join(f"--model {shlex.quote(name)}" for name in names or ["MODEL"] * len(wanted))
    return (
        f"{cut(shown(str(file)))} is about {about} {_digests(wanted)}{called}, and opens no file unasked: "
        f"write weightsmith check --replay {shlex.quote(cut(str(file)))} {options}"
    )


def _is_plain(name: str) -> bool:
    """Say whether a file name from a certificate is safe in a command line to copy."""
    return 1 <= len(name) <= 100 and name.isprintable() and not name.startswith("-")


def _digests(wanted: Sequence[str]) -> str:
    return " and ".join(one[:SHORT] for one in wanted)
