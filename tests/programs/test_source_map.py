"""Every block, head, neuron and lane of a compiled program says which lines of the program it comes from."""

from dataclasses import replace
from pathlib import Path

import pytest

import weightsmith as ws
from tests.programs.examples import EXAMPLES
from tests.programs.examples_as_text import BACK
from weightsmith import Attention
from weightsmith.model import digest
from weightsmith.programs import compile, compile_rasp, parse_rasp, rasp
from weightsmith.programs.compiler.passes import Backend
from weightsmith.programs.listing import (
    MORE,
    MOST_LINES,
    NOTHING,
    POSITION,
    Line,
    joined,
    listing,
    provenance,
    read_listing,
)
from weightsmith.programs.source_map import SourceMap

SORT = """
rank = selector_width(select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <)));
ordered = aggregate(select(rank, indices, ==), tokens, "-");
"""


def lines_by_part(T: ws.Transformer) -> dict[str, list[Line]]:
    program = SourceMap.of(T)
    return {part.where: program.computed(part) for part in program.parts}


def text_lines_by_part(T: ws.Transformer) -> dict[str, list[int | None]]:
    return {where: [line.text_line for line in lines] for where, lines in lines_by_part(T).items()}


@pytest.fixture(scope="module")
def back() -> ws.Transformer:
    return compile_rasp(BACK, "abc", 6).transformer


def test_heads_neurons_and_lanes_are_from_their_lines(back: ws.Transformer) -> None:
    assert text_lines_by_part(back) == {
        "block 0": [2, 5, 7],
        "block 0 heads 0 to 1": [2],
        "block 0 head 2": [5],
        "block 0 neuron 0": [7],
        "block 1": [6],
        "block 1 heads 0 to 1": [6],
        "lane reverse and back": [6, 7],
        "lane token": [None, 2],
        "lane position": [6],
        "lane hist": [2],
        "lane position and length %6": [6, 5],
    }


@pytest.mark.one_in(2)
@pytest.mark.parametrize("backend", ["exact", "softmax"])
def test_every_part_of_every_example_has_a_line(backend: Backend) -> None:
    for example in EXAMPLES[backend == "softmax" :: 5]:
        try:
            T = compile(example.make(), example.vocabulary, 4, backend=backend).transformer
        except ws.InputError:
            assert backend == "softmax"
            continue
        found = lines_by_part(T)
        reads = {line.what for line in SourceMap.of(T).lines}
        ours = set() if "indices" in reads else {f"lane {POSITION}"}  # which the compiler needs, and not the program
        without = {where for where, lines in found.items() if not lines}
        assert without <= ours | {f"lane {NOTHING}"} | {where for where in found if MORE in where}, example.name
        assert all(head.name for block in T.blocks if block.attention for head in block.attention.heads)


def test_a_name_that_was_given_again_stands_for_each_of_its_lines() -> None:
    text = "x = indices;\nx = aggregate(select(x, x, <), x);\nx = selector_width(select(x, x, ==));"
    found = text_lines_by_part(compile_rasp(text, "ab", 6).transformer)
    assert found["block 0 head 0"] == [2]
    assert found["block 1"] == found["block 1 heads 0 to 1"] == [3]
    assert found["lane position"] == [1]


@pytest.mark.parametrize("name", ["a, b", "token", "position", "%1", "this and that", "x" * 60, " a ", "…"])
def test_names_that_could_be_mistaken_are_left_out(name: str) -> None:
    same = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ)
    T = compile(rasp.SelectorWidth(same).named(name), "abc", 5).transformer
    assert T.blocks[0].origin == "width %2"
    assert [line.number for line in lines_by_part(T)["block 0"]] == ["%2"]
    assert [line.what for line in lines_by_part(T)["lane token"]] == ["tokens"]


def test_a_line_without_weights_of_its_own_is_inside_of_the_one_that_reads_it(back: ws.Transformer) -> None:
    program = SourceMap.of(back)
    (reverse,) = (line for line in program.lines if line.name == "reverse")
    assert {line.text_line for line in program.inside(reverse)} == {5, 6}
    (hist,) = (line for line in program.lines if line.name == "hist")
    assert {line.text_line for line in program.inside(hist)} == {2}
    table = program.table()
    assert table is not None
    assert [row.cells[3].text for row in table.rows if row.cells[0].text == "block 1"] == ["line 6, line 5"]


def test_the_text_is_kept_line_by_line_and_survives_a_file(back: ws.Transformer, tmp_path: Path) -> None:
    written = {n: line.expandtabs(4) for n, line in enumerate(BACK.rstrip().split("\n"), start=1)}
    assert SourceMap.of(back).text == written
    ws.save(back, tmp_path / "model.safetensors")
    loaded = ws.load(tmp_path / "model.safetensors")
    assert SourceMap.of(loaded).text == written
    assert lines_by_part(loaded) == lines_by_part(back)
    assert [head.name for block in loaded.blocks for head in block.attention.heads] == [
        "hist", "hist", "length %6", "reverse", "reverse",
    ]  # fmt: skip


def test_of_a_long_text_the_lines_that_something_comes_from_are_kept() -> None:
    text = "x = indices;\n" + "# more\n" * MOST_LINES + "y = selector_width(select(x, x, <));"
    assert SourceMap.of(compile_rasp(text, "ab", 4).transformer).text == {
        1: "x = indices;", MOST_LINES + 2: "y = selector_width(select(x, x, <));",
    }  # fmt: skip


def test_lines_of_files_that_were_loaded_are_not_those_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "counts.rasp").write_text("\n\nhist = selector_width(select(tokens, tokens, ==));")
    text = 'load "counts";\n' + "# more\n" * MOST_LINES + "twice = hist + hist;"
    T = compile_rasp(text, "ab", 4, folder=str(tmp_path)).transformer
    assert SourceMap.of(T).text == {MOST_LINES + 2: "twice = hist + hist;"}
    (hist,) = lines_by_part(T)["block 0"]
    assert hist.source.startswith("line 3 of counts: hist = ")
    assert hist.text_line is None


def test_characters_that_cannot_be_shown_and_very_long_lines_are_kept_as_far_as_they_can_be() -> None:
    text = f"x = indices; # \u202e \x0b \u2028 {'x' * 300}\ny = x + 1;"
    found = SourceMap.of(compile_rasp(text, "ab", 4).transformer).text
    assert found[1].startswith("x = indices; # ? ? ? xxx")
    assert len(found[1]) < 200
    assert found[2] == "y = x + 1;"


def test_a_program_in_python_is_kept_as_its_lines() -> None:
    hist = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ)).named("hist")
    T = compile(hist, "abc", 5).transformer
    assert SourceMap.of(T).text == {}
    (line,) = lines_by_part(T)["block 0"]
    assert (line.what, line.name) == ("selector_width(%1)", "hist")
    assert line.source.startswith("line ")
    assert f" of {Path(__file__).name}: hist = rasp." in line.source
    assert line.text_line is None  # it is a line of Python, not of the program's text


def test_names_of_heads_change_nothing_else(back: ws.Transformer) -> None:
    (first, *others), blocks = back.blocks[0].attention.heads, back.blocks  # type: ignore[union-attr]
    renamed = Attention([replace(first, name="another"), *others])
    other = replace(back, blocks=(replace(blocks[0], attention=renamed), *blocks[1:]))
    assert other == back
    assert digest(other) == digest(back)


def test_printed_a_program_shows_its_lines_its_weights_and_which_come_from_which() -> None:
    printed = str(compile_rasp(SORT, "abc", 8))
    assert "# rank  line 2: rank = selector_width(" in printed
    assert "Transformer in fixed(" in printed
    assert "block 0 head" in printed
    assert "lane rank" in printed


def test_a_transformer_that_was_not_compiled_has_no_lines() -> None:
    assert SourceMap.of(ws.library.contains("1")).lines == ()
    assert SourceMap.of(ws.library.contains("1")).table() is None


def test_of_two_programs_in_one_transformer_no_part_is_said_to_be_from_either(back: ws.Transformer) -> None:
    both = ws.Transformer(**{**vars(back), "provenance": (*back.provenance, *back.provenance, "side by side")})
    assert SourceMap.of(both).table() is None


def test_lines_that_were_cut_or_changed_are_still_read(back: ws.Transformer) -> None:
    long = compile(rasp.Map(lambda i: i + 1, rasp.indices).named("x" * 300), "ab", 3).transformer
    assert SourceMap.of(long).lines
    T = ws.Transformer(**{**vars(back), "provenance": ("compiled from x", "x", "no line", "  %0 = tokens")})
    assert SourceMap.of(T).table() is None
    older = tuple(line for line in back.provenance if " |" not in line)  # as files were before they kept the text
    T = ws.Transformer(**{**vars(back), "provenance": older})
    assert SourceMap.of(T).text == {}
    assert lines_by_part(T) == lines_by_part(back)


def test_a_listing_is_read_back_as_it_was_written() -> None:
    for example in EXAMPLES[::4]:
        program = example.make()
        made, read = listing(program), read_listing(provenance(program))[0]
        assert [(line.number, line.reads, line.text_line) for line in made] == [
            (line.number, line.reads, line.text_line) for line in read
        ], example.name


def test_as_many_names_are_joined_as_there_is_room_for() -> None:
    assert joined(["a", "b", "a"]) == "a, b"
    assert joined(["a" * 30, "b" * 30], most=40) == f"{'a' * 30}, …"
    assert joined(["a" * 50], most=40) == "…"


def test_every_program_of_a_text_keeps_it() -> None:
    assert parse_rasp("x = indices + 1;").text == "x = indices + 1;"
    assert parse_rasp("x = indices + 1; y = x;", "x").text == "x = indices + 1; y = x;"
