"""weightsmith exercise."""

from pathlib import Path
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.ending import Refuted, Unknown
from weightsmith.cli.output import AsJson, check_outputs, memory_bytes, print_json, say, say_aside, say_written
from weightsmith.errors import FileError, InputError, shown
from weightsmith.storage import refusals, write_whole
from weightsmith.tables import Table

exercise = typer.Typer(
    help="Ten exercises: write heads and neurons, and have them checked on every input.",
    invoke_without_command=True,
    rich_markup_mode="rich",
)

Which = Annotated[str, typer.Argument(metavar="EXERCISE", help="Its number, or its name: 3, previous.")]
Seconds = Annotated[float, typer.Option(help="CPU time of one file, in seconds; waiting may take three times that.")]
Memory = Annotated[float, typer.Option(help="Memory of one file, in GiB, Python and numpy included.")]


@exercise.callback()
def options(context: typer.Context) -> None:
    """Ten exercises: write heads and neurons, and have them checked on every input."""
    if context.invoked_subcommand is None:
        list_()


@exercise.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the exercises."""
    tasks = ws.exercises.EXERCISES
    if as_json:
        print_json([{"number": task.number, "name": task.name, "title": task.title} for task in tasks])
        return
    shown_tasks = Table("", "name", "exercise", right=(0,))
    for task in tasks:
        shown_tasks.add(str(task.number), task.name, task.title)
    say(str(shown_tasks))
    say_aside("next: weightsmith exercise show 1, then weightsmith exercise start 1")


@exercise.command()
def show(which: Which) -> None:
    """Print the statement of an exercise."""
    task = ws.exercises.exercise(which)
    say(str(task))
    say_aside(f"begin: weightsmith exercise start {task.number}")


@exercise.command()
def hint(
    which: Which,
    number: Annotated[int, typer.Argument(metavar="[HINT]", help="Which hint: 1 is the first.")] = 1,
) -> None:
    """Print one hint."""
    task = ws.exercises.exercise(which)
    say(task.hint(number))
    if number < task.hints:
        say_aside(f"the next of {task.hints}: weightsmith exercise hint {task.number} {number + 1}")


@exercise.command()
def start(
    which: Which,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write.", show_default=False)
    ] = None,
) -> None:
    """Write a file to begin with: it runs, and its answer is wrong."""
    task = ws.exercises.exercise(which)
    path = output or Path(f"{task.number:02}-{task.name}.py")
    with refusals("cannot write", path):
        if path.exists():
            raise FileError("it exists: write -o with another name, or remove it first")
        write_whole(path, task.template.encode())
    say_written(path)
    say_aside(f"change it, then: weightsmith exercise check {shown(str(path))}")


@exercise.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Python file that defines `answer`.")],
    seconds: Seconds = 10.0,
    memory: Memory = 2.0,
    as_json: AsJson = False,
) -> None:
    """Grade one file. Exit code 1 when its answer is refuted, 2 when the file gives none, 3 when nothing is known."""
    grade = ws.exercises.grade_file(file, ws.exercises.Limits(seconds=seconds, memory=memory_bytes(memory)))
    if as_json:
        print_json(grade.to_json())
    elif grade.result != "error":
        say(str(grade))
    if grade.result == "refuted":
        if grade.counterexample is not None and not as_json:
            say_aside(
                f"see why: write print(ws.run(answer, {grade.counterexample!r})) at the end of the file, and run it"
            )
        raise Refuted
    if grade.result == "unknown":
        raise Unknown
    if grade.result == "error":
        raise InputError(f"{shown(str(file))}: {grade.message}")


@exercise.command("grade")
def grade_(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of files, or of folders of students.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the grades here, as CSV.")] = None,
    seconds: Seconds = 10.0,
    memory: Memory = 2.0,
    workers: Annotated[int | None, typer.Option(help="How many files run at once.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Grade every .py file of a folder, each in a process with limits. Whatever a file does, the others are graded."""
    check_outputs(output)
    limits = ws.exercises.Limits(seconds=seconds, memory=memory_bytes(memory))
    with lazy.shown_progress("grading", "files") as report:
        book = ws.exercises.grade_folder(folder, limits, workers, report)
    if output is not None:
        book.save_csv(output)
    if as_json:
        print_json([{"student": row.student, "file": row.file, **row.grade.to_json()} for row in book])
    else:
        say(str(book))
    if {"landlock", "seccomp"} - set(book.protection):
        say_aside("this kernel lacks Landlock or seccomp: only Python itself kept the files from doing harm")
    if output is not None:
        say_written(output)
