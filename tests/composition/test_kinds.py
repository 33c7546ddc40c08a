"""Transformers with different positions, activations and biases stand side by side, each as if it were alone."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from weightsmith import Fixed, library

TEXTS = ("b", "abba")
A = Fixed(4, 4)


def model(n: int, **more: Any) -> ws.Transformer:
    return kind_of_model(A, n, RULES[n], ACTIVATIONS[n % 6], heads=n % 4, **more)


@pytest.mark.parametrize("first", range(len(RULES)), ids=RULES)
def test_each_half_holds_what_it_holds_alone_whatever_the_other_follows(first: int) -> None:
    for second in (first, (first + 4) % len(RULES)):
        S, T = model(first, norms=first % 4 == 3), model(second, tied=second % 2 == 0)
        both = ws.side_by_side(S, T)
        for text in TEXTS:
            s, t, r = ws.run(S, text), ws.run(T, text), ws.run(both, text)
            assert np.array_equal(r.logits, [*s.logits, *t.logits])
            right = [both.lanes.index(f"right {lane}") for lane in T.lanes]
            assert np.array_equal(r.stream[-1][:, right], t.stream[-1])
            if S.final_norm is None:
                left = [both.lanes.index(f"left {lane}") for lane in S.lanes]
                assert np.array_equal(r.stream[-1][:, left], s.stream[-1])


def test_the_operators_mean_what_they_say_with_different_positions() -> None:
    texts = ["".join(t) for n in (1, 3) for t in product("ab", repeat=n)]
    for i, j in list(combinations(range(1, len(RULES)), 2))[1::7]:
        S, T = model(i), model(j)
        s, t = ([d == "YES" for d in ws.decisions(part, texts)] for part in (S, T))
        operators = {"&": (S & T, np.logical_and), "|": (S | T, np.logical_or), "^": (S ^ T, np.logical_xor)}
        for name, (found, meaning) in operators.items():
            assert [d == "YES" for d in ws.decisions(found, texts)] == meaning(s, t).tolist(), (
                RULES[i],
                name,
                RULES[j],
            )
        assert [d == "YES" for d in ws.decisions(~S, texts)] == [not a for a in s]


def test_a_length_and_a_word_are_recognised_together_on_all_inputs_up_to_8() -> None:
    S, T = library.length_modulo(3), library.contains_word("101")
    texts = ["".join(t) for n in range(1, 9) for t in product("01", repeat=n)]
    assert len(texts) == 510
    length, word = ([len(text) % 3 == 0 for text in texts], ["101" in text for text in texts])
    wanted = {
        "and": (S & T, np.logical_and(length, word)),
        "or": (T | S, np.logical_or(length, word)),
        "neither": (~(S | T), ~np.logical_or(length, word)),
        "one": (S ^ T, np.logical_xor(length, word)),
    }
    for name, (U, meaning) in wanted.items():
        decided = dict(zip(texts, meaning.tolist(), strict=True))

        def predicate(text: Any, decided: dict[str, bool] = decided) -> bool:
            return decided["".join(text)]

        verdict = ws.check.recognizes(U, predicate, up_to=8)
        assert verdict.holds, (name, verdict.counterexample)
        assert verdict.inputs == 510
