"""Random programs: the interpreter agrees with a plainer one on all short inputs."""

from itertools import product

import pytest

from tests.programs.drawn import drawn_program
from tests.programs.naive import naive_values
from weightsmith.programs import exact_values, form, program
from weightsmith.programs.graph import Program

INPUTS = [tokens for n in range(1, 4) for tokens in product("abc", repeat=n)]


def assert_agree(made: Program, seed: int) -> None:
    for tokens in INPUTS[seed % 3 :: 3]:  # a third of them; which one changes
        assert exact_values(made, tokens) == naive_values(made, tokens), (seed, tokens)


@pytest.mark.parametrize("count", [250, pytest.param(5000, marks=pytest.mark.long)])
def test_random_programs_mean_what_the_plain_interpreter_says(count: int) -> None:
    for seed in range(count):
        assert_agree(drawn_program(seed, depth=3), seed)


def test_random_causal_programs_mean_what_the_plain_interpreter_says() -> None:
    for seed in range(120):
        assert_agree(program(drawn_program(seed, depth=3, length=False), causal=True), seed)


def test_random_programs_have_every_kind_of_part() -> None:
    drawn = [drawn_program(seed) for seed in range(200)]
    kinds = {type(node) for made in drawn for node in made.nodes}
    assert kinds == {
        *(form.Tokens, form.Indices, form.Length, form.Constant, form.Apply, form.Aggregate, form.Width),
        *(form.Select, form.And, form.Or, form.Not, form.Always),
    }
    assert {made.front_end for made in drawn} == {"rasp", "tracr"}
    assert max(len(made.nodes) for made in drawn) > 30
    assert str(drawn_program(7)) == str(drawn_program(7))
    assert any(None in exact_values(made, "abc") for made in drawn)
