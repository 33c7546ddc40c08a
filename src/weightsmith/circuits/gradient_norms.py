"""Gradients at the parts of a model, measured on pairs of inputs, beside the margins that were proved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weightsmith.circuits import lazy
from weightsmith.circuits.gradients import batches
from weightsmith.circuits.pairs import Pair
from weightsmith.model import Transformer
from weightsmith.programs import CompiledProgram
from weightsmith.tables import Table, TabledRows


@dataclass(frozen=True)
class PartGradient:
    """The norm of the gradient at one part, over all positions of an input."""

    part: str  # "blocks.0.attn.head.1.q", "blocks.0.mlp.in", "blocks.0.mlp.neurons"
    mean: float
    largest: float
    pairs: int  # of which it is not 0


@dataclass(frozen=True, eq=False)
class GradientNorms(TabledRows[PartGradient]):
    """The gradients at every part; of a softmax program also its margins and its sharpness."""

    rows: tuple[PartGradient, ...]
    pairs: int
    margins: Mapping[str, float]  # in each machine type; empty of other models
    sharpness: float | None  # None of models that are not made for gradients

    def table(self) -> Table:
        """Return the parts as a table; those that no gradient reaches stand out."""
        notes = [f"{name}: margin {margin:.3g}" for name, margin in self.margins.items() if margin > 0]
        notes = [f"sharpness {self.sharpness:g}", *notes] if self.sharpness is not None else notes
        result = Table("gradient at", "mean norm", "largest", "pairs", right=[1, 2, 3], notes=notes)
        for row in self.rows:
            there = f"{row.pairs} of {self.pairs}"
            result.add(row.part, f"{row.mean:.3g}", f"{row.largest:.3g}", there, style="" if row.pairs else "bad")
        return result


def gradient_norms(model: CompiledProgram | Transformer, pairs: Sequence[Pair]) -> GradientNorms:
    """Measure the gradients at the queries, keys and values of every head, and at every feed-forward layer.

    The gradient is that of the metric of `edge_attribution_patching`, in the clean run of each pair. Of a feed-forward
    layer "in" is what it reads, and "neurons" are its activations.
    """
    T = model.transformer if isinstance(model, CompiledProgram) else model
    norms: dict[str, list[float]] = {}
    for batch, tapped in batches(T, pairs):
        for part, each in lazy.norms_at_parts(tapped, batch):
            norms.setdefault(part, []).extend(each)
    rows = tuple(PartGradient(n, sum(each) / len(each), max(each), sum(map(bool, each))) for n, each in norms.items())
    proof = model.proof if isinstance(model, CompiledProgram) else None
    return GradientNorms(rows, len(pairs), getattr(proof, "margins", {}), getattr(proof, "sharpness", None))
