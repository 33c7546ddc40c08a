"""weightsmith rasp."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.consoles import errors
from weightsmith.cli.ending import WRONG
from weightsmith.cli.output import say, say_aside
from weightsmith.cli.programs import given_tokens
from weightsmith.cli.waiting import waiting
from weightsmith.errors import InputError, WeightsmithError, brief

PROMPT, MORE = ">> ", ".. "
LEAVING = re.compile(r"\s*(exit|quit)\b\s*(\(\s*\))?\s*;?\s*")
QUOTED = re.compile(r'"[^"\n]*"?|#[^\n]*')  # brackets inside do not count
WELCOME = "RASP, by the interpreter and by weights. An example: hist = selector_width(select(tokens, tokens, ==)); quit"


def rasp(
    vocabulary: Annotated[
        str | None,
        typer.Option(help="Characters, or words separated by spaces or commas; else the tokens of the example."),
    ] = None,
    max_length: Annotated[int, typer.Option(help="The longest input that the weights are proved for.")] = 20,
    causal: Annotated[bool, typer.Option("--causal", help="No position selects a later one.")] = False,
) -> None:
    """Evaluate RASP line by line: each sequence operation on an example, by the interpreter and by weights.

    set example "abca" chooses the example; a line goes on while a bracket is open; quit ends. Lines may come from a
    pipe: then the exit code is 2 if there was an error.
    """
    prompt = Prompt(given_tokens(vocabulary), max_length, causal)
    asked = sys.stdin is not None and sys.stdin.isatty()
    if asked:
        say_aside(WELCOME)
    wrong = 0
    for number, text in pieces(asked):
        if LEAVING.fullmatch(text):
            break
        try:
            prompt.answer(text if asked else "\n" * (number - 1) + text)
        except WeightsmithError as error:
            wrong += 1
            errors().print(f"error: {error}", style="red")
    if wrong and not asked:
        raise typer.Exit(WRONG)


def pieces(asked: bool) -> Iterator[tuple[int, str]]:
    """Yield the typed lines in pieces with balanced brackets, each with the number of its first line."""
    held: list[str] = []
    first = 1
    for number, line in enumerate(_lines(asked, lambda: MORE if held else PROMPT), start=1):
        if line is None:  # Ctrl-C drops the current piece
            held.clear()
            continue
        first = first if held else number
        held.append(line)
        bare = QUOTED.sub("", "\n".join(held))
        if sum(map(bare.count, "([{")) > sum(map(bare.count, ")]}")):
            continue
        if bare.strip():
            yield first, "\n".join(held)
        held.clear()
    if held:
        yield first, "\n".join(held)


def _lines(asked: bool, prompt: Callable[[], str]) -> Iterator[str | None]:
    if not asked:
        yield from (line.rstrip("\n") for line in sys.stdin or ())
        return
    import readline  # noqa: F401 (which gives input() its editing)

    while True:
        try:
            yield input(prompt())
        except KeyboardInterrupt:
            errors().print()
            yield None
        except EOFError:
            errors().print()
            return


class Prompt:
    """Answers pieces of RASP text, one after the other."""

    def __init__(self, vocabulary: tuple[str, ...] | None, max_length: int, causal: bool) -> None:
        """Begin with the library's names alone."""
        self.session = ws.programs.Session(".")
        self.vocabulary, self.max_length, self.causal = vocabulary, max_length, causal

    def answer(self, text: str) -> None:
        """Run a piece, and show the values that it named."""
        try:
            lazy.Source(text).parsed()
        except InputError:
            text = text if text.rstrip().endswith(";") else f"{text};"
        for shown in self.session.run(text):
            self._show(shown)

    def _show(self, shown: "lazy.Shown") -> None:
        name = shown.name or "it"
        program = shown.program
        if program is not None:
            self._compare(name, program)
        elif isinstance(shown.value, lazy.form.SelectorNode):
            self._selected(name, shown.value)
        else:
            say(f"{name} = {_written(shown.value)}")

    @property
    def _example(self) -> list[Any]:
        return list(self.session.example)

    def _compare(self, name: str, program: "ws.programs.Program") -> None:
        """Show a sequence operation on the example, by the interpreter and by weights."""
        program, tokens = replace(program, causal=self.causal), self._example
        wanted = ws.programs.evaluate(program, tokens)
        called = f"{name}({brief(self.session.example)})"
        width = max(len(called), len("by weights"))
        say(f"{called:>{width}} = {_written(wanted)}")
        try:
            with waiting(f"compiling {name}"):
                alone = tuple(dict.fromkeys(tokens))
                P = ws.programs.compile(program, self.vocabulary or alone, self.max_length, self.causal)
            T = P.transformer
            found = list(ws.run(T, P.read(tokens)).outputs)
        except WeightsmithError as error:
            say(f"{'no weights':>{width}}: {error}")
            return
        size = f"blocks: {len(T.blocks)}, lanes: {len(T.lanes)}, {T.arithmetic}, up to {P.max_length} tokens"
        say(f"{'by weights':>{width}} = {_written(found)}  ({size})")
        if found != wanted:
            raise AssertionError(f"the weights of {called} say {found}, and the interpreter {wanted}")

    def _selected(self, name: str, selector: "lazy.form.SelectorNode") -> None:
        """Show which positions each position of the example selects, by the interpreter."""
        tokens = self._example
        run = ws.programs.ProgramRun(ws.programs.Program(lazy.form.Width(selector), "rasp", causal=self.causal), tokens)
        say(f"{name}({brief(self.session.example)}) selects, for each position:")
        for token, row in zip(tokens, run.rows(), strict=True):
            say(f"  {token}  {' '.join('1' if chosen else '·' for chosen in row)}")


def _written(value: Any) -> str:
    """Return values as people write them."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{brief(key)}: {_written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return lazy.described(value)
