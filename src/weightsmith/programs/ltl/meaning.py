"""The meaning of a formula: the positions of an input at which it holds. Plain, and independent of the weights."""

from collections.abc import Sequence

from weightsmith.programs.ltl.formulas import Connective, Formula, Past, Token, Truth, in_order


def truths(formula: Formula, tokens: Sequence[str]) -> list[bool]:
    """Say of each position of an input whether a formula holds there.

    >>> from weightsmith.programs.ltl.reading import parse_ltl
    >>> truths(parse_ltl("O(a & Y b)"), "abac")
    [False, False, True, True]
    """
    known: dict[Formula, list[bool]] = {}
    for part in in_order(formula):
        match part:
            case Truth(value):
                known[part] = [value] * len(tokens)
            case Token(name):
                known[part] = [token == name for token in tokens]
            case Connective(symbol, parts):
                known[part] = [connected(symbol, *here) for here in zip(*(known[each] for each in parts), strict=True)]
            case Past():
                known[part] = _past(part, [known[each] for each in part.parts])
    return known[formula]


def connected(symbol: str, *parts: bool) -> bool:
    """Return the truth of a connective, from the truths of its parts."""
    if symbol == "!":
        return not parts[0]
    left, right = parts
    return {"&": left and right, "|": left or right, "^": left != right, "->": right or not left, "<->": left == right}[
        symbol
    ]


def _past(formula: Past, parts: Sequence[Sequence[bool]]) -> list[bool]:
    """Return where it holds, from where its parts do: `end` is the first position that it does not see."""
    ends = [i if formula.strict else i + 1 for i in range(len(parts[0]))]
    if formula.operator == "Y":
        return [i > 0 and parts[0][i - 1] for i in range(len(parts[0]))]
    if formula.operator == "O":
        return [any(parts[0][:end]) for end in ends]
    if formula.operator == "H":
        return [all(parts[0][:end]) for end in ends]
    left, right = parts
    return [any(right[j] and all(left[j + 1 : end]) for j in range(end)) for end in ends]
