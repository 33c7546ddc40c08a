"""The component that the package carries is what its sources give, wherever there is Node to build it with."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CARRIED = ROOT / "src/weightsmith/studio/page"
BUILD = """
import { build } from "vite";
await build({ logLevel: "error", build: { outDir: process.argv[1] } });
"""  # as npm run build does
WITHOUT_NODE = "there is no Node here, so the component of the page was not compared with its sources"


def in_web(*command: str) -> None:
    """Run a program beside web/node_modules, which `make test` installs."""
    if shutil.which("node") is None:
        if os.environ.get("CI"):
            pytest.fail(WITHOUT_NODE)
        pytest.skip(WITHOUT_NODE)
    assert (ROOT / "web/node_modules").is_dir(), (
        "web/node_modules is missing: write make test, or npm --prefix web install"
    )
    done = subprocess.run(command, cwd=ROOT / "web", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_committed_component_is_what_the_sources_give(tmp_path: Path) -> None:
    in_web("node", "--input-type=module", "--eval", BUILD, str(tmp_path / "page"))
    built = {path.name: path.read_bytes() for path in (tmp_path / "page").iterdir()}
    assert built.keys() == {path.name for path in CARRIED.iterdir()}, "write make web, and commit what it builds"
    for name, content in built.items():
        assert content == (CARRIED / name).read_bytes(), f"{name} is not what web/ gives: write make web, and commit it"


def test_the_studio_loads_the_component_and_does_not_carry_it_again() -> None:
    studio, component = (CARRIED / "studio.js").read_text(), CARRIED / "weightsmith.js"
    assert 'from"./weightsmith.js"' in studio
    assert len(studio) < component.stat().st_size / 4
    assert "import{" not in component.read_text()[:1000], "the component is one file: it imports nothing"


def test_the_licences_of_what_is_inside_are_carried_along() -> None:
    assert "svelte" in (CARRIED / "LICENSES.md").read_text().lower()
