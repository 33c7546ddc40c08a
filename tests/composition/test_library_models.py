"""Every combination of two or three library models decides as its parts say, on every input up to length 8."""

from collections.abc import Callable, Sequence
from itertools import combinations, permutations, product

import pytest

import weightsmith as ws
from weightsmith.library import ENTRIES
from weightsmith.library.entries import says_yes

MODELS = {entry.name: entry.build() for entry in ENTRIES if entry.symbols == "01"}
INPUTS = ["".join(tokens) for n in range(1, 9) for tokens in product("01", repeat=n)]
DECIDED = {name: dict(zip(INPUTS, says_yes(T, [tuple(x) for x in INPUTS]), strict=True)) for name, T in MODELS.items()}
LOUD = {name: ws.infinity_form(T) for name, T in MODELS.items()}

Meaning = Callable[..., bool]
OF_TWO: dict[str, Meaning] = {
    "S & T": lambda s, t: s and t,
    "S & ~T": lambda s, t: s and not t,
    "S | T": lambda s, t: s or t,
    "S ^ T": lambda s, t: s != t,
    "~(S | T)": lambda s, t: not (s or t),
}
OF_THREE: dict[str, Meaning] = {
    "R & S & T": lambda r, s, t: r and s and t,
    "R ^ S ^ T": lambda r, s, t: r ^ s ^ t,
    "R & ~S | T": lambda r, s, t: (r and not s) or t,
    "R & S | R & T | S & T": lambda r, s, t: r + s + t >= 2,
    "R & S & ~T": lambda r, s, t: r and s and not t,
    "~R & S & T | R & ~(S ^ T)": lambda r, s, t: (s == t) if r else (s and t),
}
OPERATORS: dict[str, Callable[..., ws.Transformer]] = {
    "S & T": lambda S, T: S & T,
    "S & ~T": lambda S, T: S & ~T,
    "S | T": lambda S, T: S | T,
    "S ^ T": lambda S, T: S ^ T,
    "~(S | T)": lambda S, T: ~(S | T),
}


def assert_decides(U: ws.Transformer, names: Sequence[str], meaning: Meaning) -> None:
    """See that a composition decides as the truth table says of the decisions of its parts."""
    verdict = ws.check.recognizes(U, lambda x: meaning(*(DECIDED[name]["".join(x)] for name in names)), up_to=8)
    assert verdict.holds, (names, verdict.counterexample)
    assert verdict.inputs == len(INPUTS) == 510
    assert ws.is_infinity_form(U)


def composed(formula: str, names: Sequence[str]) -> ws.Transformer:
    return ws.compose(
        formula, **dict(zip(("RST" if len(names) == 3 else "ST"), (MODELS[n] for n in names), strict=True))
    )


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.long)])
def test_every_two_library_models_combine(step: int) -> None:
    assert len(MODELS) == 10
    for i, names in enumerate(list(combinations(MODELS, 2))[::step]):
        formula = list(OF_TWO)[i % len(OF_TWO)]
        assert_decides(composed(formula, names), names, OF_TWO[formula])
        assert_decides(OPERATORS[formula](*(LOUD[name] for name in names)), names, OF_TWO[formula])


@pytest.mark.long
def test_every_three_library_models_combine() -> None:
    for i, names in enumerate(combinations(MODELS, 3)):
        formula = list(OF_THREE)[i % len(OF_THREE)]
        U = ws.compose(formula, **dict(zip("RST", (LOUD[name] for name in names), strict=True)))
        assert_decides(U, names, OF_THREE[formula])


@pytest.mark.long
def test_every_two_library_models_combine_in_every_way_and_order() -> None:
    for names, formula in product(permutations(MODELS, 2), OF_TWO):
        assert_decides(composed(formula, names), names, OF_TWO[formula])
        assert_decides(OPERATORS[formula](*(MODELS[name] for name in names)), names, OF_TWO[formula])


@pytest.mark.long
def test_every_three_library_models_combine_in_every_way() -> None:
    for names, formula in product(combinations(MODELS, 3), OF_THREE):
        assert_decides(composed(formula, names), names, OF_THREE[formula])
    for names in combinations(MODELS, 3):
        R, S, T = (MODELS[name] for name in names)
        assert_decides(ws.if_then_else(R, S, T), names, lambda r, s, t: s if r else t)
        assert_decides(R & ~S | T, names, OF_THREE["R & ~S | T"])
