"""How far an exported model is from the original: both are run on the same inputs, and the difference is measured."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Saturating
from weightsmith.errors import ExportError, ModelError, brief, listed, whole_number
from weightsmith.export.capabilities import as_exported
from weightsmith.export.chains.measure import measure_chain as measure_chain
from weightsmith.export.chains.measure import required_chain
from weightsmith.export.chains.measure import run_exported as run_chain
from weightsmith.export.chains.report import ChainAgreement as ChainAgreement
from weightsmith.export.exactness import nothing_is_lost, scope
from weightsmith.export.inputs import RANDOM_LENGTH as RANDOM_LENGTH  # for exporters
from weightsmith.export.inputs import inputs as inputs
from weightsmith.export.inputs import parts
from weightsmith.export.lowering import advice
from weightsmith.export.outputs import Exported as Exported  # for exporters
from weightsmith.export.outputs import Outputs as Outputs
from weightsmith.export.outputs import answers
from weightsmith.export.outputs import original as original
from weightsmith.export.report import Agreement as Agreement
from weightsmith.export.saturation import Late, Unbounded, late_and_exact, relying_on_saturation
from weightsmith.export.search import LONGEST, searched
from weightsmith.export.tally import Tally, said, says_otherwise, shortened, survival
from weightsmith.inspect.chains import ChainRun
from weightsmith.model import Chain, Transformer
from weightsmith.model.transformer import checked
from weightsmith.semantics.evaluation import Ids

SURVIVAL_INPUTS = 1_000  # that are run in other dtypes
SATURATION_INPUTS = 300  # that are run with other ends
QUICK_INPUTS = 2_000  # all short ones, with verify="quick"
WRITE = "Write allow_{0}=True to have it nevertheless{1} (--allow-{0} on the command line)"

Model: TypeAlias = Transformer | Chain
Report: TypeAlias = Agreement | ChainAgreement
Verify: TypeAlias = Literal["quick", "full"]


def agreement(T: Model, exported: Any, *, up_to: int | None = None, seed: int = 0) -> Any:
    """Run a transformer and its exported model on the same inputs, and report how far they are from each other.

    Of a chain, whole chains are run, and the report, a `ChainAgreement`, compares every token and answer.

    `exported` is what an exporter of Weightsmith made, or wrote to a path; or any function that takes token
    ids, an int64 array (inputs, positions), and returns logits (inputs, positions, classes), or the codes of a
    readout (inputs, positions, its lanes). With `up_to` no input is longer than that.
    """
    if up_to is not None:
        up_to = whole_number(up_to, "up_to", 1)
    if isinstance(T, Chain):
        return measure_chain(T, as_exported(T, exported), up_to=up_to, seed=seed)
    checked(T)
    return measure(T, as_exported(T, exported), up_to=up_to, seed=seed)


def run_exported(C: Chain, exported: Any, tokens: str | Sequence[str]) -> ChainRun:
    """Run a chain on one input in what an exporter made: its own `generate`, or a loop that appends each decision.

    `exported` is what `agreement` takes. The run has the text, the generated tokens and the answer.
    """
    if not isinstance(C, Chain):
        raise ExportError(f"run_exported runs a chain, and {brief(C)} is none: write run_exported(C, made, tokens)")
    return run_chain(C, as_exported(C, exported), tokens)


def parts_of(model: Model) -> tuple[Transformer, Chain | None]:
    """Return the transformer of a model, and the chain if it is one."""
    return (model.transformer, model) if isinstance(model, Chain) else (checked(model), None)


def report_on(model: Model, exported: Exported, briefly: bool = False, verify: Verify = "full") -> Report:
    """Measure what was made just now from a transformer or a chain."""
    if isinstance(model, Chain):
        return measure_chain(model, exported, fresh=True)
    return quick(model, exported) if verify == "quick" else measure(model, exported, fresh=True, briefly=briefly)


def accepted(found: Any, model: Model, allow_differences: bool, allow_saturation: bool) -> Any:
    """Return a report, or refuse what was made because it says something else, unless that is allowed."""
    if isinstance(found, ChainAgreement):
        return required_chain(found, allow_differences, allow_saturation)
    return required(found, allow_differences, parts_of(model)[0], allow_saturation)


def measure(
    T: Transformer,
    exported: Exported,
    *,
    up_to: int | None = None,
    seed: int = 0,
    fresh: bool = False,
    briefly: bool = False,
) -> Agreement:
    """Run a transformer and its exported model on the same inputs; report how far they are from each other.

    The inputs are all short ones, random ones, and those on which a sum may saturate or round midway. Where the target
    does not round as the original does, the report also says in which dtypes every decision stays, and which sublayers
    rely on saturation that the target lacks, at all or midway. `fresh` says that it was made from the transformer just
    now, and not changed since: only then can more be said than what was run shows. `briefly` says nothing more of one
    that differs.
    """
    tally = Tally(T, exported)
    for ids, exhaustive in inputs(T, seed, up_to):
        tally.add(ids, original(T, ids), "all" if exhaustive else "random")
    for ids in looked_for(T, up_to, getattr(exported, "longest", None), tally.complete):
        for part, ours in _answered(T, ids):
            tally.add(part, ours, "searched")
    found = _with_first(T, exported, tally)
    if getattr(exported, "rounds", False) or (briefly and tally.wrong):
        return found
    ends = Late if found.saturates_at_ends else Unbounded
    tried = [*tally.some(SATURATION_INPUTS), *(ids[np.newaxis] for _, ids in tally.differing[:1])]
    relying = relying_on_saturation(T, tried, ends) or found.midway
    found = replace(found, saturates=relying, survives=survival(T, exported, tally, SURVIVAL_INPUTS))
    if fresh and found.agrees and getattr(exported, "steps", False) and nothing_is_lost(T, found.dtype):
        found = replace(found, proved=scope((T.max_length, getattr(exported, "longest", None))))
    return found


def quick(T: Transformer, exported: Exported) -> Agreement:
    """Run a transformer and its exported model on all short inputs and some random ones, and no others.

    No inputs are searched for, nothing is run in other dtypes, and the report proves nothing.
    """
    tally = Tally(T, exported)
    for ids, exhaustive in inputs(T, most=QUICK_INPUTS):
        tally.add(ids, original(T, ids), "all" if exhaustive else "random")
    return _with_first(T, exported, tally)


def looked_for(T: Transformer, up_to: int | None = None, longest: int | None = None, beyond: int = 0) -> Iterator[Ids]:
    """Yield the inputs of more than some tokens on which a sum may saturate or round midway, by parts that fit."""
    most = min(up_to or LONGEST, longest or LONGEST, T.max_length or LONGEST)
    for ids in searched(T, most if most < LONGEST else None) if most > beyond else ():
        yield from parts(T, ids) if ids.shape[1] > beyond else ()


def _answered(T: Transformer, ids: Ids) -> Iterator[tuple[Ids, Outputs]]:
    """Yield inputs with the original's outputs, except inputs on which it raises an error."""
    try:
        yield ids, original(T, ids)
    except ModelError:
        half = len(ids) // 2
        for part in (ids[:half], ids[half:]) if half else ():
            yield from _answered(T, part)


def _with_first(T: Transformer, exported: Exported, tally: Tally) -> Agreement:
    """Name the shortest input on which something differs and both answers, and whether sums midway cause it all."""
    found = tally.report()
    if not tally.differing:
        return found
    place, ids = shortened(T, exported, *tally.differing[0])
    tally.differing[0] = place, ids
    ours, theirs = (answers(T, of.logits)[0, place] for of in (original(T, ids[None]), exported.outputs(ids[None])))
    tokens = tuple(T.vocabulary[k] for k in ids)
    found = replace(
        found, first_difference=tokens, first_position=place, first_answers=(said(T, ours), said(T, theirs))
    )
    A = T.arithmetic
    if getattr(exported, "rounds", False) or not found.saturates_at_ends or not isinstance(A, Saturating):
        return found
    late = replace(T, arithmetic=late_and_exact(A))
    caused = all(says_otherwise(T, late, *each) for each in tally.differing)
    return replace(found, midway=relying_on_saturation(T, [ids[np.newaxis]], late_and_exact)) if caused else found


def check_verify(verify: object, model: Model) -> None:
    """Refuse anything but the levels of verification; chains have one."""
    if verify not in get_args(Verify):
        raise ExportError(f"verify={brief(verify)}: write 'quick' or 'full'")
    if verify == "quick" and isinstance(model, Chain):
        raise ExportError("verify='quick' is for transformers: leave it out for a chain, whose runs are compared whole")


def check_allowed(allow_differences: object, allow_saturation: object) -> None:
    """Refuse anything but True and False."""
    for name, value in (("allow_differences", allow_differences), ("allow_saturation", allow_saturation)):
        if type(value) is not bool:
            raise ExportError(f"{name}={brief(value)}: write True or False")


def required(
    found: Agreement, allow_differences: bool, T: Transformer | None = None, allow_saturation: bool = False
) -> Agreement:
    """Return a report, or refuse an exported model that says something else, unless that is allowed."""
    if found.agrees or allow_differences or (allow_saturation and found.midway):
        return found
    says = "decides" if found.smallest_margin is not None else "says something"
    ours, theirs = found.first_answers or ("", "")
    text = (
        f"{found.target} in {found.dtype} {says} {found.different_decisions:,} times otherwise, first {found.where()}: "
        f"{theirs}, where the original says {ours}."
    )
    if found.midway:
        raise ExportError(
            f"{text} Sums of the original saturate or round midway in {listed(found.midway)}, and what was made adds "
            "up first; to_torch(T, exact=True) folds as T does. "
            f"{WRITE.format('saturation', ', with a sentence on that in it')}"
        )
    hint = "" if T is None else f" {advice(T, () if found.saturates_at_ends else found.saturates)}"
    raise ExportError(f"{text}{hint} {WRITE.format('differences', '')}")
