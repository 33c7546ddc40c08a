"""weightsmith circuits."""

from pathlib import Path
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.output import AsJson, check_outputs, print_json, say, say_aside, say_written
from weightsmith.errors import cut, shown
from weightsmith.tables import Table

circuits = typer.Typer(
    help="Models whose circuit is known: make a benchmark of them, and score methods that look for circuits.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the benchmark.")]


@circuits.command()
def programs(as_json: AsJson = False) -> None:
    """List the programs of the benchmark, from easy to hard."""
    tasks = ws.circuits.TASKS
    if as_json:
        print_json([{"name": t.name, "difficulty": t.difficulty, "description": t.description} for t in tasks])
        return
    listing = Table("name", "difficulty", "what it computes")
    for task in tasks:
        listing.add(task.name, task.difficulty, task.description)
    say(str(listing))


@circuits.command()
def make(
    directory: Folder,
    programs: Annotated[
        str, typer.Option(help="Names of programs, easy, medium or hard, with commas; or how many; or all.")
    ] = "all",
    kinds: Annotated[
        str,
        typer.Option(
            help="Kinds of models, with commas: exact, softmax, gradients, rotated, distracted, compressed, trained."
        ),
    ] = "exact",
    verify: Annotated[
        str, typer.Option(help="quick or full: how long exports are searched for differences.")
    ] = "quick",
    exports: Annotated[
        str, typer.Option(help="Forms for other libraries: hugging-face,transformer-lens; or none.")
    ] = "hugging-face,transformer-lens",
    as_json: AsJson = False,
) -> None:
    """Make a benchmark, or go on with one: models that exist are kept."""
    with lazy.shown_progress("making", "models") as report:
        index = ws.circuits.make(directory, programs, kinds, verify=verify, exports=exports, progress=report)  # type: ignore[arg-type]
    if as_json:
        print_json(index)
    else:
        counts = Table("kind", "models", "refused", right=(1, 2))
        for kind in dict.fromkeys(row["kind"] for row in [*index["models"], *index["refused"]]):
            counts.add(kind, *(str(sum(row["kind"] == kind for row in index[of])) for of in ("models", "refused")))
        say(str(counts))
        for row in index["refused"]:
            say_aside(f"refused: {row['kind']}/{row['program']}: {cut(row['reason'], 300)}")
    say_written(directory)


@circuits.command()
def find(
    directory: Folder,
    method: Annotated[str, typer.Option(metavar="METHOD", help="zero, mean, patching, attribution or integrated.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The JSON file to write.")],
    models: Annotated[str | None, typer.Option(help="Only these, with commas: exact/sort.", show_default=False)] = None,
) -> None:
    """Run a method of circuit discovery on every model, and write its scores."""
    check_outputs(output)
    ws.circuits.method_of(method)
    names = None if models is None else [name.strip() for name in models.split(",")]
    entries = ws.circuits.read_benchmark(directory, names)
    with lazy.shown_progress("finding", "models") as report:
        found = ws.circuits.find(method, entries, report)
    ws.circuits.write_results(output, method, found)
    say_written(output)
    say_aside(
        f"next: weightsmith circuits score {shown(str(directory))} {shown(str(output))}{' --some' if models else ''}"
    )


@circuits.command()
def score(
    directory: Folder,
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A JSON file: scores of edges, or of nodes.")],
    some: Annotated[bool, typer.Option("--some", help="Score the models in the file; others may be missing.")] = False,
    per_model: Annotated[bool, typer.Option("--per-model", help="Print a row for each model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score what a method found against the true circuits."""
    entries = ws.circuits.read_benchmark(directory)
    method, found = ws.circuits.read_results(results, entries, some=some)
    with lazy.shown_progress("scoring", "models") as report:
        scored = ws.circuits.score(method, found, entries, report)
    if as_json:
        print_json(scored.to_json())
        return
    say_aside(f"method: {shown(method)}" if method else "the results name no method")
    say(str(scored.per_model() if per_model else scored))
    say_aside(
        "ROC AUC of edges against all others, silent ones and unconnected ones; average precision and precision at k; "
        "AUC of nodes; share of test pairs and of all inputs whose answers stay with the k best edges only"
    )
