"""Going through the tree of a RASP text: statements change the scope, expressions stand for things."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from weightsmith.programs.form import Node, SelectorNode, SequenceNode, Width, select
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import ProgramRun, evaluate
from weightsmith.programs.places import Note, Place, refusal
from weightsmith.programs.text import expressions
from weightsmith.programs.text.syntax import Source, Syntax, Word
from weightsmith.programs.text.things import Builtin, Definition, Scope, Thing, described, is_atom
from weightsmith.programs.values import exact

if TYPE_CHECKING:
    from weightsmith.programs.text.session import Session

MOST_STEPS = 200_000  # expressions that a program may have evaluated


class Reader:
    """Reads one text in one scope, for a session."""

    def __init__(self, session: "Session", source: Source, scope: Scope, called_at: Place | None = None) -> None:
        """Read `source` in `scope`; a function of the library is read as if it stood where it is called."""
        self.session, self.source, self.scope, self.called_at = session, source, scope, called_at

    def place(self, part: "Syntax | Word") -> Place:
        """Return where a part of the tree stands, for people."""
        return self.called_at or self.source.place_of(part)

    def note(self, part: "Syntax | Word") -> Note:
        """Return the note of the node that a part of the tree makes."""
        return Note(place=self.place(part))

    # statements

    def run(self, tree: "Syntax") -> None:
        """Go through the statements of a text or a body."""
        for statement in tree.children:
            getattr(self, f"_{statement.data}")(statement)  # type: ignore[union-attr]  # statements are trees

    def _shown(self, tree: "Syntax") -> None:
        value = self.value(tree.children[0])
        self.scope.names["out"] = value
        self.session.show(None, value, self.scope)

    def _assign(self, tree: "Syntax") -> None:
        names, values = _words(tree.children[0]), self.values(tree.children[1])
        place = self.place(tree)
        for name, value in zip(names, self._unpacked(values, len(names), place), strict=True):
            thing = value.named(name) if isinstance(value, Node) else value
            self.scope.set(name, thing, place)
            self.session.show(name, thing, self.scope)

    def _unpacked(self, values: list[Thing], count: int, place: Place) -> list[Thing]:
        if count == 1:
            return values if len(values) == 1 else [values]
        found = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        if len(found) != count:
            raise refusal(place, f"{count} names for {len(found)} value{'' if len(found) == 1 else 's'}")
        return found

    def _load(self, tree: "Syntax") -> None:
        (name,) = _words(tree)
        self.session.load(name[1:-1], self.place(tree), self.scope)

    def _draw(self, tree: "Syntax") -> None:
        thing, given = tree.children
        tokens = self.session.example if given is None else self.value(given)
        self.session.show(None, self._applied(self.value(thing), tokens, self.place(tree)), self.scope)

    def _define(self, tree: "Syntax") -> None:
        name, parameters, body, returned = tree.children
        words = () if parameters is None else tuple(_words(parameters))
        definition = Definition(str(name), words, body, returned, self.scope, self.source)  # type: ignore[arg-type]
        self.scope.set(str(name), definition, self.place(tree))
        self.session.show(str(name), definition, self.scope)

    def _loop(self, tree: "Syntax") -> None:
        names, iterable, body = tree.children
        for item in self._items(iterable):
            self._bind(_words(names), item, self.scope, self.place(tree))
            self.run(body)  # type: ignore[arg-type]  # a body is a tree

    def _set_example(self, tree: "Syntax") -> None:
        example = self.value(tree.children[1])
        if not isinstance(example, str) and not (isinstance(example, list) and all(map(is_atom, example))):
            raise refusal(self.place(tree), f"an example is a text or a list of values, and not {described(example)}")
        self.session.example = example

    def _show_example(self, tree: "Syntax") -> None:
        self.session.show("example", self.session.example, self.scope)

    def _switch(self, tree: "Syntax") -> None:
        """Do nothing: printing is not decided here."""

    # expressions

    def value(self, tree: Any) -> Thing:
        """Return the thing of an expression."""
        self.session.steps += 1
        self.session.reading = (self, tree)
        if self.session.steps > MOST_STEPS:
            raise refusal(self.place(tree), f"reading this program takes more than {MOST_STEPS:,} steps")
        return getattr(self, f"_{tree.data}")(tree)

    def values(self, tree: Any) -> list[Thing]:
        """Return the things of several expressions."""
        return [] if tree is None else [self.value(child) for child in tree.children]

    def _made(self, make: Callable[..., Thing], tree: "Syntax") -> Thing:
        return make(*(self.value(child) for child in tree.children), self.note(tree))

    def _name(self, tree: "Syntax") -> Thing:
        thing = self.scope.get(str(tree.children[0]), self.place(tree))
        if isinstance(thing, Node) and thing.note.place is None:  # it was there from the start
            return replace(thing, note=replace(thing.note, place=self.place(tree)))
        return thing

    def _whole(self, tree: "Syntax") -> Thing:
        return expressions.whole(str(tree.children[0]), self.note(tree))

    def _decimal(self, tree: "Syntax") -> Thing:
        return expressions.decimal(str(tree.children[0]), self.note(tree))

    def _text(self, tree: "Syntax") -> Thing:
        return expressions.text(str(tree.children[0]), self.note(tree))

    def _binary(self, tree: "Syntax") -> Thing:
        left, symbol, right = tree.children
        return expressions.lifted(str(symbol), (self.value(left), self.value(right)), self.note(tree))

    def _logical(self, tree: "Syntax") -> Thing:
        left, word, right = tree.children
        return expressions.logical(str(word), self.value(left), self.value(right), self.note(tree))

    def _negation(self, tree: "Syntax") -> Thing:
        return self._made(expressions.negated, tree)

    def _signed(self, tree: "Syntax") -> Thing:
        sign, inner = tree.children
        thing, note = self.value(inner), self.note(tree)
        return (
            expressions.lifted("negative", (thing,), note) if sign == "-" else expressions.lifted("-", (thing, 0), note)
        )

    def _rounded(self, tree: "Syntax") -> Thing:
        word, inner = tree.children
        return expressions.lifted(str(word), (self.value(inner),), self.note(tree))

    def _contained(self, tree: "Syntax") -> Thing:
        return self._made(expressions.contained, tree)

    def _indexed(self, tree: "Syntax") -> Thing:
        return self._made(expressions.indexed, tree)

    def _len(self, tree: "Syntax") -> Thing:
        return self._made(expressions.length_of, tree)

    def _range(self, tree: "Syntax") -> Thing:
        return expressions.counted(self.values(tree.children[0]), self.note(tree))

    def _zip(self, tree: "Syntax") -> Thing:
        return expressions.zipped(self.values(tree.children[0]), self.note(tree))

    def _select(self, tree: "Syntax") -> Thing:
        keys, queries, comparison = tree.children
        note = self.note(tree)
        key, query = (expressions.sequence(self.value(one), note) for one in (keys, queries))
        return select(key, query, str(comparison), note)

    def _aggregate(self, tree: "Syntax") -> Thing:
        selector, values, default = tree.children
        given = None if default is None else self.value(default)
        return expressions.aggregate(self.value(selector), self.value(values), given, self.note(tree))

    def _ternary(self, tree: "Syntax") -> Thing:
        yes, condition, no = tree.children
        decided = self.value(condition)
        if isinstance(decided, SequenceNode):
            return expressions.chosen(decided, self.value(yes), self.value(no), self.note(tree))
        if not is_atom(decided):
            raise refusal(self.place(tree), f"a condition is a value or a sequence operation, not {described(decided)}")
        return self.value(yes if decided else no)  # only one of them: a function may call itself

    def _list(self, tree: "Syntax") -> Thing:
        return self.values(tree.children[0])

    def _dictionary(self, tree: "Syntax") -> Thing:
        return dict(self._entry(pair) for pair in tree.children if pair is not None)

    def _entry(self, pair: Any) -> tuple[Thing, Thing]:
        key = self.value(pair.children[0])
        if not is_atom(key):
            raise refusal(self.place(pair), f"the keys of a dictionary are values, and not {described(key)}")
        return exact(key), self.value(pair.children[1])

    def _list_comprehension(self, tree: "Syntax") -> Thing:
        made, names, iterable = tree.children
        return self._comprehended(lambda reader: reader.value(made), names, iterable)

    def _dictionary_comprehension(self, tree: "Syntax") -> Thing:
        pair, names, iterable = tree.children
        return dict(self._comprehended(lambda reader: reader._entry(pair), names, iterable))

    def _comprehended(self, make: "Callable[[Reader], Any]", names: Any, iterable: Any) -> list[Any]:
        made = []
        for item in self._items(iterable):
            inner = Reader(self.session, self.source, Scope(self.scope), self.called_at)
            inner._bind(_words(names), item, inner.scope, self.place(names))
            made.append(make(inner))
        return made

    def _items(self, tree: Any) -> list[Thing]:
        found = self.value(tree)
        if not isinstance(found, list | dict):
            raise refusal(self.place(tree), f"for goes through a list or a dictionary, and not {described(found)}")
        return list(found)

    def _bind(self, names: list[str], item: Thing, scope: Scope, place: Place) -> None:
        items = [item] if len(names) == 1 else item
        if not isinstance(items, list) or len(items) != len(names):
            raise refusal(place, f"{len(names)} names, and each item is {described(item)}")
        for name, one in zip(names, items, strict=True):
            scope.set(name, one, place)

    # calls

    def _call(self, tree: "Syntax") -> Thing:
        called, arguments = self.value(tree.children[0]), self.values(tree.children[1])
        place = self.place(tree)
        if isinstance(called, Node):
            if len(arguments) != 1:
                raise refusal(place, f"{described(called)} is called with one input, and not with {len(arguments)}")
            return self._applied(called, arguments[0], place)
        if not isinstance(called, Definition | Builtin):
            raise refusal(place, f"{described(called)} cannot be called")
        if len(arguments) != len(called.parameters):
            wanted = f"{called.name}({', '.join(called.parameters)})"
            raise refusal(place, f"{wanted} takes {len(called.parameters)}, and here are {len(arguments)}")
        if isinstance(called, Builtin):
            return called.call(Note(place=place), *arguments)
        return self._result(called, arguments, place)

    def _result(self, called: Definition, arguments: list[Thing], place: Place) -> Thing:
        at = self.called_at or (place if called.source is self.session.library else None)
        inner = Reader(self.session, called.source, Scope(called.scope), at)
        for name, argument in zip(called.parameters, arguments, strict=True):
            inner.scope.set(name, argument, place)
        inner.run(called.body)
        results = inner.values(called.returned)
        return results[0] if len(results) == 1 else results

    def _applied(self, thing: Thing, tokens: Thing, place: Place) -> list[Any]:
        """Return the values of an operation, or the rows of a selector, for an input."""
        if not isinstance(tokens, str) and not (isinstance(tokens, list) and all(map(is_atom, tokens))):
            raise refusal(place, f"an input is a text or a list of values, and not {described(tokens)}")
        if isinstance(thing, SelectorNode):
            return ProgramRun(Program(Width(thing), "rasp"), tokens).rows()
        if not isinstance(thing, SequenceNode):
            raise refusal(place, f"a sequence operation is needed here, and not {described(thing)}")
        return [exact(value) for value in evaluate(Program(thing, "rasp"), tokens)]


def _words(tree: Any) -> list[str]:
    return [str(word) for word in tree.children]
