"""Checks of what a chain is made of: its tokens, those of its inputs, and its answers."""

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from weightsmith.errors import ModelError, brief, listed, named
from weightsmith.model.names import checked_text
from weightsmith.model.tokens import text_tokens
from weightsmith.model.transformer import Transformer


def checked_tokens(T: Transformer, value: object, name: str) -> tuple[str, ...]:
    """Return tokens of a vocabulary, from a text or a sequence."""
    if isinstance(value, str):
        tokens: tuple[object, ...] = text_tokens(T.vocabulary, value)
    elif isinstance(value, Sequence):
        tokens = tuple(value)
    else:
        raise ModelError(f"{name}={brief(value)}: write tokens, such as {name}=({T.vocabulary[-1]!r},)")
    for token in tokens:
        if token not in T.vocabulary:
            raise ModelError(f"{name} has {brief(token)}, which is not in the vocabulary: write {listed(T.vocabulary)}")
    return cast(tuple[str, ...], tokens)


def checked_inputs(T: Transformer, given: str | Sequence[str] | None, others: Collection[str]) -> tuple[str, ...]:
    """Return the tokens that inputs consist of; by default all but those of the prompt and of `until`."""
    if given is None:
        left = tuple(token for token in T.vocabulary if token not in others)
        if not left:
            raise ModelError(
                f"no token is left for inputs: the prompt and until have all of {listed(T.vocabulary)}; "
                f"write inputs=({T.vocabulary[0]!r},)"
            )
        return left
    found = checked_tokens(T, given, "inputs")
    if not found or len(set(found)) < len(found):
        raise ModelError(f"inputs={brief(given)}: write the tokens of inputs, at least one, each once")
    return found


def checked_answers(
    answers: Mapping[str, str] | Sequence[tuple[str, str]] | None, last: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return the answer of each token that can be the last, in the order of the transformer's classes."""
    if answers is None:
        return tuple((token, token) for token in last)
    try:
        given = dict(answers)
    except (TypeError, ValueError):
        raise ModelError(f"answers={brief(answers)}: write what each last token stands for, {_example(last)}") from None
    for token, answer in given.items():
        if token not in last:
            raise ModelError(
                f"answers has {brief(token)}, which is never the last token: that is one of {listed(last)}"
            )
        if not isinstance(answer, str):
            raise ModelError(f"the answer {brief(answer)} of {named(token)} is not a text: write {_example(last)}")
        checked_text(answer, "an answer")
    missing = [token for token in last if token not in given]
    if missing:
        raise ModelError(f"answers lacks {named(missing[0])}, which can be the last token: write {_example(last)}")
    return tuple((token, given[token]) for token in last)


def _example(last: Sequence[str]) -> str:
    return "answers={" + ", ".join(f"{token!r}: {'YES' if i else 'NO'!r}" for i, token in enumerate(last[:2])) + "}"
