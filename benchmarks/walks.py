"""Print the size of the project and the files that five calls cross: `python -m benchmarks.walks`.

A walk is one call, made a second time, so that imports and compilation are over. A crossing is a call from one file of
Weightsmith into another. `--write` puts the walks into CONTRIBUTING.md.
"""

import argparse
import ast
import re
import statistics
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import weightsmith as ws
from weightsmith.kernels.engines import engine_for

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "weightsmith"
NORMALISING = {"exp", "softmax", "Exp", "Softmax", "ReduceMax", "argmax"}
PAGE, MARK = ROOT / "CONTRIBUTING.md", "<!-- python -m benchmarks.walks --write: everything below -->\n"
PROGRAM = "hist = selector_width(select(tokens, tokens, ==));"


@dataclass
class Walk:
    """The files of Weightsmith that a call enters, in order, and how often it goes from one to another."""

    files: dict[str, None] = field(default_factory=dict)
    crossings: int = 0

    def heard(self, frame: FrameType, event: str, _: Any) -> None:
        """Take note of a call, as `sys.setprofile` wants it."""
        if event == "call" and (callee := frame.f_code.co_filename).startswith(str(SOURCES)):
            self.files.setdefault(Path(callee).relative_to(SOURCES).as_posix())
            self.crossings += _caller(frame) not in (None, callee)


def _caller(frame: FrameType | None) -> str | None:
    """Return the nearest file of Weightsmith from which the call came."""
    while frame is not None and (frame := frame.f_back) is not None:
        if frame.f_code.co_filename.startswith(str(SOURCES)):
            return frame.f_code.co_filename
    return None


def walk(call: Callable[[], object]) -> Walk:
    """Follow one call, in all threads that it starts."""
    call()
    found = Walk()
    threading.setprofile(found.heard)
    sys.setprofile(found.heard)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def calls() -> dict[str, tuple[str, Callable[[], object]]]:
    """Return the calls that a newcomer should know, on a small model, each with what it does."""
    T = ws.library.contains("1")
    form = ws.infinity_form(T)
    for model in (T, form):  # else the reference would run these checks, as it does the first small ones of a process
        engine_for(model, "left", every_value=False).ready()
    return {
        'ws.run(T, "0110")': (
            "Tokens become ids. The reference run evaluates one sublayer after the other with the operations of the "
            "arithmetic. The run keeps every value.",
            lambda: ws.run(T, "0110"),
        ),
        "ws.check.same_decisions(T, form, up_to=6)": (
            "A claim is planned as shards of inputs. Packed kernels run each shard; a ledger records what is finished.",
            lambda: ws.check.same_decisions(T, form, up_to=6),
        ),
        "ws.infinity_form(T)": (
            "Laws of the arithmetic are checked first. The model is widened, and new blocks write the answer.",
            lambda: ws.infinity_form(T),
        ),
        'ws.check.recognizes(T, "0*1(0|1)*")': (
            "For all lengths: short inputs first, as above. Then the automaton of the model is extracted, block by "
            "block, and compared with that of the expression. `verify.py` checks the proof.",
            lambda: ws.check.recognizes(T, "0*1(0|1)*"),
        ),
        "ws.programs.compile_rasp(PROGRAM, ...)": (
            "Text becomes a graph. The compiler chooses a code for every value, then heads and neurons, then lanes. "
            "The proof reads the weights again without the compiler.",
            lambda: ws.programs.compile_rasp(PROGRAM, vocabulary="abc", max_length=5),
        ),
    }


def markdown() -> Iterator[str]:
    """Yield the walks as paragraphs; files of one folder that follow each other stand in one item."""
    for name, (meaning, call) in calls().items():
        found = walk(call)
        stops = [(folder, [Path(file).stem for file in files]) for folder, files in groupby(found.files, _folder)]
        way = " → ".join(f"`{folder}/` `{', '.join(stems)}`" for folder, stems in stops)
        yield f"**`{name}`**: {len(found.files)} files, {found.crossings} crossings. {meaning}\n\n> {way}"


def _folder(file: str) -> str:
    return Path("weightsmith", file).parent.as_posix().removeprefix("weightsmith/")


def spread(numbers: list[int]) -> str:
    """Say how many there are, their median and the size below which nine tenths of them are."""
    ninth = statistics.quantiles(numbers, n=10)[-1]
    return f"{len(numbers):,}, median {statistics.median(numbers):.0f}, p90 {ninth:.0f} lines"


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function, also those within others."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def late_imports(tree: ast.AST) -> int:
    """Count the imports inside functions."""
    nodes = {node for function in functions(tree) for node in ast.walk(function)}
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)


def turns_scores_into_weights(tree: ast.AST) -> bool:
    """Say whether a function names scores and normalises something; a heuristic, to compare two states of the house."""
    for function in functions(tree):
        names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
        names |= {str(node.value) for node in ast.walk(function) if isinstance(node, ast.Constant)}
        if names & NORMALISING and any(re.fullmatch("_?scores?", name) for name in names):
            return True
    return False


def lines(paths: list[Path]) -> list[int]:
    """Return the number of lines of each file."""
    return [len(path.read_text(encoding="utf-8").splitlines()) for path in paths]


def figures() -> Iterator[str]:
    """Yield the sizes of the folders, one a line."""
    source = sorted(SOURCES.rglob("*.py"))
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in source}
    web = [path for kind in ("ts", "svelte", "css") for path in sorted((ROOT / "web").glob(f"src/**/*.{kind}"))]
    for name, paths in (("src", source), ("web", web), ("tests", sorted((ROOT / "tests").rglob("*.py")))):
        sizes = lines(paths)
        yield f"{name}: {sum(sizes):,} lines; files {spread(sizes)}"
    bodies = [(node.end_lineno or 0) - node.lineno + 1 for tree in trees.values() for node in functions(tree)]
    yield f"functions of src: {spread(bodies)}"
    yield f"imports inside functions of src: {sum(map(late_imports, trees.values()))}"
    homes = [str(path.relative_to(SOURCES)) for path, tree in trees.items() if turns_scores_into_weights(tree)]
    yield f"homes of scores to weights: {len(homes)}: {', '.join(homes)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the walks into CONTRIBUTING.md")
    written = parser.parse_args().write
    print(*figures(), sep="\n")
    walked = "\n\n".join(markdown())
    print(walked)
    if written:
        before, middle, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
        PAGE.write_text(f"{before}{middle}\n{walked}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
