"""Induction heads at all lengths, and k hops against the definition."""

import pytest
from benchmarks.gallery.lookups import FOLLOWERS

import weightsmith as ws
from weightsmith.library.papers import hop, induction_head, k_hop


@pytest.mark.parametrize("token", "abc")
def test_an_induction_head_is_right_at_every_length(token: str) -> None:
    verdict = ws.check.recognizes(induction_head("abc"), FOLLOWERS[token], yes=token)
    assert verdict.holds
    assert verdict.scope == "all lengths"


@pytest.mark.parametrize("k", range(1, 9))
def test_k_hops_take_the_logarithm_and_two_blocks_of_one_head(k: int) -> None:
    T = k_hop(k, 9, "ab")
    assert len(T.blocks) == k.bit_length() - 1 + 2
    assert all(len(block.attention.heads) == 1 for block in T.blocks if block.attention is not None)
    assert ws.check.agrees_with(T, lambda x: hop(x, k), up_to=9, workers=1).holds
    if k > 1:
        assert not ws.check.agrees_with(T, lambda x: hop(x, k - 1), up_to=9, workers=1).holds


def test_every_position_has_the_answer_of_its_prefix() -> None:
    text = "abacabadabacaba"
    T = k_hop(2, 16, "abcd")
    assert list(ws.run(T, text).outputs) == [hop(text[: i + 1], 2) for i in range(len(text))]


def test_names_of_positions_are_no_tokens() -> None:
    with pytest.raises(ws.InputError, match="the vocabulary has 0, which is kept for positions"):
        k_hop(2, 4, "01")
