"""Write the notebooks of the documentation: `make notebooks` writes them to docs/notebooks/.

They are made of the pages: text becomes Markdown, Python becomes code, a live figure becomes a cell that shows the run,
a console transcript becomes a shell cell. What a page prints is left out, because the cell prints it. Outputs are never
stored, so that a notebook is the same text on every machine.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weightsmith.exercises import EXERCISES

DOCS = Path(__file__).parent
FOLDER = DOCS / "notebooks"
FENCE = re.compile(r"^```(\S*)[ \t]*(.*?)\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")
OPTION = re.compile(r"^:([a-z-]+):[ \t]*(.*)$", re.MULTILINE)
LIBRARY = re.compile(r"(?<![.\w])(associations|bank|contains|eiffel|fish)\(")
SHOWN = re.compile(r"[a-zA-Z]\w*$|ws(\.\w+)+\(")  # a variable, or a call of Weightsmith
SHELL = "%%script --no-raise-error sh\n"
BESIDE = "from IPython.display import HTML\nfrom weightsmith.studio import in_notebook\n\n"
START = """\
{title}

{about}

This notebook is made of [the documentation]({page}). Run the cells from top to bottom: `Shift+Enter` runs one. It needs
Weightsmith and {needs}. The figures are live: type other inputs, and step with the arrow keys.
"""


@dataclass(frozen=True)
class Notebook:
    """A notebook: its title, what it is about, and the pages that it is made of."""

    title: str
    about: str
    pages: tuple[str, ...]
    figure: str = ""  # shown after the first code cell
    needs: str = "nothing else"


NOTEBOOKS = {
    "tutorial": Notebook(
        "Tutorial", "In ten minutes you write a transformer by hand, run it, break it and prove it.", ("tutorial.md",)
    ),
    "lecture": Notebook(
        "The lecture",
        "Attention that moves information, neurons that recall facts, and how a word is chosen.",
        ("lecture/eiffel.md", "lecture/facts.md", "lecture/output.md"),
    ),
    "interpretability": Notebook(
        "Interpretability",
        "Methods that look into a run, on a model whose mechanism is known.",
        ("inspect.md",),
        figure="r",
    ),
    "from-tracr": Notebook(
        "Coming from Tracr and TransformerLens",
        "A RASP program becomes a model of TransformerLens: its cache is the run, its hooks act, its circuit is known.",
        ("from-tracr.md",),
        figure="T",
        needs="its extra `export`",
    ),
    "theory": Notebook(
        "Theory",
        "Number systems with their laws, rewrites that keep every decision, and the exact automaton of a transformer.",
        ("arithmetic.md", "rewrites.md", "claims.md", "automata.md"),
    ),
}


def cells_of(page: str) -> Iterator[tuple[str, str]]:
    """Yield the cells of a page: each is "markdown" or "code", with its text."""
    text, end = (DOCS / page).read_text(encoding="utf-8"), 0
    for fence in FENCE.finditer(text):
        yield from prose(text[end : fence.start()])
        yield from cells_of_fence(fence[1], fence[2], fence[3])
        end = fence.end()
    yield from prose(text[end:])


def cells_of_fence(kind: str, argument: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the cells of a fenced block; blocks that only a page needs have none."""
    if kind == "python":
        yield "code", shown_at_the_end(text.strip())
    elif kind == "console":
        commands = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
        yield "code", SHELL + "\n".join(commands)
    elif kind == "{run}":
        options = dict(OPTION.findall(text))
        yield from prose(OPTION.sub("", text))
        yield "code", figure(argument, options)
    elif kind not in ("text", "{toctree}"):
        yield "markdown", f"```{kind}\n{text}```"


def shown_at_the_end(code: str) -> str:
    """Return code whose last line shows a thing instead of printing it: a notebook has figures and tables."""
    last = ast.parse(code).body[-1]
    if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Call) or last.value.keywords:
        return code
    call = last.value
    if ast.unparse(call.func) != "print" or len(call.args) != 1 or not SHOWN.match(ast.unparse(call.args[0])):
        return code
    before = "".join(code.splitlines(keepends=True)[: last.lineno - 1])
    inside = ast.get_source_segment(code, call.args[0])
    return f"{before}{inside}"


def figure(expression: str, options: dict[str, str]) -> str:
    """Return the code that shows a live figure."""
    first, second = (LIBRARY.sub(r"ws.library.\1(", text) for text in (expression, options.get("beside", expression)))
    shown = run_of(first, options)
    if not {"beside", "beside-input"} & options.keys():
        return shown
    beside = run_of(second, {"input": options.get("beside-input", options["input"])})
    return f"{BESIDE}HTML(in_notebook({shown}, '', beside={beside}))"


def run_of(model: str, options: dict[str, str]) -> str:
    """Return the code of a run, or of the model if there is no input."""
    return f"ws.run({model}, {json.dumps(options['input'], ensure_ascii=False)})" if "input" in options else model


def prose(text: str) -> Iterator[tuple[str, str]]:
    """Yield a Markdown cell, if there is any text; links lead from the folder of the notebooks."""
    if text.strip():
        yield "markdown", LINK.sub(r"](../\1)", text.strip())


def notebook_of(name: str) -> list[tuple[str, str]]:
    """Return the cells of a notebook."""
    if name == "exercises":
        return list(exercises())
    given = NOTEBOOKS[name]
    page = f"../{given.pages[0]}"
    start = START.format(title=f"# {given.title}", about=given.about, page=page, needs=given.needs)
    cells = [("markdown", start)]
    for page in given.pages:
        cells += cells_of(page)
    if len(given.pages) == 1:  # its title is that of the notebook
        cells[1] = ("markdown", cells[1][1].partition("\n")[2].strip())
    if given.figure:
        place = next(n for n, (kind, _) in enumerate(cells) if kind == "code")
        cells.insert(place + 1, ("code", given.figure))
    return cells


def exercises() -> Iterator[tuple[str, str]]:
    """Yield the cells of the exercises: the statement, the template, the check."""
    about = "Ten exercises, from one neuron to an induction head. Change the code of each, run it, and then the check."
    yield "markdown", START.format(title="# Exercises", about=about, page="../exercises.md", needs="nothing else")
    for task in EXERCISES:
        yield "markdown", f"## {task.number}. {task.title}\n\n{task.statement}"
        yield "code", re.sub(r"\nexercise = \d+\n", "", task.template).strip()
        yield "code", f"E = ws.exercises.exercise({task.number})\nE.check(answer)"
        yield (
            "code",
            f"# {task.hints} hints, one at a time: remove the next #, and change the number\n# print(E.hint(1))",
        )


def written(name: str) -> str:
    """Return the text of a notebook file."""
    cells: list[dict[str, Any]] = []
    for number, (kind, text) in enumerate(notebook_of(name)):
        cell = {"cell_type": kind, "id": f"{name}-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write all notebooks."""
    FOLDER.mkdir(exist_ok=True)
    for name in (*NOTEBOOKS, "exercises"):
        (FOLDER / f"{name}.ipynb").write_text(written(name), encoding="utf-8")


if __name__ == "__main__":
    main()
