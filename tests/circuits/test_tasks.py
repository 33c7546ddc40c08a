"""The programs of the benchmark: 100, small, and what their descriptions say, on every input."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.circuits.tasks import DIFFICULTIES, TASKS, chosen_tasks

Meaning = Callable[[Any, int], Any]  # of an input and a position


def runs(x: Any, i: int) -> Any:
    return 1 + sum(x[j] != x[j - 1] for j in range(1, i + 1))


def depth(x: Any, i: int) -> Any:
    return x[: i + 1].count("(") - x[: i + 1].count(")")


def kept(x: Sequence[Any]) -> list[Any]:
    found = [token for token in x if token != "a"]
    return found + ["-"] * (len(x) - len(found))


def once(x: Sequence[Any]) -> list[Any]:
    found = list(dict.fromkeys(x))
    return found + ["-"] * (len(x) - len(found))


MEANINGS: dict[str, Meaning] = {
    "count-a": lambda x, i: x.count("a"),
    "count-a-so-far": lambda x, i: x[: i + 1].count("a"),
    "count-a-after": lambda x, i: x[i + 1 :].count("a"),
    "count-different": lambda x, i: len(x) - x.count(x[i]),
    "distinct": lambda x, i: len(set(x)),
    "distinct-so-far": lambda x, i: len(set(x[: i + 1])),
    "runs": runs,
    "counts-with-my-count": lambda x, i: sum(x.count(one) == x.count(x[i]) for one in set(x)),
    "reverse": lambda x, i: x[len(x) - 1 - i],
    "rotate-right": lambda x, i: x[i - 1],
    "middle": lambda x, i: x[len(x) // 2],
    "palindrome": lambda x, i: x == x[::-1],
    "first-half-twice": lambda x, i: (x[: (len(x) + 1) // 2] * 2)[i],
    "pointer": lambda x, i: x[x[i]] if x[i] < len(x) else -1,
    "sort": lambda x, i: sorted(x)[i],
    "median": lambda x, i: sorted(x)[(len(x) - 1) // 2],
    "odd-first": lambda x, i: sorted(x, key=lambda n: n % 2 == 0)[i],
    "by-frequency": lambda x, i: sorted(x, key=lambda token: -x.count(token))[i],
    "without-a": lambda x, i: kept(x)[i],
    "each-once": lambda x, i: once(x)[i],
    "record": lambda x, i: all(one < x[i] for one in x[:i]),
    "sorted": lambda x, i: list(x) == sorted(x),
    "where-largest": lambda x, i: x.index(max(x)),
    "smallest-missing": lambda x, i: min({1, 2, 3, 4} - set(x)),
    "larger-than-first": lambda x, i: sum(one > x[0] for one in x),
    "first-a": lambda x, i: x.index("a") if "a" in x else -1,
    "after-the-first-a": lambda x, i: (*x, "a", "-", "-")[(*x, "a").index("a") + 1] if "a" in x[:-1] else "-",
    "last-a": lambda x, i: max((j for j in range(len(x)) if x[j] == "a"), default=-1),
    "previous-same": lambda x, i: max((j for j in range(i) if x[j] == x[i]), default=-1),
    "inside-brackets": lambda x, i: x[i] == "x" and depth(x, i) > 0,
    "peak": lambda x, i: (i == 0 or x[i - 1] < x[i]) and (i == len(x) - 1 or x[i + 1] < x[i]),
    "first-against-last": lambda x, i: "<" if x[0] < x[-1] else ">" if x[0] > x[-1] else "=",
    "swap-neighbours": lambda x, i: (*x, "-")[i + 1 - 2 * (i % 2)],
    "a-in-the-first-half": lambda x, i: sum(x[j] == "a" for j in range(len(x)) if 2 * j < len(x)),
    "next-same": lambda x, i: x.index(x[i], i + 1) if x[i] in x[i + 1 :] else -1,
    "induction": lambda x, i: next((x[j + 1] for j in range(i - 1, -1, -1) if x[j] == x[i]), "-"),
    "run-so-far": lambda x, i: next(k for k in range(1, i + 2) if k == i + 1 or x[i - k] != x[i]),
    "b-only-after-a": lambda x, i: all("a" in x[:j] for j in range(len(x)) if x[j] == "b"),
    "depth": depth,
    "balanced": lambda x, i: min(depth(x, j) for j in range(len(x))) >= 0 and depth(x, len(x) - 1) == 0,
    "left-open": lambda x, i: x[i] == "(" and all(depth(x, j) >= depth(x, i) for j in range(i, len(x))),
    "closed-too-early": lambda x, i: sum(x[j] == ")" and depth(x, j) < 0 for j in range(i + 1)),
    "a-before-the-first-b": lambda x, i: x[: (*x, "b").index("b")].count("a"),
    "parity-so-far": lambda x, i: sum(x[: i + 1]) % 2,
    "sum-mod-3": lambda x, i: sum(x) % 3,
    "increment": lambda x, i: (sum(b << k for k, b in enumerate(x)) + 1) >> i & 1,
    "negate": lambda x, i: -sum(b << k for k, b in enumerate(x)) >> i & 1,
    "pair-again": lambda x, i: i > 0 and any(x[j - 1 : j + 1] == x[i - 1 : i + 1] for j in range(1, i)),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANINGS)
def test_a_program_computes_what_its_description_says(name: str) -> None:
    (task,) = chosen_tasks(name)
    program = task.program()
    for length in range(1, task.max_length + 1):
        for x in list(product(task.vocabulary, repeat=length))[:: 1 if length < 4 else 7]:
            assert program(list(x)) == [MEANINGS[name](x, i) for i in range(length)], x


def test_there_are_100_small_programs() -> None:
    assert len(TASKS) == len({task.name for task in TASKS}) == len({task.description for task in TASKS}) == 100
    assert [task.difficulty for task in TASKS] == sorted((task.difficulty for task in TASKS), key=DIFFICULTIES.index)
    for task in TASKS:
        assert task.inputs <= 400, task.name
        assert task.description.endswith("."), task.name
        assert task.name.replace("-", "a").isalnum(), task.name


@pytest.mark.one_in(10)
@pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
def test_every_program_compiles_and_has_two_answers(task: Any) -> None:
    T = task.compiled().transformer
    assert T.max_length == task.max_length
    inputs = [list(x) for x in product(T.vocabulary, repeat=T.max_length)]
    assert len(set(ws.outputs(T, inputs))) > 1


def test_a_number_of_programs_is_spread_from_easy_to_hard() -> None:
    assert {task.difficulty for task in chosen_tasks(5)} == set(DIFFICULTIES)
    assert len(chosen_tasks("7")) == 7
    assert {task.name for task in chosen_tasks(["sort", "easy"])} > {"sort", "count-a"}
    assert chosen_tasks(None) == chosen_tasks("all") == TASKS
