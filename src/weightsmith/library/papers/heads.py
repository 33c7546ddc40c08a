"""A head from its scores and values, by lane: what the constructions of this folder are written with."""

from collections.abc import Mapping, Sequence

from weightsmith.model import Head, Weighting, matrix

NOTHING: Mapping[str, float] = {}


def head(
    lanes: Sequence[str],
    weighting: Weighting,
    value: Mapping[str, float],
    to: Mapping[str, float],
    *,
    query: Mapping[str, float] = NOTHING,
    key: Mapping[str, float] = NOTHING,
    strict: bool = False,
    name: str = "",
) -> Head:
    """Return a head with one query, key and value coordinate; without query and key all scores are 0."""
    return Head(
        W_Q=matrix(["score"], lanes, {("score", lane): x for lane, x in query.items()}),
        W_K=matrix(["score"], lanes, {("score", lane): x for lane, x in key.items()}),
        W_V=matrix(["value"], lanes, {("value", lane): x for lane, x in value.items()}),
        W_O=matrix(lanes, ["value"], {(lane, "value"): x for lane, x in to.items()}),
        weighting=weighting,
        strict=strict,
        name=name,
    )
