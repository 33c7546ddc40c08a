"""Composition of transformers with a readout, by their values: at every position, and no block is added.

The streams stand side by side, and the readout reads the lanes of all parts. Its table has an entry for every
combination of codes: the value that the formula, or the choice, makes of the values of the parts.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod

from weightsmith.composition.formula import Formula, names, truth_table
from weightsmith.composition.streams import common_ground, streams_beside
from weightsmith.errors import ModelError, brief, listed
from weightsmith.model import Readout, Transformer, Value, value_text
from weightsmith.model.readout import MAX_CODES

ANSWERS: Mapping[Value, bool] = {False: False, True: True, "NO": False, "YES": True}  # 0 and 1 too: they are equal


def has_values(parts: Sequence[Transformer]) -> bool:
    """Return whether parts have readouts; refuse some with a readout and some with classes."""
    found = [part.readout is not None for part in parts]
    if any(found) and not all(found):
        raise ModelError(
            "one part has a readout, which says a value at every position, and another has classes, which it decides "
            "at the last: write compile(…, backend='exact') for programs of both, or replace(T, readout=None, "
            "classes=(…), output=…) to give a part classes"
        )
    return all(found)


def composed_values(formula: Formula, given: Mapping[str, Transformer], made: str) -> Transformer:
    """Return the transformer that a formula means, of parts that say True or False, or YES or NO."""
    used = names(formula)
    parts = [given[name] for name in used]
    for name, part in zip(used, parts, strict=True):
        _require_truth(part, name)
    table = truth_table(formula, used).tolist()
    texts = all(type(answer) is str for part in parts for answer in part.answers)

    def value(*values: Value) -> Value:
        holds = table[sum(ANSWERS[one] << n for n, one in enumerate(values))]
        return ("NO", "YES")[holds] if texts else bool(holds)

    return _read_together(parts, used, value, made)


def chosen_values(R: Transformer, S: Transformer, T: Transformer) -> Transformer:
    """Return the transformer that says what S says where R says True, and what T says elsewhere."""
    _require_truth(R, "if")
    return _read_together((R, S, T), ("if", "then", "else"), lambda r, s, t: s if ANSWERS[r] else t, "if-then-else")


def paired_values(parts: Sequence[Transformer], called: Sequence[str]) -> Transformer:
    """Return transformers side by side, whose values are said as one text: `left True, right 3`."""
    return _read_together(
        parts,
        called,
        lambda *values: ", ".join(f"{name} {value_text(one)}" for name, one in zip(called, values, strict=True)),
        f"side by side: {', '.join(called)}",
    )


def _require_truth(part: Transformer, name: str) -> None:
    """Refuse a part that says something else than yes or no."""
    other = [answer for answer in part.answers if answer is None or answer not in ANSWERS]
    if other:
        raise ModelError(
            f"{brief(name)} says {listed([value_text(one) for one in other])}, and a formula combines True and False: "
            "write a program that says one of them, such as x == 3, or with a default for None"
        )


def _read_together(
    parts: Sequence[Transformer], called: Sequence[str], value: Callable[..., Value], made: str
) -> Transformer:
    """Return the parts side by side; what they say together is a function of what they say."""
    readouts = [part.readout for part in parts if part.readout is not None]
    size = prod(len(readout.table) for readout in readouts)
    if size > MAX_CODES:
        sizes = " × ".join(str(len(readout.table)) for readout in readouts)
        raise ModelError(
            f"the readouts have {sizes} codes, so {size:,} together, and a table has at most {MAX_CODES:,}: compose "
            "fewer parts, or write one program of them"
        )
    lanes = [f"{name} {lane}" for name, readout in zip(called, readouts, strict=True) for lane in readout.lanes]
    table = {
        tuple(number for code, _ in entries for number in code): value(*(one for _, one in entries))
        for entries in product(*(readout.entries for readout in readouts))
    }
    provenance = (*(line for part in parts for line in part.provenance), made)
    return streams_beside(common_ground(parts), called, readout=Readout(lanes, table), provenance=provenance)
