"""The number of steps of a chain as a formula of the input's length."""

import ast
from collections.abc import Callable

from weightsmith.errors import ModelError, brief

MAX_STEPS = 1 << 16  # tokens that a chain writes
MAX_FORMULA = 200  # letters of a number of steps that is written as a formula


def steps_formula(text: str) -> Callable[[int], object]:
    """Return the function of n that a formula of whole numbers with + - * // ** describes."""
    refusal = ModelError(f"steps={brief(text)}: write a formula of n with + - * // and **, such as '2*n + 1'")
    if len(text) > MAX_FORMULA:
        raise refusal
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise refusal from None

    def value(node: ast.AST, n: int) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) <= MAX_STEPS:
            return node.value
        if isinstance(node, ast.Name) and node.id == "n":
            return n
        if isinstance(node, ast.BinOp):
            a, b = value(node.left, n), value(node.right, n)
            if isinstance(node.op, ast.Pow) and 0 <= b <= 16 and abs(a) <= MAX_STEPS:
                return int(a**b)
            if isinstance(node.op, ast.FloorDiv) and b != 0:
                return a // b
            if isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
                return {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}[type(node.op)]
        raise refusal

    value(tree, 1)
    return lambda n: value(tree, n)
