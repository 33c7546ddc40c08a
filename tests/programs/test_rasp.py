"""RASP in Python: the names, attributes and meanings that programs for Tracr rely on, and what is new."""

from collections.abc import Callable
from typing import Any

import pytest

from weightsmith.errors import InputError
from weightsmith.programs import evaluate, function, program, rasp, where
from weightsmith.programs.form import Apply, Constant, Select
from weightsmith.programs.functions import Function
from weightsmith.programs.operators import Named
from weightsmith.programs.rasp import Comparison, Encoding, SOp

NAMES = [
    "Aggregate",
    "Annotator",
    "Comparison",
    "ConstantSOp",
    "ConstantSelector",
    "DEFAULT_ANNOTATORS",
    "DefaultRASPEvaluator",
    "Encoding",
    "Full",
    "IndicesType",
    "LengthType",
    "LinearSequenceMap",
    "Map",
    "NumericValue",
    "Predicate",
    "RASPEvaluator",
    "RASPExpr",
    "RASPExprT",
    "SOp",
    "SOpT",
    "Select",
    "Selector",
    "SelectorAnd",
    "SelectorNot",
    "SelectorOr",
    "SelectorValue",
    "SelectorWidth",
    "SequenceMap",
    "T",
    "TokensType",
    "VT",
    "Value",
    "annotate",
    "categorical",
    "default_encoding",
    "default_name",
    "evaluate",
    "get_encoding",
    "indices",
    "is_categorical",
    "is_numerical",
    "length",
    "numerical",
    "selector_and",
    "selector_not",
    "selector_or",
    "sop_not",
    "tokens",
]
SAME = rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)


def test_every_public_name_of_tracrs_module_is_there() -> None:
    assert not [name for name in NAMES if not hasattr(rasp, name)]


OPERATORS: list[tuple[Callable[[Any], SOp], list[Any]]] = [
    (lambda x: x < 2, [True, False, False]),
    (lambda x: x <= 2, [True, True, False]),
    (lambda x: x == 2, [False, True, False]),
    (lambda x: x != 2, [True, False, True]),
    (lambda x: x > 2, [False, False, True]),
    (lambda x: x >= 2, [False, True, True]),
    (lambda x: x + 2, [3, 4, 5]),
    (lambda x: 2 + x, [3, 4, 5]),
    (lambda x: x - 2, [-1, 0, 1]),
    (lambda x: 2 - x, [1, 0, -1]),
    (lambda x: x * 2, [2, 4, 6]),
    (lambda x: 2 * x, [2, 4, 6]),
    (lambda x: x / 2, [0.5, 1, 1.5]),
    (lambda x: 6 / x, [6, 3, 2]),
    (lambda x: x // 2, [0, 1, 1]),
    (lambda x: x % 2, [1, 0, 1]),
    (lambda x: -x, [-1, -2, -3]),
    (lambda x: abs(x - 2), [1, 0, 1]),
    (lambda x: round(x / 2), [0, 1, 2]),
    (lambda x: ~(x - 1), [True, False, False]),
    (lambda x: x & 5, [5, 5, 5]),
    (lambda x: 5 & x, [1, 2, 3]),
    (lambda x: (x - 1) | 5, [5, 1, 2]),
    (lambda x: 5 | (x - 1), [5, 1, 2]),  # the constant is the right operand: so it is in Tracr
    (lambda x: x + rasp.indices, [1, 3, 5]),
    (lambda x: x - rasp.indices, [1, 1, 1]),
    (lambda x: x * rasp.indices, [0, 2, 6]),
    (lambda x: rasp.indices / x, [0, 0.5, 2 / 3]),
    (lambda x: x & rasp.indices, [0, 1, 2]),
    (lambda x: rasp.indices | x, [1, 1, 2]),
    (lambda x: x > 1 + rasp.indices, [False, False, False]),
    (lambda x: x == 1 + rasp.indices, [True, True, True]),
    (lambda x: where(x > 1, "big", "small"), ["small", "big", "big"]),
    (lambda x: where(x > 1, x, 0), [0, 2, 3]),
    (lambda x: where(True, x, rasp.indices), [1, 2, 3]),
    (lambda x: rasp.sop_not(x == 1), [False, True, True]),
    (lambda x: rasp.LinearSequenceMap(x, rasp.indices, 2, -0.5), [2, 3.5, 5]),
]


@pytest.mark.parametrize(("make", "expected"), OPERATORS, ids=range(len(OPERATORS)))
def test_operators_work_at_every_position_and_stay_symbolic(make: Callable[[Any], SOp], expected: list[Any]) -> None:
    sop = make(rasp.tokens)
    assert sop([1, 2, 3]) == expected
    made = program(sop)
    assert evaluate(made, [1, 2, 3]) == expected
    assert not [node for node in made.nodes if isinstance(node, Apply) and isinstance(node.operator, Function)]


def test_pythons_own_functions_stay_symbolic_and_others_do_not() -> None:
    import operator

    known = program(rasp.Map(abs, rasp.SequenceMap(operator.sub, rasp.tokens, rasp.indices)))
    assert [node.operator for node in known.nodes if isinstance(node, Apply)] == [Named("-"), Named("absolute")]
    selected = program(rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, operator.le)))
    assert [node.comparison for node in selected.nodes if isinstance(node, Select)] == ["<="]
    own = program(rasp.Map(lambda x: x, rasp.tokens))
    assert isinstance(own.output, Apply)
    assert isinstance(own.output.operator, Function)


def test_a_map_of_a_map_is_one_map_whose_function_sees_none() -> None:
    inner = rasp.Map(lambda x: None if x == "a" else x, rasp.tokens)
    outer = rasp.Map(lambda x: "none" if x is None else x, inner)
    assert outer.inner is rasp.tokens
    assert outer("ab") == evaluate(program(outer), "ab") == ["none", "b"]
    apart = rasp.Map(lambda x: "none" if x is None else x, inner, simplify=False)
    assert apart.inner is inner
    assert apart("ab") == evaluate(program(apart), "ab") == [None, "b"]
    missing = rasp.Aggregate(rasp.Select(rasp.indices, rasp.Full(5), Comparison.EQ), rasp.tokens)
    assert rasp.Map(lambda x: x, rasp.Map(lambda x: x + "!", missing))("ab") == [None, None]


def test_comparing_with_none_is_python_and_not_none() -> None:
    assert (rasp.tokens == None)("ab") == [False, False]  # noqa: E711
    assert (rasp.Map(lambda x: None, rasp.tokens) == None)("ab") == [True, True]  # noqa: E711


def test_attributes_are_those_that_programs_look_at() -> None:
    linear = rasp.LinearSequenceMap(rasp.tokens, rasp.indices, 2, 3)
    assert linear.fst is rasp.tokens
    assert (linear.fst_fac, linear.snd_fac) == (2, 3)
    assert linear.f(10, 1) == 23
    assert [child is one for child, one in zip(linear.children, (rasp.tokens, rasp.indices), strict=True)] == [True] * 2
    width = rasp.SelectorWidth(SAME)
    assert width.selector is SAME
    assert (SAME.keys is rasp.tokens, SAME.predicate) == (True, Comparison.EQ)
    mean = rasp.Aggregate(SAME, rasp.indices, default=4)
    assert (mean.selector is SAME, mean.sop is rasp.indices, mean.default) == (True, True, 4)
    assert rasp.Full(3).fill == 3
    assert str(rasp.Aggregate[int]).endswith("Aggregate[int]")  # type: ignore[misc]  # only in annotations
    assert Comparison.LT(1, 2)
    assert not Comparison.FALSE(1, 1)
    with pytest.raises(ValueError, match="key is None"):
        Comparison.EQ(None, 1)


def test_names_numbers_and_labels() -> None:
    hist = rasp.SelectorWidth(SAME)
    assert (hist.name, rasp.tokens.label) == ("selector_width", "tokens")
    named = hist.named("hist")
    assert (named.name, hist.name) == ("hist", "selector_width")
    assert named.unique_id != hist.unique_id == hist.unique_id
    assert named.copy().unique_id != named.unique_id
    assert named.label == f"hist_{named.unique_id}"
    assert repr(named) == "hist(select)"
    assert repr(SAME) == "select(tokens, tokens)"
    assert repr(rasp.length) == "length"


def test_annotations_are_kept_and_have_defaults() -> None:
    sop = rasp.numerical(rasp.tokens + 1).annotated(colour="red").named("x")
    assert (sop.annotations["colour"], sop.annotations["encoding"]) == ("red", Encoding.NUMERICAL)
    assert rasp.is_numerical(sop)
    assert rasp.is_categorical(rasp.categorical(sop))
    assert rasp.get_encoding(rasp.tokens) is Encoding.CATEGORICAL
    assert sorted(sop.annotations) == ["colour", "encoding", "name"]
    assert len(sop.annotations) == 3
    with pytest.raises(KeyError, match="there is no annotation 'size'; there are colour, encoding, name"):
        sop.annotations["size"]
    with pytest.raises(TypeError, match="only those have an encoding"):
        SAME.annotations["encoding"]
    rasp.DEFAULT_ANNOTATORS["size"] = lambda expression: 7
    try:
        assert rasp.indices.copy().annotations["size"] == 7
    finally:
        del rasp.DEFAULT_ANNOTATORS["size"]
    note = program(sop).output.note
    assert (note.name, note.encoding) == ("x", "numerical")
    assert note.place is not None
    assert note.place.file == "test_rasp.py"


def test_selectors_of_the_same_keys_and_queries_become_one_select_and_stay_symbolic() -> None:
    less = rasp.Select(rasp.tokens, rasp.tokens, Comparison.LT)
    first = rasp.Select(rasp.tokens, rasp.Full("a"), Comparison.EQ)
    other = rasp.Select(rasp.indices, rasp.indices, Comparison.LT)
    for joined in (SAME & less, SAME | less, ~SAME, SAME & first, first | less):
        assert isinstance(joined, rasp.Select)
        predicates = [n.comparison for n in program(rasp.SelectorWidth(joined)).nodes if isinstance(n, Select)]
        assert all(isinstance(one, str) for one in predicates)
    assert isinstance(SAME & other, rasp.SelectorAnd)
    assert isinstance(SAME | other, rasp.SelectorOr)
    assert isinstance(~(SAME & other), rasp.SelectorNot)
    assert isinstance(rasp.selector_not(SAME, simplify=False), rasp.SelectorNot)
    assert isinstance(rasp.selector_and(SAME, less, simplify=False), rasp.SelectorAnd)
    assert isinstance(rasp.selector_or(SAME, less, simplify=False), rasp.SelectorOr)
    joined = SAME & first
    assert isinstance(joined, rasp.Select)
    assert joined.predicate("a", "a")
    assert not joined.predicate("b", "b")
    assert joined("aba") == [[True, False, True], [False, False, False], [True, False, True]]


def test_an_evaluator_of_ones_own_can_change_what_is_selected() -> None:
    class Causal(rasp.DefaultRASPEvaluator):
        def evaluate(self, expr: rasp.RASPExpr, xs: Any) -> Any:
            found = super().evaluate(expr, xs)
            if not isinstance(expr, rasp.Selector):
                return found
            return [[one and key <= query for key, one in enumerate(row)] for query, row in enumerate(found)]

    hist = rasp.SelectorWidth(SAME)
    assert Causal().evaluate(hist, "aaba") == evaluate(program(hist, causal=True), "aaba") == [1, 2, 1, 3]
    assert rasp.evaluate(hist, "aaba") == [3, 3, 1, 3]


def test_every_kind_of_expression_evaluates_as_its_program_does() -> None:
    given = rasp.ConstantSelector([[True, False], [True, True]])
    row = rasp.ConstantSOp([3, 4])
    three = rasp.Pointwise(lambda x, y, z: (x, y, z), rasp.tokens, rasp.indices, rasp.length)
    for sop in (row, rasp.SelectorWidth(given), rasp.Aggregate(given, row), three, rasp.Full("x"), rasp.length):
        assert sop("ab") == evaluate(program(sop), "ab")
    assert given("ab") == [[True, False], [True, True]]
    assert (~given)("ab") == [[False, True], [False, False]]
    assert rasp.ConstantSOp([1, 2, 3], check_length=False)("ab") == [1, 2, 3]
    assert rasp.ConstantSelector([[True]], check_length=False)("ab") == [[True]]


def test_a_function_may_evaluate_another_operation() -> None:
    hist = rasp.SelectorWidth(SAME)
    assert rasp.Map(lambda word: hist(word)[0], rasp.tokens)(["aab", "bc"]) == [2, 1]
    evaluator = rasp.DefaultRASPEvaluator()
    nested = rasp.SequenceMap(lambda word, n: evaluator.evaluate(hist, word)[0] + n, rasp.tokens, hist)
    assert evaluator.evaluate(nested, ["aab", "bc", "bc"]) == [3, 3, 3]


def test_an_expression_of_an_unknown_kind_is_refused() -> None:
    class Odd(SOp):
        @property
        def children(self) -> list[rasp.RASPExpr]:
            return []

    with pytest.raises(NotImplementedError, match="how to evaluate a Odd is not known"):
        Odd()("ab")
    with pytest.raises(InputError, match="an expression of the kind Odd is none of RASP's"):
        program(Odd())


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: rasp.Map(3, rasp.tokens),  # type: ignore[arg-type]
        lambda: rasp.Map(rasp.tokens, rasp.tokens),
        lambda: rasp.Map(len, "ab"),  # type: ignore[arg-type]
        lambda: rasp.SequenceMap(max, rasp.tokens, 3),  # type: ignore[arg-type]
        lambda: rasp.Select(rasp.tokens, "a", Comparison.EQ),  # type: ignore[arg-type]
        lambda: rasp.SelectorWidth(rasp.tokens),  # type: ignore[arg-type]
        lambda: rasp.Aggregate(rasp.tokens, rasp.tokens),  # type: ignore[arg-type]
        lambda: rasp.Aggregate(SAME, SAME),  # type: ignore[arg-type]
        lambda: rasp.Aggregate(SAME, rasp.tokens, default=[1]),  # type: ignore[arg-type]
        lambda: rasp.SelectorAnd(SAME, rasp.tokens),  # type: ignore[arg-type]
        lambda: rasp.SelectorNot(rasp.tokens),  # type: ignore[arg-type]
        lambda: rasp.Pointwise(max, 3),  # type: ignore[arg-type]
    ],
)
def test_wrong_parts_are_refused_when_an_expression_is_made(wrong: Callable[[], Any]) -> None:
    with pytest.raises(AssertionError, match="and not"):
        wrong()


def test_functions_of_values_become_functions_of_operations() -> None:
    @function
    def clipped(x: int, low: int, high: int) -> int:
        """Keep a number between two."""
        return max(low, min(x, high))

    assert clipped(rasp.tokens, 1, 3)([0, 2, 5]) == [1, 2, 3]
    assert clipped(rasp.tokens, rasp.indices, 3)([0, 2, 5]) == [0, 2, 3]
    assert clipped(rasp.tokens, rasp.indices, rasp.length)([0, 2, 5]) == [0, 2, 3]
    assert clipped(5, 1, 3) == 3
    assert (clipped.__name__, clipped.__doc__) == ("clipped", "Keep a number between two.")
    assert "clipped" in str(program(clipped(rasp.tokens, 1, 3)))
    assert where(False, 1, 2)("ab") == [2, 2]
    assert isinstance(program(where(False, 1, 2)).output, Constant)


def test_constants_that_are_no_values_are_compared_as_python_does() -> None:
    assert (rasp.tokens == [1])("ab") == [False, False]
