"""Pairs of a clean and a corrupted input, and what a method that looks for a circuit gets and returns."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np

from weightsmith.errors import InputError, brief, whole_number
from weightsmith.inspect.components import Edge
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer
from weightsmith.model.tokens import read_tokens, token_ids
from weightsmith.semantics.evaluation import AnswerIds, Ids

PAIRS = 64  # of each part, at most
TRIES = 50  # for each of them


@dataclass(frozen=True)
class Pair:
    """A clean and a corrupted input of the same length, and the position at which their answers are compared."""

    clean: tuple[str, ...]
    corrupted: tuple[str, ...]
    position: int


@dataclass(frozen=True, eq=False)
class Group:
    """Pairs of one length, as ids: clean and corrupted inputs (pairs, tokens), and the position of each."""

    clean: Ids
    corrupted: Ids
    positions: Ids


def grouped(T: Transformer, pairs: Sequence[Pair]) -> list[Group]:
    """Return pairs by their length; refuse pairs that do not fit the transformer."""
    if not isinstance(T, Transformer):
        raise InputError(f"{brief(T)} is not a transformer: of a compiled program write P.transformer")
    if isinstance(pairs, str | Pair) or not isinstance(pairs, Sequence) or not pairs:
        raise InputError(f"pairs={brief(pairs)}: write a list of at least one Pair(clean, corrupted, position)")
    by_length: dict[int, list[tuple[list[int], list[int], int]]] = {}
    for n, pair in enumerate(pairs):
        if not isinstance(pair, Pair):
            raise InputError(f"pairs[{n}]={brief(pair)}: write Pair(clean, corrupted, position)")
        clean, corrupted = (token_ids(T, read_tokens(T, each)) for each in (pair.clean, pair.corrupted))
        if len(clean) != len(corrupted):
            raise InputError(
                f"pairs[{n}] has {len(clean)} clean and {len(corrupted)} corrupted tokens: write inputs of one length"
            )
        position = whole_number(pair.position, f"pairs[{n}].position", 0, len(clean) - 1)
        by_length.setdefault(len(clean), []).append((clean, corrupted, position))
    return [Group(*(np.array(each, np.intp) for each in zip(*group, strict=True))) for group in by_length.values()]


class Method(Protocol):
    """A method of circuit discovery: it scores every edge of `inspect.edges.edges(T)`; larger means more important."""

    def __call__(self, T: Transformer, pairs: Sequence[Pair]) -> Mapping[Edge, float]:
        """Return the score of every edge."""


@dataclass(frozen=True)
class Split:
    """Training pairs for a method, and test pairs for its score. No clean input is in both."""

    train: tuple[Pair, ...]
    test: tuple[Pair, ...]


def drawn_pairs(T: Transformer, up_to: int, name: str) -> Split:
    """Draw pairs of inputs up to a length whose answers differ at a position; the name is the seed.

    In every second pair the inputs differ in one token, in the others in any number of tokens.
    """
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
    ids, answers = list[Ids](), list[AnswerIds]()
    for length in range(1, up_to + 1):
        ids.append(np.array(list(product(range(len(T.vocabulary)), repeat=length)), np.intp))
        answers.append(np.asarray(engine_for(T).results(ids[-1], "outputs"), np.intp))
    places = [(length, n) for length, rows in enumerate(ids) for n in range(len(rows))]
    order = [places[i] for i in rng.permutation(len(places)).tolist()]
    half = len(order) // 2
    parts = [_pairs(T, part, ids, answers, rng) for part in (order[:half], order[half:])]
    if not all(parts):
        raise InputError(f"{name}: no two inputs of a length have different answers: there is no pair to draw")
    return Split(*parts)


def _pairs(
    T: Transformer, cleans: list[tuple[int, int]], ids: list[Ids], answers: list[AnswerIds], rng: np.random.Generator
) -> tuple[Pair, ...]:
    found = dict[Pair, None]()
    for k in range(PAIRS * TRIES):
        if len(found) == PAIRS or not cleans:
            break
        i, n = cleans[int(rng.integers(len(cleans)))]
        other = _one_token_changed(n, i + 1, len(T.vocabulary), rng) if k % 2 else int(rng.integers(len(ids[i])))
        differs = np.flatnonzero(answers[i][n] != answers[i][other])
        if len(differs):
            clean, corrupted = (tuple(T.vocabulary[token] for token in ids[i][m]) for m in (n, other))
            found[Pair(clean, corrupted, int(rng.choice(differs)))] = None
    return tuple(found)


def _one_token_changed(n: int, length: int, tokens: int, rng: np.random.Generator) -> int:
    """Return the number of an input that differs in one token; inputs are counted in the order of their tokens."""
    place = tokens ** int(rng.integers(length))
    digit = n // place % tokens
    new = (digit + int(rng.integers(1, max(tokens, 2)))) % tokens
    return int(n + (new - digit) * place)
