"""Conditions from texts: "no == 1 and yes in (0, inf)", "x0 == 2 * lane('a b', 'embedding', 1) - 1"."""

import ast
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from weightsmith.check.conditions import Condition, LaneAt, Sum, equals, joined, nested, other_place
from weightsmith.errors import InputError, brief, cut

MAX_TEXT = 20_000  # characters
Given: TypeAlias = str | Condition | Mapping[str, float]
EXAMPLE = "write a text such as 'no == 1 and yes in (0, inf)'"
NAMES: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def condition(text: Given) -> Condition:
    """Return a condition on the lanes of a vector, from a text in which names are lanes.

    A text compares sums with == != < <= > >= and `in (…)`, and joins comparisons with and, or, not. `inf` is ∞ of the
    arithmetic, `lane("a b")` a lane whose name is no word, `lane("x", "embedding", 1)` that lane at another site and
    position, `lane("x", "embedding")` at another site. A sum is a left fold, each step rounded: `x0 - 2 * x1 + 0.5`. A
    mapping from lanes to numbers says that each lane holds its number.

    >>> str(condition("no == 1 and yes in (0, inf)"))
    'no == 1 and (yes == 0 or yes == inf)'
    >>> str(~condition({"x0": 0.5}))
    'not (x0 == 0.5)'
    """
    if isinstance(text, Condition):
        return text
    if isinstance(text, Mapping):
        return equals(text)
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{brief(text)} is no condition: {EXAMPLE}")
    if len(text) > MAX_TEXT:
        raise InputError(
            f"a condition has at most {MAX_TEXT:,} characters, and this has {len(text):,}: use image(M, …)"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, about a text such as "1in x"
            tree = ast.parse(text.strip(), mode="eval")
        return _condition(tree.body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the condition {brief(text)} cannot be read: {cut(str(error))}; {EXAMPLE}") from None


def _condition(node: ast.expr) -> Condition:
    if isinstance(node, ast.BoolOp):
        return joined("all" if isinstance(node.op, ast.And) else "any", *map(_condition, node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return nested(Condition("not", (_condition(node.operand),)))
    if not isinstance(node, ast.Compare):
        raise _unread(node, "a comparison such as x0 == 1")
    sides, found = [node.left, *node.comparators], []
    for first, operator, second in zip(sides, node.ops, sides[1:], strict=False):
        if isinstance(operator, ast.In | ast.NotIn):
            if not isinstance(second, ast.Tuple | ast.List | ast.Set) or not second.elts:
                raise _unread(second, "numbers in parentheses after in, as in x0 in (0, 1)")
            one_of = [Condition("==", (_sum(first), _sum(each))) for each in second.elts]
            inside = joined("any", *one_of)
            found.append(inside if isinstance(operator, ast.In) else nested(Condition("not", (inside,))))
        elif type(operator) in NAMES:
            found.append(Condition(NAMES[type(operator)], (_sum(first), _sum(second))))
        else:
            raise _unread(node, "one of == != < <= > >= in")
    return found[0] if len(found) == 1 else joined("all", *found)


def _sum(node: ast.expr) -> Sum:
    """Return a sum; only its first term may be a sum, because sums are left folds."""
    terms: list[tuple[float, LaneAt | None]] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        weight, lane = _term(node.right)
        terms.append((weight if isinstance(node.op, ast.Add) else -weight, lane))
        node = node.left
    return Sum((_term(node), *reversed(terms)))


def _term(node: ast.expr) -> tuple[float, LaneAt | None]:
    """Return a number, a lane, or a product of both."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        weight, lane = _term(node.operand)
        return (-weight if isinstance(node.op, ast.USub) else weight), lane
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        (first, lane), (second, other) = _term(node.left), _term(node.right)
        if (lane is None) == (other is None) or (first if other is None else second) != 1:
            raise _unread(node, "a number times a lane, as in 2 * x0")
        return (second, lane) if other is None else (first, other)
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _number(node), None
    if isinstance(node, ast.Name):
        return (math.inf, None) if node.id == "inf" else (1.0, LaneAt(node.id))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "lane":
        return 1.0, _lane(node)
    raise _unread(node, "a lane, a number, or a sum of products, as in x0 - 2 * x1 + 0.5")


def _number(node: ast.Constant) -> float:
    try:
        number = float(node.value)  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise InputError("a number of the condition is too large: write inf for ∞")
    return number


def _lane(node: ast.Call) -> LaneAt:
    values: list[Any] = []
    for argument in node.args:
        sign, inner = 1, argument
        if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub):
            sign, inner = -1, inner.operand
        kinds: Callable[[Any], bool] = lambda x: type(x) is str or type(x) is int  # noqa: E731
        if not isinstance(inner, ast.Constant) or not kinds(inner.value) or (sign < 0 and type(inner.value) is str):
            raise _unread(argument, "lane('x0', 'block 0 attention', 3)")
        values.append(inner.value if sign > 0 else -inner.value)  # type: ignore[operator]
    if node.keywords or not 1 <= len(values) <= 3 or not isinstance(values[0], str):
        raise _unread(node, "lane('x0', 'block 0 attention', 3)")
    return LaneAt(values[0], *(other_place(tuple([*values[1:], None][:2])) if values[1:] else ()))


def _unread(node: ast.expr, instead: str) -> InputError:
    return InputError(f"the condition has {brief(ast.unparse(node))}: write {instead}")
