"""Programs as graphs: an output with everything that it is made of, equal parts being one node."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from weightsmith.errors import InputError, brief
from weightsmith.programs.form import FrontEnd, Length, Node, SequenceNode
from weightsmith.programs.places import Note, refusal


@dataclass(frozen=True, repr=False)
class Program:
    """A program: its output, and which language it is from.

    `nodes` are all parts, each after the ones that it is made of; `print(program)` shows them with their source. In a
    `causal` program every selector selects only positions up to the query's own. `text` is its source.
    """

    output: SequenceNode
    front_end: FrontEnd
    name: str | None = None
    causal: bool = False
    text: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Make equal parts one node, and refuse the length in a causal program."""
        if not isinstance(self.output, SequenceNode):
            raise InputError(f"a program's output is a sequence operation, and not {brief(self.output)}")
        object.__setattr__(self, "output", shared(self.output))
        for node in self.nodes if self.causal else ():
            if isinstance(node, Length):
                raise refusal(
                    node.note.place,
                    "a causal program cannot know the length, for it sees no later position; write causal=False, or "
                    "indices + 1 for the positions so far",
                )

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All parts, each after the ones that it is made of; the output is the last."""
        return tuple(ordered(self.output))

    def __repr__(self) -> str:
        """Return the name and the size; `print` shows the program."""
        return f"<program {brief(self.name)} of {len(self.nodes)} parts>"

    def __str__(self) -> str:
        """Return the program as numbered lines, with the source of each."""
        from weightsmith.programs.listing import dump  # it shows what is defined here

        return dump(self)


def ordered(output: Node) -> Iterator[Node]:
    """Yield every node once, each after its parts."""
    seen: set[Node] = set()
    waiting = [(output, False)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(part, False) for part in reversed(node.parts) if part not in seen]


def shared(output: SequenceNode) -> SequenceNode:
    """Return the same operation, in which parts that are made in the same way are one node."""
    number: dict[Node, int] = {}
    numbers: dict[tuple[Any, ...], int] = {}
    notes: list[Note] = []
    firsts: list[Node] = []
    for node in ordered(output):
        key = (type(node), *(_numbered(value, number) for value in node.contents))
        place = numbers.setdefault(key, len(notes))
        number[node] = place
        if place == len(notes):
            firsts.append(node)
            notes.append(node.note)
        notes[place] = notes[place].or_else(node.note)
    made: list[Node] = []
    for node, note in zip(firsts, notes, strict=True):
        names = [one.name for one in fields(node) if one.name != "note"]
        swapped = {name: _swapped(getattr(node, name), number, made) for name in names}
        made.append(type(node)(**swapped, note=note))
    result = made[number[output]]
    assert isinstance(result, SequenceNode)
    return result


def _numbered(value: Any, number: dict[Node, int]) -> Any:
    if isinstance(value, tuple):
        return tuple(_numbered(item, number) for item in value)
    return ("node", number[value]) if isinstance(value, Node) else value


def _swapped(value: Any, number: dict[Node, int], made: Sequence[Node]) -> Any:
    if isinstance(value, tuple):
        return tuple(_swapped(item, number, made) for item in value)
    return made[number[value]] if isinstance(value, Node) else value
