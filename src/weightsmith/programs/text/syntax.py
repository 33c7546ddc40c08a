"""Reading RASP text: from characters to a tree in which everything knows its place, or an error that shows it."""

from pathlib import Path
from typing import TypeAlias

from weightsmith.errors import InputError, brief, cut
from weightsmith.programs import lazy
from weightsmith.programs.places import Place, refusal

Word: TypeAlias = "lazy.Token"
Syntax: TypeAlias = "lazy.Tree[Word]"

GRAMMAR = Path(__file__).with_name("grammar.lark")
TABLES = Path(__file__).parent / "__pycache__" / "rasp.tables"  # the parser's, once made; beside our byte code
LONGEST_PROGRAM = 1_000_000  # characters
WORDS = {  # of the parser's names, as people write them
    "SEMICOLON": ";",
    "COMMA": ",",
    "COLON": ":",
    "EQUAL": "=",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "LBRACE": "{",
    "RBRACE": "}",
    "COMPARISON": "a comparison such as ==",
    "NAME": "a name",
    "STRING": "a text",
    "$END": "the end",
}


class Source:
    """A program's text, and where things stand in it."""

    def __init__(self, text: object, file: str | None = None) -> None:
        """Hold a text of a sensible size."""
        if not isinstance(text, str):
            raise InputError(f"{brief(text)} is no program: write it as a text")
        if len(text) > LONGEST_PROGRAM:
            raise InputError(f"a program of {len(text):,} characters: {LONGEST_PROGRAM:,} at most")
        self.text, self.file = text, file
        self.lines = text.split("\n")

    def place(self, line: int, column: int) -> Place:
        """Return a place of this text."""
        return Place(line, column, self.lines[line - 1] if 0 < line <= len(self.lines) else "", self.file)

    def place_of(self, part: "Syntax | Word") -> Place:
        """Return where a part of the tree begins."""
        where = getattr(part, "meta", part)
        return self.place(getattr(where, "line", 1), getattr(where, "column", 1))

    def parsed(self) -> "Syntax":
        """Return the tree, or say where the text is not RASP."""
        try:
            return lazy.parser(GRAMMAR, True, TABLES).parse(self.text)
        except lazy.UnexpectedCharacters as error:
            raise self._strange_character(error) from None
        except lazy.UnexpectedToken as error:
            raise self._strange_word(error) from None

    def _strange_character(self, error: "lazy.UnexpectedCharacters") -> InputError:
        character = self.text[error.pos_in_stream or 0]
        hint = {
            "'": "; texts stand between double quotes",
            '"': "; the text has no closing quote on this line",
            "!": "; write != or not",
            "&": "; write and",
            "|": "; write or",
            "=": "; write == to compare",
        }.get(character, "")
        return refusal(self.place(error.line, error.column), f"{character!r} cannot stand here{hint}")

    def _strange_word(self, error: "lazy.UnexpectedToken") -> InputError:
        token, allowed = error.token, set(error.accepts or error.expected)
        if token.type == "$END":
            last = len(self.text.rstrip())
            line = self.text.count("\n", 0, last) + 1
            place = self.place(line, last - (self.text.rfind("\n", 0, last) + 1) + 1)
            return refusal(place, f"the program ends here, and {self._wanted(allowed)} is missing")
        place = self.place(error.line, error.column)
        if "SEMICOLON" in allowed and token.type != "EQUAL":
            return refusal(place, f"{cut(str(token), 40)!r} cannot stand here: is a ';' missing before it?")
        hint = "; write == to compare" if token.type == "EQUAL" else ""
        return refusal(place, f"{cut(str(token), 40)!r} cannot stand here{hint}: {self._wanted(allowed)} would do")

    @staticmethod
    def _wanted(allowed: set[str]) -> str:
        if len(allowed) > 12 and {"NAME", "STRING"} <= allowed:
            return "an expression"
        closers = [WORDS[name] for name in ("SEMICOLON", "RPAR", "RSQB", "RBRACE", "COMMA", "COLON") if name in allowed]
        words = [repr(word) for word in closers] or sorted(WORDS.get(name, name.lower()) for name in allowed)
        return " or ".join(words[:6])
