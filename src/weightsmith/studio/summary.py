"""What the studio's panel shows of a model: its words, its history, and the facts in it."""

from typing import Any

from weightsmith.errors import cut
from weightsmith.memory import facts
from weightsmith.model import Transformer

FEW = 200  # of anything that is listed
LANES = 8  # of a pattern


def summary(T: Transformer) -> dict[str, Any]:
    """Return a model in a few words, as data."""
    return {
        "arithmetic": str(T.arithmetic),
        "vocabulary": list(T.vocabulary[:FEW]),
        "letters": all(len(token) == 1 for token in T.vocabulary),
        "lanes": list(T.lanes[:FEW]),
        "flags": list(T.flags[:FEW]),
        "classes": list(T.classes[:FEW]),
        "blocks": len(T.blocks),
        "provenance": [cut(line) for line in T.provenance[-FEW:]],
        "neurons": _neurons(T)[:FEW],
    }


def _neurons(T: Transformer) -> list[dict[str, Any]]:
    """Return the neurons that can be named: facts with their keys, then those that somebody named."""
    found = facts(T)
    rows = [
        {
            "block": fact.block,
            "neuron": fact.neuron,
            "name": fact.name,
            "key": _pattern(fact.key),
            "value": _pattern(fact.value),
            "margin": fact.margin,
        }
        for fact in found
    ]
    known = {(fact.block, fact.neuron) for fact in found}
    for b, block in enumerate(T.blocks):
        names = () if block.feed_forward is None else block.feed_forward.names
        rows += [
            {"block": b, "neuron": n, "name": name, "key": None, "value": None, "margin": None}
            for n, name in enumerate(names)
            if name and (b, n) not in known
        ]
    return rows


def _pattern(pattern: Any) -> str:
    parts = [f"{lane}={value:g}" for lane, value in list(pattern.items())[:LANES]]
    return ", ".join(parts) + (", …" if len(pattern) > LANES else "")
