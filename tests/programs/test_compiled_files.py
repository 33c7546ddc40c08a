"""A compiled program is a plain transformer: saved, loaded, shown and run like any other."""

from pathlib import Path

import pytest

import weightsmith as ws
from tests.programs.examples import EXAMPLES
from tests.studio.engine import Cases
from weightsmith.model import digest
from weightsmith.programs import CompiledProgram, compile, compile_rasp, rasp
from weightsmith.programs.beside import beside, program_lines

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


def test_every_part_of_the_weights_is_from_a_line_of_the_program(sort: CompiledProgram) -> None:
    T = sort.transformer
    assert [line.name for line in program_lines(T) if line.name] == ["tokens_str", "rank", "ordered"]
    table = beside(T)
    assert table is not None
    rows = [[cell.text for cell in row.cells] for row in table.rows]
    sources = {where: source for where, _, _, source in rows}
    assert sources["block 0"] == "line 2"
    assert sources["block 1"] == "line 3"
    assert sources["lane rank"] == "line 2"
    assert all(any(row[0] == f"block {b}" for row in rows) for b in range(len(T.blocks)))


def test_every_block_of_every_example_names_its_lines() -> None:
    for example in EXAMPLES[::3]:
        T = compile(example.make(), example.vocabulary, 4).transformer
        table = beside(T)
        assert table is not None
        named = {row.cells[0].text for row in table.rows}
        assert {f"block {b}" for b in range(len(T.blocks))} <= named, example.name


def test_a_transformer_that_was_not_compiled_has_no_lines() -> None:
    assert program_lines(ws.library.contains("1")) == []
    assert beside(ws.library.contains("1")) is None


def test_lines_that_were_cut_or_changed_are_still_read(sort: CompiledProgram) -> None:
    long = compile(rasp.Map(lambda i: i + 1, rasp.indices).named("x" * 300), "ab", 3).transformer
    assert program_lines(long)
    T = ws.Transformer(**{**vars(sort.transformer), "provenance": ("compiled from x", "x", "no line", "  %0 = tokens")})
    assert beside(T) is None


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
