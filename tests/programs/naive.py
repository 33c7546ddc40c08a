"""The meaning of a program once more, as plainly as can be: one position at a time, nothing shared, all fractions."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from weightsmith.programs import form
from weightsmith.programs.functions import Function
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import COMPARISONS, Lookup, Member, Named
from weightsmith.programs.values import presented

PYTHON: dict[str, Any] = {
    **COMPARISONS,
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: Fraction(x) / y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "min": min,
    "max": max,
    "round": round,
    "negative": lambda x: -x,
    "absolute": abs,
    "indicator": bool,
    "truth": bool,
    "not": lambda x: not x,
    "and": lambda x, y: x and y,
    "or": lambda x, y: x or y,
    "where": lambda c, x, y: x if c else y,
}


def naive_values(program: Program, tokens: Sequence[Any]) -> list[Any]:
    return [value(program.output, i, tokens, program.causal) for i in range(len(tokens))]


def value(node: Any, i: int, tokens: Sequence[Any], causal: bool) -> Any:
    match node:
        case form.Tokens():
            return tokens[i]
        case form.Indices():
            return i
        case form.Length():
            return len(tokens)
        case form.Constant():
            return node.value
        case form.Width():
            return len(chosen(node.selector, i, tokens, causal))
        case form.Aggregate():
            found = [value(node.values, j, tokens, causal) for j in chosen(node.selector, i, tokens, causal)]
            if not found:
                return node.default
            return found[0] if len(set(found)) == 1 else sum(map(Fraction, found), Fraction(0)) / len(found)
    arguments = [value(one, i, tokens, causal) for one in node.arguments]
    return None if None in arguments else result(node.operator, arguments)


def result(operator: Any, arguments: list[Any]) -> Any:
    match operator:
        case Named():
            return PYTHON[operator.symbol](*arguments)
        case Member():
            return arguments[0] in set(operator.members)
        case Lookup():
            return next(found for key, found in operator.entries if key == arguments[0])
        case Function():
            return operator.call(*arguments)
    raise AssertionError(operator)


def chosen(selector: Any, i: int, tokens: Sequence[Any], causal: bool) -> list[int]:
    keys = range(i + 1) if causal else range(len(tokens))
    return [j for j in keys if pair(selector, i, j, tokens, causal)]


def pair(selector: Any, i: int, j: int, tokens: Sequence[Any], causal: bool) -> bool:
    match selector:
        case form.Always():
            return bool(selector.selected)
        case form.And():
            return pair(selector.left, i, j, tokens, causal) and pair(selector.right, i, j, tokens, causal)
        case form.Or():
            return pair(selector.left, i, j, tokens, causal) or pair(selector.right, i, j, tokens, causal)
        case form.Not():
            return not pair(selector.inner, i, j, tokens, causal)
    key, query = value(selector.keys, j, tokens, causal), value(selector.queries, i, tokens, causal)
    if isinstance(selector.comparison, Function):
        return bool(selector.comparison.call(presented(key), presented(query)))
    return bool(COMPARISONS[selector.comparison](key, query))
