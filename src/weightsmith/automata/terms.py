"""Regular expressions as terms, simplified when they are built."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

Term: TypeAlias = tuple[Any, ...]
NOTHING: Term = ("none",)  # no input
EMPTY: Term = ("sequence", ())  # the empty input


def one_of(tokens: Sequence[str], every: frozenset[str]) -> Term:
    """Return the term of one character of a set."""
    return ("set", frozenset(tokens), every)


def sequence(terms: Iterable[Term]) -> Term:
    """Return the concatenation of terms."""
    parts: list[Term] = []
    for term in terms:
        if term == NOTHING:
            return NOTHING
        for part in term[1] if term[0] == "sequence" else (term,):
            if parts and part[0] == "many" and parts[-1] == part:
                continue  # x*x* is x*
            if parts and part[0] == "many" and parts[-1] == ("maybe", part[1]):
                parts.pop()  # x?x* is x*
            if parts and parts[-1][0] == "many" and part == ("maybe", parts[-1][1]):
                continue
            parts.append(part)
    return parts[0] if len(parts) == 1 else ("sequence", tuple(parts))


def alternatives(terms: Iterable[Term]) -> Term:
    """Return the union of terms."""
    parts: list[Term] = []
    for term in terms:
        if term == NOTHING:
            continue
        if term[0] == "maybe":
            parts += [EMPTY, *(term[1][1] if term[1][0] == "either" else (term[1],))]
        else:
            parts += term[1] if term[0] == "either" else (term,)
    parts = list(dict.fromkeys(parts))
    sets = [part for part in parts if part[0] == "set"]
    if len(sets) > 1:
        whole = ("set", frozenset().union(*(part[1] for part in sets)), sets[0][2])
        parts = [whole, *(part for part in parts if part[0] != "set")]
    optional = EMPTY in parts
    parts = _absorbed([part for part in parts if part != EMPTY])
    if not parts:
        return EMPTY if optional else NOTHING
    result = parts[0] if len(parts) == 1 else _factored(parts)
    return maybe(result) if optional else result


def _absorbed(parts: list[Term]) -> list[Term]:
    """Drop parts that another part covers: x and x x* beside x*, x beside x y* and beside y* x."""

    def covers(other: Term, part: Term) -> bool:
        if other[0] == "many":
            return part in (other[1], sequence([other[1], other]), sequence([other, other[1]]))
        if other[0] != "sequence":
            return False
        *begin, last = other[1]
        first, *end = other[1]
        return (last[0] in ("many", "maybe") and sequence(begin) == part) or (
            first[0] in ("many", "maybe") and sequence(end) == part
        )

    kept = list(parts)
    for part in parts:
        if any(other != part and covers(other, part) for other in kept):
            kept.remove(part)
    return kept


def _factored(parts: list[Term]) -> Term:
    """Factor out the common prefix or suffix of all parts."""
    rows = [part[1] if part[0] == "sequence" else (part,) for part in parts]
    begin = 0
    while all(len(row) > begin for row in rows) and len({row[begin] for row in rows}) == 1:
        begin += 1
    rows = [row[begin:] for row in rows] if begin else rows
    head = list(parts[0][1][:begin]) if begin and parts[0][0] == "sequence" else list(parts[:1] if begin else [])
    end = 0
    while all(len(row) > end for row in rows) and len({row[-1 - end] for row in rows}) == 1:
        end += 1
    tail = list(rows[0][len(rows[0]) - end :]) if end else []
    if not begin and not end:
        return ("either", tuple(parts))
    inner = [sequence(row[: len(row) - end]) for row in rows]
    return sequence([*head, alternatives(inner), *tail])


def maybe(term: Term) -> Term:
    """Return an optional term."""
    if term in (EMPTY, NOTHING):
        return EMPTY
    if term[0] in ("many", "maybe"):
        return term
    if term[0] == "sequence" and len(term[1]) == 2 and term[1][1] == ("many", term[1][0]):
        whole: Term = term[1][1]  # (x x*)? is x*
        return whole
    if term[0] == "sequence" and len(term[1]) == 2 and term[1][0] == ("many", term[1][1]):
        other: Term = term[1][0]
        return other
    return ("maybe", term)


def repeated(term: Term) -> Term:
    """Return the Kleene star of a term."""
    if term in (EMPTY, NOTHING):
        return EMPTY
    if term[0] in ("many", "maybe"):
        return repeated(term[1]) if term[0] == "maybe" else term
    if term[0] == "either":  # (x*|y)* is (x|y)*
        return ("many", alternatives([part[1] if part[0] == "many" else part for part in term[1]]))
    if term[0] == "sequence" and all(part[0] in ("many", "maybe") for part in term[1]):
        return repeated(alternatives([part[1] for part in term[1]]))  # (x*y*)* is (x|y)*
    return ("many", term)


def reversed_term(term: Term) -> Term:
    """Return the term of the reversed inputs."""
    match term[0]:
        case "sequence":
            return sequence([reversed_term(part) for part in reversed(term[1])])
        case "either":
            return alternatives([reversed_term(part) for part in term[1]])
        case "many" | "maybe":
            return (term[0], reversed_term(term[1]))
    return term


def text(term: Term) -> str:
    """Return a term in the syntax of Python's `re`."""
    match term[0]:
        case "none":
            return r"[^\s\S]"  # no character at all
        case "set":
            return _characters(term[1], term[2])
        case "word":
            return str(term[1])
        case "either":
            return "|".join(text(part) for part in term[1])
        case "many" | "maybe":
            mark = "*" if term[0] == "many" else "?"
            return _grouped(term[1], ("set",)) + mark
    return _sequence_text(term[1])


def _sequence_text(parts: Sequence[Term]) -> str:
    """Write x x* and x* x as x+."""
    words, i = [], 0
    while i < len(parts):
        one, two = parts[i], parts[i + 1] if i + 1 < len(parts) else None
        if two is not None and (two == ("many", one) or one == ("many", two)):
            words.append(_grouped(one if one[0] != "many" else two, ("set",)) + "+")
            i += 2
            continue
        words.append(_grouped(one, ("set", "many", "maybe", "word", "sequence")))
        i += 1
    return "".join(words)


def _grouped(term: Term, plain: Sequence[str]) -> str:
    single = term[0] == "word" and len(str(term[1])) == 1
    return text(term) if term[0] in plain or single else f"({text(term)})"


def _characters(chosen: frozenset[str], every: frozenset[str]) -> str:
    if chosen == every and len(every) > 1 and "\n" not in every:
        return "."
    if len(chosen) == 1:
        return re.escape(next(iter(chosen)))
    rest = sorted(every - chosen)
    if len(rest) == 1 and len(chosen) > 2:
        return f"[^{_in_class(rest)}]"
    return f"[{_in_class(sorted(chosen))}]"


def _in_class(characters: Iterable[str]) -> str:
    return "".join("\\" + c if c in "\\]^-[" else c for c in characters)
