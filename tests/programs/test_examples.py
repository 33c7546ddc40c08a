"""The interpreter gives each example program the meaning that a plain Python function says it has."""

import pytest

from tests.programs.examples import EXAMPLES, Example
from weightsmith.programs import evaluate

MANY = 3  # symbols; with more of them two thirds of the inputs, and length 5, are left to the long tests
THIRD = 3


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_example_means_what_it_says_on_short_inputs(example: Example) -> None:
    program = example.make()
    few = len(example.vocabulary) <= MANY
    inputs = example.inputs(up_to=5) if few else example.inputs(up_to=4)[::THIRD]
    assert inputs
    for tokens in inputs:
        assert evaluate(program, tokens) == example.meaning(tokens), tokens


@pytest.mark.long
@pytest.mark.parametrize("example", [e for e in EXAMPLES if len(e.vocabulary) > MANY], ids=lambda example: example.name)
def test_examples_with_many_symbols_mean_what_they_say_at_length_5(example: Example) -> None:
    program = example.make()
    for tokens in example.inputs(up_to=5):
        assert evaluate(program, tokens) == example.meaning(tokens), tokens


def test_a_wrong_meaning_is_noticed() -> None:
    for example in EXAMPLES:
        program, inputs = example.make(), example.inputs(up_to=3)
        other = [*example.meaning(inputs[-1])[:-1], "something else"]
        assert evaluate(program, inputs[-1]) != other
