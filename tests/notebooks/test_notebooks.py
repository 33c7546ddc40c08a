"""The notebooks are those of their sources, and run from top to bottom in a real kernel."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "notebooks"
# Live figures of each, at least
FRAMES = {"tutorial": 4, "lecture": 7, "exercises": 10, "interpretability": 1, "from-tracr": 1, "theory": 5}
ALWAYS = "exercises"  # the others run for longer


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_notebooks", ROOT / "docs" / "write_notebooks.py")
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    sys.modules["write_notebooks"] = module
    spec.loader.exec_module(module)
    return module


writing = _module()


def jupyter_environment(folder: Path) -> dict[str, str]:
    """Return an environment in which Jupyter keeps its files in a folder, and finds the weightsmith of this Python."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    names = ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    own = {name: str(folder / "jupyter") for name in names}
    return {**os.environ, **own, "PATH": path, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *map(str, sys.path)])}


@pytest.mark.parametrize("name", FRAMES)
def test_a_notebook_is_written_from_its_sources(name: str) -> None:
    assert (FOLDER / f"{name}.ipynb").read_text() == writing.written(name), "write make notebooks"


def test_there_are_no_other_notebooks_and_none_has_outputs() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(FRAMES)
    for name in FRAMES:
        cells = json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]
        assert not any(cell.get("outputs") for cell in cells)
        assert not any("```{" in "".join(cell["source"]) for cell in cells)  # directives of Sphinx


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n == ALWAYS else pytest.mark.long) for n in FRAMES])
def test_a_notebook_runs_and_shows_live_figures(name: str, tmp_path: Path) -> None:
    ran = tmp_path / "ran.ipynb"
    command = [sys.executable, str(Path(__file__).with_name("execute.py")), str(FOLDER / f"{name}.ipynb"), str(ran)]
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=jupyter_environment(tmp_path)
    )
    assert result.returncode == 0, result.stderr[-3000:]
    outputs = [output for cell in json.loads(ran.read_text())["cells"] for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert sum("<iframe" in html_of(output) for output in outputs) >= FRAMES[name]


def html_of(output: dict[str, Any]) -> str:
    return "".join(output.get("data", {}).get("text/html", ""))
