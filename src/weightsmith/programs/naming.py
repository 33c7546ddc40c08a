"""Names of blocks, heads, neurons and lanes: those of the nodes that they compute.

A node has a name that no other has, or a word and the number of its line in the listing, as in "aggregate %7".
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from weightsmith.programs.form import Node
from weightsmith.programs.listing import HasParts, short_names
from weightsmith.programs.values import Value, presented

TOKEN, POSITION, NOTHING = "token", "position", "nothing"  # names of other lanes
OF_WEIGHTS, OF_LANES = ", ", " and "  # between names
LONGEST_PART, LONGEST_NAME = 40, 150  # characters
MORE = "…"


def part_names(program: HasParts) -> dict[Node, str]:
    """Return a name for each node of a program, each different."""
    numbers, names = short_names(program), Counter(node.note.name for node in program.nodes)
    called: dict[Node, str] = {}
    for node in program.nodes:
        name = node.note.name
        if name is None or not _is_plain(name):
            called[node] = f"{type(node).__name__.lower()} {numbers[node]}"
        else:
            called[node] = name if names[name] == 1 else f"{name} {numbers[node]}"
    return called


def _is_plain(name: str) -> bool:
    """Return whether a name stands for itself wherever it is written."""
    taken = name in (TOKEN, POSITION, NOTHING, MORE) or not name.isprintable() or name != name.strip()
    return not taken and len(name) <= LONGEST_PART and not any(sign in name for sign in ("%", OF_WEIGHTS, OF_LANES))


def number_in(name: str) -> str:
    """Return the number of the line that stands in a name; nothing where there is none."""
    found: list[str] = re.findall(r"%\d+", name)
    return found[-1] if found else ""


def without_count(name: str) -> str:
    """Return the name of a lane without the number by which it differs from others of that name."""
    return re.sub(r" \d+'*$", "", name)


def joined(names: Iterable[str], between: str = OF_WEIGHTS, most: int = LONGEST_NAME) -> str:
    """Return different names as one: as many as there is room for."""
    result = ""
    for name in dict.fromkeys(names):
        longer = f"{result}{between}{name}" if result else name
        if len(longer) > most - len(between) - len(MORE):
            return f"{result}{between}{MORE}" if result else MORE
        result = longer
    return result


def token_names(tokens: Sequence[Value]) -> list[str]:
    """Return tokens as texts, which a transformer's vocabulary has: different ones for different tokens."""
    names: list[str] = []
    for token in tokens:
        name = token if isinstance(token, str) and token else str(presented(token)) or "''"
        while name in names or (name in tokens and token != name):
            name = f"{name}'"
        names.append(name)
    return names
