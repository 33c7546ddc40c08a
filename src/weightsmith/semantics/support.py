"""Refusing, by name, parts of a transformer that an engine does not know.

Positional schemes need no check: a scheme consists of tables (`AttentionPositions`), which every engine asks for.
"""

from collections.abc import Iterable, Iterator

from weightsmith.errors import ModelError, brief
from weightsmith.model import LayerNorm, Norm, RMSNorm, Transformer

NORMS = (LayerNorm, RMSNorm)  # every engine knows the same ones


def unsupported(T: Transformer, engine: str, weightings: Iterable[type]) -> str | None:
    """Return an error for the first part that an engine with these weightings does not know, or None."""
    known = set(weightings)
    for b, block in enumerate(T.blocks):
        for i, head in enumerate(block.attention.heads if block.attention else ()):
            if type(head.weighting) not in known:
                return _text(f"block {b}, head {i}: {engine}", "weighting", head.weighting, known)
    for name, norm in _norms(T):
        if norm is not None and type(norm) not in NORMS:
            return _text(f"{name}: {engine}", "norm", norm, NORMS)
    return None


def refuse(reason: str | None) -> None:
    """Raise a reason as a `ModelError`; None is no reason."""
    if reason is not None:
        raise ModelError(reason)


def _norms(T: Transformer) -> Iterator[tuple[str, Norm | None]]:
    for b, block in enumerate(T.blocks):
        yield f"block {b} attention norm", block.attention_norm
        yield f"block {b} feed-forward norm", block.feed_forward_norm
    yield "final norm", T.final_norm


def _text(who: str, what: str, part: object, known: Iterable[type]) -> str:
    names = sorted(f"{kind.__name__}()" for kind in known)
    return f"{who} does not know the {what} {brief(part)}: write one of {', '.join(names)}"
