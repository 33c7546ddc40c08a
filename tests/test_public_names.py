"""What is public: it has documentation, real parameters, and a place in the reference."""

import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import weightsmith as ws
from tests.command_line import run_command

ROOT = Path(__file__).parent.parent


def public() -> Iterator[tuple[str, object]]:
    """Give every public name as one writes it, and what it stands for; of a module also the names in it."""
    for name in sorted(set(ws.__all__) - {"__version__"}):
        thing = getattr(ws, name)
        if isinstance(thing, ModuleType):
            assert thing.__doc__
            for inner in thing.__all__:
                yield f"weightsmith.{name}.{inner}", getattr(thing, inner)
        else:
            yield f"weightsmith.{name}", thing


NAMES = dict(public())


NAMES_OF_THE_CALLER = ("weightsmith.compose",)  # its keywords are names in the formula


@pytest.mark.parametrize("name", [name for name, thing in NAMES.items() if inspect.isroutine(thing)])
def test_help_shows_the_real_parameters_of_every_public_function(name: str) -> None:
    for parameter in inspect.signature(NAMES[name]).parameters.values():  # type: ignore[arg-type]
        named = parameter.kind is not parameter.VAR_KEYWORD or name in NAMES_OF_THE_CALLER
        assert named, f"{name} hides its parameters behind **{parameter.name}"
        assert parameter.annotation is not parameter.empty, f"{name} does not say what {parameter.name} is"


@pytest.mark.parametrize("name", [name for name, thing in NAMES.items() if callable(thing)])
def test_every_public_function_and_class_says_what_it_is(name: str) -> None:
    text = inspect.getdoc(NAMES[name]) or ""
    first = text.split("\n\n")[0]
    assert first, f"{name} has no documentation"
    assert first.rstrip().endswith((".", ":")), f"the first line of {name} is no sentence: {first!r}"
    generated = f"{name.rpartition('.')[2]}("
    assert not text.startswith(generated), f"{name} has only the signature that dataclasses write"


def test_the_guide_that_help_begins_with_names_only_what_exists() -> None:
    for name in re.findall(r"ws\.([A-Za-z_][A-Za-z_.]*[A-Za-z_])", ws.__doc__ or ""):
        thing: object = ws
        for part in name.split("."):
            thing = getattr(thing, part)


BUILD = """
import sys
from sphinx.cmd.build import main
sys.exit(main(["-W", "--keep-going", "-q", "-b", "html", {source!r}, {folder!r}]))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the documentation, with warnings as errors, in a process that has loaded what it documents."""
    folder = tmp_path_factory.mktemp("html")
    build = BUILD.format(source=str(ROOT / "docs"), folder=str(folder))
    result = run_command(folder=ROOT, environment=os.environ, before=build)
    assert result.returncode == 0, result.stderr
    return folder


def test_the_reference_has_every_public_name(built: Path) -> None:
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((built / "objects.inv").read_bytes(), uri="")
    listed = {name for kind, names in inventory.data.items() if kind.startswith("py:") for name in names}
    lacking = sorted(set(NAMES) - listed)
    assert not lacking, f"docs/api.md lacks {lacking}"
