"""The right decisions of every exercise, written again as Python functions of the tokens."""

from collections.abc import Callable, Sequence


def facts(tokens: Sequence[str]) -> str:
    known: dict[tuple[str, ...], str] = {
        ("France", "capital"): "Paris",
        ("Italy", "capital"): "Rome",
        ("France", "language"): "French",
        ("Italy", "language"): "Italian",
    }
    return known.get(tuple(tokens[-2:]), "unknown")


def induction(tokens: Sequence[str]) -> str | None:
    """None where the last token has not occurred before: any decision is right."""
    earlier = [place for place, token in enumerate(tokens[:-1]) if token == tokens[-1]]
    return tokens[earlier[-1] + 1] if earlier else None


def yes(truth: bool) -> str:
    return "YES" if truth else "NO"


RIGHT: dict[str, Callable[[tuple[str, ...]], str | None]] = {
    "neuron": lambda tokens: yes(tokens[-1] == "both"),
    "exactly-one": lambda tokens: yes(tokens[-1] in ("left", "right")),
    "previous": lambda tokens: yes(tokens[-2:-1] == ("a",)),
    "first-and-last": lambda tokens: yes(tokens[0] == "a" and tokens[-1] == "b"),
    "facts": facts,
    "contains": lambda tokens: yes("ab" in "".join(tokens)),
    "count": lambda tokens: yes(tokens.count("1") >= 3),
    "mend": lambda tokens: yes(tokens[-3:] == ("a", "a", "b")),
    "induction": induction,
    "refute": lambda tokens: yes(tokens.count("1") % 2 == 1),
}
