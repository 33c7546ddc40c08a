"""And, or, not, exclusive or, if-then-else: new yes/no transformers out of old ones.

All parts are brought into ∞ form once, unless they are in it: their last vectors are (1, x, 0 …) with x = 0 or ∞. They
stand side by side, and one or two blocks compute the formula with the x. The result is in ∞ form again. Parts with a
readout are composed by their values, at every position: see `values`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.composition.chains import chain_if_then_else
from weightsmith.composition.formula import Formula, Operation, Truth, assignments, folded, names, read, truth_table
from weightsmith.composition.layers import Layer, one_layer, two_layers
from weightsmith.composition.side_by_side import agree, beside
from weightsmith.composition.values import chosen_values, composed_values, has_values
from weightsmith.errors import InputError, ModelError, brief, listed
from weightsmith.model import Block, Chain, Neuron, Transformer, feed_forward
from weightsmith.model.transformer import checked
from weightsmith.rewrites import infinity_form, is_infinity_form, widen
from weightsmith.rewrites.lanes import fresh
from weightsmith.rewrites.normal_forms import reading
from weightsmith.semantics.layers import run_neurons

MAX_AT_ONCE = 8  # parts in one truth table; a formula with more is cut in two
MAX_CUTS = 24  # of a formula in each other: each makes blocks, and the names of lanes longer
MAX_PART_NAME = 40  # a longer one gives way to a number in the names of lanes


def compose(formula: str, /, **parts: Transformer) -> Transformer:
    """Return the transformer that a formula means, with a name for each part: `compose("S & ~T", S=…, T=…)`.

    Requires: yes/no transformers that agree in arithmetic and mask, with vocabularies that contain each other. The
      formula has names, ~ & ^ | with Python's precedence, and brackets.
    Ensures: every decision is what the formula says of the decisions of the parts; the result is in ∞ form.
    Exact in: every arithmetic in which `infinity_form` is.
    Because: all parts are brought into ∞ form side by side, once; one more block computes the formula (two in a few
      narrow arithmetics), and it was evaluated under every assignment to the parts before it was used.

    >>> from weightsmith import library, run
    >>> T = compose("S & ~R", S=library.contains("1"), R=library.contains("0"))
    >>> run(T, "111").decision, run(T, "101").decision, len(T.blocks)
    ('YES', 'NO', 5)
    """
    return composed(formula, parts, "compose(…, {}=…)")


def composed(formula: str, parts: Mapping[str, Transformer], write: str) -> Transformer:
    """Return the transformer that a formula means; `write` is how one names a part, for errors."""
    tree = read(formula)
    for name in names(tree):
        if name not in parts:
            raise InputError(
                f"the formula {brief(formula)} has {brief(name)}, and the parts are {listed(list(parts)) or 'none'}: "
                f"write {write.format(name)}"
            )
        if not isinstance(parts[name], Transformer):
            raise ModelError(
                f"{name}={brief(parts[name])} is not a transformer: write {name}=load('model.safetensors')"
            )
    return _combined(tree, parts, formula)


def both(S: Transformer, T: Transformer) -> Transformer:
    """S & T: YES where both say YES."""
    return _combined(Operation("&", ("left", "right")), {"left": S, "right": T}, "and")


def either(S: Transformer, T: Transformer) -> Transformer:
    """S | T: YES where one of them, or both, say YES."""
    return _combined(Operation("|", ("left", "right")), {"left": S, "right": T}, "or")


def exactly_one(S: Transformer, T: Transformer) -> Transformer:
    """S ^ T: YES where just one of them says YES."""
    return _combined(Operation("^", ("left", "right")), {"left": S, "right": T}, "exclusive or")


def negation(T: Transformer) -> Transformer:
    """~T: YES where T says NO."""
    return _combined(Operation("~", ("not",)), {"not": T}, "not")


@overload
def if_then_else(R: Transformer, S: Transformer, T: Transformer) -> Transformer: ...
@overload
def if_then_else(R: Chain, S: Chain, T: Chain) -> Chain: ...
def if_then_else(R: Any, S: Any, T: Any) -> Any:
    """Decide as S where R says YES, and as T where R says NO; three chains give a chain.

    With readouts, the value of S or of T is said at every position, as R says True or False there.

    Requires: three yes/no transformers that agree in arithmetic and mask, with vocabularies that contain each other.
    Ensures: every decision is that of S or T, as R says; the result is in ∞ form.
    Exact in: every arithmetic in which `infinity_form` is.
    Because: (−∞ ⊕ r) ⊕ s is ∞ only if both are, and −r ⊕ t is positive only if r = 0.
    """
    if all(isinstance(part, Chain) for part in (R, S, T)):
        return chain_if_then_else(R, S, T)
    if has_values([checked(part) for part in (R, S, T)]):
        return chosen_values(R, S, T)
    then, otherwise = Operation("&", ("if", "then")), Operation("&", (Operation("~", ("if",)), "else"))
    return _combined(Operation("|", (then, otherwise)), {"if": R, "then": S, "else": T}, "if-then-else")


def _combined(formula: Formula, given: Mapping[str, Transformer], made: str) -> Transformer:
    """Return the transformer for a formula over named parts; `made` is its line of provenance."""
    used = names(formula)
    valued = has_values([checked(given[name]) for name in used])
    for name in () if valued else used:
        _check_decider(given[name], name)
        if isinstance(formula, Operation):
            _check_two(given[name], name)
    same: dict[str, Formula] = {name: next(o for o in used if given[o] == given[name]) for name in used}
    formula = folded(formula, same.__getitem__, _operation)
    used = names(formula)
    if valued:
        return composed_values(formula, given, made)
    if len(used) > MAX_AT_ONCE and isinstance(formula, Operation):
        _check_cuts(formula)
        return _in_two(formula, given, made)
    parts = [part if is_infinity_form(part) else infinity_form(part) for part in agree([given[name] for name in used])]
    if isinstance(formula, str):
        return parts[0]
    labels = [name if len(name) <= MAX_PART_NAME else f"part {i}" for i, name in enumerate(used)]
    T = beside(parts, labels)
    ones, variables = ([f"{label} {part.lanes[i]}" for label, part in zip(labels, parts, strict=True)] for i in (0, 1))
    truth = truth_table(folded(formula, lambda name: _meant(name, given[name]), _operation), used)
    answers = parts[0].classes[::-1] if _says_true_first(parts[0]) else parts[0].classes
    T = _with_blocks(T, truth, ones, variables, answers, made)
    return replace(T, provenance=(*(line for name in used for line in given[name].provenance), made))


def _operation(symbol: str, inner: Sequence[Formula]) -> Formula:
    return Operation(symbol, tuple(inner))


def _says_true_first(T: Transformer) -> bool:
    """Return whether the second class means no: programs have classes in the order of their codes."""
    return tuple(T.classes) == ("True", "False")


def _meant(name: str, T: Transformer) -> Formula:
    """Return what a part says as a formula of its second class."""
    return Operation("~", (name,)) if _says_true_first(T) else name


def _check_decider(T: Transformer, name: str) -> None:
    """Refuse a language model: its decisions are tokens, not yes or no."""
    if set(T.classes) <= set(T.vocabulary):
        classes = listed([brief(each) for each in T.classes])
        which = "" if name == "not" else f" of {brief(name)}"
        raise ModelError(
            f"the classes {classes}{which} are tokens of its vocabulary, so it says how a text goes on, and & | ^ ~ "
            "combine decisions: write Chain(T, steps=…, answers=…) for its answer in the end; if one step is meant as "
            "a decision, write dataclasses.replace(T, classes=('NO', 'YES'))"
        )


def _check_two(T: Transformer, name: str) -> None:
    """Refuse a model that says one of three things, or always the same."""
    if len(T.classes) != 2:
        raise ModelError(
            f"{brief(name)} says {listed(list(map(brief, T.classes)))}, and a formula combines two classes, no and "
            "yes: write a program that says one of two, such as x == 3"
        )


def _check_cuts(formula: Operation) -> None:
    """Refuse a formula of many parts that are nested so deeply that it would be cut too often."""

    def cuts(symbol: str, inner: list[tuple[frozenset[str], int]]) -> tuple[frozenset[str], int]:
        used = frozenset().union(*(names for names, _ in inner))
        levels = 1 if symbol == "~" else (len(inner) - 1).bit_length()
        return used, levels + max(depth for _, depth in inner) if len(used) > MAX_AT_ONCE else 0

    used, depth = folded(formula, lambda name: (frozenset([name]), 0), cuts)
    if depth > MAX_CUTS:
        raise InputError(
            f"the formula has {len(used)} parts, and more than {MAX_AT_ONCE} of them {depth} deep in each other, at "
            f"most {MAX_CUTS}: write it with fewer brackets inside each other, as in (S & T) | (R & ~Q)"
        )


def _in_two(formula: Operation, given: Mapping[str, Transformer], made: str) -> Transformer:
    """Compute both halves of a formula with too many parts for one truth table, then the formula of the two."""
    symbol, parts = formula.symbol, formula.parts
    if len(parts) == 1:
        return _combined(Operation(symbol, ("not",)), {"not": _combined(parts[0], given, made)}, made)
    middle = len(parts) // 2
    halves = [some[0] if len(some) == 1 else Operation(symbol, some) for some in (parts[:middle], parts[middle:])]
    left, right = (_combined(half, given, made) for half in halves)
    return _combined(Operation(symbol, ("left", "right")), {"left": left, "right": right}, made)


def _with_blocks(
    T: Transformer, truth: Truth, ones: Sequence[str], variables: Sequence[str], answers: Sequence[str], made: str
) -> Transformer:
    """Add the blocks that compute a truth table, and read the answer off new lanes in front."""
    A = T.arithmetic
    no, yes = (fresh(T, answer) for answer in answers)
    T = widen(T, [no, yes], where="front")
    layer = one_layer(A, truth, ones[0], variables, yes)
    before: list[Layer] = []
    read_lanes = [*ones, *variables]
    if layer is None:
        negated = [fresh(T, f"not {lane}") for lane in variables]
        T = widen(T, negated)
        first, layer = two_layers(A, truth, ones[0], variables, negated, yes)
        before, read_lanes = [first], [*read_lanes, *negated]
    clear = [neuron for lane in read_lanes for neuron in Neuron.pair(lane, {lane: -1.0})]
    last = Layer([*layer.neurons, *clear], {**layer.adds, no: 1.0})
    blocks = [Block(feed_forward=feed_forward(T.lanes, *each), origin=made) for each in (*before, last)]
    T = replace(T, blocks=(*T.blocks, *blocks), classes=answers, output=T.output[:2], output_bias=None, tied=False)
    _verify(T, blocks, truth, ones, variables)
    return reading(T, [no, yes])


def _verify(
    T: Transformer, blocks: Sequence[Block], truth: Truth, ones: Sequence[str], variables: Sequence[str]
) -> None:
    """Run the blocks on the last vectors of the parts, under every assignment: only the answer may be left."""
    A, column = T.arithmetic.core, {lane: j for j, lane in enumerate(T.lanes)}
    h = np.zeros((len(truth), len(T.lanes)))
    h[:, [column[lane] for lane in ones]] = 1.0
    h[:, [column[lane] for lane in variables]] = np.where(assignments(len(variables)), A.infinity, 0.0)
    for block in blocks:
        layer = block.feed_forward
        assert layer is not None
        h = A.add(h, A.add(A.matvec(layer.W_2, run_neurons(A, layer, h)), layer.b_2))
    wanted: Array = np.zeros_like(h)
    wanted[:, 0], wanted[:, 1] = 1.0, np.where(truth, A.infinity, 0.0)
    assert np.array_equal(h, wanted), f"the layers of {T.blocks[-1].origin} are not exact in {T.arithmetic}"
