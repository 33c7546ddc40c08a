"""The scores of a head: of every query with every key that can occur, at every distance that matters."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Core, Weights
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.exploring import Ints, distinct_rows, in_slices
from weightsmith.model import Alibi, AttentionPositions, Head, Softmax


@dataclass(frozen=True, eq=False)
class HeadScores:
    """Scores and values by *age*: the distance from the query to the key. The last age stands for all later ones.

    Vectors with the same query are one query; vectors with the same key and value are one key.
    """

    head: Head
    A: Core
    scores: Array  # (ages, queries, keys)
    values: Array  # (ages, keys, value size)
    query_of: Ints  # (vectors): the number of its query
    key_of: Ints  # (vectors): the number of its key
    newest: int  # the age of the newest visible key: 1 for a strict head, else 0
    cache: dict[bytes, Any] = field(default_factory=dict, repr=False)  # of `equal_parts`

    @property
    def last(self) -> int:
        """The age from which on scores and values stay the same."""
        return len(self.scores) - 1

    def classes(self, budget: Budget) -> Ints:
        """Return the class of each query: queries of a class give the same weights."""
        found: dict[bytes, int] = {}
        weighting, numbers = self.head.weighting, list[int]()
        code: npt.NDArray[Any]
        for row in np.moveaxis(self.scores[self.newest :], 1, 0):
            budget.check()
            if isinstance(weighting, Softmax):
                code = row if weighting.shifted else self.A.exp(row)
            else:
                code = np.unique(row, return_inverse=True)[1]  # hard attention depends on the order of scores only
            numbers.append(found.setdefault(np.ascontiguousarray(code).tobytes(), len(found)))
        return np.array(numbers, np.int32)


def score_vectors(A: Core, head: Head, scheme: AttentionPositions, h: Array, budget: Budget) -> HeadScores:
    """Return the scores of vectors h (vectors, lanes) as queries, with the same vectors as keys and values."""
    newest = int(head.strict)
    q, k, v = (_projected(A, W, b, h) for W, b in ((head.W_Q, head.b_Q), (head.W_K, head.b_K), (head.W_V, head.b_V)))
    q, query_of = distinct_rows(q)
    both, key_of = distinct_rows(np.concatenate([k, v], axis=1))
    k, v = both[:, : k.shape[1]], both[:, k.shape[1] :]
    penalties = scheme_penalties(A, scheme, budget)
    offsets = [table for table in (scheme.key_offsets(), scheme.value_offsets()) if table is not None]
    last = max([newest, len(penalties) - 1, *(len(table) - 1 for table in offsets)])
    budget.room((last + 1) * len(k) * _bytes(len(q), v.shape[1]), "the scores of all queries and keys")
    scores, values = np.empty((last + 1, len(q), len(k))), np.empty((last + 1, *v.shape))
    for age in range(last + 1):
        budget.check()
        distance = np.full(len(k), age)
        keys, penalty = scheme.key(A, k, distance), penalties[min(age, len(penalties) - 1)] if len(penalties) else None
        scores[age] = _scores(A, q, keys, penalty, budget)
        values[age] = scheme.value(A, v, distance)
    while last > newest and (scores[last - 1] == scores[last]).all() and (values[last - 1] == values[last]).all():
        last -= 1
    budget.holding(scores, values)
    return HeadScores(head, A, scores[: last + 1], values[: last + 1], query_of, key_of, newest)


def _scores(A: Core, q: Array, keys: Array, penalty: float | None, budget: Budget) -> Array:
    """Return the scores (queries, keys), computed in slices."""

    def of(some: slice) -> Array:
        found = A.dot(q[some, None, :], keys[None, :, :])
        return found if penalty is None else A.add(found, np.array(penalty))

    return in_slices(of, len(q), keys.size, budget)


def _bytes(queries: int, size: int) -> int:
    """Return the bytes of a key at an age: scores, twice, and values, which are weighted and numbered."""
    return 8 * (2 * queries + 6 * (2 + size))


def scheme_penalties(A: Core, scheme: AttentionPositions, budget: Budget) -> Array:
    """Return the penalty at each distance, up to the first −∞; empty without a penalty."""
    table = scheme.penalties(A.arithmetic, 1)
    if table is None or (isinstance(scheme, Alibi) and scheme.slopes == (0.0,)):
        return np.empty(0)
    most = budget.limits.ages
    while table[-1] != -A.infinity:
        if len(table) >= most:
            raise budget.stop(f"the penalty for distance has not reached −∞ after {most:,} positions")
        found = scheme.penalties(A.arithmetic, min(2 * len(table), most))
        assert found is not None
        table = found
    return table[: int(np.argmax(table == -A.infinity)) + 1]


def _projected(A: Core, W: Weights, b: Weights | None, h: Array) -> Array:
    product = A.matvec(W, h)
    return product if b is None else A.add(product, b)
