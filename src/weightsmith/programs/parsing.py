"""The parser of RASP and of temporal formulas: Lark, with a grammar in a file. `lazy` has the names of this module."""

from functools import cache
from pathlib import Path

from lark import Lark
from lark import Token as Token
from lark import Tree as Tree
from lark.exceptions import UnexpectedCharacters as UnexpectedCharacters
from lark.exceptions import UnexpectedToken as UnexpectedToken


@cache
def parser(grammar: Path, placeholders: bool = False, tables: Path | None = None) -> Lark:
    """Return the parser of a grammar, made once; `placeholders` stand for optional parts, `tables` is a file."""
    kept: str | bool = False if tables is None else str(tables)
    return Lark(
        grammar.read_text("utf-8"),
        parser="lalr",
        propagate_positions=True,
        maybe_placeholders=placeholders,
        cache=kept,
    )
