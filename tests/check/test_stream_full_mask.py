"""Claims about the stream under a full mask: only the last position is decided for all lengths."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.verifying.certificates import checked
from weightsmith import verify

SITE = "block 0 attention"


def copier(mask: Any = "full") -> ws.Transformer:
    """Return a model in which every position copies the symbol of the last one that it sees."""
    zero, one = np.zeros((1, 2)), np.array([[1.0, 0.0]])
    head = ws.Head(zero, zero, one, np.array([[0.0], [1.0]]), ws.RightmostHard())
    blocks = (ws.Block(ws.Attention((head,))),)
    embedding = np.array([[0.0, 0.0], [1.0, 0.0]])
    return ws.Transformer(ws.Fixed(4, 4), "ab", ("own", "copy"), embedding, blocks=blocks, output=np.eye(2), mask=mask)


@pytest.mark.parametrize("position", ["all", -1, -2, 0, 1])
def test_up_to_a_length_every_position_is_that_of_a_run(position: Any) -> None:
    T, wrong = copier(), None
    words = ("".join(word) for n in range(1, 5) for word in product("ab", repeat=n))
    for word in words:
        own, copy = ws.run(T, word).at(SITE).T
        here = own == copy
        if position == "all" or -len(word) <= position < len(word):
            holds = here.all() if position == "all" else here[position]
            wrong = word if wrong is None and not holds else wrong
    assert ws.check.vectors(T, "own == copy", 4, at=(SITE, position)).counterexample == wrong
    assert (wrong is None) == (position == -1)


def test_for_all_lengths_the_last_position_is_proved_and_the_others_are_refused() -> None:
    T = copier()
    assert ws.check.vectors(T, "own == copy", at=(SITE, -1)).holds
    assert ws.check.vectors(copier("causal"), "own == copy", at=(SITE, "all")).holds
    for position in ("all", -2, 0):
        with pytest.raises(ws.InputError, match="under a full mask depends on the tokens after it"):
            ws.check.vectors(T, "own == copy", at=(SITE, position))
    with pytest.raises(ws.InputError, match="under a full mask"):
        ws.check.vectors(T, "own == copy", at=(SITE, -2), suffix=("a",))


def test_the_checker_refuses_a_proof_about_other_positions() -> None:
    T = copier()
    certificate = ws.check.vectors(T, "own == copy", at=(SITE, -1)).certificate()
    assert "own" in str(checked([T], certificate))
    for position in ("all", 0, -2):
        with pytest.raises(verify.Refused, match="is not checked here"):
            checked([T], {**certificate, "at": [SITE, position]})
