"""The names that every RASP text has before the standard library is read."""

from functools import partial

from weightsmith.programs.form import Always, Apply, Indices, Length, Note, SelectorNode, Tokens, Width
from weightsmith.programs.operators import Named
from weightsmith.programs.places import refusal
from weightsmith.programs.text.expressions import lifted
from weightsmith.programs.text.things import Builtin, Thing, described


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
