"""What is published: the sdist has every file, its tests pass, and the wheel works without the source tree."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from weightsmith import __version__

ROOT = Path(__file__).parents[1]
ADDED_BY_THE_BUILD = {".gitignore", "LICENSE", "pyproject.toml"}
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "COV"))}
SAMPLE = (
    "tests/claims",
    "tests/files",
    "tests/test_pages.py",
    "tests/train/test_page.py",
    "docs/tutorial.md",
    "README.md",
)
USE = """
import weightsmith as ws
assert "site-packages" in ws.__file__, ws.__file__
T = ws.library.contains("1")
assert ws.run(T, "0010").decision == "YES"
assert ws.check.recognizes(T, "0*1(0|1)*").holds
assert ws.programs.compile_ltl("O a", "ab").transformer.vocabulary == ("a", "b")
ws.run(T, "0010").save_html("run.html")
"""
WITHOUT_POSIX = """
import os, sys
sys.modules["fcntl"] = sys.modules["resource"] = None
del os.sched_getaffinity, os.O_NONBLOCK, os.O_NOFOLLOW
import weightsmith as ws
import weightsmith.__main__, weightsmith.cli.verbs
for name in ws.__all__:
    getattr(ws, name)
T = ws.library.contains("1")
assert ws.check.same_decisions(T, ws.infinity_form(T), up_to=5, ledger="check.ledger").holds
ws.save(T, "model.safetensors")
assert ws.load("model.safetensors") == T
ws.run(T, "01").save_html("run.html")
"""


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    done = subprocess.run(command, cwd=folder, env=CLEAN | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked(*options: str) -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("an unpacked sdist has no git: there is nothing to compare with")
    return run("git", "ls-files", *options, folder=ROOT).splitlines()


def test_every_tracked_file_is_in_the_sdist() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    tops = {name.split("/")[0] for name in tracked()} - ADDED_BY_THE_BUILD
    assert not {top for top in tops if not any(fnmatch(f"/{top}", pattern) for pattern in included)}
    assert tracked("-ci", "--exclude-standard") == []  # the build leaves out files that git ignores


def test_citation_and_change_log_name_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    change_log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+) \((?:unreleased, )?\d{4}-\d\d-\d\d\)$", change_log, re.MULTILINE)
    assert newest is not None
    assert newest.group(1) == __version__


def test_a_commit_and_a_push_run_what_make_test_runs() -> None:
    entries = re.findall(r"entry: (.*)", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert entries.pop() == "make test"
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("$(BIN)", ".venv/bin")
    for entry in entries:
        assert f"\t{entry}\n" in makefile


def test_everything_imports_where_the_system_has_no_locks_and_no_affinity(tmp_path: Path) -> None:
    run(sys.executable, "-c", WITHOUT_POSIX, folder=tmp_path, PYTHONPATH=str(ROOT / "src"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an sdist, and a wheel from it, with a `build` of its own."""
    folder = tmp_path_factory.mktemp("distribution")
    run(sys.executable, "-m", "venv", folder / "builder", folder=folder)
    python = folder / "builder" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "build>=1.2", folder=folder)
    run(python, "-m", "build", "--outdir", folder, ROOT, folder=folder)
    with tarfile.open(folder / f"weightsmith-{__version__}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.mark.long
def test_the_sdist_that_is_built_has_every_tracked_file(built: Path) -> None:
    unpacked = built / f"weightsmith-{__version__}"
    assert set(tracked()) <= {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}


@pytest.mark.long
def test_the_tests_of_the_sdist_pass_in_the_sdist(built: Path) -> None:
    unpacked = built / f"weightsmith-{__version__}"
    run(sys.executable, "-m", "pytest", *SAMPLE, folder=unpacked, PYTHONPATH=str(unpacked / "src"))


@pytest.mark.long
def test_the_wheel_works_in_an_empty_environment(built: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "empty", folder=tmp_path)
    programs = tmp_path / "empty" / "bin"
    wheel = built / f"weightsmith-{__version__}-py3-none-any.whl"
    run(programs / "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel, folder=tmp_path)
    run(programs / "python", "-I", "-c", USE, folder=tmp_path)
    assert 'id="weightsmith-model"' in (tmp_path / "run.html").read_text(encoding="utf-8")
    weightsmith = programs / "weightsmith"
    assert __version__ in run(weightsmith, "--version", folder=tmp_path)
    run(weightsmith, "new", "contains", "--symbol", "1", "-o", "model.safetensors", folder=tmp_path)
    claim = ("check", "recognizes", "model.safetensors", "--regex", "0*1(0|1)*", "--certificate", "proof.json")
    assert "proved for all lengths" in run(weightsmith, *claim, folder=tmp_path)
    run(programs / "python", "-m", "weightsmith.verify", "model.safetensors", "proof.json", folder=tmp_path)
