"""RASP in Python, with the names of Tracr's module `tracr.rasp.rasp`: programs for it run here unchanged.

    from weightsmith.programs import rasp
    hist = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ))
    hist("abca")                                             # [2, 1, 1, 2]

What is new: operators between any two operations, `//`, `%`, `-x`, `abs` and `round`; `where(condition, yes, no)`;
`function`, a decorator. Means are exact: see `weightsmith.programs.values`.
"""

from weightsmith.programs.rasp.aggregates import Aggregate, SelectorWidth
from weightsmith.programs.rasp.conversion import program
from weightsmith.programs.rasp.encodings import (
    Encoding,
    categorical,
    default_encoding,
    default_name,
    get_encoding,
    is_categorical,
    is_numerical,
    numerical,
)
from weightsmith.programs.rasp.evaluation import DefaultRASPEvaluator, RASPEvaluator, evaluate
from weightsmith.programs.rasp.expressions import (
    DEFAULT_ANNOTATORS,
    VT,
    Annotator,
    NumericValue,
    RASPExpr,
    RASPExprT,
    SelectorValue,
    T,
    Value,
    annotate,
)
from weightsmith.programs.rasp.pointwise import function, sop_not, where
from weightsmith.programs.rasp.selectors import (
    Comparison,
    ConstantSelector,
    Predicate,
    Select,
    Selector,
    SelectorAnd,
    SelectorNot,
    SelectorOr,
    selector_and,
    selector_not,
    selector_or,
)
from weightsmith.programs.rasp.sequences import (
    ConstantSOp,
    Full,
    IndicesType,
    LengthType,
    LinearSequenceMap,
    Map,
    Pointwise,
    SequenceMap,
    SOp,
    SOpT,
    TokensType,
    indices,
    length,
    tokens,
)

__all__ = [
    "DEFAULT_ANNOTATORS",
    "VT",
    "Aggregate",
    "Annotator",
    "Comparison",
    "ConstantSOp",
    "ConstantSelector",
    "DefaultRASPEvaluator",
    "Encoding",
    "Full",
    "IndicesType",
    "LengthType",
    "LinearSequenceMap",
    "Map",
    "NumericValue",
    "Pointwise",
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
    "Value",
    "annotate",
    "categorical",
    "default_encoding",
    "default_name",
    "evaluate",
    "function",
    "get_encoding",
    "indices",
    "is_categorical",
    "is_numerical",
    "length",
    "numerical",
    "program",
    "selector_and",
    "selector_not",
    "selector_or",
    "sop_not",
    "tokens",
    "where",
]
