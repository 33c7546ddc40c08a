"""Reading tokens from text, and writing them as text."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, brief, listed, named, nearest_names
from weightsmith.model.tokenizer import decoded, encoded
from weightsmith.model.transformer import Transformer, check_length, checked

Tokens: TypeAlias = str | Sequence[str] | Sequence[int] | npt.NDArray[np.integer]  # a text, tokens, or their ids


def read_tokens(T: Transformer, tokens: Tokens) -> tuple[str, ...]:
    """Return the tokens of an input: a list as it is, a text by characters or, for longer tokens, by words.

    A model that was read from a checkpoint reads a text by its own tokenizer. A list or array of whole numbers holds
    ids: indices in the vocabulary.

    An empty input, an unknown token and an input longer than the position table are refused.
    """
    result = read_tokens_of_any_length(T, tokens)
    check_length(T, len(result))
    return result


def read_inputs(T: Transformer, inputs: Iterable[Tokens]) -> list[tuple[str, ...]]:
    """Return the tokens of many inputs, each as `read_tokens` reads it."""
    known, most = frozenset(checked(T).vocabulary), T.max_length
    read = []
    for tokens in inputs:
        given = tuple(tokens) if isinstance(tokens, list | tuple) else ()
        fits = most is None or len(given) <= most
        good = given and fits and all(type(one) is str and one in known for one in given)
        read.append(given if good else read_tokens(T, tokens))  # which raises the error
    return read


def read_tokens_of_any_length(T: Transformer, tokens: Tokens) -> tuple[str, ...]:
    """Return the tokens as `read_tokens` does, also of an input that is longer than the position table."""
    checked(T)
    by_tokenizer = isinstance(tokens, str) and T.tokenizer
    return known_tokens(T.vocabulary, encoded(T.tokenizer, tokens) if by_tokenizer else tokens)  # type: ignore[arg-type]


def known_tokens(vocabulary: Sequence[str], tokens: Tokens) -> tuple[str, ...]:
    """Return the tokens of an input: a list as it is, a text by characters or words; refuse what is not known."""
    if isinstance(tokens, str):
        result = text_tokens(vocabulary, tokens)
    elif isinstance(tokens, Sequence | np.ndarray):
        given: tuple[Any, ...] = tuple(tokens)
        ids = given and all(isinstance(token, int | np.integer) and not isinstance(token, bool) for token in given)
        result = _of_ids(vocabulary, given) if ids else given
    else:
        raise InputError(f"tokens must be a text or a list of texts, and they are {brief(tokens)}")
    if not result:
        raise InputError(f"the input is empty: write at least one of the tokens {listed(vocabulary)}")
    known = set(vocabulary)
    for position, token in enumerate(result):
        if not isinstance(token, str):
            raise InputError(
                f"token {position} of the input is {brief(token)}, which is not a text: tokens are texts, '1' not 1"
            )
        if token not in known:
            raise InputError(
                f"token {position} of the input, {named(token)}, is not in the vocabulary: "
                f"{nearest_names(token[:80], vocabulary)}write {listed(vocabulary)}"
            )
    return result


def _of_ids(vocabulary: Sequence[str], ids: Sequence[Any]) -> tuple[str, ...]:
    for position, token in enumerate(ids):
        if not 0 <= token < len(vocabulary):
            raise InputError(
                f"token {position} of the input is the id {brief(token)}: write ids from 0 to {len(vocabulary) - 1}, "
                f"or tokens, such as {listed(vocabulary)}"
            )
    return tuple(vocabulary[token] for token in ids)


def token_ids(T: Transformer, tokens: Iterable[str]) -> list[int]:
    """Return the ids of tokens, their indices in the vocabulary; it has all of them."""
    index = {token: i for i, token in enumerate(T.vocabulary)}
    return [index[token] for token in tokens]


def readable_text(T: Transformer, tokens: Sequence[str]) -> str:
    """Return tokens as the text that a person would write: by the model's tokenizer, where it has one."""
    return decoded(T.tokenizer, tokens) if T.tokenizer else tokens_text(T.vocabulary, tokens)


def separator(vocabulary: Sequence[str]) -> str:
    """Return what stands between tokens in a text: nothing where each is one character, else a space."""
    return "" if all(len(token) == 1 for token in vocabulary) else " "


def tokens_text(vocabulary: Sequence[str], tokens: Iterable[str]) -> str:
    """Return tokens as a text that reads back."""
    return separator(vocabulary).join(tokens)


def text_tokens(vocabulary: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the tokens of a text: its characters where every token is one, else its words."""
    return tuple(text.split() if separator(vocabulary) else text)
