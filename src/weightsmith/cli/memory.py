"""weightsmith memory."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.consoles import results
from weightsmith.cli.lane_numbers import read_numbers
from weightsmith.cli.loading import load_model, save_model
from weightsmith.cli.output import (
    AsJson,
    ModelFile,
    OutputFile,
    Tokens,
    check_outputs,
    print_json,
    say,
    say_aside,
    say_written,
)
from weightsmith.errors import shown
from weightsmith.tables import Table, number

memory = typer.Typer(
    help="Write facts into feed-forward layers, read them, and take them back.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
Block = Annotated[int, typer.Option("--block", "-b", help="The block, counted from 0.")]


@memory.command("write")
def write(
    file: ModelFile,
    output: OutputFile,
    key: Annotated[str, typer.Option(metavar="LANE=NUMBER,…", help="The pattern for which the neuron fires.")],
    value: Annotated[str, typer.Option(metavar="LANE=NUMBER,…", help="What it then adds to the stream.")],
    block: Block = 0,
    name: Annotated[str | None, typer.Option(help="A name for the fact.")] = None,
    margin: Annotated[float, typer.Option(help="How far below its threshold the neuron stays for its rivals.")] = 1.0,
    against: Annotated[
        list[str] | None, typer.Option(metavar="INPUT", help="An input for which it must not fire; repeat it.")
    ] = None,
) -> None:
    """Write a fact: MODEL --block 0 --key tower=1,eiffel=1 --value paris=1 -o OUT."""
    check_outputs(output)
    T = load_model(file)
    written = ws.memory.write(
        T, block, read_numbers(key, "--key"), read_numbers(value, "--value"), margin, name, inputs=against or []
    )
    ws.save(written, output)
    _show_facts(written, [fact for fact in ws.memory.facts(written) if fact.block == block][-1:])
    say_written(output)


@memory.command("facts")
def list_facts(file: ModelFile, as_json: AsJson = False) -> None:
    """List the facts in a model: keys, values and the margins between them."""
    T = load_model(file)
    found = ws.memory.facts(T)
    if as_json:
        print_json([asdict(fact) for fact in found])
    elif found:
        _show_facts(T, found)
    else:
        say("no facts: weightsmith memory write adds one")


@memory.command("read")
def read(
    file: ModelFile,
    tokens: Tokens,
    block: Annotated[int | None, typer.Option("--block", "-b", help="Only this block.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also the neurons that did not fire.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which neurons an input makes fire, and what they add."""
    r = ws.run(load_model(file), tokens)
    T = r.transformer
    found = [
        (b, firing)
        for b in ([block] if block is not None else range(len(T.blocks)))
        for firing in ws.memory.read(r, b, all=everything)
    ]
    if as_json:
        print_json([{"block": b, **asdict(firing)} for b, firing in found])
        return
    if not found:
        say("no neuron fired")
        return
    _show_firings(T, found)


@memory.command("promoted")
def promoted(
    file: ModelFile,
    neuron: Annotated[str, typer.Argument(metavar="NEURON", help="A name, or a number; a name wins over a number.")],
    block: Block = 0,
    k: Annotated[int, typer.Option(help="How many classes to list.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show the classes that a neuron's value speaks for and against; later blocks and the final norm are left out."""
    T = load_model(file)
    n, name = _neuron(T, block, neuron)
    found = ws.memory.promoted(T, block, n, k)
    if as_json:
        which = {"block": block, "neuron": n, "name": name}
        print_json({**which, "raised": dict(found.raised), "lowered": dict(found.lowered)})
        return
    title = f"block {block}, neuron {n}" + (f", called {shown(name)}" if name else "")
    rows = Table("class", "logit", right=[1], title=title)
    for label, amount in (*found.raised, *found.lowered[::-1]):
        sign = "+" if amount > 0 else ""
        rows.add(shown(label), f"{sign}{number(amount, T.arithmetic.infinity)}", style="good" if sign else "bad")
    if rows.rows:
        results().print(rows)
    else:
        say(f"{title}: its value changes no logit")


@memory.command("undo")
def undo(file: ModelFile, output: OutputFile) -> None:
    """Take back the last edit."""
    check_outputs(output)
    T = load_model(file)
    save_model(ws.memory.undo(T), output, f"undone: {T.edits[-1].text}")


def _neuron(T: "ws.Transformer", block: int, text: str) -> tuple[int, str]:
    """Return a neuron's number and name; digits are a number only where they are no name."""
    names = lazy.layer_at(T, block).names
    counted = int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else None
    n = lazy.neuron_at(T, block, text if counted is None or text in names else counted)
    if counted is not None and counted != n and counted < len(names):
        say_aside(f"{text} is the name of neuron {n}: for neuron {counted} write 0{text}")
    return n, names[n] if names else ""


def _show_firings(T: "ws.Transformer", found: "list[tuple[int, ws.memory.Firing]]") -> None:
    rows = Table("token", "block", "neuron", "response", "activation", "adds", right=[1, 3, 4])
    ordered = sorted(found, key=lambda row: row[1].position)
    for i, (b, firing) in enumerate(ordered):
        first = i == 0 or ordered[i - 1][1].position != firing.position
        last = i + 1 < len(ordered) and ordered[i + 1][1].position != firing.position
        rows.add(
            f"{firing.position} {shown(firing.token)}" if first else "",
            str(b),
            f"{firing.neuron} {shown(firing.name)}" if firing.name else str(firing.neuron),
            *(number(x, T.arithmetic.infinity) for x in (firing.response, firing.activation)),
            _lanes(T, firing.added),
            style="faint" if firing.response <= 0 else "best" if firing.name else "",
            ends=last,
        )
    results().print(rows)


def _show_facts(T: "ws.Transformer", found: "list[ws.memory.Fact]") -> None:
    rows = Table("fact", "block", "neuron", "key", "value", "margin", right=[1, 2, 5])
    for fact in found:
        name = shown(fact.name) if fact.name else "—"
        cells = (str(fact.block), str(fact.neuron), _lanes(T, fact.key), _lanes(T, fact.value))
        margin = number(fact.margin or 0.0, T.arithmetic.infinity)
        rows.add(name, *cells, margin, style="bad" if fact.response != 1 else "")
    results().print(rows)
    broken = sum(fact.response != 1 for fact in found)
    if broken:
        say(f"{broken} of them do not respond to their key with 1: something else has changed their weights")


def _lanes(T: "ws.Transformer", pattern: Mapping[str, float] | Any) -> str:
    """Return a pattern in a few words, cut after some."""
    parts = [f"{lane}={number(value, T.arithmetic.infinity)}" for lane, value in pattern.items()]
    more = f", … ({len(parts)} in all)" if len(parts) > 6 else ""
    return (", ".join(parts[:6]) + more) or "nothing"
