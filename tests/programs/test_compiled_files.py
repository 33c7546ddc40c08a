"""A compiled program is a plain transformer: saved, loaded, shown and run like any other."""

from pathlib import Path

import pytest

import weightsmith as ws
from tests.programs.examples import EXAMPLES
from tests.studio.engine import Cases
from weightsmith.model import digest
from weightsmith.programs import CompiledProgram, compile, compile_rasp

SORT = """
rank = selector_width(select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <)));
ordered = aggregate(select(rank, indices, ==), tokens, "-");
"""


@pytest.fixture(scope="module")
def sort() -> CompiledProgram:
    return compile_rasp(SORT, "abc", 8)


@pytest.mark.parametrize("name", ["hist in Python", "fraction in Python", "shift by 2 in Python", "dyck2 as text"])
def test_what_is_loaded_says_what_was_saved(name: str, tmp_path: Path) -> None:
    (example,) = (e for e in EXAMPLES if e.name == name)
    P = compile(example.make(), example.vocabulary, 5)
    ws.save(P.transformer, tmp_path / "model.safetensors")
    T = ws.load(tmp_path / "model.safetensors")
    assert digest(T) == digest(P.transformer)
    assert T.provenance == P.transformer.provenance
    inputs = [P.read(tokens) for tokens in example.inputs(3)]
    assert ws.outputs(T, inputs) == ws.outputs(P.transformer, inputs)
    for tokens in inputs[-5:]:
        assert ws.run(T, tokens).outputs == ws.outputs(T, [tokens])[0]


def test_the_page_says_what_compiled_programs_say(tmp_path: Path) -> None:
    cases = Cases(tmp_path)
    for example in EXAMPLES[::4]:
        P = compile(example.make(), example.vocabulary, 5)
        cases.add_model(P.transformer, [P.read(tokens) for tokens in example.inputs(3)[::9]])
    cases.assert_equal()
    assert cases.runs > 60
    assert not cases.refused


def test_a_page_is_written(sort: CompiledProgram, tmp_path: Path) -> None:
    r = ws.run(sort.transformer, "cab")
    assert r.outputs == ("a", "b", "c")
    r.save_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 10_000
