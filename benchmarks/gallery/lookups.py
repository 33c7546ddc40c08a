"""Tables of the constructions that look up: automata in log depth, induction, k hops, n-grams, memories."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np

import weightsmith as ws
from benchmarks.gallery.table import ARITHMETICS, Rows, Table, arithmetic, cell, limits, word
from weightsmith.check import Verdict
from weightsmith.errors import WeightsmithError
from weightsmith.library.papers.induction import hop, induction_head, k_hop
from weightsmith.library.papers.log_depth import automaton_in_log_depth, permutations
from weightsmith.library.papers.memories import facts, outer_product_memory
from weightsmith.library.papers.ngram import count_ngrams, ngram, probability, rounded_logit

S5 = permutations([(1, 0, 2, 3, 4), (1, 2, 3, 4, 0)])
TEXTS = ("abab", "aab", "b", "abba")
FOLLOWERS = {  # hop_1 over the letters abc, as expressions
    "a": ".*aa|.*ba[^b]*b|.*ca[^c]*c",
    "b": ".*bb|.*ab[^a]*a|.*cb[^c]*c",
    "c": ".*cc|.*ac[^a]*a|.*bc[^b]*b",
}


def log_depth_sizes() -> Rows:
    """Return a row for each n: sizes, the verdict up to n, and the first length that fails."""
    rows: Rows = []
    for n in (1, 2, 3, 4, 8, 16):
        T = automaton_in_log_depth(S5, n)
        beyond = ws.check.recognizes(T, S5, length=(1 << len(T.blocks)) + 1)
        right = cell(lambda T=T, n=n: ws.check.recognizes(T, S5, up_to=n))  # type: ignore[misc]
        rows.append((n, len(T.blocks), len(T.lanes), T.nonzero_weights, right, f"✗ {word(beyond.counterexample)}"))
    return rows


def log_depth_limits() -> Rows:
    """Return the limits of the automaton of S₅ for n = 8."""
    return limits(lambda A: ws.check.recognizes(automaton_in_log_depth(S5, 8, A), S5, up_to=8))


def induction_limits() -> Rows:
    """Return for each arithmetic whether every prediction is proved at all lengths."""
    return [(name, cell(lambda name=name: _all_classes(arithmetic(name)))) for name in ARITHMETICS]  # type: ignore[misc]


def _all_classes(A: ws.Arithmetic) -> Verdict:
    """Claim for each token that it is predicted on the right inputs; return the first verdict that is not proved."""
    T = induction_head("abc", A)
    verdicts = [ws.check.recognizes(T, language, yes=token) for token, language in FOLLOWERS.items()]
    return next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])


def k_hop_sizes() -> Rows:
    """Return a row for each number of hops; from 8 on with two letters, and inputs that tell k from k − 1."""
    rows: Rows = []
    for k in (1, 2, 3, 4, 5, 7, 8, 12):
        letters, n = ("abc", 8) if k < 8 else ("ab", k + 1)
        T = k_hop(k, n, letters)
        right = cell(lambda T=T, k=k, n=n: ws.check.agrees_with(T, hops(k), up_to=n))  # type: ignore[misc]
        other = ws.check.agrees_with(T, hops(k - 1), up_to=n).counterexample
        rows.append((k, letters, len(T.blocks), len(T.lanes), T.nonzero_weights, right, word(other)))
    return rows


def hops(k: int) -> Callable[[str], str]:
    """Return hop_k as a function of the input."""
    return lambda x: hop(x, k)


def k_hop_limits() -> Rows:
    """Return the limits of five hops at n = 8."""
    return limits(lambda A: ws.check.agrees_with(k_hop(5, 8, arithmetic=A), hops(5), up_to=8))


def ngram_limits() -> Rows:
    """Return for each arithmetic: whether logits are ln p rounded, and how far the chances are from p."""
    table = count_ngrams(TEXTS, 3)
    rows: Rows = []
    for name in ARITHMETICS:
        A = arithmetic(name)
        try:
            T = ngram(table, 3, "ab", A)
        except WeightsmithError as error:
            rows.append((name, f"refused: {str(error).split(': write ')[0]}", "", ""))
            continue
        inputs = [x for n in range(1, 9) for x in product("ab", repeat=n)]
        rows_of = dict(zip(inputs, ws.logits(T, inputs), strict=True))
        wanted = {x: _logits(table.get(x[-2:] if len(x) > 1 else x, {}), T) for x in inputs}
        same = all(np.array_equal(rows_of[x], wanted[x]) for x in inputs)
        errors, zeros = [Fraction(0)], []
        for x in inputs:
            chances = table.get(x[-2:] if len(x) > 1 else x)
            for token, p in zip(T.classes, probability(T, rows_of[x]).tolist(), strict=True):
                if chances is not None:
                    errors.append(abs(Fraction(p) - chances.get(str(token), Fraction(0))))
                    zeros += [p] if str(token) not in chances else []
        right = f"all {len(inputs):,} inputs" if same else "✗"
        rows.append((name, right, f"{float(max(errors)):.4f}", f"{max(zeros):.4f}" if max(zeros) else "0"))
    return rows


def _logits(chances: dict[str, Fraction], T: ws.Transformer) -> list[float]:
    """Return the logits after a context; all 0 after one that the table lacks."""
    if not chances:
        return [0.0] * len(T.classes)
    return [rounded_logit(chances.get(str(token), Fraction(0)), T.arithmetic) for token in T.classes]


def memory_capacity() -> Rows:
    """Return for each arithmetic and size the number of facts up to which every one is recalled."""
    return [(name, *(_capacity(size, arithmetic(name)) for size in (8, 16, 32))) for name in ARITHMETICS]


def _capacity(size: int, A: ws.Arithmetic) -> str:
    """Return the last number of facts before one is forgotten."""
    for number in range(1, 257):
        try:
            T = outer_product_memory(number, size, 16, A)
        except WeightsmithError as error:
            return f"refused: {str(error).split(': write ')[0]}"
        known = facts(number, 16)
        verdict = ws.check.agrees_with(T, lambda x, known=known: known[x[0]], up_to=1)  # type: ignore[misc]
        if not verdict.holds:
            return f"{number - 1}, then {word(verdict.counterexample)} is lost"
    return "256"


TABLES = {
    "log-depth": Table(
        "log-depth", ("n", "blocks", "lanes", "weights", "right", "first failure beyond"), log_depth_sizes
    ),
    "log-depth-limits": Table("log-depth", ("arithmetic", "n = 8"), log_depth_limits),
    "induction-head": Table("induction-head", ("arithmetic", "every prediction"), induction_limits),
    "k-hop": Table(
        "k-hop", ("k", "letters", "blocks", "lanes", "weights", "right", "tells it from k − 1 hops"), k_hop_sizes
    ),
    "k-hop-limits": Table("k-hop", ("arithmetic", "k = 5, n = 8"), k_hop_limits),
    "n-gram": Table(
        "n-gram", ("arithmetic", "logits = ln p, rounded", "largest error of p", "largest p for 0"), ngram_limits
    ),
    "memories": Table("memories", ("arithmetic", "8 × 8", "16 × 16", "32 × 32"), memory_capacity),
}
