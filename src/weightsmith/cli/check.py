"""weightsmith check."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from weightsmith.cli.output import AsJson, ModelFile, errors, print_json, say
from weightsmith.errors import FileError, InputError

if TYPE_CHECKING:
    from weightsmith.check import Automaton, Verdict

check = typer.Typer(
    help="Check a claim for every input up to a length. Exit code 1 when it is refuted.",
    invoke_without_command=True,
    no_args_is_help=True,
    rich_markup_mode="rich",
)

SecondFile = Annotated[Path, typer.Argument(metavar="MODEL", help="The other model file.")]
UpTo = Annotated[int | None, typer.Option(help="Check every input of length 1 to this.", show_default=False)]
Suffix = Annotated[
    str, typer.Option(metavar="TOKENS", help="Tokens that follow each input, for models that know them, as in END.")
]
Length = Annotated[int | None, typer.Option(help="Only inputs of this length, instead of --up-to.")]
Within = Annotated[
    str | None, typer.Option(metavar="REGEX", help="Only inputs of this language: an expression for the whole input.")
]
Workers = Annotated[int | None, typer.Option(help="How many cores of this machine to use: all, unless said.")]
Memory = Annotated[float, typer.Option(help="How much memory it may take, in GiB.")]
LedgerFile = Annotated[
    Path | None, typer.Option("--ledger", help="Record what is finished here; a killed check goes on from it.")
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run on a Dask cluster: the address of its scheduler.")
]
CertificateFile = Annotated[Path | None, typer.Option("--certificate", "-o", help="Write the certificate here.")]


@check.callback()
def options(
    context: typer.Context,
    replay: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Derive part of a certificate again, by the reference."),
    ] = None,
    sample: Annotated[int, typer.Option(help="With --replay: how many shards.")] = 2,
) -> None:
    """Check a claim for every input up to a length. Exit code 1 when it is refuted."""
    if replay is not None and context.invoked_subcommand is not None:
        raise InputError("--replay needs no claim: write weightsmith check --replay FILE")
    if replay is not None:
        _replay(replay, sample)


@check.command("same-decisions")
def same_decisions(
    first: ModelFile,
    second: SecondFile,
    up_to: UpTo = None,
    suffix: Suffix = "",
    length: Length = None,
    within: Within = None,
    workers: Workers = None,
    memory: Memory = 1.0,
    ledger: LedgerFile = None,
    cluster: Cluster = None,
    certificate: CertificateFile = None,
    as_json: AsJson = False,
) -> None:
    """Two models decide every input alike."""
    from weightsmith.check import same_decisions
    from weightsmith.files import load

    frame, means = _frame(up_to, suffix, length, within), _means(workers, memory, ledger, cluster)
    verdict = _checked(same_decisions, load(first), load(second), **frame, **means)
    _finish(verdict, [first, second], certificate, as_json)


@check.command("same-logits")
def same_logits(
    first: ModelFile,
    second: SecondFile,
    up_to: UpTo = None,
    suffix: Suffix = "",
    length: Length = None,
    within: Within = None,
    workers: Workers = None,
    memory: Memory = 1.0,
    ledger: LedgerFile = None,
    cluster: Cluster = None,
    certificate: CertificateFile = None,
    as_json: AsJson = False,
) -> None:
    """Two models give the same logits for every input, bit for bit."""
    from weightsmith.check import same_logits
    from weightsmith.files import load

    frame, means = _frame(up_to, suffix, length, within), _means(workers, memory, ledger, cluster)
    verdict = _checked(same_logits, load(first), load(second), **frame, **means)
    _finish(verdict, [first, second], certificate, as_json)


@check.command("recognizes")
def recognizes(
    file: ModelFile,
    up_to: UpTo = None,
    regex: Annotated[
        str | None, typer.Option(help="The inputs that it says YES to: a regular expression for the whole input.")
    ] = None,
    automaton: Annotated[
        Path | None,
        typer.Option(help='Or an automaton: JSON, {"table": [[…], …], "accepting": […], "start": 0}.'),
    ] = None,
    yes: Annotated[str, typer.Option(help="The class that counts as YES.")] = "YES",
    suffix: Suffix = "",
    length: Length = None,
    within: Within = None,
    workers: Workers = None,
    memory: Memory = 1.0,
    ledger: LedgerFile = None,
    cluster: Cluster = None,
    certificate: CertificateFile = None,
    as_json: AsJson = False,
) -> None:
    """A model says YES to the inputs of a language and to no others."""
    from weightsmith.check import recognizes
    from weightsmith.check.claims import check_class
    from weightsmith.files import load

    if (regex is None) == (automaton is None):
        raise InputError("say which inputs it recognizes: write --regex '(0|1)*11', or --automaton FILE")
    T, language = load(file), regex if automaton is None else _automaton(automaton)
    check_class(T, yes, "--yes {1}")
    frame, means = _frame(up_to, suffix, length, within), _means(workers, memory, ledger, cluster)
    _finish(_checked(recognizes, T, language, yes=yes, **frame, **means), [file], certificate, as_json)


def _frame(up_to: int | None, suffix: str, length: int | None, within: str | None) -> dict[str, Any]:
    """Return which inputs are meant."""
    if up_to is None and length is None:
        raise InputError("up to which length? Write --up-to 10, or --length 4 for the inputs of one length")
    return {"up_to": up_to, "suffix": tuple(suffix.split()), "length": length, "within": within}


def _means(workers: int | None, memory: float, ledger: Path | None, cluster: str | None) -> dict[str, Any]:
    """Return with what it is checked."""
    if not 0 < memory < 2**20:
        raise InputError(f"--memory {memory:g}: write how many GiB it may take, such as 0.5")
    return {"workers": workers, "memory": int(memory * 2**30), "ledger": ledger, "cluster": cluster}


def _checked(claim: Callable[..., "Verdict"], *arguments: Any, **options: Any) -> "Verdict":
    """Check a claim, and show how far it is."""
    from weightsmith.cli.progress import shown_progress

    done = 0
    try:
        with _warnings_in_a_line(), shown_progress(claim.__name__.replace("_", " ")) as report:

            def progress(now: int, total: int) -> None:
                nonlocal done
                done = now
                report(now, total)

            return claim(*arguments, **options, progress=progress)
    except KeyboardInterrupt:
        kept = options["ledger"] is not None
        again = "the same command goes on from here" if kept else "with --ledger FILE it could go on from here"
        errors().print(f"stopped after {done:,} inputs; {again}")
        raise


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Print what the checker warns of as a line of messages."""

    def show(message: Warning | str, *where: Any, **more: Any) -> None:
        errors().print(f"warning: {message}", style="yellow")

    with warnings.catch_warnings():
        warnings.filterwarnings("always", ".* which no token of the vocabulary ", UserWarning)
        warnings.showwarning = show
        yield


def _finish(verdict: "Verdict", files: list[Path], certificate: Path | None, as_json: bool) -> None:
    from weightsmith.files import save_certificate

    data = {**verdict.certificate(), "files": [str(file) for file in files]}
    if certificate is not None:
        save_certificate(data, certificate)
    print_json(data) if as_json else say(str(verdict))
    raise typer.Exit(0 if verdict.holds else 1)


def _automaton(file: Path) -> "Automaton":
    from weightsmith.check import Automaton
    from weightsmith.files import load_certificate

    data = load_certificate(file)
    if set(data) - {"start"} != {"table", "accepting"}:
        raise FileError(f'{file}: write {{"table": [[0, 1], [1, 0]], "accepting": [false, true], "start": 0}}')
    return Automaton(data["table"], data["accepting"], data.get("start", 0))


def _replay(file: Path, sample: int) -> NoReturn:
    from weightsmith.check import replay
    from weightsmith.files import load, load_certificate

    data = load_certificate(file)
    names = data.get("files")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FileError(f"{file} does not name its model files: check … --certificate FILE writes such a one")
    models = [load(name if Path(name).exists() else file.parent / name) for name in names]
    with errors().status("deriving shards again with the reference semantics …"):
        done = replay(data, models, sample=sample)
    say(str(done))
    raise typer.Exit(0 if done.agrees else 1)
