"""The form of programs: equal parts are one node, and the dump can be read."""

from collections.abc import Hashable

import pytest

from weightsmith.errors import InputError
from weightsmith.programs import Program, evaluate, parse_rasp, program, rasp
from weightsmith.programs.form import Always, Apply, Constant, Length, Node, Select, Tokens, Width, gives_truth, select
from weightsmith.programs.operators import Named
from weightsmith.programs.places import Note
from weightsmith.programs.rasp import Comparison


def count(made: Program, kind: type[Node]) -> int:
    return sum(isinstance(node, kind) for node in made.nodes)


def test_parts_that_are_made_in_the_same_way_are_one_node() -> None:
    twice = [rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)) for _ in range(2)]
    made = program(twice[0] + twice[1].named("second"))
    assert [count(made, kind) for kind in (Tokens, Select, Width, Apply)] == [1, 1, 1, 1]
    assert len(made.nodes) == 4
    (width,) = [node for node in made.nodes if isinstance(node, Width)]
    assert width.note.name == "second"


def test_parts_that_differ_stay_apart() -> None:
    less, more = (rasp.Select(rasp.tokens, rasp.tokens, c) for c in (Comparison.LT, Comparison.GT))
    made = program(rasp.SelectorWidth(less) + rasp.SelectorWidth(more))
    assert [count(made, kind) for kind in (Tokens, Select, Width, Apply)] == [1, 2, 2, 1]


def test_functions_are_shared_by_identity() -> None:
    def double(x: int) -> int:
        return 2 * x

    shared = program(rasp.Map(double, rasp.indices) + rasp.Map(double, rasp.indices))
    apart = program(rasp.Map(lambda x: 2 * x, rasp.indices) + rasp.Map(lambda x: 2 * x, rasp.indices))
    assert (count(shared, Apply), count(apart, Apply)) == (2, 3)


def test_every_node_stands_after_its_parts_and_the_output_is_the_last() -> None:
    made = parse_rasp("x = sort(tokens, tokens);")
    for place, node in enumerate(made.nodes):
        assert all(part in made.nodes[:place] for part in node.parts)
    assert made.nodes[-1] is made.output


def test_a_deep_program_needs_no_recursion() -> None:
    sop: rasp.SOp = rasp.indices
    for _ in range(3000):
        sop = rasp.SequenceMap(lambda x, y: x + y, sop, rasp.indices)
    assert evaluate(program(sop), "abc") == [0, 3001, 6002]
    for _ in range(3000):
        sop = sop + 1
    assert evaluate(program(sop), "abc") == [3000, 6001, 9002]


def test_the_dump_has_numbered_lines_with_their_source() -> None:
    text = """def balance(o, c) {
      return count(tokens, o) - count(tokens, c);
    }
    b = balance("(", ")") if length > 2 else 0.5;
    """
    assert str(parse_rasp(text)).splitlines() == [
        "b, RASP",
        "  %0 = length                        # line 4: b = balance(\"(\", \")\") if length > 2 else 0.5;",
        "  %1 = %0 > 2                        # line 4: b = balance(\"(\", \")\") if length > 2 else 0.5;",
        "  %2 = tokens",
        "  %3 = str(%2)                       # tokens_str  line 2: return count(tokens, o) - count(tokens, c);",
        "  %4 = %3 == '('                     # line 2: return count(tokens, o) - count(tokens, c);",
        "  %5 = select(key %4 == query True)  # line 2: return count(tokens, o) - count(tokens, c);",
        "  %6 = selector_width(%5)            # line 2: return count(tokens, o) - count(tokens, c);",
        "  %7 = %3 == ')'                     # line 2: return count(tokens, o) - count(tokens, c);",
        "  %8 = select(key %7 == query True)  # line 2: return count(tokens, o) - count(tokens, c);",
        "  %9 = selector_width(%8)            # line 2: return count(tokens, o) - count(tokens, c);",
        "  %10 = %6 - %9                      # line 2: return count(tokens, o) - count(tokens, c);",
        "  %11 = %10 if %1 else 0.5           # b  line 4: b = balance(\"(\", \")\") if length > 2 else 0.5;",
    ]  # fmt: skip


def test_every_kind_of_node_is_shown() -> None:
    everything = rasp.Select(rasp.tokens, rasp.tokens, Comparison.TRUE)
    given = rasp.ConstantSelector([[True]])
    own = rasp.Select(rasp.tokens, rasp.Full("a"), lambda k, q: k < q)
    row = rasp.ConstantSOp([4.5])
    widths = rasp.SelectorWidth((~everything | given) & own)
    made = program(rasp.Aggregate(own, row) + widths, causal=True)
    lines = [line.split("  #")[0].strip() for line in str(made).splitlines()]
    assert lines == [
        "a program, RASP in Python, causal",
        "%0 = tokens",
        "%1 = select(key %0 <lambda> query 'a')",
        "%2 = row (4.5,)",
        "%3 = aggregate(%1, %2, default None)",
        "%4 = select all",
        "%5 = not %4",
        "%6 = select given pairs, 1 rows",
        "%7 = %5 or %6",
        "%8 = %7 and %1",
        "%9 = selector_width(%8)",
        "%10 = %3 + %9",
    ]
    assert "constant 3" in str(parse_rasp("x = 3;", "x"))
    shown = str(parse_rasp('x = ({"a": 1}[tokens] in [1, 2]) and not (-indices > min(indices, 2));'))
    for part in ("{'a': 1}[%1]", "in [1, 2]", "not %", "= -%"):
        assert part in shown


def test_selects_of_constants_are_decided_at_once() -> None:
    def made(key: Hashable, query: Hashable, comparison: str) -> object:
        return select(Constant(key), Constant(query), comparison, Note())

    def decided(key: Hashable, query: Hashable, comparison: str) -> bool:
        always = made(key, query, comparison)
        assert isinstance(always, Always)
        return always.selected

    assert decided(1, True, "==")
    assert not decided("a", "b", ">")
    assert decided("a", 1, "!=")
    assert isinstance(made("a", 1, "<"), Select)
    assert isinstance(made(None, 1, "=="), Select)


def test_truth_values_are_known_as_such() -> None:
    positive = Apply(Named(">"), (Length(), Constant(0)))
    assert gives_truth(positive)
    assert gives_truth(Apply(Named("and"), (positive, Constant(True))))
    assert not gives_truth(Apply(Named("or"), (positive, Length())))
    assert not gives_truth(Apply(Named("indicator"), (positive,)))
    assert not gives_truth(Constant(1))


def test_a_causal_program_has_no_length() -> None:
    with pytest.raises(InputError) as caught:
        program(rasp.length + 1, causal=True)
    assert "a causal program cannot know the length" in str(caught.value)
    assert "write causal=False, or indices + 1" in str(caught.value)


def test_only_sequence_operations_are_programs() -> None:
    selector = rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)
    with pytest.raises(InputError, match="is a selector: write SelectorWidth"):
        program(selector)  # type: ignore[arg-type]
    text = parse_rasp("x = indices + 1;")
    again = program(text, name="y", causal=True)
    assert (again.name, again.causal, again.front_end, len(again.nodes)) == ("y", True, "rasp", len(text.nodes))
    assert repr(again) == f"<program 'y' of {len(text.nodes)} parts>"
    assert repr(again.output) == "<Apply 'x'>"
    with pytest.raises(InputError, match="3 is no sequence operation"):
        program(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a program's output is a sequence operation"):
        Program(Always(True), "rasp")  # type: ignore[arg-type]
