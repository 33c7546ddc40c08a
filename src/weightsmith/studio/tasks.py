"""The tasks of the studio's processes: read, build, change and check models, make pages.

A task gets the bytes of model files and a request, and returns data for the page and the bytes of new files.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from weightsmith import check, memory
from weightsmith.check import Verdict
from weightsmith.composition import if_then_else, side_by_side
from weightsmith.composition.boolean import composed
from weightsmith.errors import InputError, cut
from weightsmith.files import from_bytes, model_bytes
from weightsmith.inspect import run
from weightsmith.library import CHAINS, ENTRIES, EXAMPLES, LECTURE, Entry, Example
from weightsmith.model import Chain, Transformer
from weightsmith.operators import meaning
from weightsmith.studio.document import Model, model_of, page
from weightsmith.studio.summary import summary

Report: TypeAlias = Callable[[int, int], None]  # inputs done, inputs in all


@dataclass(frozen=True)
class Answer:
    """The result of a task."""

    data: dict[str, Any]
    files: Sequence[bytes] = ()


@dataclass(frozen=True)
class Order:
    """The input of a task: the models, the request, and a function that reports progress."""

    models: Sequence[Model] = ()
    request: Mapping[str, Any] = field(default_factory=dict)
    report: Report = lambda done, total: None


def perform(task: str, files: Sequence[tuple[str, bytes]], request: Mapping[str, Any], report: Report) -> Answer:
    """Do a task with models as names and bytes."""
    models = [from_bytes(data, name) for name, data in files]
    return _TASKS[task](Order(models, request, report))


def _transformers(order: Order, what: str) -> list[Transformer]:
    """Return the models that a task changes; refuse a chain, which is more than its transformer."""
    if any(isinstance(model, Chain) for model in order.models):
        raise InputError(
            f"the studio plays and checks chains, and {what} transformers alone: write it in Python, such as ~C or "
            "C & D, or open the file of C.transformer"
        )
    return [model for model in order.models if isinstance(model, Transformer)]


def _read(order: Order) -> Answer:
    return Answer({"summary": summary(model_of(order.models[0]))})


def _library(order: Order) -> Answer:
    """Return the models of the library, the lecture's example first."""
    entries: list[Entry | Example] = [*EXAMPLES, *LECTURE, *ENTRIES, *CHAINS]
    entries.sort(key=lambda entry: entry.name != "eiffel")
    models = [entry.build() for entry in entries]
    rows = []
    for entry, T in zip(entries, models, strict=True):
        example = entry.yes if isinstance(entry, Entry) else next(iter(entry.decides))
        name = entry.name if entry.call.endswith("()") else entry.call
        rows.append({"name": name, "input": example, "note": entry.claim, "summary": summary(T)})
    return Answer({"models": rows}, [model_bytes(T) for T in models])


def _rewrite(order: Order) -> Answer:
    step, value = order.request["step"], order.request["value"]
    T = _transformers(order, "rewrites")[0]
    return _changed(T, meaning("rewrite_step")(T, step, value), f"{step.removeprefix('--')}({value})")


def _compose(order: Order) -> Answer:
    how, names, models = order.request["how"], order.request["names"], _transformers(order, "composes")
    if how == "formula":
        T = composed(order.request["formula"], dict(zip(names, models, strict=True)), "{} = a model of the menu")
    elif how == "if-then-else" and len(models) == 3:
        T = if_then_else(*models)
    elif how == "side-by-side" and len(models) >= 2:
        T = side_by_side(*models)
    else:
        raise InputError("a composition needs its models: two side by side, three for if, then and else")
    return _changed(models[0], T, how)


def _write_fact(order: Order) -> Answer:
    given = order.request
    key, value = (meaning("lane_numbers")(given[name], name) for name in ("key", "value"))
    T = _transformers(order, "writes facts into")[0]
    return _changed(T, memory.write(T, given["block"], key, value, given["margin"], given["name"] or None), "")


def _edit_fact(order: Order) -> Answer:
    given = order.request
    key, value = (meaning("lane_numbers")(given[name], name) for name in ("key", "value"))
    T, place = _transformers(order, "changes facts of")[0], (given["block"], given["neuron"])
    return _changed(T, memory.edit(T, *place, key, value, given["margin"], given["name"] or None), "")


def _remove_fact(order: Order) -> Answer:
    T = _transformers(order, "removes facts from")[0]
    return _changed(T, memory.delete(T, order.request["block"], order.request["neuron"]), "")


def _story(order: Order) -> Answer:
    T = _transformers(order, "gives stories to")[0]
    return _changed(T, T.story(order.request["story"]), "")


def _changed(before: Transformer, after: Transformer, said: str) -> Answer:
    """Return a changed model; a step that left no line in the provenance gets one."""
    if after.provenance == before.provenance and said:
        after = replace(after, provenance=(*after.provenance, cut(said, 1000)))
    return Answer({"summary": summary(model_of(after))}, [model_bytes(after)])


def _page(order: Order) -> Answer:
    inputs = order.request["inputs"]
    shown = [T if tokens is None else _run(T, tokens) for T, tokens in zip(order.models, inputs, strict=True)]
    beside = shown[1] if len(shown) > 1 else None
    return Answer({}, [page(shown[0], beside=beside, names=order.request["names"]).encode()])


def _run(model: Model, tokens: str) -> Any:
    return model.run(tokens) if isinstance(model, Chain) else run(model, tokens)


def _check(order: Order) -> Answer:
    given, models = order.request, order.models
    options = {"up_to": given["up_to"], "workers": given["workers"], "memory": given["memory"]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kind = check.claim.in_forms()[given["claim"]]
        arguments = kind.from_form(models, given)
        found = getattr(check, kind.kind)(*models, **arguments, progress=order.report, **options)
    return Answer({**verdict_data(found), "warnings": [str(each.message) for each in caught][:5]})


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as data for the page."""
    tokens, parting = verdict.counterexample, verdict.divergence
    return {
        "holds": verdict.holds,
        "text": str(verdict),
        "inputs": verdict.inputs,
        "counterexample": None if tokens is None else list(tokens),
        "sides": verdict.sides,
        "divergence": None if parting is None else {**parting.to_json(), "text": str(parting)},
    }


_TASKS: dict[str, Callable[[Order], Answer]] = {
    "read": _read,
    "library": _library,
    "rewrite": _rewrite,
    "compose": _compose,
    "write fact": _write_fact,
    "edit fact": _edit_fact,
    "remove fact": _remove_fact,
    "story": _story,
    "page": _page,
    "check": _check,
}
