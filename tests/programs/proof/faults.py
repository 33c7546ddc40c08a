"""Faults of the compiler, one for each kind of decision that it takes, and programs in which they show."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pytest

from weightsmith.programs import parse_rasp
from weightsmith.programs.circuit import assembly, selections
from weightsmith.programs.circuit.circuit import EVERY, Boundary
from weightsmith.programs.circuit.forms import Form
from weightsmith.programs.circuit.neurons import Kink
from weightsmith.programs.compiler import (
    boundaries,
    coding,
    counting,
    gathering,
    halves,
    lowering,
    needs,
    passes,
    planner,
    pointwise,
    selecting,
    symbols,
    tables,
)
from weightsmith.programs.compiler.symbols import Affine, Mean, Table
from weightsmith.programs.form import Aggregate, Apply, Constant, Indices, Node, Select, Tokens, Width
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import COMPARISONS, Lookup, Named

Patch: TypeAlias = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Fault:
    """A fault: the decision that goes wrong, a program in which that matters, and what is planted."""

    decision: str
    program: str | Program
    plant: Patch
    vocabulary: str = "abc"


LENGTH = 4


def program_of(fault: Fault) -> Program:
    return parse_rasp(fault.program) if isinstance(fault.program, str) else fault.program


def planted(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    fault.plant(monkeypatch)
    monkeypatch.setattr(passes, "transformer", lowering.transformer)


HIST = "said = selector_width(select(tokens, tokens, ==));"
LESS = "said = selector_width(select(tokens, tokens, <));"
FRACTION = 'said = aggregate(select(indices, indices, <=), indicator(tokens == "a"));'
REVERSE = 'said = aggregate(select(indices, length - 1 - indices, ==), tokens, "-");'
SORT = """
rank = selector_width(select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <)));
said = aggregate(select(rank, indices, ==), tokens, "-");
"""
HALF = 'm = aggregate(select(tokens, "a", ==), indices); said = indices > m;'
HALF_OR = 'm = aggregate(select(tokens, "a", ==), indices, 2); said = indices > m;'
BEFORE = "said = selector_width(select(indices, indices, <));"
SOME = 'said = aggregate(select(indices, indices, <=), indicator(tokens == "a")) > 0;'
BOTH = 'said = (tokens == "a" and indices == 1) or (tokens == "b" and indices == 2);'
PREVIOUS = 'said = aggregate(select(indices, indices - 1, ==), tokens, "b");'
SHIFTED = "said = aggregate(select(indices, indices - 1, ==), indices * 2, 7);"
NUMBERED = """
n = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));
said = aggregate(select(n, 0, ==) and select(tokens, tokens, ==), indices, 9);
"""
TIES = """
h = round((indices - 0.5) / 2);
n = selector_width(select(tokens, tokens, ==) and select(h, h, <));
said = aggregate(select(n, 0, ==) and select(tokens, tokens, ==), indices);
"""
RANKED = "said = aggregate(select(selector_width(select(tokens, tokens, <)), 0, ==), indices, 9);"
COUNTED = 'said = aggregate(select(tokens, "a", ==), 3, 5);'
ANY_A = 'said = aggregate(select(tokens, "a", ==), indices, 5);'
WHICH = "said = selector_width(select(tokens, tokens, ==)) * 2 - length;"
PRODUCT = "said = (selector_width(select(tokens, tokens, ==)) * indices) % 3;"
NOT_A = 'said = selector_width(not select(tokens, "a", ==));'
TWO = 'said = selector_width(select(tokens, "a", ==) and select(indices, indices, <));'
EITHER = 'said = selector_width(select(tokens, "a", ==) or select(indices, indices, <));'
THIRDS = "said = indices / 3 + 0.5;"
UNCLASSED = """
n = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));
said = aggregate(select(n, 0, ==), indices, 9);
"""
TEXTS = 'said = aggregate(select(tokens, "a", ==), "x", "y");'
ODD = 'm = aggregate(select(indices, indices, <=), indicator((tokens == "a") == (indices == 1))); said = m'
EVEN = 'said = (tokens == "a") == (indices == 1);'
TWICE = "said = selector_width(select(tokens, tokens, ==)) == 2;"
ODDS = f"{ODD} * 2;"
WIDTHS = "said = selector_width(select(tokens, tokens, ==)) > 1 and selector_width(select(tokens, tokens, <)) > 1;"
EARLIER = "said = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));"
ROUNDED = 'said = round(aggregate(select(indices, indices, <=), indicator(tokens == "a")) * 3);'
TWO_MEANS = """
m = aggregate(select(indices, indices, <=), indices);
said = m + aggregate(select(indices, indices, <=), indicator(tokens == "a"));
"""
TIMES_LENGTH = 'said = aggregate(select(indices, indices, <=), indicator(tokens == "a")) * length;'
FLAGGED = 'said = selector_width(select(tokens == "a", True, ==) and select(indices, indices, <));'
QUARTERS = 'said = aggregate(select(indices, indices, <=), 0.5 if tokens == "a" else 0.25);'
SQUARES = 'said = aggregate(select(tokens, "a", ==), indices * indices);'
UNEVEN = "said = indices - selector_width(select(tokens, tokens, ==)) * indices;"


def sets(*given: int) -> Program:
    """Return a program that compares sets, which have no order: one of a token for "a", and another for "b"."""
    found = Apply(Lookup((("a", frozenset([1])), ("b", frozenset(given)))), (Tokens(),))
    return Program(Width(Select(found, found, "<")), "rasp", "sets")


def sometimes_none() -> Program:
    """Return a program that adds 1 to what may be None."""
    before = Apply(Named("-"), (Indices(), Constant(1)))
    found = Aggregate(Select(Indices(), before, "=="), Indices(), None)
    return Program(Apply(Named("+"), (found, Constant(1))), "tracr", "none")


def wrapped(owner: Any, name: str, change: Callable[..., Any]) -> Patch:
    """Return a fault: what a function gives is changed; the change gets the result and the arguments."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        original = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, **more: change(original(*given, **more), *given))

    return plant


def instead(owner: Any, name: str, other: Any) -> Patch:
    """Return a fault: something else stands in a function's place."""
    return lambda monkeypatch: monkeypatch.setattr(owner, name, other)


def several(*patches: Patch) -> Patch:
    """Return several changes as one fault."""

    def plant(monkeypatch: pytest.MonkeyPatch) -> None:
        for patch in patches:
            patch(monkeypatch)

    return plant


def plus_one(form: Form, *_: Any) -> Form:
    return form.plus(1)


def swapped_values(found: Any, *_: Any) -> Any:
    """Change what a table says for its first two values."""
    if isinstance(found, Table) and len(found.values) > 1:
        return replace(found, values=(found.values[1], found.values[0], *found.values[2:]))
    return found


def swapped_table(found: Any, *_: Any) -> Any:
    forms, table = found
    (one, a), (two, b), *rest = table
    return forms, ((one, b), (two, a), *rest)


def fewer_codes(found: Any, *_: Any) -> Any:
    """Leave out most of what the output can be."""
    forms, table = found
    return forms, table[: max(1, len(table) - 4)]


def moved(heads: dict[Boundary, int], *_: Any) -> dict[Boundary, int]:
    """Move every boundary by one."""
    return {
        b if b == EVERY else replace(b, refused=b.refused + 1, selected=b.selected + 1): sign
        for b, sign in heads.items()
    }


def turned(heads: dict[Boundary, int], *_: Any) -> dict[Boundary, int]:
    """Add up what should be taken away."""
    return {boundary: abs(sign) for boundary, sign in heads.items()}


def first_kink(change: Callable[[Kink], Kink]) -> Patch:
    """Return a fault: the first neuron of every function is another one."""

    def changed(found: Any, *_: Any) -> Any:
        constant, kinks = found
        return constant, [change(kinks[0]), *kinks[1:]] if kinks else kinks

    return wrapped(coding, "kinks", changed)


def sorted_anyway(self: Any, keys: Table, queries: Table, comparison: str, note: Any) -> Any:
    """Compare values by where a sort puts them, whether they have an order or not."""
    values: list[Any] = sorted(dict.fromkeys([*keys.values, *queries.values]))
    ranks = {value: rank for rank, value in enumerate(values)}
    return self._ordered(keys, queries, ranks, ranks, lambda d: COMPARISONS[comparison](0, d))


def seven_to_nine(self: Any, pairs: Any) -> tuple[int, int]:
    return 7, 9


def wrong_default(found: Any, *_: Any) -> Any:
    return replace(found, form=found.form.plus(1)) if isinstance(found, Affine) else found


def fewer_pairs(found: Any, *_: Any) -> Any:
    return found[:-1]


def without_last(found: Any, *_: Any) -> Any:
    return found[:-1] if len(found) > 1 else found


def every_class_one(found: Table, *_: Any) -> Table:
    """Take the first two classes of the first variable for one."""
    if not found.variables or found.which.shape[0] < 2:
        return found
    classes = found.classes[0].copy()
    classes[classes == 1] = 0
    return replace(found, classes=(classes, *found.classes[1:]))


def with_swapped(self: Any, key: Form, query: Form, holds: Callable[[int], bool]) -> Any:
    return ORIGINAL_CONDITION(self, key, query, lambda d: holds(-d))


ORIGINAL_CONDITION = selecting.Selecting.condition
ORIGINAL_ONE_SIDED = selecting.Selecting.one_sided
ORIGINAL_MEAN = gathering.Gathering._mean
ORIGINAL_LAYER = coding.Coder.layer
ORIGINAL_TRANSFORMER = lowering.transformer


def other_side(self: Any, flag: Table, side: str) -> Any:
    return ORIGINAL_ONE_SIDED(self, flag, "query" if side == "key" else "key")


def less_or_equal() -> dict[str, Any]:
    return {**COMPARISONS, "<": COMPARISONS["<="], ">": COMPARISONS[">="]}


def collapsed_mean(found: Any, self: Any, node: Node, *_: Any) -> Any:
    """Take the sum for the mean."""
    return Affine(found.top, found.scale) if isinstance(found, Mean) else found


def one_layer_too_few(self: Any, parts: Any, known: Any = None) -> Form:
    return ORIGINAL_LAYER(self, parts[:-1] if len(parts) > 1 else parts, known)


def other_mask(*given: Any, **more: Any) -> Any:
    T = ORIGINAL_TRANSFORMER(*given, **more)
    return T if T is None else replace(T, mask="full" if T.mask == "causal" else "causal")


def no_attention(*given: Any, **more: Any) -> Any:
    T = ORIGINAL_TRANSFORMER(*given, **more)
    if T is None:
        return None
    blocks = [replace(block, attention=None) if block.feed_forward is not None else block for block in T.blocks]
    return replace(T, blocks=blocks)


def shifted_positions(found: Any, *_: Any) -> Any:
    embedding, positions = found
    return embedding, np.roll(positions, 1, axis=0)


def swapped_tokens(found: Any, *_: Any) -> Any:
    embedding, positions = found
    return embedding[::-1].copy(), positions


def too_small(A: Any) -> lowering.Saturation:
    return lowering.Saturation(1, 1)


def doubled(found: Any, *_: Any) -> Any:
    return tuple(2 * one for one in found)


def boxed(table: Table, zero: int) -> Any:
    """Take the places of a value for all combinations of its classes, whether they are or not."""
    places = np.argwhere(table.which == zero)
    return [np.unique(places[:, axis]) for axis in range(table.which.ndim)]


def of_no_class(found: Any, *_: Any) -> Any:
    return found and found._replace(classes=frozenset())


def without_scale(one: Any, other: Any) -> Any:
    """Take the sum for a mean times any number."""
    return next(Affine(x.top, x.scale) for x in (one, other) if isinstance(x, Mean))


def nothing_is_zero(operator: Any, values: Any, note: Any) -> Any:
    return 0 if None in values else operator(*values)


def reversed_arguments(function: Callable[..., Any], given: Any) -> Any:
    return tables.combined(lambda *values: function(*values[::-1]), given)


def taken_for_a_sum(entries: Any) -> Any:
    base = int(entries.flat[0])
    if entries.ndim != 2:
        return base, [entries - base] if entries.ndim else []
    return base, [entries[:, 0] - base, entries[0] - base]


def taken_for_linear(variable: Any, wanted: Any) -> Form:
    return symbols.linear(variable, wanted) or variable.form


def mean_swapped(found: Any, symbol: Any, *_: Any) -> Any:
    return swapped_values(found) if isinstance(symbol, Mean) else found


def always_constant(self: Any, node: Any, value: Any, low: int) -> Any:
    return pointwise.simplest(symbols.constant(value))


def all_or_nothing(at_least: bool, above: bool, codes: Any) -> Any:
    return 2 * np.array((codes >= 0) & (at_least or above), np.int64)


def other_number(monkeypatch: pytest.MonkeyPatch) -> None:
    original = coding.Coder.numbers

    def numbers(self: Any, table: Table, codes: dict[Any, int]) -> Form:
        return original(self, table, {value: code + (n == 0) for n, (value, code) in enumerate(codes.items())})

    monkeypatch.setattr(coding.Coder, "numbers", numbers)


def tells_nothing_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    original = coding._direction
    monkeypatch.setattr(coding, "_direction", lambda a, w, codes, c, wanted: original(a, w, codes, c, 0 * wanted))


def other_bias(rows: Any, *_: Any) -> Any:
    return [row._replace(read=row.read._replace(bias=row.read.bias + 1)) for row in rows]


def other_codes(found: Any, *_: Any) -> Any:
    lanes, table = found
    return lanes, {(code[0] + 1, *code[1:]): value for code, value in table.items()}


def one_off(found: Any, *_: Any) -> Any:
    return None if found is None else found.plus(1)


def other_constant(table: Table, *_: Any) -> Table:
    value: Any = table.values[0]
    return replace(table, values=(value + 1,))


def from_one(form: Form, values: Any, of: str) -> Form:
    return form.plus(of == "index")


def halved_range(found: Any, *_: Any) -> Any:
    return found[0], found[1] // 2


def twice_the_scale(found: Any, *_: Any) -> Any:
    return found[0], found[1] * 2


def other_scale(found: Any, *_: Any) -> Any:
    return found[0], found[1] + 1


def lower_scores(found: Any, *_: Any) -> Any:
    return found[0], found[1] - 2 * found[0]


def ones(found: Any, *_: Any) -> Any:
    return [1 if one > 0 else -1 for one in found]


def compared_otherwise(module: Any) -> Patch:
    return lambda monkeypatch: monkeypatch.setattr(module, "COMPARISONS", less_or_equal())


def always(*_: Any) -> bool:
    return True


Gathering, Counting, Selecting = gathering.Gathering, counting.Counting, selecting.Selecting
Planner = planner.Planner
lane_swapped = several(instead(planner, "MOST_CLASSES", 1), wrapped(Planner, "_as_lane", swapped_values))
sides_swapped = several(
    instead(selecting.Selecting, "one_sided", other_side), wrapped(selecting.Selecting, "_numbers", lambda *_: None)
)

FAULTS = [
    Fault("planner: which value a token has", "said = tokens;", wrapped(planner, "unary", swapped_values)),
    Fault("planner: what a constant is", "said = indices + 2;", wrapped(planner, "constant", other_constant)),
    Fault("planner: where positions begin", "said = indices;", wrapped(planner, "feature", from_one)),
    Fault("planner: whether no later position is selected", LESS, instead(planner, "_looks_back", always)),
    Fault("planner: that both selectors must select", TWO, instead(planner, "both", selections.either)),
    Fault("planner: that one selector is enough", EITHER, instead(planner, "either", selections.both)),
    Fault("planner: what is not selected", NOT_A, instead(planner, "opposite", lambda given: given)),
    Fault("planner: which code stands for which answer", HIST, wrapped(Planner, "_output", swapped_table)),
    Fault("planner: all codes of the output", HIST, wrapped(Planner, "_output", fewer_codes), "ab"),
    Fault("needs: whether halves are enough", ROUNDED, instead(needs, "_compared_with_whole", always)),
    Fault("planner: an argument as a lane", PRODUCT, lane_swapped),
    Fault("pointwise: a multiple", "said = 1 - indices;", wrapped(pointwise, "_times", lambda _, one, factor: one)),
    Fault("pointwise: sums of unlike scales", THIRDS, instead(pointwise, "lcm", max)),
    Fault("pointwise: form and scale", "said = indices * 2 / 4;", wrapped(pointwise, "_reduced", other_scale)),
    Fault("pointwise: which comparison", "said = indices < 2;", compared_otherwise(pointwise)),
    Fault("pointwise: a mean times its count", TIMES_LENGTH, instead(pointwise, "_count_times_mean", without_scale)),
    Fault("pointwise: whether the sign is all that matters", ROUNDED, instead(pointwise, "_sign_matters", always)),
    Fault("pointwise: the sum of two means", TWO_MEANS, wrapped(pointwise, "_added_pairs", fewer_pairs)),
    Fault("pointwise: a function of a code", TWICE, wrapped(pointwise.Pointwise, "of_form", swapped_values)),
    Fault("pointwise: None for None", sometimes_none(), instead(pointwise, "_result", nothing_is_zero)),
    Fault("tables: the order of arguments", UNEVEN, instead(pointwise, "combined", reversed_arguments)),
    Fault("tables: classes that nothing tells apart", PRODUCT, wrapped(tables, "coarse", every_class_one)),
    Fault("symbols: whether a table is a sum", BOTH, instead(coding, "additive", taken_for_a_sum)),
    Fault("symbols: whether a function is linear", WIDTHS, instead(coding, "linear", taken_for_linear)),
    Fault("symbols: sum and count in one number", ROUNDED, wrapped(pointwise, "as_table", mean_swapped)),
    Fault("selecting: values without an order", sets(2), instead(Selecting, "_by_rank", sorted_anyway), "ab"),
    Fault("selecting: pairs of values", sets(1, 2), wrapped(Selecting, "_matrix", lambda found, *_: found.T), "ab"),
    Fault("selecting: which side is the query's", LESS, instead(Selecting, "condition", with_swapped)),
    Fault("selecting: which comparison", LESS, compared_otherwise(selecting)),
    Fault("selecting: a flag of the key or of the query", FLAGGED, sides_swapped),
    Fault("gathering: a count that is known", BEFORE, wrapped(Gathering, "_known_count", one_off)),
    Fault("gathering: how many positions are selected", HIST, instead(Gathering, "bounds", seven_to_nine)),
    Fault("gathering: what a sum can be", HIST, wrapped(gathering, "sums", without_last)),
    Fault("gathering: what a sum over positions can be", SQUARES, wrapped(gathering, "_of_positions", halved_range)),
    Fault("gathering: the code of the default", PREVIOUS, wrapped(Gathering, "_codes_gathered", swapped_values)),
    Fault("gathering: the default of a number", SHIFTED, wrapped(Gathering, "_one_number", wrong_default)),
    Fault("gathering: a constant, or the default", TEXTS, instead(Gathering, "_constant_or_default", always_constant)),
    Fault("needs: whether only the truth matters", ODDS, instead(needs, "_asks_truth", always)),
    Fault("gathering: sum and count together", ANY_A, wrapped(gathering, "_pairs_of", fewer_pairs)),
    Fault("gathering: the mean, not the sum", ANY_A, wrapped(Gathering, "_mean", collapsed_mean)),
    Fault("gathering: the scale of what is added", QUARTERS, wrapped(Gathering, "_whole", twice_the_scale)),
    Fault("gathering: what is the length", WHICH, wrapped(Gathering, "length", plus_one)),
    Fault("counting: at most one position", ANY_A, instead(Counting, "at_most_one", always)),
    Fault("counting: at least one position", COUNTED, instead(Counting, "at_least_one", always)),
    Fault("counting: whether selected values are alike", ANY_A, instead(Counting, "all_alike", always)),
    Fault("counting: what differs at all positions", RANKED, instead(Counting, "differ", always)),
    Fault("counting: positions that are equal in an order", TIES, instead(counting, "_prefix", always)),
    Fault("counting: whether a position exists", SHIFTED, instead(counting, "_within", always)),
    Fault("counting: whether the first is selected", COUNTED, instead(counting, "selects_first", always)),
    Fault("counting: which classes a numbering has", UNCLASSED, wrapped(Counting, "_numbering", of_no_class)),
    Fault("halves: between which whole numbers", HALF, wrapped(planner, "by_halves", wrong_default)),
    Fault("halves: the default", HALF_OR, instead(halves, "_at_zero", lambda number, codes: 0 * codes)),
    Fault("halves: at a whole number", HALF, instead(halves, "_signs", all_or_nothing)),
    Fault("coding: where a sum is 0", EVEN, instead(coding, "_zeros", boxed)),
    Fault("coding: the number of a value", PRODUCT, other_number),
    Fault("coding: whether a direction tells apart", PRODUCT, tells_nothing_apart),
    Fault("coding: the parts of a layer", WIDTHS, instead(coding.Coder, "layer", one_layer_too_few)),
    Fault("coding: what is positive where it is true", f"{ODD} > 0;", wrapped(coding.Coder, "positive", plus_one)),
    Fault("boundaries: where a selector begins", HIST, wrapped(gathering, "boundaries_of", moved)),
    Fault("boundaries: the sign of a head", HIST, wrapped(gathering, "boundaries_of", turned)),
    Fault("boundaries: the digits of a number", EARLIER, wrapped(boundaries, "_radices", ones)),
    Fault("assembly: how often a lane gets a cell", HIST, wrapped(assembly.Lanes, "writes", doubled)),
    Fault(
        "assembly: which lanes are read", PRODUCT, wrapped(assembly.Lanes, "read", lambda r, *_: tuple(-x for x in r))
    ),
    Fault("neurons: where it turns", PRODUCT, first_kink(lambda k: k._replace(offset=k.offset + 1))),
    Fault("neurons: how steep it is", PRODUCT, first_kink(lambda k: k._replace(slope=k.slope + 1))),
    Fault("neurons: from which side", PRODUCT, first_kink(lambda k: k._replace(direction=-k[0]))),
    Fault("lowering: the scale of a score", HIST, wrapped(lowering.Saturation, "scale", lower_scores)),
    Fault("lowering: from which score on exp is ∞", HIST, instead(lowering.Saturation, "of", staticmethod(too_small))),
    Fault("lowering: the bias of a neuron", PRODUCT, wrapped(lowering, "_neuron_rows", other_bias)),
    Fault("assembly: the feature of a token", LESS, wrapped(assembly, "features", swapped_tokens)),
    Fault("assembly: the feature of a position", BEFORE, wrapped(assembly, "features", shifted_positions)),
    Fault("lowering: the mask", FRACTION, instead(lowering, "transformer", other_mask)),
    Fault("lowering: a block without its attention", WIDTHS, instead(lowering, "transformer", no_attention)),
    Fault("lowering: the lanes that are read out", HIST, wrapped(lowering, "_readout", other_codes)),
    Fault("lowering: what heads of a block add", TWO, wrapped(lowering, "_heads", lambda heads, *_: heads[:-1])),
]
