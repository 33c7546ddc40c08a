"""And, or, not, exclusive or, if-then-else: new yes/no transformers out of old ones.

Each takes the ∞ form of its parts, whose last vectors are (1, x, 0 …) with x = 0 or ∞, puts them side by side, and adds
one block whose neurons compute with the x. A conjunction starts its sum with −∞, from the 1, so that it does not
saturate before it is complete: (−∞ ⊕ x) ⊕ y is ∞ only if both are. The result is in ∞ form again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from weightsmith.compose.side_by_side import agree, beside
from weightsmith.model import Block, Neuron, Transformer, feed_forward
from weightsmith.rewrites import infinity_form, widen
from weightsmith.rewrites.flag import fresh
from weightsmith.rewrites.normal_forms import reading


def both(S: Transformer, T: Transformer) -> Transformer:
    """S & T: YES where both say YES."""
    infinity = S.arithmetic.infinity
    return _combined("and", {"left": S, "right": T}, [{"left NO": -infinity, "left YES": 1, "right YES": 1}])


def either(S: Transformer, T: Transformer) -> Transformer:
    """S | T: YES where one of them, or both, say YES."""
    return _combined("or", {"left": S, "right": T}, [{"left YES": 1, "right YES": 1}])


def exactly_one(S: Transformer, T: Transformer) -> Transformer:
    """S ^ T: YES where just one of them says YES."""
    differences = [{"left YES": 1, "right YES": -1}, {"left YES": -1, "right YES": 1}]
    return _combined("exclusive or", {"left": S, "right": T}, differences)


def negation(T: Transformer) -> Transformer:
    """~T: YES where T says NO."""
    return _combined("not", {"not": T}, [{"not NO": T.arithmetic.infinity, "not YES": -1}])


def if_then_else(R: Transformer, S: Transformer, T: Transformer) -> Transformer:
    """Decide as S where R says YES, and as T where R says NO.

    Requires: three yes/no transformers that agree in arithmetic and mask, with vocabularies that contain each other.
    Ensures: every decision is that of S or T, as R says; the result is in ∞ form.
    Exact in: every arithmetic in which `infinity_form` is.
    Because: (−∞ ⊕ r) ⊕ s is ∞ only if both are, and −r ⊕ t is positive only if r = 0.
    """
    when = {"if NO": -R.arithmetic.infinity, "if YES": 1.0, "then YES": 1.0}
    return _combined("if-then-else", {"if": R, "then": S, "else": T}, [when, {"if YES": -1, "else YES": 1}])


def _combined(name: str, parts: Mapping[str, Transformer], reads: Sequence[Mapping[str, float]]) -> Transformer:
    """Add the neurons' sum to a new YES lane, 1 to a new NO lane, and clear the lanes that they read."""
    agreeing = agree(list(parts.values()))
    answers = agreeing[0].classes
    loud = [infinity_form(part) for part in agreeing]
    T = beside(loud, list(parts))
    lanes = {
        f"{part} {answer}": f"{part} {lane}"
        for part, form in zip(parts, loud, strict=True)
        for answer, lane in zip(("NO", "YES"), form.lanes[:2], strict=True)
    }
    no, yes = (fresh(T, answer) for answer in answers)
    T = widen(T, [no, yes], where="front")
    neurons = [Neuron({lanes[lane]: weight for lane, weight in read.items()}, {yes: 1.0}) for read in reads]
    neurons += [neuron for lane in lanes.values() for neuron in Neuron.pair(lane, {lane: -1.0})]
    block = Block(feed_forward=feed_forward(T.lanes, neurons, adds={no: 1.0}), origin=name)
    T = replace(T, blocks=(*T.blocks, block), classes=answers, output=T.output[:2], output_bias=None, tied=False)
    made = tuple(line for part in parts.values() for line in part.provenance)
    return replace(reading(T, [no, yes]), provenance=(*made, name))
