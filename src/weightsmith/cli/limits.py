"""weightsmith limits."""

from pathlib import Path
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.automaton import Memory, States
from weightsmith.cli.consoles import results
from weightsmith.cli.loading import load_any, read_automaton
from weightsmith.cli.output import AsJson, Yes, check_outputs, memory_bytes, print_json, say_written
from weightsmith.errors import InputError, cut, listed, named, nearest_names, shown
from weightsmith.storage import refusals, write_whole

ARITHMETICS = (
    *("fixed(2,2)", "fixed(4,4)", "fixed(6,4)", "fixed(8,8)"),
    *("float(4,3)", "float(5,4)", "bfloat16", "float16"),
)
PAPERS = "papers."


def limits(
    target: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A library entry such as majority, a published construction such as papers.first, or with --round a "
            "model file.",
        ),
    ],
    more: Annotated[list[str] | None, typer.Argument(metavar="[ARITHMETIC]...", help="The arithmetics.")] = None,
    into: Annotated[
        list[str] | None, typer.Option("--into", help="More arithmetics; eight of them unless you name some.")
    ] = None,
    up_to: Annotated[int, typer.Option(help="The greatest length n, where not all lengths can be decided.")] = 16,
    regex: Annotated[str | None, typer.Option(help="The inputs that it should say YES to, as an expression.")] = None,
    automaton: Annotated[Path | None, typer.Option(help="Or as an automaton: a JSON file.")] = None,
    language: Annotated[
        str | None, typer.Option(help="Or by name: 'majority 1', 'parity', 'modulo 3 1', 'dyck 2 depth 3', 'anbn'.")
    ] = None,
    rounded: Annotated[
        bool, typer.Option("--round", help="Round the weights of a model file, instead of building it anew.")
    ] = False,
    shorter: Annotated[bool, typer.Option("--shorter", help="Ask T_n about all inputs up to n.")] = False,
    picture: Annotated[Path | None, typer.Option("--picture", help="Write a picture here, as SVG.")] = None,
    yes: Yes = "YES",
    seconds: Annotated[float, typer.Option(help="How long each arithmetic may take.")] = 60.0,
    memory: Memory = 1.0,
    states: States = 2_000_000,
    as_json: AsJson = False,
) -> None:
    """Say in which arithmetics a construction is right at all lengths, and every n that fails in the others.

    A library entry and a published construction are built anew in each arithmetic, with its own ∞.
    """
    check_outputs(picture, read=[automaton])
    named = (*(into or ()), *(more or ()))
    arithmetics = [ws.parse_arithmetic(text) for text in named or ARITHMETICS]
    F, own = family_of(target, rounded)
    wanted = _language(regex, automaton, language, own)
    budget: Any = {"seconds": seconds, "states": states, "memory": memory_bytes(memory)}
    with lazy.shown_progress("deciding", "lengths") as progress:
        found = ws.limits(F, wanted, arithmetics, up_to, yes=yes, shorter=shorter, progress=progress, **budget)
    if picture is not None:
        with refusals("cannot write", picture):
            write_whole(picture, found.svg().encode())
        say_written(picture)
    if as_json:
        print_json(found.data())
    else:
        results().print(found.table())


def family_of(target: str, rounded: bool) -> "tuple[ws.Family, Any]":
    """Return the family of a name or of a model file, and its own language; None for a file."""
    if rounded:
        return _rounding(Path(target)), None
    if target.startswith(PAPERS):
        entry = ws.library.papers.find(target.removeprefix(PAPERS))
        return entry.family, entry.language
    known = {entry.name: entry for entry in (*ws.library.ENTRIES, *ws.library.CHAINS)}
    if target in known:
        return known[target].family(), known[target].describing
    if Path(target).exists():
        raise InputError(
            f"{cut(shown(target))} holds the weights of one arithmetic: write --round to round them into the others, "
            f"or name what builds it anew, such as {next(iter(known))} or {PAPERS}first"
        )
    names = [*known, *(f"{PAPERS}{entry.name}" for entry in ws.library.papers.ENTRIES)]
    raise InputError(
        f"there is no construction {named(target)}: {nearest_names(target, names)}write one of "
        f"{listed(names, most=30, letters=None)}; for a model file, add --round"
    )


def _rounding(file: Path) -> "ws.Family":
    """Return the family of a model whose weights are rounded into each arithmetic."""
    model = load_any(file)
    if isinstance(model, ws.Chain):
        raise InputError(f"{cut(shown(str(file)))} is a chain: --round takes a transformer")
    T, name = model, f"{cut(shown(file.name))}, rounded"
    if T.max_length is None:
        return ws.Family.uniform(lambda A: ws.to_arithmetic(T, A), name)
    return ws.Family(lambda n, A: ws.to_arithmetic(T, A), name)


def _language(regex: str | None, automaton: Path | None, name: str | None, own: Any) -> Any:
    """Return the one language that is said, or that of the entry."""
    said = [one for one in (regex, automaton, name) if one is not None]
    if len(said) > 1:
        raise InputError("--regex, --automaton and --language say the same thing: write one of them")
    if not said and own is None:
        raise InputError(
            "say what it should recognize: write --regex '.*1.*', --automaton FILE or --language 'majority 1'"
        )
    if regex is not None:
        return regex
    if automaton is not None:
        return read_automaton(automaton)
    return own if name is None else ws.languages.parse_named(name)
