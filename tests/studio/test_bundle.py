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
for (const configFile of ["vite.config.ts", "vite.studio.config.ts"]) {
    await build({ configFile, logLevel: "error", build: { outDir: process.argv[1] } });
}
"""  # as npm run build does, but by one process
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


@pytest.mark.long
def test_the_sources_have_no_wrong_types_and_one_layout() -> None:
    in_web("npx", "--no-install", "svelte-check", "--tsconfig", "./tsconfig.json", "--fail-on-warnings")
    in_web("npx", "--no-install", "prettier", "--check", ".")


def test_the_licences_of_what_is_inside_are_carried_along() -> None:
    assert "svelte" in (CARRIED / "LICENSES.md").read_text().lower()
