"""Machine code is kept on disk for the next process, and not used once any source that it comes from has changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba as nb
import pytest
from numba.core.dispatcher import Dispatcher

import weightsmith
from weightsmith import Fixed
from weightsmith.kernels.packed import compiled
from weightsmith.kernels.packed import machine_code as cache
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
    """Return a folder with a copy of the sources, and an empty cache."""
    folder = tmp_path_factory.mktemp("copy")
    source = Path(weightsmith.__file__).parent
    shutil.copytree(source, folder / "weightsmith", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def said(folder: Path, script: str, **others: str) -> str:
    """Run a script on the copy in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache"), **others}
    command = [sys.executable, "-c", PREPARE + script]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def test_another_installation_of_the_same_sources_finds_the_machine_code(copy: Path, tmp_path: Path) -> None:
    home = {"XDG_CACHE_HOME": str(tmp_path / ".cache"), "NUMBA_CACHE_DIR": ""}
    assert said(copy, "print(counts('decide'))", **home) == "(0, 1)\n"
    shutil.copytree(copy / "weightsmith", tmp_path / "weightsmith", ignore=shutil.ignore_patterns("__pycache__"))
    assert said(tmp_path, "print(counts('decide'))", **home) == "(1, 0)\n"
    assert not (tmp_path / "weightsmith/kernels/packed/__pycache__/loops").exists()
    assert (tmp_path / ".cache/weightsmith/loops").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "loops"
    folder.mkdir()
    folder.chmod(mode)
    assert not cache.is_private(folder)


def test_a_folder_of_another_user_and_a_link_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.is_private(tmp_path / "loops")
    (tmp_path / "link").symlink_to(tmp_path / "loops")
    assert not cache.is_private(tmp_path / "link")
    monkeypatch.setattr(os, "getuid", lambda: -1)
    assert not cache.is_private(tmp_path / "loops")


def test_a_folder_that_others_can_only_read_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "loops"
    folder.mkdir()
    folder.chmod(0o755)
    assert cache.is_private(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_vanishes_after_the_declaration_costs_nothing_but_the_cache(tmp_path: Path) -> None:
    double = cache.cached(_doubled, {"nogil": True}, tmp_path / "gone" / "loops")
    assert double(21) == 42


def _doubled(x: int) -> int:
    return 2 * x


@pytest.mark.long
def test_a_second_process_finds_the_machine_code_and_a_change_of_any_source_misses_it(copy: Path) -> None:
    assert said(copy, "print(counts())") == "(0, 1)\n"
    assert said(copy, "print(counts())") == "(1, 0)\n"
    first, *changed = said(copy, CHANGE_EACH).splitlines()
    assert first == "(1, 0)"
    assert changed == [f"{module.__name__} 0 1" for module in compiled.MODULES]
    found = len(list((copy / "cache" / "weightsmith").iterdir()))
    assert found == min(1 + len(compiled.MODULES), cache.KEPT_FOLDERS)


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


def test_the_digest_covers_every_module_that_the_loops_are_compiled_from() -> None:
    found: set[ModuleType] = set()
    for loop in compiled.LOOPS.values():
        reached(loop, found)
    names = {module.__name__ for module in compiled.MODULES}
    assert {module.__name__ for module in found} <= names
    # intrinsics, types of factors and what is found by the type of constants are named here
    package = "weightsmith.kernels.packed"
    assert names >= {f"{package}.{name}" for name in ("instructions", "representation", "integers", "floats")}
    assert set(compiled._signatures(carrier(Fixed(4, 4)))) == set(compiled.LOOPS)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a source, with an empty place for folders."""
    monkeypatch.setattr(nb.config, "CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "source.py"
    path.write_text("1")
    return path


def test_each_state_of_the_sources_and_each_mode_has_a_folder_of_its_own(source: Path) -> None:
    first = cache.folder_for([source], "")
    assert first is not None
    assert first.is_dir()
    assert first == cache.folder_for([source], "")
    assert first != cache.folder_for([source], "checked")
    source.write_text("2")
    assert first != cache.folder_for([source], "")


def test_of_many_folders_those_used_last_stay(source: Path) -> None:
    used = []
    for n in range(cache.KEPT_FOLDERS + 3):
        source.write_text(str(n))
        folder = cache.folder_for([source], "")
        assert folder is not None
        os.utime(folder, (n, n))  # one after the other, whatever the clock of the disk
        used.append(folder)
    left = {folder.name for folder in used if folder.exists()}
    assert used[-1].name in left
    assert len(left) == cache.KEPT_FOLDERS


def test_where_nothing_can_be_written_loops_are_compiled_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("no folder can be made below this")
    monkeypatch.setattr(cache, "_parents", lambda: iter([file / "one", file / "two"]))
    assert cache.folder_for([file], "") is None
    double = cache.cached(lambda x: 2 * x, {"nogil": True}, None)
    assert double(21) == 42
    assert double.stats.cache_path is None


def test_a_place_that_cannot_be_written_to_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("no folder can be made below this")
    monkeypatch.setattr(cache, "_parents", lambda: iter([file / "one", tmp_path / "two"]))
    folder = cache.folder_for([file], "")
    assert folder is not None
    assert folder.parent == tmp_path / "two"
