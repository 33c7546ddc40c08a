"""Labelled strings: labelled by a predicate or given, both labels as often, a tenth held back."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import weightsmith as ws
from weightsmith.train import Labelled, as_labelled, by_predicate, predicate, read_labelled


def strings(found: Labelled, part: str) -> dict[str, int]:
    """The strings of a part, with their labels."""
    return {
        "".join(found.vocabulary[i] for i in row): int(label)
        for ids, labels in getattr(found, part).values()
        for row, label in zip(ids, labels, strict=True)
    }


def test_of_short_lengths_every_string_is_there_with_its_label() -> None:
    found = by_predicate(lambda string: "ba" in string, "abc", 4, count=400)
    learnt, held = strings(found, "by_length"), strings(found, "held")
    assert learnt.keys() & held.keys() == {s for s in learnt if len(s) < 4}
    together = {**learnt, **held}
    assert {s for s in together if len(s) <= 4} == {"".join(s) for n in range(1, 5) for s in product("abc", repeat=n)}
    assert all(label == ("ba" in string) for string, label in together.items())
    assert len(held) == 3 + 9 + 27 + 8  # all of 3, 9 and 27, which are learnt too, and a tenth of 81


def test_of_long_lengths_some_strings_are_drawn_and_the_seed_says_which() -> None:
    found, again, other = (by_predicate(predicate("contains 11"), "01", 20, count=400, seed=seed) for seed in (1, 1, 2))
    assert sorted(found.by_length) == list(range(1, 21))
    assert strings(found, "by_length") == strings(again, "by_length") != strings(other, "by_length")
    both = strings(found, "by_length").keys() & strings(found, "held").keys()
    assert both == {"".join(each) for n in (1, 2, 3) for each in product("01", repeat=n)}


def test_what_is_wrong_on_the_shortest_strings_alone_is_validated() -> None:
    """A model that says NO to `1` and is right on everything else has a loss that shows it."""
    found = by_predicate(predicate("starts with 1"), "01", 12)
    assert sorted(found.held) == list(range(1, 13))

    def wrong_on_one(ids: Tensor) -> Tensor:
        yes = (ids[:, 0] == 1) & (ids.shape[1] > 1)
        return torch.stack([torch.where(yes, -9.0, 9.0), torch.where(yes, 9.0, -9.0)], dim=-1)[:, None]

    losses = {ids.shape[1]: float(found.loss(wrong_on_one, (ids, labels))) for ids, labels in found.validation(8)}  # type: ignore[arg-type]
    assert losses[1] > 8
    assert max(losses[length] for length in range(2, 13)) < 0.01


def test_a_predicate_over_words_gets_tuples() -> None:
    seen: list[Any] = []

    def first_is_the(words: Any) -> bool:
        seen.append(words)
        return bool(words[0] == "the")

    found = by_predicate(first_is_the, ["the", "cat"], 2)
    assert set(seen) == {("the",), ("cat",), *product(("the", "cat"), repeat=2)}
    assert found.vocabulary == ("the", "cat")


def test_a_batch_has_one_length_and_both_labels_as_often() -> None:
    found = by_predicate(predicate("contains 111"), "01", 8)
    labels = strings(found, "by_length")
    lengths = set()
    for step in range(60):
        ids, answers = found.batch(np.random.default_rng((0, step)), 10)
        assert ids.shape == (10, ids.shape[1])
        assert answers.tolist() == [labels["".join("01"[i] for i in row)] for row in ids]
        assert int(answers.sum()) == (5 if ids.shape[1] >= 3 else 0)
        assert found.tokens_in((ids, answers)) == 10 * ids.shape[1]
        lengths.add(ids.shape[1])
    assert lengths == set(range(1, 9))
    again = found.batch(np.random.default_rng((0, 7)), 10)[0]
    assert np.array_equal(again, found.batch(np.random.default_rng((0, 7)), 10)[0])
    assert len(found.batch(np.random.default_rng(0), 7)[0]) == 7


def test_with_few_strings_all_are_learnt_and_validated() -> None:
    found = as_labelled({("a",): "YES", ("b",): "NO"})
    assert strings(found, "by_length") == strings(found, "held") == {"a": 1, "b": 0}


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "labels"
    path.write_bytes("ab\tYES\r\n\nb \tNO \na\tb\tNO\nx\u2028\tYES\nab\tYES\n".encode())
    assert strings(read_labelled(path), "by_length") == {"ab": 1, "b ": 0, "a\tb": 0, "x\u2028": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ab\tyes", r"line 2: 'ab\\tyes' is not a string, a tab, and YES or NO"),
        ("ab\tMAYBE", "is not a string, a tab, and YES or NO"),
        ("ab YES", "is not a string, a tab, and YES or NO"),
        ("ab", "is not a string, a tab, and YES or NO"),
        ("a\tNO", "line 2: 'a' has both labels"),
        ("\tNO", "a labelled string is empty: every input has at least one token"),
        ("b\tYES", "every label is YES: there is nothing to tell apart"),
    ],
)
def test_a_line_that_is_no_labelled_string_is_named(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "labels"
    path.write_text(f"a\tYES\n{line}\n")
    with pytest.raises(ws.InputError, match=message):
        read_labelled(path)


@pytest.mark.parametrize(
    ("labels", "vocabulary", "message"),
    [
        ({}, None, "there are no labelled strings: there is nothing to learn"),
        ({("a",): "YES", ("b",): "maybe"}, None, "the label of b is 'maybe': write YES or NO"),
        ({("a",): "YES", ("b",): True}, None, "the label of b is True: write YES or NO"),
        ({("a",): "YES", ("b",): "NO"}, "ac", "the token b is not in the vocabulary a, c"),
        ({("a",): "YES", ("b",): "NO"}, "aba", "vocabulary has a twice"),
        ({("a",): "YES", (): "NO"}, None, "a labelled string is empty"),
    ],
)
def test_labels_that_cannot_be_learnt_are_named(labels: Any, vocabulary: Any, message: str) -> None:
    with pytest.raises(ws.WeightsmithError, match=message):
        as_labelled(labels, vocabulary)


def test_a_predicate_that_always_or_never_holds_is_refused() -> None:
    with pytest.raises(
        ws.InputError, match="the predicate never holds, for 30 strings: there is nothing to tell apart"
    ):
        by_predicate(lambda string: False, "01", 4)
    with pytest.raises(
        ws.InputError, match="the predicate always holds, for 30 strings: there is nothing to tell apart"
    ):
        by_predicate(lambda string: True, "01", 4)


def answering(function: Any) -> Any:
    """Give a function whose answers the types do not know."""
    return function


def test_a_predicate_that_fails_or_gives_no_answer_is_named() -> None:
    with pytest.raises(
        ws.InputError, match="the predicate fails for the input 00: IndexError: string index out of range"
    ):
        by_predicate(lambda string: string[2] == "1" if len(string) > 1 else True, "01", 4)
    with pytest.raises(ws.InputError, match="the predicate gives 1 for 1: it must give True or False"):
        by_predicate(answering(lambda string: string.count("1") or True), "01", 4)
    with pytest.raises(ws.InputError, match="the predicate gives None for 0: it must give True or False"):
        by_predicate(answering(lambda string: None), "01", 4)
    assert by_predicate(answering(lambda string: np.bool_("1" in string)), "01", 2).classes == ("NO", "YES")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocabulary": ""}, "vocabulary is empty"),
        ({"vocabulary": "00"}, "vocabulary has 0 twice"),
        ({"vocabulary": ["a", ""]}, "a name in vocabulary is empty"),
        ({"vocabulary": ["a", 1]}, "must be a text"),
        ({"max_length": 0}, "max_length=0: write a whole number from 1 on"),
        ({"max_length": 2.0}, r"max_length=2\.0: write a whole number from 1 on"),
        ({"max_length": 1 << 29}, "max_length=536870912: write at most 1024"),
        ({"count": 0}, "count=0: write a whole number from 1 on"),
        ({"seed": -1}, "seed=-1: write a whole number from 0 on"),
    ],
    ids=str,
)
def test_what_cannot_be_drawn_is_named(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"predicate": predicate("contains 1"), "vocabulary": "01", "max_length": 3, **changes}
    with pytest.raises(ws.WeightsmithError, match=message):
        by_predicate(**given)
