"""An n-gram language model as a transformer of one block with n − 1 heads, without approximation."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import log
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import InputError, brief, listed, named, whole_number
from weightsmith.library.arguments import read_vocabulary
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward, heads, matrix

Context: TypeAlias = tuple[str, ...]
Table: TypeAlias = Mapping[Context, Mapping[str, Fraction]]
END = "END"
MOST_CONTEXTS = 1 << 16


def count_ngrams(texts: Sequence[Sequence[str]], n: int) -> dict[Context, dict[str, Fraction]]:
    """Return p(next | the last n − 1 tokens) as counted in texts, each of which ends with END.

    A context at the beginning of a text is shorter.

    >>> count_ngrams(["aab"], 2)[("a",)]
    {'a': Fraction(1, 2), 'b': Fraction(1, 2)}
    """
    n = whole_number(n, "n", 1, 16, "1 for single tokens, 2 for pairs")
    counts = defaultdict[Context, Counter[str]](Counter)
    for text in texts:
        for i, token in enumerate([*text, END]):
            counts[tuple(text[max(0, i - n + 1) : i])][token] += 1
    return {c: {t: Fraction(m, sum(all_.values())) for t, m in all_.items()} for c, all_ in counts.items()}


def ngram(
    table: Table, n: int, vocabulary: str | Sequence[str] = "ab", arithmetic: Arithmetic | None = None
) -> Transformer:
    """Give the logits ln p(next | the last n − 1 tokens), each rounded once, at every position of every input.

    Heads look 1 to n − 2 positions back; with the token itself that makes the context. One neuron fires for each
    context, with 1, and writes its logits: ln p, and −∞ where p = 0. So no logit is a sum of two numbers. A context
    that the table lacks gives all logits 0: equal chances.

    >>> from weightsmith import logits
    >>> T = ngram(count_ngrams(["aab", "ab"], 2), 2)
    >>> T.classes
    ('a', 'b', 'END')
    """
    A = or_default(arithmetic)
    n = whole_number(n, "n", 2, 16, "2 for pairs, 3 for triples")
    tokens = read_vocabulary(vocabulary)
    if END in tokens:
        raise InputError(f"the vocabulary has {END}, which ends texts: write another token")
    contexts = _contexts(table, n, tokens)
    steps = range(n - 1)
    lanes = [f"{d} back {t}" for d in steps for t in tokens] + [f"logit {t}" for t in (*tokens, END)]
    look = [heads.at_distance(lanes, d, {f"0 back {t}": f"{d} back {t}" for t in tokens}, A) for d in steps if d > 0]
    neurons = [Neuron(*_condition(context, n, tokens, table[context], A)) for context in contexts]
    return Transformer(
        arithmetic=A,
        vocabulary=tokens,
        lanes=lanes,
        embedding=matrix(tokens, lanes, {(t, f"0 back {t}"): 1.0 for t in tokens}),
        blocks=(Block(Attention(tuple(look)) if look else None, feed_forward(lanes, neurons), origin="recall"),),
        output=matrix([*tokens, END], lanes, {(t, f"logit {t}"): 1.0 for t in (*tokens, END)}),
        classes=(*tokens, END),
        provenance=(f"library.papers.ngram(n={n})",),
        description=f"Says what follows, by the last {n - 1} tokens.",
    )


def rounded_logit(p: Fraction, A: Arithmetic) -> float:
    """Return ln p rounded into an arithmetic, and −∞ for 0."""
    return float(A.round(log(p))) if p else -float(np.asarray(A.infinity))


def likeliest(table: Table, n: int, vocabulary: Sequence[str], tokens: Sequence[str]) -> str:
    """Return the likeliest next token, the first in order on a tie; the first of all after an unknown context.

    >>> likeliest(count_ngrams(["aab", "ab"], 2), 2, "ab", "ba")
    'b'
    """
    chances = table.get(tuple(tokens[max(0, len(tokens) - n + 1) :]), {})
    return max((*vocabulary, END), key=lambda token: chances.get(token, Fraction(0)))


def probability(T: Transformer, logits: np.ndarray) -> np.ndarray:
    """Return the softmax of logits in the arithmetic of T: what it says the next token's chances are."""
    return np.asarray(T.arithmetic.softmax(logits))


def _contexts(table: Table, n: int, tokens: Sequence[str]) -> list[Context]:
    """Return the contexts that an input can have, checked."""
    if not isinstance(table, Mapping) or len(table) > MOST_CONTEXTS:
        raise InputError(f"table={brief(table)}: write count_ngrams([…], {n}), at most {MOST_CONTEXTS:,} contexts")
    for context, chances in table.items():
        for token in (*context, *chances):
            if token not in (*tokens, END):
                raise InputError(f"the table has {named(token)}: the vocabulary is {listed(tokens)}, then {END}")
        if len(context) >= n:
            raise InputError(f"the context {brief(context)} has {len(context)} tokens: write at most {n - 1}")
        if sum(chances.values()) != 1:
            raise InputError(f"the chances after {brief(context)} add up to {sum(chances.values())}: write 1 in all")
    return [context for context in table if context]  # no input is empty


def _condition(
    context: Context, n: int, tokens: Sequence[str], chances: Mapping[str, Fraction], A: Arithmetic
) -> tuple[dict[str, float], dict[str, float], float, str]:
    """Return what the neuron of a context reads and writes: 1 in this context, at most 0 in any other."""
    reads = {f"{d} back {t}": 1.0 for d, t in enumerate(reversed(context))}
    if len(context) < n - 1:  # the text begins here: no token is that far back
        reads |= {f"{len(context)} back {t}": -1.0 for t in tokens}
    logits = {t: rounded_logit(chances.get(t, Fraction(0)), A) for t in (*tokens, END)}
    return reads, {f"logit {t}": x for t, x in logits.items() if x}, 1.0 - len(context), f"after {' '.join(context)}"
