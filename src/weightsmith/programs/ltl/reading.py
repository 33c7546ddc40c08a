"""Reading formulas: from characters to a formula, or an error that shows the place and a correction."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weightsmith.errors import InputError, brief, cut, listed, nearest_names
from weightsmith.programs import lazy
from weightsmith.programs.ltl.formulas import DEEPEST, RESERVED, Connective, Formula, Past, Token, Truth
from weightsmith.programs.places import Place, refusal

GRAMMAR = Path(__file__).with_name("grammar.lark")
LONGEST = 20_000  # characters
SYMBOLS = {"~": "!", "¬": "!", "&&": "&", "∧": "&", "||": "|", "∨": "|", "→": "->", "↔": "<->"}
HINTS = {
    "'": "; a token that is no plain name stands between double quotes",
    '"': "; the token has no closing quote on this line",
    "=": "; write -> or <->",
    "-": "; write ->",
    "<": "; strict operators are O<, H< and S<, without a space",
    "+": "; write |",
    "*": "; write &",
    "[": "; write round brackets",
}
WORDS = {"and": "&", "or": "|", "not": "!", "xor": "^", "implies": "->", "since": "S", "once": "O"}
FUTURE = frozenset({"X", "F", "G", "U", "W", "R"})


def parse_ltl(text: str, vocabulary: Sequence[str] | None = None) -> Formula:
    """Return the formula of a text. Tokens are those of the vocabulary, if there is one.

    >>> print(parse_ltl("O(a & Y b) | (!c S a)"))
    O(a & Y b) | !c S a
    """
    return _Reader(text, vocabulary).read()


class _Reader:
    """Reads one text."""

    def __init__(self, text: object, vocabulary: Sequence[str] | None) -> None:
        if not isinstance(text, str):
            raise InputError(f"{brief(text)} is no formula: write a text, such as 'O(a & Y b)'")
        if len(text) > LONGEST:
            raise InputError(f"a formula of {len(text):,} characters: {LONGEST:,} at most")
        self.text, self.lines = text, text.split("\n")
        self.vocabulary = None if vocabulary is None else list(vocabulary)

    def read(self) -> Formula:
        if not self.text.strip():
            raise InputError("the formula is empty: write one, such as 'O(a & Y b)'")
        try:
            tree = lazy.parser(GRAMMAR).parse(self.text)
        except lazy.UnexpectedCharacters as error:
            character = self.text[error.pos_in_stream or 0]
            hint = HINTS.get(character, "")
            raise refusal(self._place(error.line, error.column), f"{character!r} cannot stand here{hint}") from None
        except lazy.UnexpectedToken as error:
            raise self._strange_word(error) from None
        return self._formula(tree, 0)

    def _place(self, line: int, column: int) -> Place:
        return Place(line, column, self.lines[line - 1] if 0 < line <= len(self.lines) else "")

    def _formula(self, tree: "lazy.Tree[lazy.Token]", depth: int) -> Formula:
        if depth > DEEPEST:
            raise refusal(self._at(tree), f"the formula is nested more than {DEEPEST} deep: say it in fewer steps")
        children: list[Any] = tree.children
        if tree.data == "token":
            return self._token(children[0])
        if tree.data == "truth":
            return Truth(str(children[0]) == "true")
        words = [str(child) for child in children if not hasattr(child, "data")]
        parts = tuple(self._formula(child, depth + 1) for child in children if hasattr(child, "data"))
        symbol: Any = SYMBOLS.get(words[0], words[0])
        if tree.data in ("past", "since"):
            return Past(symbol[0], parts, strict=symbol.endswith("<"))
        return Connective(symbol, parts)

    def _at(self, part: Any) -> Place:
        where = getattr(part, "meta", part)
        return self._place(getattr(where, "line", 1), getattr(where, "column", 1))

    def _token(self, word: "lazy.Token") -> Token:
        name = re.sub(r"\\(.)", r"\1", word[1:-1]) if word.type == "QUOTED" else str(word)
        if self.vocabulary is not None and name not in self.vocabulary:
            hint = nearest_names(name, self.vocabulary)
            if word.type == "NAME" and len(name) > 1 and all(letter in {*"YOH", *self.vocabulary} for letter in name):
                hint = f"did you mean {' '.join(name)}? "
            known = listed(self.vocabulary)
            raise refusal(self._at(word), f"{cut(name, 40)!r} is no token: {hint}the vocabulary is {known}")
        return Token(name)

    def _strange_word(self, error: "lazy.UnexpectedToken") -> InputError:
        word, allowed = error.token, set(error.accepts or error.expected)
        wants_formula = "NAME" in allowed
        if word.type == "$END":
            last = len(self.text.rstrip())
            line = self.text.count("\n", 0, last) + 1
            place = self._place(line, last - (self.text.rfind("\n", 0, last) + 1) + 1)
            missing = "a formula" if wants_formula else "')'"
            return refusal(place, f"the formula ends here, and {missing} is missing")
        for each in (*(error.token_history or ()), word):
            if each.type == "NAME" and not (self.vocabulary and each in self.vocabulary) and self._instead(each):
                return refusal(self._at(each), f"{str(each)!r} cannot stand here: {self._instead(each)}")
        place, shown = self._place(error.line, error.column), f"{cut(str(word), 40)!r}"
        if word.type == "SINCE" and "SINCE" not in allowed and not wants_formula:
            return refusal(place, f"{shown} takes no chain: write (f S g) S h, or f S (g S h)")
        if wants_formula:
            is_token = str(word) in RESERVED and (self.vocabulary is None or str(word) in self.vocabulary)
            quoted = f'; the token is written "{word}"' if is_token else ""
            return refusal(place, f"{shown} cannot stand here{quoted}: a formula would do")
        would_do = "& | ^ -> <->" + (" S" if "SINCE" in allowed else "") + (" or ')'" if "RPAR" in allowed else "")
        return refusal(place, f"{shown} cannot stand here: {would_do} would do")

    @staticmethod
    def _instead(word: "lazy.Token") -> str:
        """Return a replacement for a word of another language."""
        if str(word) in FUTURE:
            return f"formulas speak of the past, with Y O H S, and not of the future, as {word} does"
        return f"write {WORDS[word.lower()]}" if word.lower() in WORDS else ""
