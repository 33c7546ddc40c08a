"""Transformers to check, and what the reference semantics says of every input."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

import weightsmith as ws
from weightsmith import library
from weightsmith.check import Automaton
from weightsmith.model.transformer import Mask

SYMBOLS = "abcd"


def all_inputs(vocabulary: Sequence[str], up_to: int) -> list[tuple[str, ...]]:
    """Every input, shortest first, then in vocabulary order."""
    return [tokens for n in range(1, up_to + 1) for tokens in product(vocabulary, repeat=n)]


def differences(S: ws.Transformer, T: ws.Transformer, up_to: int) -> list[tuple[str, ...]]:
    """The inputs that two transformers decide differently, by the reference semantics, in order."""
    inputs = all_inputs(S.vocabulary, up_to)
    pairs = zip(inputs, ws.decisions(S, inputs), ws.decisions(T, inputs), strict=True)
    return [tokens for tokens, mine, other in pairs if mine != other]


def place(tokens: Sequence[str], vocabulary: Sequence[str]) -> int:
    """How many inputs there are up to this one, itself included."""
    rank = 0
    for token in tokens:
        rank = rank * len(vocabulary) + vocabulary.index(token)
    return sum(int(len(vocabulary) ** k) for k in range(1, len(tokens))) + rank + 1


def just(word: Sequence[str], vocabulary: Sequence[str], up_to: int, mask: Mask = "causal") -> ws.Transformer:
    """YES on one word only, with a table of positions: so it can have a full mask, and lanes are few.

    The feed-forward layer of block 0 sets `miss` to 1 where another letter than the word's stands, or none should;
    block 1 looks at a position with a miss, if there is one. The lane `end` is 1 where the word must end.
    """
    tokens, length = list(vocabulary), len(word)
    lanes = [*(f"is {token}" for token in tokens), *(f"at {i}" for i in range(up_to)), "end", "miss", "found"]
    place_of = {lane: j for j, lane in enumerate(lanes)}
    neurons = [(token, i) for token in tokens for i in range(up_to) if i >= length or word[i] != token]
    W_1, b_1 = np.zeros((len(neurons), len(lanes))), -np.ones(len(neurons))
    for n, (token, i) in enumerate(neurons):
        W_1[n, place_of[f"is {token}"]] = W_1[n, place_of[f"at {i}"]] = 1
    W_2 = np.zeros((len(lanes), len(neurons)))
    W_2[place_of["miss"]] = 1
    table = np.zeros((up_to, len(lanes)))
    for i in range(up_to):
        table[i, place_of[f"at {i}"]] = 1
    table[length - 1, place_of["end"]] = 1
    embedding = np.eye(len(tokens), len(lanes))
    miss, ends = (np.eye(len(lanes))[[place_of[name]]] for name in ("miss", "end"))
    ones = np.zeros((1, len(lanes)))
    ones[0, : len(tokens)] = 1
    look = ws.Head(ones, miss, miss, np.eye(len(lanes))[:, [place_of["found"]]], ws.LeftmostHard())
    output = np.zeros((2, len(lanes)))
    output[1] = ends[0]
    output[1, place_of["found"]] = -1
    return ws.Transformer(
        arithmetic=ws.Fixed(4, 4),
        vocabulary=tuple(tokens),
        lanes=lanes,
        embedding=embedding,
        positions=ws.PositionTable(table),
        blocks=(ws.Block(None, ws.FeedForward(W_1, b_1, W_2, None)), ws.Block(ws.Attention((look,)))),  # type: ignore[arg-type]
        output=output,
        mask=mask,
    )


def automaton(table: Any, accepting: Any, start: int = 0) -> Automaton:
    """An automaton from lists."""
    return Automaton(np.array(table, np.int32), np.array(accepting), start)


def never(T: ws.Transformer) -> ws.Transformer:
    """The same transformer, which always says NO."""
    return replace(T, output=np.zeros_like(T.output))


def bases(vocabulary: str) -> list[ws.Transformer]:
    """Yes/no transformers without a limit to the length."""
    last = vocabulary[-1]
    return [
        library.ends_with(last, vocabulary),
        library.contains_word(last + vocabulary[0], vocabulary),
        library.exact_length(2, vocabulary),
    ]


def words(vocabulary: str, up_to: int) -> Iterator[str]:
    """The first and last input of all, the first and last of the last length, and some in between."""
    first, last, middle = vocabulary[0], vocabulary[-1], vocabulary[len(vocabulary) // 2]
    yield from (first, last, first * up_to, last * up_to)
    yield from (last * (up_to - 1), first * (up_to - 2) + last, middle + last * (up_to - 2) + first)
    yield from (first * (up_to - 1) + last, last * (up_to - 1) + first, middle * (up_to - 1), last + middle, first * 3)


def flipped(T: ws.Transformer) -> ws.Transformer:
    """The same transformer with the vocabulary and the classes in reverse."""
    return replace(
        T,
        vocabulary=tuple(T.vocabulary)[::-1],
        embedding=T.embedding[::-1],
        classes=tuple(T.classes)[::-1],
        output=T.output[::-1],
    )
