"""What a command loads: most of the time that a small one takes is spent on that."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import good, loaded
from weightsmith.cli.verbs import VERBS

HIST = "hist = selector_width(select(tokens, tokens, ==));\n"
RUN = """
import sys
from weightsmith.cli import app
app({arguments!r}, standalone_mode=False)
"""
HEAVY = ("rich", "numpy.ma.core", "numpy.random", "numpy.testing", "numba", "torch", "dask", "safetensors.torch")
TOOLS = ("scipy", "matplotlib")
STANDARD = ("asyncio", "email", "ssl", "http", "multiprocessing", "importlib.metadata", "importlib.resources")
FOLDERS = ("automata", "check", "composition", "export", "inspect", "kernels", "library", "memory", "rewrites", "train")
PROGRAMS = ("ltl", "rasp", "softmax")


def others(verb: str) -> list[str]:
    """Return the modules of all verbs but one."""
    return [f"weightsmith.cli.{other}" for other in VERBS if other != verb]


def test_compile_loads_what_it_needs_and_nothing_else(tmp_path: Path) -> None:
    program, model = tmp_path / "hist.rasp", tmp_path / "m.safetensors"
    program.write_text(HIST)
    arguments = ["compile", str(program), "--vocabulary", "abc", "--max-length", "20", "-o", str(model)]
    ours = [f"weightsmith.{name}" for name in (*FOLDERS, *(f"programs.{name}" for name in PROGRAMS))]
    not_needed = (*HEAVY, *TOOLS, *STANDARD, *ours, *others("compile"))
    assert loaded(RUN.format(arguments=arguments), *not_needed) == "[]"
    assert model.exists()


@pytest.mark.parametrize("verb", ["compile", "run", "check", "memory", "train"])
def test_a_verb_loads_no_other_and_its_help_no_numpy(verb: str) -> None:
    heavy = ("numpy", "numba", "torch", "dask", "safetensors", "weightsmith.model", "weightsmith.files")
    assert loaded(RUN.format(arguments=[verb, "--help"]), *heavy, *others(verb)) == "[]"


def test_help_lists_the_verbs_and_loads_nothing_heavy() -> None:
    assert all(verb in good("--help") for verb in ("demo", "laws", "new", "info", "run"))
    assert loaded(RUN.format(arguments=["--help"]), "numpy", "torch", "numba", "safetensors", "flint") == "[]"


def test_importing_weightsmith_and_running_a_model_loads_neither_torch_nor_numba() -> None:
    program = "import weightsmith as ws\nws.run(ws.library.contains('1'), '01')"
    assert loaded(program, "torch", "numba", "dask", "typer", "rich") == "[]"


def test_the_library_of_rasp_is_read_when_it_is_used() -> None:
    program = """
from weightsmith.programs.text import session
session.Session().run("hist = selector_width(select(tokens, tokens, ==)); twice = length * 2;")
assert session._library.cache_info().currsize == 0
session.Session().run("sorted = sort(tokens, tokens);")
assert session._library.cache_info().currsize == 1
"""
    assert loaded(program, "weightsmith.programs.rasp") == "[]"


def test_every_name_that_is_loaded_late_exists() -> None:
    lazy: Any = import_module("weightsmith.cli.lazy")
    assert len(lazy._homes()) > 30
    assert all(getattr(lazy, name) is not None for name in lazy._homes())
    with pytest.raises(AttributeError):
        lazy.nothing  # noqa: B018
