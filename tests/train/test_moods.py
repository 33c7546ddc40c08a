"""Sentences with a running mood, and what comes to follow it in a transformer and an LSTM that learn them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from weightsmith.inspect import Tracking
from weightsmith.inspect.probing.units import reading_of
from weightsmith.train import (
    MOOD_WORDS,
    Comparison,
    Course,
    Shape,
    as_labelled,
    compare,
    mood_labels,
    mood_sentences,
    moods,
)
from weightsmith.train.compare import Lstm, count, of_size
from weightsmith.train.settings import MOODS

LONGEST = 8
SENTENCES = mood_sentences(1500, LONGEST)
LEARN, HELD_OUT = SENTENCES[:1300], SENTENCES[1300:]
SHAPE = Shape(**{**vars(MOODS.shape), "context": LONGEST, "neurons": 32})


def mood(reading: Any) -> list[bool]:
    return moods(reading.tokens)


def learnt(steps: int, seed: int = 0) -> Comparison:
    task = as_labelled(mood_labels(LEARN), MOOD_WORDS)
    return compare(task, SHAPE, Course(**{**vars(MOODS.course), "steps": steps, "evaluate_every": steps, "seed": seed}))


def tracked(model: Comparison | ws.Transformer) -> Tracking:
    return ws.tracking(model, mood, LEARN[:150], HELD_OUT)


@pytest.fixture(scope="module")
def found() -> Comparison:
    return learnt(250)


@pytest.fixture(scope="module")
def result(found: Comparison) -> Tracking:
    return tracked(found)


def by_reading(words: Sequence[str]) -> list[bool]:
    """The same rule, written from the end: the last word of mood decides."""
    result = []
    for end in range(1, len(words) + 1):
        said = [i for i in range(end) if words[i] in ["glad", "fine", "sunny", "sad", "grim", "rainy"]]
        good = bool(said) and words[said[-1]] in ("glad", "fine", "sunny")
        turned = bool(said) and said[-1] > 0 and words[said[-1] - 1] == "not"
        result.append(good != turned)
    return result


def test_the_mood_is_a_function_of_the_words_so_far() -> None:
    for sentence in SENTENCES:
        assert moods(sentence) == by_reading(sentence)
        assert [moods(sentence[: i + 1])[-1] for i in range(len(sentence))] == moods(sentence)
    assert moods([]) == []
    assert moods(["not", "not", "sad"]) == [False, False, True]


def test_sentences_are_different_and_the_same_for_a_seed() -> None:
    assert len(set(SENTENCES)) == 1500
    assert mood_sentences(1500, LONGEST) == SENTENCES != mood_sentences(1500, LONGEST, seed=1)
    assert {len(sentence) for sentence in SENTENCES} == set(range(1, LONGEST + 1))
    assert {word for sentence in SENTENCES for word in sentence} == set(MOOD_WORDS)
    ends = [moods(sentence)[-1] for sentence in SENTENCES]
    assert 0.3 < np.mean(ends) < 0.7
    assert mood_labels([("sunny", "home"), ("not", "fine")]) == {("sunny", "home"): "YES", ("not", "fine"): "NO"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "count=0: write a whole number from 1 on"),
        ((5, 2), "max_length=2: write a whole number from 3 on"),
        ((5, 3, -1), "seed=-1: write a whole number from 0 on"),
    ],
)
def test_what_cannot_be_made_up_is_refused(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(ws.InputError, match=message):
        mood_sentences(*arguments)


def test_more_sentences_than_there_are_can_be_asked_for_only_up_to_a_length() -> None:
    assert len(mood_sentences(2000, 3)) == 2000  # of 14 + 14² + 14³ = 2,954


def test_an_lstm_that_classifies_is_of_the_same_size_too(found: Comparison) -> None:
    words = len(MOOD_WORDS)
    assert found.lstm_parameters == count(found.lstm) <= found.transformer_parameters
    assert count(Lstm(words, found.lstm.size + 1, classes=2)) > found.transformer_parameters
    size = of_size(5000, words, 2)
    assert count(Lstm(words, size, classes=2)) <= 5000 < count(Lstm(words, size + 1, classes=2))
    ids = torch.tensor([[0, 3, 1]])
    with torch.no_grad():
        assert found.lstm(ids).shape == (1, 3, 2)
    assert found.transformer.classes == ("NO", "YES")


def test_the_reading_of_a_comparison_has_the_cells_then_the_units_of_the_transformer(found: Comparison) -> None:
    sentence = HELD_OUT[0]
    reading, run = found.reading(sentence), ws.run(found.transformer, sentence)
    size = found.lstm.size
    assert [unit.kind for unit in reading.units[:size]] == ["cell"] * size
    assert np.array_equal(reading.values[:, :size], found.cells(sentence))
    assert reading.units[size:] == reading_of(run).units
    assert np.array_equal(reading.values[:, size:], reading_of(run).values)
    assert reading_of(run).values.shape == (len(sentence), 5 * 16 + 2 * 32)


def test_a_single_cell_and_a_single_lane_come_to_follow_the_mood(result: Tracking) -> None:
    """Generous: what is learnt in 250 steps differs from machine to machine."""
    assert result.kinds == ("cell", "neuron", "lane")
    assert result.baselines.usual <= result.baselines.token < 0.8
    assert abs(result.baselines.shuffled - result.baselines.usual) < 0.1
    for best in (result.best("cell"), result.best("lane")):
        assert best.gain is not None
        assert best.gain > 0.25, f"{best} does no better than the word alone\n{result}"
    text = str(result)
    for kind in result.kinds:
        best = result.best(kind)
        follows = f"{best} follows mood: " in text
        assert best.gain is not None
        assert follows == result.follows(kind) == (best.gain >= 0.75)
        assert (f"no {kind} follows mood" in text) != follows


def test_in_models_that_have_learnt_nothing_none_does_and_that_is_said() -> None:
    result = tracked(learnt(1))
    for kind in result.kinds:
        assert not result.follows(kind)
        assert f"no {kind} follows mood: the gain of the best is " in str(result)


def test_the_transformer_alone_can_be_tracked_with_the_same_feature(found: Comparison, result: Tracking) -> None:
    alone, both = tracked(found.transformer), result
    assert alone.kinds == ("neuron", "lane")
    assert alone.best("lane").unit == both.best("lane").unit
    assert alone.best("lane").held_out == both.best("lane").held_out


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_after_more_steps_the_best_cell_and_the_best_lane_follow_in_every_training(seed: int) -> None:
    result = tracked(learnt(900, seed))
    assert result.follows("cell"), str(result)
    assert result.follows("lane"), str(result)
