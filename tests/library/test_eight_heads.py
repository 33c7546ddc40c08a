"""Eight heads, each with its purpose: without it, the decision on its own example changes, and on no other."""

import pytest

import weightsmith as ws
from tests.semantics.witnessed import assert_equals_witness

EXAMPLES = {  # a head, its example, the decision, and the decision without the head
    "previous word": ("Anna and", "Ben", "Anna"),
    "two words back": ("neither the cat", "nor", "sees"),
    "first word": ("Who sees the dog", "?", "."),
    "first noun": ("The cats near the river", "sleep", "sleeps"),
    "last name": ("Anna is glad because", "she", "it"),
    "open brackets": ("( Anna is glad", ")", "."),
    "same word before": ("Anna is very very", "glad", "very"),
    "not before": ("Anna is not glad ,", "but", "and"),
}
OPPOSITES = {  # the same last word, where the head finds something else
    "Ben and": "Anna",
    "the cat": "sees",
    "The cats near the dog": ".",
    "The cat near the river": "sleeps",
    "Ben sleeps because": "he",
    "Anna and Ben sleep because": "he",
    "( Anna is glad ) Anna is glad": ".",
    "Anna is very": "very",
    "Anna is glad ,": "and",
}


def test_every_head_has_its_name() -> None:
    attention = ws.library.eight_heads().blocks[0].attention
    assert attention is not None
    assert [head.name for head in attention.heads] == list(EXAMPLES)


def test_without_a_head_the_decision_changes_on_its_own_example_and_on_no_other() -> None:
    T = ws.library.eight_heads()
    for n, (tokens, decision, without) in enumerate(EXAMPLES.values()):
        r = ws.run(T, tokens)
        assert r.decision == decision
        found = [ws.ablate(r, block=0, head=head).decision for head in range(8)]
        assert found == [without if head == n else decision for head in range(8)], tokens


def test_where_a_head_finds_something_else_the_next_word_is_another() -> None:
    T = ws.library.eight_heads()
    assert dict(zip(OPPOSITES, ws.decisions(T, list(OPPOSITES)), strict=True)) == OPPOSITES


def test_it_writes_sentences() -> None:
    T = ws.library.eight_heads()
    assert " ".join(ws.generate(T, "The", 6)) == "cats near the river sleep ."
    assert " ".join(ws.generate(T, "Who", 4)) == "sees the dog ?"
    assert " ".join(ws.generate(T, "(", 6)) == "Anna is very very glad )"


@pytest.mark.parametrize("A", [ws.Fixed(4, 4), ws.Fixed(5, 3), ws.Float(4, 4)], ids=str)
def test_the_witness_agrees_bit_for_bit(A: ws.Arithmetic) -> None:
    T = ws.library.eight_heads(arithmetic=A)
    for tokens, _, _ in EXAMPLES.values():
        assert_equals_witness(T, tokens.split())


def test_brackets_are_counted() -> None:
    T = ws.library.eight_heads()
    tokens = ["("] * 15 + [")"] * 14 + ["glad"]
    assert ws.run(T, tokens).decision == ")"
    assert ws.run(T, [*tokens[:-1], ")", "glad"]).decision == "."
