"""What the example programs compute, as plain Python functions of the tokens."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Tokens = Sequence[Any]


def length(tokens: Tokens) -> list[Any]:
    return [len(tokens)] * len(tokens)


def hist(tokens: Tokens) -> list[Any]:
    return [Counter(tokens)[token] for token in tokens]


def reverse(tokens: Tokens) -> list[Any]:
    return list(tokens[::-1])


def in_order(tokens: Tokens) -> list[Any]:
    return sorted(tokens)


def by_frequency(tokens: Tokens) -> list[Any]:
    """All tokens, frequent ones first; equally frequent ones in the order of the input."""
    counts = Counter(tokens)
    return sorted(tokens, key=lambda token: -counts[token])


def most_frequent(tokens: Tokens) -> list[Any]:
    """Each token once, frequent ones first, then "-" for what is left."""
    counts = Counter(tokens)
    once = sorted(counts, key=lambda token: (-counts[token], list(tokens).index(token)))
    return once + ["-"] * (len(tokens) - len(once))


def hist_of_hist(tokens: Tokens) -> list[Any]:
    """How many tokens occur as often as this one."""
    counts = Counter(tokens)
    return [sum(count == counts[token] for count in counts.values()) for token in tokens]


def next_identical(tokens: Tokens) -> list[Any]:
    """The position of the next equal token, or -1."""
    return [next((j for j in range(i + 1, len(tokens)) if tokens[j] == token), -1) for i, token in enumerate(tokens)]


def fraction_so_far(wanted: Any) -> Callable[[Tokens], list[Any]]:
    def meaning(tokens: Tokens) -> list[Any]:
        return [list(tokens[: i + 1]).count(wanted) / (i + 1) for i in range(len(tokens))]

    return meaning


def balance(opening: str, closing: str) -> Callable[[Tokens], list[Any]]:
    def meaning(tokens: Tokens) -> list[Any]:
        seen = [list(tokens[: i + 1]) for i in range(len(tokens))]
        return [float(Fraction(part.count(opening) - part.count(closing), len(part))) for part in seen]

    return meaning


def shuffle_dyck(pairs: Sequence[str]) -> Callable[[Tokens], list[Any]]:
    """Whether every kind of bracket is balanced, whatever the other kinds do."""

    def balanced(tokens: Tokens, opening: str, closing: str) -> bool:
        depth = 0
        for token in tokens:
            depth += (token == opening) - (token == closing)
            if depth < 0:
                return False
        return depth == 0

    return lambda tokens: [all(balanced(tokens, *pair) for pair in pairs)] * len(tokens)


def dyck_prefixes(pairs: Sequence[str]) -> Callable[[Tokens], list[Any]]:
    """For each prefix: "T" if it is balanced, "P" if it can become so, "F" otherwise; other tokens do not count."""
    opener = {pair[1]: pair[0] for pair in pairs}

    def meaning(tokens: Tokens) -> list[Any]:
        open_ones: list[Any] = []
        answers: list[Any] = []
        for token in tokens:
            if "F" in answers or (token in opener and (not open_ones or open_ones.pop() != opener[token])):
                answers.append("F")
                continue
            open_ones += [token] if token in opener.values() else []
            answers.append("P" if open_ones else "T")
        return answers

    return meaning


def shifted(offset: int, filler: Any) -> Callable[[Tokens], list[Any]]:
    return lambda tokens: ([filler] * offset + list(tokens))[: len(tokens)]


def ends_pattern(pattern: str, unknown: Any) -> Callable[[Tokens], list[Any]]:
    """Whether the pattern ends here; `unknown` where fewer tokens have been seen."""

    def meaning(tokens: Tokens) -> list[Any]:
        size = len(pattern)
        return [
            unknown if i + 1 < size else list(tokens[i + 1 - size : i + 1]) == list(pattern) for i in range(len(tokens))
        ]

    return meaning


def count_of(wanted: Any) -> Callable[[Tokens], list[Any]]:
    return lambda tokens: [list(tokens).count(wanted)] * len(tokens)


def rare(most: int) -> Callable[[Tokens], list[Any]]:
    """How many positions have a token that occurs at most so often."""
    return lambda tokens: [sum(count <= most for count in hist(tokens))] * len(tokens)


def three_at_once(tokens: Tokens) -> list[Any]:
    return [100 * i + 10 * len(tokens) + token for i, token in enumerate(tokens)]


def sum_of_two(tokens: Tokens) -> list[Any]:
    """The digits of a + b, at the right end of as many positions as the input has."""
    left, _, right = "".join(tokens).partition("+")
    return [int(digit) for digit in str(int(left or 0) + int(right or 0)).zfill(len(tokens))]


def parity(wanted: Any) -> Callable[[Tokens], list[Any]]:
    return lambda tokens: [list(tokens[: i + 1]).count(wanted) % 2 for i in range(len(tokens))]


def smallest_and_largest(tokens: Tokens) -> list[Any]:
    return [10 * max(tokens) + min(tokens)] * len(tokens)


def rover(tokens: Tokens) -> list[Any]:
    """Whether the last clause was said before, or follows in a leap: "aA" says that a is in A, "AB" that A is in B."""
    clauses = [clause[:2] for clause in "".join(tokens).replace(",", ",\n").splitlines()]
    told = {clause for clause in clauses[:-1] if clause[1:] in ("A", "B")}
    leaps = {one[0] + two[1] for one in told for two in told if one[1] == two[0]}
    return ["T" if clauses[-1] in told | leaps else "?"] * len(tokens)
