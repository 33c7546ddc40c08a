"""weightsmith check."""

import functools
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, NoReturn, get_type_hints

import typer

import weightsmith as ws
from weightsmith.cli.certificates import Cited, Everything, Models, Replayed, Sample, answer
from weightsmith.cli.consoles import errors
from weightsmith.cli.ending import Refuted, Unknown
from weightsmith.cli.functions import read_function
from weightsmith.cli.loading import read_automaton
from weightsmith.cli.output import AsJson, ModelFile, Yes, check_outputs, print_json, say, say_aside
from weightsmith.cli.progress import count, shown_progress
from weightsmith.errors import InputError, brief

check = typer.Typer(
    help="Check a claim for every input. Exit code 1 when it is refuted, 3 when nothing is known.",
    invoke_without_command=True,
    no_args_is_help=True,
    rich_markup_mode="rich",
)

SecondFile = Annotated[Path, typer.Argument(metavar="MODEL", help="The other model file.")]
UpTo = Annotated[int | None, typer.Option(help="Check every input of length 1 to this.", show_default=False)]


@dataclass(frozen=True)
class Shared:
    """The options of every claim: which inputs it is about, with what it is checked, where the verdict goes."""

    suffix: Annotated[
        str, typer.Option(metavar="TOKENS", help="Tokens that follow each input, for models that know them, as in END.")
    ] = ""
    length: Annotated[int | None, typer.Option(help="Only inputs of this length, instead of --up-to.")] = None
    within: Annotated[
        str | None,
        typer.Option(metavar="REGEX", help="Only inputs of this language: an expression for the whole input."),
    ] = None
    workers: Annotated[int | None, typer.Option(help="How many cores of this machine to use: all, unless said.")] = None
    memory: Annotated[float, typer.Option(help="How much memory it may take, in GiB.")] = 1.0
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="Record what is finished here; a killed check goes on from it.")
    ] = None
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on a Dask cluster: the address of its scheduler.")
    ] = None
    insecure_network: Annotated[
        bool, typer.Option("--insecure-network", help="Let the cluster be one that others can reach without TLS.")
    ] = False
    seconds: Annotated[
        float | None,
        typer.Option(help="How long it may take; for claims about all lengths 60 s by default.", show_default=False),
    ] = None
    states: Annotated[int, typer.Option(help="How many states each of them may have.")] = 2_000_000
    certificate: Annotated[Path | None, typer.Option("--certificate", "-o", help="Write the certificate here.")] = None
    as_json: AsJson = False

    def parameters(self, up_to: int | None, *, automata: bool = False) -> dict[str, Any]:
        """Return what a function of `ws.check` takes by name; some claims can be decided by automata."""
        if up_to is None and self.length is None and not automata:
            raise InputError("up to which length? Write --up-to 10, or --length 4 for the inputs of one length")
        if up_to is None and self.length is None and (self.ledger is not None or self.cluster is not None):
            raise InputError("a ledger and a cluster go through inputs: say up to which length, as in --up-to 20")
        if not 0 < self.memory < 2**20:
            raise InputError(f"--memory {self.memory:g}: write how many GiB it may take, such as 0.5")
        return {
            "up_to": up_to,
            "suffix": tuple(self.suffix.split()),
            "length": self.length,
            "within": self.within,
            "workers": self.workers,
            "memory": int(self.memory * 2**30),
            "ledger": self.ledger,
            "cluster": self.cluster,
            "insecure_network": self.insecure_network,
            **({"seconds": self.seconds, "states": self.states} if automata else {}),
        }


def claim(command: Callable[..., None]) -> Callable[..., None]:
    """Make a claim's command of a function with its own parameters: `shared` stands for the options of every claim.

    The command has the claim's name, and what is its own comes before what is shared.
    """
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "shared"]
    hints = get_type_hints(Shared, include_extras=True)
    more = [inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default) for f in fields(Shared)]

    @functools.wraps(command)
    def whole(**given: Any) -> None:
        shared = Shared(**{f.name: given.pop(f.name) for f in fields(Shared)})
        read = [file for file in given.values() if isinstance(file, Path)]
        check_outputs(shared.certificate, shared.ledger, read=read)
        command(**given, shared=shared)

    annotations = {**get_type_hints(command, include_extras=True), **hints}
    parameters = [p.replace(annotation=annotations[p.name]) for p in (*own, *more)]
    whole.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    whole.__annotations__ = {p.name: p.annotation for p in parameters}
    return check.command(command.__name__.replace("_", "-"))(whole)


@check.callback()
def options(
    context: typer.Context,
    replay: Replayed = None,
    model: Models = None,
    sample: Sample = None,
    everything: Everything = False,
    cite: Cited = None,
) -> None:
    """Check a claim for every input. Exit code 1 when it is refuted, 3 when nothing is known."""
    answer(context.invoked_subcommand, replay, cite, model or [], sample, everything)


@claim
def same_decisions(first: ModelFile, second: SecondFile, up_to: UpTo = None, *, shared: Shared) -> None:
    """Two models decide every input alike: of all lengths, unless --up-to is given."""
    parameters = shared.parameters(up_to, automata=True)
    _finish(_checked(ws.check.same_decisions, ws.load(first), ws.load(second), **parameters), [first, second], shared)


@claim
def same_logits(first: ModelFile, second: SecondFile, up_to: UpTo = None, *, shared: Shared) -> None:
    """Two models give the same logits for every input, bit for bit."""
    parameters = shared.parameters(up_to)
    _finish(_checked(ws.check.same_logits, ws.load(first), ws.load(second), **parameters), [first, second], shared)


@claim
def recognizes(
    file: ModelFile,
    up_to: UpTo = None,
    regex: Annotated[
        str | None, typer.Option(help="The inputs that it says YES to: a regular expression for the whole input.")
    ] = None,
    automaton: Annotated[
        Path | None, typer.Option(help='Or an automaton: JSON, {"table": [[…], …], "accepting": […], "start": 0}.')
    ] = None,
    yes: Yes = "YES",
    *,
    shared: Shared,
) -> None:
    """A model says YES to the inputs of a language and to no others: at all lengths, unless --up-to is given."""
    if (regex is None) == (automaton is None):
        raise InputError("say which inputs it recognizes: write --regex '(0|1)*11', or --automaton FILE")
    T, language = ws.load(file), regex if automaton is None else read_automaton(automaton)
    ws.check.claims.check_class(T, yes, "--yes {1}")
    _finish(
        _checked(ws.check.recognizes, T, language, yes=yes, **shared.parameters(up_to, automata=True)), [file], shared
    )


@claim
def agrees_with(
    file: ModelFile,
    function: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py:NAME", help="A function of an input that returns the decision; the file is run."
        ),
    ],
    up_to: UpTo = None,
    *,
    shared: Shared,
) -> None:
    """A model decides every input as a Python function does, which is called once with each."""
    parameters = shared.parameters(up_to)
    _finish(_checked(ws.check.agrees_with, ws.load(file), read_function(function), **parameters), [file], shared)


At = Annotated[
    str | None,
    typer.Option(metavar="SITE", help="Where in the stream: embedding, 'block 0 attention'. The end, unless said."),
]
Position = Annotated[
    str, typer.Option(metavar="N", help="Which position: 0 on the left, -1 the last one (the default), or all.")
]


@claim
def vectors(
    file: ModelFile,
    condition: Annotated[
        str, typer.Argument(metavar="CONDITION", help="On the lanes there: 'no == 1 and yes in (0, inf)'.")
    ],
    up_to: UpTo = None,
    at: At = None,
    position: Position = "-1",
    *,
    shared: Shared,
) -> None:
    """A condition holds for a vector of the stream: at all lengths and the last position, unless --up-to is given."""
    T = _transformer(ws.load(file))
    place = _place(T, at, position)
    parameters = shared.parameters(up_to, automata=True)
    _finish(_checked(ws.check.vectors, T, condition, at=place, **parameters), [file], shared)


@claim
def same_lanes(
    first: ModelFile,
    second: SecondFile,
    up_to: UpTo = None,
    lane: Annotated[
        list[str] | None,
        typer.Option(metavar="LANE[=LANE]", help="A lane of both, or of the first and the second. May be repeated."),
    ] = None,
    at: At = None,
    position: Position = "-1",
    second_at: Annotated[
        str | None, typer.Option(metavar="SITE", help="Where in the second model, if it is another site.")
    ] = None,
    second_position: Annotated[
        str | None, typer.Option(metavar="N", help="Which position there, if it is another one.")
    ] = None,
    *,
    shared: Shared,
) -> None:
    """Lanes of two models hold the same values: at all lengths and the last position, unless --up-to is given."""
    S, T = _transformer(ws.load(first)), _transformer(ws.load(second))
    other = position if second_position is None else second_position
    places = (_place(S, at, position), _place(T, at if second_at is None else second_at, other))
    lanes = None if lane is None else [_lanes(S, T, one) for one in lane]
    parameters = shared.parameters(up_to, automata=True)
    verdict = _checked(ws.check.same_lanes, S, T, lanes, at=places, **parameters)
    _finish(verdict, [first, second], shared)


def _transformer(model: "ws.Transformer | ws.Chain") -> "ws.Transformer":
    """Refuse a chain."""
    ws.check.models.refuse_chains("a claim about the stream", model)
    assert isinstance(model, ws.Transformer)
    return model


def _place(T: "ws.Transformer", site: str | None, position: str) -> tuple[str, Any]:
    """Return a place; the site is the last one, unless said."""
    if position != "all" and re.fullmatch("-?[0-9]{1,9}", position) is None:
        raise InputError(f"--position {brief(position)}: write 0 for the first, -1 for the last, or all")
    name = site if site is not None else f"block {len(T.blocks) - 1} feed-forward" if T.blocks else "embedding"
    return name, position if position == "all" else int(position)


def _lanes(S: "ws.Transformer", T: "ws.Transformer", text: str) -> tuple[str, str]:
    """Return the lanes of "a=b", or twice that of "a"; the name of a lane may have = in it."""
    ways = [(text, text), *((text[:i], text[i + 1 :]) for i, sign in enumerate(text) if sign == "=")]
    known = [way for way in ways if way[0] in S.lanes and way[1] in T.lanes]
    return known[0] if known else ways[1] if len(ways) == 2 else ways[0]


def _checked(claim: Callable[..., "ws.check.Verdict"], *arguments: Any, **options: Any) -> "ws.check.Verdict":
    """Check a claim, and show how far it is."""
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
        say_aside(f"stopped after {count(done)} inputs; {again}")
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


def _finish(verdict: "ws.check.Verdict", files: list[Path], shared: Shared) -> NoReturn:
    """Print the verdict and write its certificate; whatever fails, the other is still done."""
    names = [str(file) for file in files]
    try:
        print_json({**verdict.summary(), "files": names}) if shared.as_json else say(str(verdict))
    finally:
        if shared.certificate is not None:
            verdict.save(shared.certificate, names)
    if verdict.holds is None:
        raise Unknown
    if not verdict.holds:
        raise Refuted
    raise typer.Exit
