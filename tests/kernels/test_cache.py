"""Machine code is kept on disk for the next process, and not used once any source that it comes from has changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from numba.core.dispatcher import Dispatcher

import weightsmith
from weightsmith import Fixed
from weightsmith.kernels.packed import compiled
from weightsmith.kernels.packed.carrier import carrier

PREPARE = """
from weightsmith import Fixed
from weightsmith.kernels.packed import compiled
from weightsmith.kernels.packed.carrier import carrier

def counts(name="accumulate"):
    compiled._dispatchers.cache_clear()
    loop = compiled._dispatchers()[name]
    loop.compile(compiled._signatures(carrier(Fixed(4, 4)))[name])
    return sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values())
"""
CHANGE_EACH = """
from pathlib import Path
print(counts())
for module in compiled.MODULES:
    path = Path(module.__file__)
    before = path.read_bytes()
    path.write_bytes(before + b"# changed\\n")
    print(module.__name__, *counts())
    path.write_bytes(before)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a copy of the sources, and an empty cache."""
    folder = tmp_path_factory.mktemp("copy")
    source = Path(weightsmith.__file__).parent
    shutil.copytree(source, folder / "weightsmith", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def said(folder: Path, script: str) -> str:
    """Run a script on the copy in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-c", PREPARE + script]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_a_second_process_finds_the_machine_code_and_a_change_of_any_source_misses_it(copy: Path) -> None:
    assert said(copy, "print(counts())") == "(0, 1)\n"
    assert said(copy, "print(counts())") == "(1, 0)\n"
    first, *changed = said(copy, CHANGE_EACH).splitlines()
    assert first == "(1, 0)"
    assert changed == [f"{module.__name__} 0 1" for module in compiled.MODULES]


def reached(function: Any, found: set[ModuleType]) -> None:
    """Collect the modules of Weightsmith whose functions a function can call."""
    plain = function.py_func if isinstance(function, Dispatcher) else function
    if not isinstance(plain, FunctionType) or not plain.__module__.startswith("weightsmith."):
        return
    module = sys.modules[plain.__module__]
    if module not in found:
        found.add(module)
        for value in vars(module).values():
            reached(value, found)


def test_the_stamp_covers_every_module_that_the_loops_are_compiled_from() -> None:
    found: set[ModuleType] = set()
    for loop in compiled.LOOPS:
        reached(loop, found)
    names = {module.__name__ for module in compiled.MODULES}
    assert {module.__name__ for module in found} <= names
    # intrinsics and types of rules are no functions: the modules that they come from are named here
    assert names >= {"weightsmith.kernels.packed.instructions", "weightsmith.kernels.packed.rules"}
    assert set(compiled._signatures(carrier(Fixed(4, 4)))) == {loop.__name__ for loop in compiled.LOOPS}
