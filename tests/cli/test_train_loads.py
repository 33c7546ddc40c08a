"""What training loads, when, and what is said where it is missing."""

from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.test_train import python

WITHOUT_TORCH = """
import sys
for name in ("torch", "matplotlib"):
    sys.modules[name] = None if name == sys.argv[1] else __import__(name)
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


def test_every_name_of_the_stub_exists() -> None:
    stub = Path(ws.train.__file__ or "").with_suffix(".pyi").read_text()
    names = [line.rpartition(" ")[2] for line in stub.splitlines() if line.startswith("from")]
    assert len(names) > 15
    assert set(names) == set(ws.train.__all__) <= set(dir(ws.train))
    assert all(getattr(ws.train, name) is not None for name in names)
