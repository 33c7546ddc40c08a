"""Formulas as automata, by progression: the truth of a formula follows from a few truths at the position before.

These are the last truths of its O, H and S, and of what its Y speak of; a strict operator is what its other variant was
at the position before. Nothing here knows of weights.
"""

from collections.abc import Sequence

from weightsmith.automata import Automaton, smallest
from weightsmith.errors import InputError
from weightsmith.programs.ltl.formulas import Connective, Formula, Past, Truth, in_order
from weightsmith.programs.ltl.meaning import connected

MOST_STATES = 1 << 16
State = tuple[tuple[bool, ...], bool]  # remembered truths, and whether the formula held


def formula_automaton(formula: Formula, vocabulary: Sequence[str]) -> Automaton:
    """Return the smallest automaton that accepts the inputs at whose last position a formula holds.

    The empty input has no last position: it is not accepted.

    >>> from weightsmith.programs.ltl.reading import parse_ltl
    >>> formula_automaton(parse_ltl("O(a & Y b)"), "ab").table.tolist()
    [[0, 1], [2, 1], [2, 2]]
    """
    progress = _Progress(formula)
    start: State = progress.start, False
    numbers, table = {start: 0}, list[list[int]]()
    order = [start]
    for state in order:  # it grows meanwhile
        row = []
        for token in vocabulary:
            following = progress.step(state[0], token)
            if numbers.setdefault(following, len(order)) == len(order):
                order.append(following)
                if len(order) > MOST_STATES:
                    raise InputError(f"the automaton of the formula has more than {MOST_STATES:,} states")
            row.append(numbers[following])
        table.append(row)
    return smallest(Automaton(table, [accepted for _, accepted in order]))  # type: ignore[arg-type]


class _Progress:
    """The truths that are remembered from one position to the next."""

    def __init__(self, formula: Formula) -> None:
        self.nodes = in_order(formula)
        place = {node: n for n, node in enumerate(self.nodes)}
        self.parts = [
            tuple(place[part] for part in node.parts) if isinstance(node, Connective | Past) else ()
            for node in self.nodes
        ]
        remembered = [node for node in self.nodes if isinstance(node, Past)]
        self.start = tuple(node.operator == "H" for node in remembered)

    def step(self, before: tuple[bool, ...], token: str) -> State:
        """Return the remembered truths after one more token, and whether the formula holds there."""
        truths, after = list[bool](), list[bool]()
        for node, parts in zip(self.nodes, self.parts, strict=True):
            here = [truths[part] for part in parts]
            if isinstance(node, Past):
                last = before[len(after)]
                after.append(_remembered(node.operator, last, here))
                truths.append(last if node.strict or node.operator == "Y" else after[-1])
            elif isinstance(node, Connective):
                truths.append(connected(node.symbol, *here))
            else:
                truths.append(node.value if isinstance(node, Truth) else node.name == token)
        return tuple(after), truths[-1]


def _remembered(operator: str, last: bool, here: Sequence[bool]) -> bool:
    """Return the truth of a non-strict operator here, from its truth at the position before; of Y, that of its part."""
    if operator == "Y":
        return here[0]
    if operator == "O":
        return last or here[0]
    if operator == "H":
        return last and here[0]
    return here[1] or (here[0] and last)
