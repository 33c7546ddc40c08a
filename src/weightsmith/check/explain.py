"""What a refuting input shows: what each side says, and where two streams part."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from weightsmith.check.claims import AgreesWith, Claim, FinalVectors, Recognizes
from weightsmith.check.inputs import Input, Inputs
from weightsmith.check.languages import called
from weightsmith.errors import shown
from weightsmith.inspect.run import Run
from weightsmith.inspect.run import run as run_by
from weightsmith.model import Transformer
from weightsmith.model.places import block_of_stage


@dataclass(frozen=True)
class Divergence:
    """The first place at which the streams of two transformers differ on an input, among the lanes that both have."""

    stage: str  # "embedding", "block 0 attention", …
    block: int | None  # None for the embedding
    position: int
    lane: str
    values: tuple[float, float]

    def __str__(self) -> str:
        """Say it in a line."""
        first, second = self.values
        return (
            f"the streams part after {self.stage}, position {self.position}, lane {shown(self.lane)}: "
            f"{first:g} and {second:g}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as data."""
        return {**asdict(self), "values": list(self.values)}


def run(claim: Claim, T: Transformer, tokens: Input) -> Run:
    """Run a model of a claim on an input and what follows it, adding as the checker does."""
    return run_by(T, [*tokens, *claim.frame.after(T)], sums="left")


def sides(claim: Claim, tokens: Input) -> dict[str, str]:
    """Return what each side says of an input, by the reference semantics."""
    if isinstance(claim, Recognizes):
        ids = [claim.vocabulary.index(token) for token in tokens]
        member = bool(claim.language.expected(Inputs(claim.vocabulary, ids, 0))[0])
        return {"the transformer": run(claim, claim.T, tokens).decision, "the language": _member(member)}
    if isinstance(claim, AgreesWith):
        answer = called(claim.function, "the function", tokens)
        return {"the transformer": run(claim, claim.T, tokens).decision, "the function": answer}
    if isinstance(claim, FinalVectors):
        vector = run(claim, claim.T, tokens).stream[-1, -1]
        lanes = ", ".join(f"{shown(lane)}={x:g}" for lane, x in zip(claim.T.lanes, vector, strict=True))
        return {"the last vector": lanes}
    runs = [run(claim, T, tokens) for T in claim.models]
    return {name: _said(claim, r) for name, r in zip(("the first", "the second"), runs, strict=True)}


def _member(member: bool) -> str:
    return "it belongs to it" if member else "it does not belong to it"


def _said(claim: Claim, r: Run) -> str:
    logits = ", ".join(f"{shown(name)}={x:g}" for name, x in zip(r.transformer.classes, r.logits, strict=True))
    return r.decision if claim.quantity == "decisions" else logits


def divergence(claim: Claim, tokens: Input) -> Divergence | None:
    """Find where the streams of the two transformers part; None where they have no lane in common, or one is alone."""
    if len(claim.models) != 2:
        return None
    first, second = (run(claim, T, tokens) for T in claim.models)
    S, T = claim.models
    positions = min(first.stream.shape[1], second.stream.shape[1])  # only one may be followed by a suffix
    common = [lane for lane in S.lanes if lane in T.lanes]
    mine, other = ([list(model.lanes).index(lane) for lane in common] for model in (S, T))
    for stage in range(min(len(first.stream), len(second.stream))):
        a, b = first.stream[stage][:positions, mine], second.stream[stage][:positions, other]
        if (a != b).any():
            position, j = (int(i) for i in np.argwhere(a != b)[0])
            values = (float(a[position, j]), float(b[position, j]))
            return Divergence(first.stages[stage], block_of_stage(stage), position, common[j], values)
    return None
