"""Sessions: RASP text, run piece by piece, and as programs; the names that every text has from the start."""

import os
from copy import copy
from dataclasses import replace
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

from weightsmith.errors import FileError, InputError, brief, reason
from weightsmith.programs.form import Always, Apply, Indices, Length, SelectorNode, SequenceNode, Tokens, Width
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import Named
from weightsmith.programs.places import Note, Place, refusal
from weightsmith.programs.text.expressions import lifted, sequence
from weightsmith.programs.text.reader import Reader
from weightsmith.programs.text.syntax import LONGEST_PROGRAM, Source
from weightsmith.programs.text.things import Builtin, Scope, Thing, described, is_atom
from weightsmith.storage import read_bytes

STANDARD = ("rasplib", "RASP_support/rasplib")  # names under which the standard library is loaded
EXAMPLE = "hello"
DEEPEST_LOAD = 20


class Shown:
    """Something that a text named or showed: a value, a list, a function, a sequence operation or a selector."""

    def __init__(self, name: str | None, value: Thing) -> None:
        """Hold it with its name, if it has one."""
        self.name, self.value = name, value

    @property
    def program(self) -> Program | None:
        """The program, if this is a sequence operation."""
        return Program(self.value, "rasp", self.name) if isinstance(self.value, SequenceNode) else None


class Session:
    """Runs RASP text, piece by piece. `load` finds files in `folder` alone; without one it finds the library alone.

    >>> session = Session()
    >>> [shown.name for shown in session.run("a = indices + 1; b = a * a;")]
    ['a', 'b']
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        """Start with the standard library."""
        if folder is not None and not isinstance(folder, str | os.PathLike):
            raise InputError(f"folder={brief(folder)}: write the folder of the program's files")
        self._start(None if folder is None else Path(folder), _around(Scope(first=lambda: _library().scope.names)))
        self.scope.names["tokens"] = given()["tokens_str"]

    def _start(self, folder: Path | None, around: Scope) -> None:
        self.folder, self.library, self.scope = folder, _library_text(), Scope(around)
        self.example: str | list[Thing] = EXAMPLE
        self.steps = 0
        self.reading: tuple[Reader, Any] | None = None  # the expression under evaluation, and its reader
        self._shown: list[Shown] = []
        self._loading: list[str] = []

    def run(self, text: str, file: str | None = None) -> list[Shown]:
        """Run a text and return the things that it named or showed, in order; a text with an error changes nothing."""
        source, before = Source(text, file), copy(self.scope.names)
        self.steps, self._shown, self._loading = 0, [], []
        try:
            Reader(self, source, self.scope).run(source.parsed())
        except RecursionError:
            self.scope.names = before
            place = None if self.reading is None else self.reading[0].place(self.reading[1])
            raise refusal(place, "this is nested too deeply, or a function calls itself without end") from None
        except Exception:
            self.scope.names = before
            raise
        return self._shown

    def program(self, name: str) -> Program:
        """Return the sequence operation of this name as a program."""
        if not isinstance(name, str):
            raise InputError(f"name={brief(name)}: write the name of a sequence operation")
        thing = self.scope.get(name)
        if not is_atom(thing) and not isinstance(thing, SequenceNode):
            raise InputError(f"{brief(name)} is {described(thing)}: a program is a sequence operation")
        return Program(sequence(thing, Note()), "rasp", name)

    def show(self, name: str | None, value: Thing, scope: Scope) -> None:
        """Remember a thing that was named or shown, unless inside of a function or a file."""
        if scope is self.scope:
            self._shown.append(Shown(name, value))

    def load(self, name: str, place: Place, scope: Scope) -> None:
        """Run a file of the folder in a scope of its own, and take over its names but the private ones."""
        if name in STANDARD:
            return
        if name in self._loading or len(self._loading) >= DEEPEST_LOAD:
            raise refusal(place, f"{brief(name)} is being loaded already: files cannot load each other in a circle")
        source = Source(self._text(name, place), name)
        inner = Scope(self.scope.around)
        inner.names["tokens"] = given()["tokens_str"]
        self._loading.append(name)
        Reader(self, source, inner).run(source.parsed())
        self._loading.pop()
        for public, thing in inner.names.items():
            if not public.startswith("_") and public not in ("out", "tokens"):
                scope.set(public, thing, place)
                self.show(public, thing, scope)

    def _text(self, name: str, place: Place) -> str:
        if self.folder is None:
            raise refusal(
                place, f"load {brief(name)}: only {STANDARD[0]!r} can be loaded here; give a folder for files"
            )
        parts = PurePosixPath(name)
        if parts.is_absolute() or ".." in parts.parts or "\\" in name or ":" in name or "\0" in name or not name:
            raise refusal(place, f"load {brief(name)}: write a name inside of the program's folder, without '..'")
        path = (self.folder / f"{name}.rasp").resolve()
        if not path.is_relative_to(self.folder.resolve()):
            raise refusal(place, f"load {brief(name)}: the file lies outside of the program's folder")
        try:
            return read_bytes(path, 4 * LONGEST_PROGRAM).decode("utf-8")
        except (OSError, ValueError) as error:  # it is no text, no regular file, or too large
            raise FileError(str(refusal(place, f"load {brief(name)}: {reason(error)}"))) from None


class _Library(Session):
    """The session in which the standard library itself is read: when a name is asked for that is nowhere else."""

    def __init__(self) -> None:
        self._start(None, _around(None))
        Reader(self, self.library, self.scope).run(self.library.parsed())


def _around(library: Scope | None) -> Scope:
    """Return the scope of the names that every program has; behind them, the library's are seen."""
    scope = Scope(library, first=provided)
    scope.fixed = given()
    return scope


@cache
def _library_text() -> Source:
    return Source(Path(__file__).with_name("library.rasp").read_text("utf-8"), "rasplib")


_library = cache(_Library)


def _selector_width(note: Note, selector: Thing) -> Thing:
    if not isinstance(selector, SelectorNode):
        raise refusal(note.place, f"selector_width takes a selector, and not {described(selector)}")
    return Width(selector, note=note)


def _of_two(symbol: str, note: Note, left: Thing, right: Thing) -> Thing:
    return lifted(symbol, (left, right), note)


def given() -> dict[str, Thing]:
    """Return the names that every program has and none may set."""
    kinds = ("str", "int", "bool", "float")
    tokens = {f"tokens_{kind}": Apply(Named(kind), (Tokens(),), note=Note(f"tokens_{kind}")) for kind in kinds}
    return {**tokens, "tokens_asis": Tokens(), "indices": Indices(), "True": True, "False": False}


def provided() -> dict[str, Thing]:
    """Return further names that every program has; it may define them anew."""
    functions = [
        Builtin("selector_width", ("selector",), _selector_width),
        Builtin("max", ("a", "b"), partial(_of_two, "max")),
        Builtin("min", ("a", "b"), partial(_of_two, "min")),
    ]
    return {"length": Length(), "full_s": Always(True, note=Note("full_s")), **{one.name: one for one in functions}}


def parse_rasp(text: str, name: str | None = None, folder: str | os.PathLike[str] | None = None) -> Program:
    """Return the sequence operation of this name as a program; without a name, the last one that the text makes.

    `load` finds files of `folder` alone.

    >>> print(parse_rasp('vowels = tokens in ["a", "e"];'))
    vowels, RASP
      %0 = tokens
      %1 = str(%0)           # tokens_str  line 1: vowels = tokens in ["a", "e"];
      %2 = %1 in ['a', 'e']  # vowels  line 1: vowels = tokens in ["a", "e"];
    """
    session = Session(folder)
    shown = session.run(text)
    if name is not None:
        return replace(session.program(name), text=text)
    for one in reversed(shown):
        if one.program is not None:
            return replace(one.program, text=text)
    raise InputError("the program makes no sequence operation: write one, as in hist = selector_width(...);")


def rasp_programs(text: str, folder: str | os.PathLike[str] | None = None) -> dict[str, Program]:
    """Return all sequence operations that a text names, in the order of their last definition."""
    session = Session(folder)
    session.run(text)
    names = [name for name, thing in session.scope.names.items() if isinstance(thing, SequenceNode)]
    return {name: replace(session.program(name), text=text) for name in names if name not in ("tokens", "out")}
