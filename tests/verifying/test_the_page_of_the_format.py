"""The page on the format of proofs names just the fields that the checker asks for."""

import ast
import re
from dataclasses import fields
from pathlib import Path

from weightsmith import verify

PAGE = Path(__file__).parents[2] / "docs" / "proof-format.md"


def fields_of_tables(part: str) -> set[str]:
    """Return what stands in code in the first column of the tables of a part of the page."""
    rows = re.findall(r"^\| (`.*?) \|", part, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def part_of(title: str) -> str:
    text = PAGE.read_text()
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def asked_for() -> set[frozenset[str]]:
    """Return the keys of every kind of entry that the checker reads: those of its classes, and of `fields_of`."""
    classes = {frozenset(field.name for field in fields(entry)) for entry in verify.ENTRIES}
    calls = [node for node in ast.walk(ast.parse(Path(verify.__file__).read_text())) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "fields_of"]
    return classes | {
        frozenset(str(key.value) for key in call.args[1:] if isinstance(key, ast.Constant)) for call in named
    }


def test_the_fields_of_a_certificate_are_those_that_are_read() -> None:
    assert fields_of_tables(part_of("The claim")) == verify.CERTIFICATE | verify.OPTIONAL


def test_the_fields_of_a_proof_are_those_that_are_read() -> None:
    text = PAGE.read_text()
    wanted = {"queries", "view", "readings", "machine", "weights", "any_sum", "classes", "tree"}
    tables = part_of("Blocks").partition("What is guessed")[0] + part_of("Blocks").partition("A reading has")[2]
    assert fields_of_tables(tables) == wanted
    for keys in asked_for():
        assert all(f"`{key}`" in text or f'"{key}"' in text for key in keys), keys
    assert {"queries", "view", "readings"} in asked_for()
    assert {"view", "machine", "weights", "any_sum"} in asked_for()
    assert {"classes", "view", "tree"} in asked_for()
    assert {"machines", "blocks", "decisions"} in asked_for()
