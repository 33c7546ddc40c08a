"""What training loads, when, and what is said where it is missing."""

from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import loaded, python

WITHOUT_TORCH = """
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
for name in ("torch", "matplotlib"):  # one is missing, the other is there: to load it takes its time
    sys.modules[name] = None if name == sys.argv[1] else ModuleType(name)
    if name != sys.argv[1]:
        sys.modules[name].__spec__ = ModuleSpec(name, None)
del sys.argv[1]
import weightsmith as ws
assert ws.train.Shape(lanes=8).lanes == 8
from weightsmith.cli import main
main()
"""


@pytest.mark.parametrize("missing", ["torch", "matplotlib"])
def test_without_torch_it_is_said_what_to_install(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = python("-c", WITHOUT_TORCH, missing, "train", "text.txt")
    assert result.returncode == 2
    assert result.stderr == "error: training needs PyTorch: write pip install 'weightsmith[torch]'\n"
    assert not any(tmp_path.iterdir())


def test_help_and_import_do_not_load_torch() -> None:
    program = """
import sys
sys.argv = ["weightsmith", "train", "--help"]
import weightsmith as ws
from weightsmith.cli import main
ws.train, ws.train.Course(steps=3), ws.train.predicate("contains 11")
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
assert not {"torch", "matplotlib"} & set(sys.modules)
"""
    result = python("-c", program)
    assert result.returncode == 0, result.stderr
    assert "--predicate" in result.stdout


FORBIDDEN = ("weightsmith.check", "weightsmith.kernels.packed")


@pytest.mark.long  # the command below does the same
def test_fitting_a_text_loads_neither_check_nor_compiled_kernels() -> None:
    program = """
import weightsmith as ws
task = ws.train.as_text("the cat sat on the mat " * 20, 8)
ws.train.fit(task, ws.train.Shape(lanes=8, blocks=1, heads=2, neurons=8, context=8), ws.train.Course(steps=2, batch=2))
"""
    assert loaded(program, *FORBIDDEN, "numba", "weightsmith.train.labelled") == "[]"


def test_the_command_that_fits_a_text_loads_neither_check_nor_compiled_kernels(tmp_path: Path) -> None:
    text, model = tmp_path / "text.txt", tmp_path / "m.safetensors"
    text.write_text("the cat sat on the mat " * 20)
    program = f"""
from weightsmith.cli import app
small = "--lanes 8 --blocks 1 --heads 2 --context 8 --steps 2 --batch 2 --activation relu".split()
app(["train", {str(text)!r}, "-o", {str(model)!r}, *small], standalone_mode=False)
"""
    assert loaded(program, *FORBIDDEN, "numba", "weightsmith.train.labelled") == "[]"


def test_every_name_of_the_stub_exists() -> None:
    stub = Path(ws.train.__file__ or "").with_suffix(".pyi").read_text()
    names = [line.rpartition(" ")[2] for line in stub.splitlines() if line.startswith("from")]
    assert len(names) > 15
    assert set(names) == set(ws.train.__all__) <= set(dir(ws.train))
    assert all(getattr(ws.train, name) is not None for name in names)
