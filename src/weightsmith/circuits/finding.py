"""Runs a method of circuit discovery over a benchmark. A method is a name here."""

from collections.abc import Callable, Mapping, Sequence

from weightsmith.circuits.ablations import activation_patching, mean_ablation, zero_ablation
from weightsmith.circuits.folder import Entry
from weightsmith.circuits.gradients import edge_attribution_patching, edge_integrated_gradients
from weightsmith.circuits.pairs import Method
from weightsmith.circuits.results import Scores
from weightsmith.errors import InputError, brief, listed

METHODS: Mapping[str, Method] = {
    "zero": zero_ablation,
    "mean": mean_ablation,
    "patching": activation_patching,
    "attribution": edge_attribution_patching,
    "integrated": edge_integrated_gradients,
}


def method_of(name: object) -> Method:
    """Return a method by its name."""
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"there is no method {brief(name)}: write one of {listed(list(METHODS))}")
    return METHODS[name]


def find(
    method: str | Method, entries: Sequence[Entry], progress: Callable[[int, int], None] | None = None
) -> dict[str, Scores]:
    """Run a method on the training pairs of each model of a benchmark; return its scores, for `write_results`.

    A method is a name of `METHODS`, or any function of a transformer and pairs that scores every edge.
    """
    run = method if callable(method) else method_of(method)
    found = dict[str, Scores]()
    for done, entry in enumerate(entries):
        if progress is not None:
            progress(done, len(entries))
        found[entry.name] = Scores(run(entry.transformer, entry.pairs.train), None)
    return found
