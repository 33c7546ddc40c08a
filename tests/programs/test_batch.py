"""Many inputs at once mean what each of them means alone."""

from itertools import product

import numpy as np
import pytest

from tests.programs.drawn import drawn_program
from tests.programs.examples import EXAMPLES, Example
from weightsmith.errors import InputError
from weightsmith.programs import Program, batch, evaluate, interpreter, parse_rasp, program, rasp
from weightsmith.programs.interpreter import evaluate_batch
from weightsmith.programs.values import Value, exact

DRAWN = 150


def assert_same(p: Program, vocabulary: tuple[Value, ...], inputs: list[tuple[int, ...]]) -> None:
    found, values = evaluate_batch(p, vocabulary, inputs)
    for places, row in zip(inputs, found.tolist(), strict=True):
        alone = [exact(value) for value in evaluate(p, [vocabulary[place] for place in places])]
        assert [values[n] for n in row] == alone, places


@pytest.mark.one_in(2)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_mean_the_same_at_once(example: Example) -> None:
    for length in (1, 2, 3):
        inputs = list(product(range(len(example.vocabulary)), repeat=length))
        assert_same(example.make(), example.vocabulary, inputs)


@pytest.mark.parametrize("seed", range(DRAWN))
def test_random_programs_mean_the_same_at_once(seed: int) -> None:
    p = drawn_program(seed, length=seed % 3 > 0)
    causal = Program(p.output, p.front_end, p.name, causal=seed % 3 == 0)
    inputs = list(product(range(3), repeat=3))
    try:
        wanted = [evaluate(causal, ["abc"[n] for n in places]) for places in inputs]
    except InputError:
        with pytest.raises(InputError, match=r"on the input [abc], [abc], [abc]: "):
            evaluate_batch(causal, "abc", inputs)
        return
    found, values = evaluate_batch(causal, "abc", inputs)
    assert [[values[n] for n in row] for row in found.tolist()] == [[exact(v) for v in row] for row in wanted]


def test_sums_beyond_64_bits_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "LARGEST_SUM", 1)
    for example in EXAMPLES[:12]:
        assert_same(example.make(), example.vocabulary, [(0, 1, 1), (2, 1, 0)])


def test_inputs_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "PAIRS_AT_ONCE", 40)
    p = parse_rasp("n = selector_width(select(tokens, tokens, ==));")
    assert_same(p, ("a", "b"), list(product(range(2), repeat=4)))


def test_a_failing_function_is_named_with_the_input() -> None:
    p = program(rasp.Map(lambda token: 1 / (token - 2), rasp.tokens))
    with pytest.raises(InputError, match=r"on the input 1, 2: .*the function .* on 2 at position 1: ZeroDivisionError"):
        evaluate_batch(p, [1, 2], [[0, 0], [0, 1]])


def test_outputs_of_two_kinds_are_refused() -> None:
    p = program(rasp.Map(lambda i: "x" if i else 0, rasp.indices))
    with pytest.raises(InputError, match=r"on the input a, a: .*mix kinds"):
        evaluate_batch(p, "a", [[0, 0]])
    assert evaluate_batch(p, "a", [[0]])[1] == [0]


def test_no_inputs_give_nothing() -> None:
    found, values = evaluate_batch(parse_rasp("n = indices;"), "ab", np.zeros((0, 3), int))
    assert found.shape == (0, 3)
    assert values == []


def test_distinct_numbers_come_in_the_order_of_their_first_occurrence(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    for far, few in product((3, 100, 10**6, 10**15), (0, batch.FEW)):
        monkeypatch.setattr(batch, "FEW", few)
        numbers = random.integers(-far, far, (1, 40))
        different, which = batch.distinct(numbers)
        assert different == list(dict.fromkeys(numbers.ravel().tolist()))
        assert np.array_equal(np.array(different)[which], numbers)
        rows, which = batch.distinct_rows([numbers, numbers % 2, numbers % 3])
        assert [rows[n] for n in which.ravel()] == [(n, n % 2, n % 3) for n in numbers.ravel().tolist()]
        assert rows == list(dict.fromkeys(rows))
