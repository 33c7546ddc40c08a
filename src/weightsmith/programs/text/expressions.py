"""Expressions of RASP text: a value at once, or a sequence operation or selector of the program."""

from fractions import Fraction
from typing import Any

from weightsmith.errors import listed
from weightsmith.programs.form import (
    Aggregate,
    Always,
    And,
    Apply,
    Constant,
    Indices,
    Length,
    Not,
    Or,
    SelectorNode,
    SequenceNode,
    gives_truth,
    select,
)
from weightsmith.programs.functions import attempt
from weightsmith.programs.operators import Lookup, Member, Named
from weightsmith.programs.places import Note, refusal
from weightsmith.programs.text.things import Atom, Thing, described, is_atom
from weightsmith.programs.values import LONGEST_TEXT, exact

MOST_ITEMS = 10_000  # of a list


def lifted(symbol: str, things: tuple[Thing, ...], note: Note) -> Thing:
    """Return a known operator: of values a value, of anything with a sequence operation a sequence operation."""
    if symbol == "+" and all(isinstance(thing, list) for thing in things):
        return bounded([item for thing in things for item in thing], note)
    for thing in things:
        if not is_atom(thing) and not isinstance(thing, SequenceNode):
            raise refusal(
                note.place, f"{symbol} takes values and sequence operations, and not {described(thing)}{_hint(thing)}"
            )
    if any(isinstance(thing, SequenceNode) for thing in things):
        return Apply(Named(symbol), tuple(sequence(thing, note) for thing in things), note=note)
    return attempt(Named(symbol), things, note)


def bounded(items: list[Thing], note: Note) -> list[Thing]:
    """Return a list that is not too long."""
    if len(items) > MOST_ITEMS:
        raise refusal(note.place, f"a list of {len(items):,} items: {MOST_ITEMS:,} at most")
    return items


def sequence(thing: Thing, note: Note) -> SequenceNode:
    """Return a sequence operation; a value is the same everywhere."""
    if isinstance(thing, SequenceNode):
        return thing
    if is_atom(thing):
        return Constant(exact(thing), note=Note(place=note.place))
    raise refusal(
        note.place, f"a sequence operation or a value is needed here, and not {described(thing)}{_hint(thing)}"
    )


def _hint(thing: Thing) -> str:
    """Return a likely correction: `x in [1, 2] or y` is read as `x in ([1, 2] or y)`."""
    return "; in is read last: write (x in [...]) with brackets" if isinstance(thing, list) else ""


def truth(thing: Thing, note: Note) -> SequenceNode:
    """Return whether something is true, at every position."""
    node = sequence(thing, note)
    if isinstance(node, Constant):
        return Constant(bool(node.value), note=node.note)
    return node if gives_truth(node) else Apply(Named("truth"), (node,), note=Note(place=note.place))


def logical(word: str, left: Thing, right: Thing, note: Note) -> Thing:
    """Return `left and right` or `left or right`: of selectors, of sequence operations, or of values."""
    if isinstance(left, SelectorNode) and isinstance(right, SelectorNode):
        return (And if word == "and" else Or)(left, right, note=note)
    if isinstance(left, SelectorNode) or isinstance(right, SelectorNode):
        other = right if isinstance(left, SelectorNode) else left
        raise refusal(
            note.place, f"{word} joins two selectors or two sequence operations, not one with {described(other)}"
        )
    if is_atom(left) and is_atom(right):
        return attempt(Named(word), (left, right), note)
    return Apply(Named(word), (truth(left, note), truth(right, note)), note=note)


def negated(thing: Thing, note: Note) -> Thing:
    """Return `not thing`."""
    return Not(thing, note=note) if isinstance(thing, SelectorNode) else lifted("not", (thing,), note)


def contained(thing: Thing, container: Thing, note: Note) -> Thing:
    """Return `thing in container`: of a list of values, or of a sequence operation."""
    if isinstance(container, SequenceNode) and is_atom(thing):
        same = Apply(Named("=="), (container, sequence(thing, note)), note=Note(place=note.place))
        share = Aggregate(Always(True), Apply(Named("indicator"), (same,)), 0, note=Note(place=note.place))
        return Apply(Named(">"), (share, Constant(0)), note=note)
    if not isinstance(container, list) or not all(map(is_atom, container)):
        where = described(container) if not isinstance(container, list) else "a list of other things"
        raise refusal(note.place, f"in looks into a list of values or a sequence operation, and not into {where}")
    members = frozenset(exact(item) for item in container)
    if isinstance(thing, SequenceNode):
        return Apply(Member(members), (thing,), note=note)
    if not is_atom(thing):
        raise refusal(note.place, f"in looks for a value or a sequence operation, and not for {described(thing)}")
    return exact(thing) in members


def indexed(thing: Thing, index: Thing, note: Note) -> Thing:
    """Return `thing[index]`: an entry of a list, text or dictionary, or the value at one position."""
    if isinstance(thing, SequenceNode):
        return _value_at(thing, index, note)
    if isinstance(thing, dict):
        table: dict[Any, Thing] = thing
    elif isinstance(thing, list | str):
        table = {place: thing[place] for place in range(-len(thing), len(thing))}
    else:
        raise refusal(
            note.place,
            f"an index is of a list, a dictionary, a text or a sequence operation, not of {described(thing)}",
        )
    if isinstance(index, SequenceNode):
        others = [item for item in table.values() if not is_atom(item)]
        if others:
            raise refusal(
                note.place, f"at each position a value is looked up, and the entries have {described(others[0])}"
            )
        return Apply(Lookup(tuple((exact(key), exact(item)) for key, item in table.items())), (index,), note=note)
    if not is_atom(index) or index not in table:
        keys = listed([described(key) for key in table if isinstance(thing, dict) or key >= 0])
        raise refusal(note.place, f"there is no entry {described(index)}; the entries are {keys or 'none'}")
    return table[index]


def _value_at(thing: SequenceNode, index: Thing, note: Note) -> SequenceNode:
    if not isinstance(index, int):
        raise refusal(note.place, f"an index into a sequence operation is a whole number, and not {described(index)}")
    at: SequenceNode = Constant(index)
    if index < 0:
        at = Apply(Named("+"), (Length(), at), note=Note(place=note.place))
    return Aggregate(select(Indices(), at, "==", Note(place=note.place)), thing, 0, note=note)


def aggregate(selector: Thing, values: Thing, default: Thing, note: Note) -> SequenceNode:
    """Return `aggregate(selector, values, default)`; without a default it is 0."""
    if not isinstance(selector, SelectorNode):
        raise refusal(note.place, f"aggregate takes a selector first, and not {described(selector)}")
    if default is not None and not is_atom(default):
        raise refusal(note.place, f"the default of aggregate is a value, and not {described(default)}")
    return Aggregate(selector, sequence(values, note), 0 if default is None else exact(default), note=note)


def chosen(condition: SequenceNode, yes: Thing, no: Thing, note: Note) -> SequenceNode:
    """Return `yes if condition else no`, decided at every position."""
    return Apply(Named("where"), (condition, sequence(yes, note), sequence(no, note)), note=note)


def counted(bounds: list[Thing], note: Note) -> list[Thing]:
    """Return `range(...)` as a list."""
    if len(bounds) not in (1, 2, 3) or not all(isinstance(bound, int) for bound in bounds) or bounds[2:] == [0]:
        raise refusal(note.place, "range takes one, two or three whole numbers, the third not 0")
    numbers = range(*bounds)
    if len(numbers) > MOST_ITEMS:
        raise refusal(note.place, f"a range of more than {MOST_ITEMS:,} numbers")
    return list(numbers)


def zipped(lists: list[Thing], note: Note) -> list[Thing]:
    """Return `zip(...)` as a list of lists."""
    for one in lists:
        if not isinstance(one, list) or len(one) != len(lists[0]):
            raise refusal(note.place, f"zip takes lists of one length, and here is {described(one)}")
    return [list(items) for items in zip(*lists, strict=True)]


def length_of(thing: Thing, note: Note) -> int:
    """Return `len(thing)`."""
    if not isinstance(thing, list):
        raise refusal(note.place, f"len takes a list, and not {described(thing)}; the input's length is length")
    return len(thing)


def whole(digits: str, note: Note) -> int:
    """Return a whole number."""
    return int(_short(digits, note))


def decimal(digits: str, note: Note) -> Atom:
    """Return a decimal number, exactly."""
    value = exact(Fraction(_short(digits, note)))
    assert isinstance(value, int | Fraction)
    return value


def _short(digits: str, note: Note) -> str:
    if len(digits) > 300:
        raise refusal(note.place, "a number of more than 300 digits")
    return digits


def text(quoted: str, note: Note) -> str:
    """Return a text without its quotes."""
    if len(quoted) > LONGEST_TEXT:
        raise refusal(note.place, f"a text of more than {LONGEST_TEXT:,} characters")
    return quoted[1:-1]
