"""A summary of a model for the studio's panel: names, provenance, facts."""

from typing import Any

from weightsmith.errors import cut
from weightsmith.memory import facts
from weightsmith.memory.facts import by_lane
from weightsmith.model import Chain, Transformer

FEW = 200  # of anything that is listed
LANES = 8  # of a pattern
LETTERS = 2000  # of a pattern in full


def summary(model: Transformer | Chain) -> dict[str, Any]:
    """Return a model in a few words, as data; a chain with the tokens of its inputs, and its answers as classes."""
    T = model.transformer if isinstance(model, Chain) else model
    classes = model.letters if isinstance(model, Chain) else T.classes
    return {
        "arithmetic": str(T.arithmetic),
        "vocabulary": list(model.vocabulary[:FEW]),
        "letters": all(len(token) == 1 for token in model.vocabulary),
        "lanes": list(T.lanes[:FEW]),
        "flags": list(T.flags[:FEW]),
        "classes": list(classes[:FEW]),
        "blocks": len(T.blocks),
        "provenance": [cut(line) for line in T.provenance[-FEW:]],
        "neurons": _neurons(T)[:FEW],
    }


def _neurons(T: Transformer) -> list[dict[str, Any]]:
    """Return facts with their keys, then other named neurons with their reads and writes."""
    found = facts(T)
    rows: list[dict[str, Any]] = [
        {
            "block": fact.block,
            "neuron": fact.neuron,
            "name": fact.name,
            "key": _pattern(fact.key),
            "value": _pattern(fact.value),
            "margin": fact.margin,
            "edit": _in_full(fact.key, fact.value),
        }
        for fact in found
    ]
    known = {(fact.block, fact.neuron) for fact in found}
    for b, block in enumerate(T.blocks):
        layer = block.feed_forward
        if layer is None:
            continue
        for n, name in enumerate(layer.names):
            if name and (b, n) not in known:
                reads, adds = (_pattern(by_lane(T, row)) for row in (layer.W_1[n], layer.W_2[:, n]))
                row = {"block": b, "neuron": n, "name": name, "key": reads, "value": adds}
                rows.append({**row, "margin": None, "edit": None})
    return rows


def _in_full(*patterns: Any) -> list[str] | None:
    """Return a key and a value as one writes them; None where that would not be the same, or too long for a form."""
    texts = [",".join(f"{lane}={value!r}" for lane, value in pattern.items()) for pattern in patterns]
    simple = all(lane == lane.strip() and "," not in lane for pattern in patterns for lane in pattern)
    return texts if simple and all(0 < len(text) <= LETTERS for text in texts) else None


def _pattern(pattern: Any) -> str:
    parts = [f"{lane}={value:g}" for lane, value in list(pattern.items())[:LANES]]
    return ", ".join(parts) + (", …" if len(pattern) > LANES else "")
