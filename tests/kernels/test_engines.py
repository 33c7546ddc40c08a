"""Which engine runs a transformer, and that each refuses by name a part that it does not know."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, cast

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.arithmetic import Array, Weights
from weightsmith.arithmetic.native import machine
from weightsmith.kernels.blas import BlasRun
from weightsmith.kernels.engines import engine_for
from weightsmith.kernels.packed import PackedRun
from weightsmith.kernels.packed.program import WEIGHTINGS
from weightsmith.model import AttentionPositions, Norm, Weighting
from weightsmith.model.block import ARRAYS, new_arrays
from weightsmith.model.frozen import Axes, LaneNames
from weightsmith.model.norms import NORM_LANES
from weightsmith.semantics.evaluation import unsupported
from weightsmith.semantics.reference import Reference

NATIVE = ws.Native("float32")


@dataclass(frozen=True, eq=False)
class Sparsemax(Weighting):
    """A weighting that no engine knows."""


@dataclass(frozen=True, eq=False)
class Softest(ws.Softmax):
    """A weighting that only looks like one that engines know."""


@dataclass(frozen=True, eq=False)
class Halving(Norm):
    """A norm that no engine knows."""

    eps: float = 1e-5
    gain: Annotated[Weights | None, Axes(NORM_LANES)] = None
    lanes: Annotated[tuple[str, ...] | None, LaneNames()] = None


def model(arithmetic: ws.Fixed | ws.Native, weighting: Weighting | None = None, norm: Norm | None = None) -> Any:
    T = ws.random_transformer("ab", lanes=3, heads=2, arithmetic=arithmetic, weighting=weighting)
    return replace(T, positions=None, blocks=tuple(replace(block, attention_norm=norm) for block in T.blocks))


ENGINES: dict[str, Callable[[ws.Transformer], object]] = {
    "the reference": Reference,
    "BLAS": BlasRun,
    "the packed engine": PackedRun,
    "run": lambda T: ws.run(T, "ab"),
    "outputs": lambda T: ws.outputs(T, ["ab"]),
    "check": lambda T: ws.check.same_decisions(T, T, up_to=2),
    "automaton": ws.automaton,
}


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "automaton"])
@pytest.mark.parametrize("kind", [Sparsemax, Softest])
@pytest.mark.parametrize("arithmetic", [ws.Fixed(4, 4), NATIVE])
def test_every_engine_refuses_an_unknown_weighting_by_name(engine: str, kind: type[Weighting], arithmetic: Any) -> None:
    message = rf"block 0, head 0: .* does not know the weighting {kind.__name__}.*AverageHard\(\).*Softmax\(\)"
    with pytest.raises(ws.ModelError, match=message):
        ENGINES[engine](model(arithmetic, kind()))


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "automaton"])
def test_every_engine_refuses_an_unknown_norm_by_name(engine: str) -> None:
    with pytest.raises(ws.ModelError, match=r"block 0 attention norm: .* does not know the norm Halving.*RMSNorm\(\)"):
        ENGINES[engine](model(NATIVE if engine == "BLAS" else ws.Fixed(4, 4), norm=Halving()))


def test_an_array_that_an_engine_does_not_list_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new array of a block is one in no list: the reference gets it with its step, the others refuse it till then."""
    T = model(ws.Fixed(4, 4))
    assert T.blocks[0].attention is not None
    shifted = replace(T.blocks[0], attention=replace(T.blocks[0].attention, b_O=np.ones(len(T.lanes))))
    T = replace(T, blocks=(shifted,))
    assert new_arrays(shifted) == []
    assert new_arrays(shifted, ARRAYS - {"b_O"}) == ["b_O"]
    said = unsupported(T, "an engine", WEIGHTINGS, ARRAYS - {"b_O"})
    assert said == "block 0: an engine does not know the array b_O: leave it out"
    assert unsupported(T, "an engine", WEIGHTINGS) is None


@pytest.mark.parametrize("part", [{"weighting": Sparsemax()}, {"norm": Halving()}])
def test_no_automaton_is_extracted_with_an_unknown_part(part: Any) -> None:
    with pytest.raises(ValueError, match=type(next(iter(part.values()))).__name__):
        ws.automaton(model(ws.Fixed(2, 1), **part))


@pytest.mark.parametrize("arithmetic", [ws.Fixed(4, 4), ws.Float(5, 12), NATIVE])
def test_an_unknown_activation_is_refused_by_name(arithmetic: Any) -> None:
    with pytest.raises(ws.InputError, match=re.escape("there is no function 'softplus': the functions are exp, gelu")):
        arithmetic.activate(cast(Any, "softplus"), [1.0])
    with pytest.raises(ws.InputError, match="softplus"):
        machine(cast(Any, "softplus"), np.ones(1))


def test_a_positional_scheme_consists_of_tables() -> None:
    """Engines ask for tables only: a scheme that computes in another way would be ignored by the faster ones."""
    with pytest.raises(TypeError, match=r"Doubled\.key: a positional scheme consists of its tables"):

        class Doubled(AttentionPositions):
            def key(self, A: Any, k: Array, distance: Any) -> Array:
                return k * 2


@pytest.mark.parametrize(
    ("arithmetic", "sums", "every_value", "engine"),
    [
        (ws.Fixed(4, 4), None, True, Reference),
        (ws.Fixed(4, 4), "left", False, PackedRun),
        (ws.Fixed(4, 4), None, False, PackedRun),
        (NATIVE, None, True, BlasRun),
        (NATIVE, "machine", False, BlasRun),
        (NATIVE, "left", True, Reference),
        (NATIVE, "left", False, PackedRun),
    ],
)
def test_the_fastest_engine_that_gives_the_wanted_values_is_chosen(
    arithmetic: Any, sums: Any, every_value: Any, engine: type
) -> None:
    assert type(engine_for(model(arithmetic), sums, every_value=every_value)) is engine


def test_an_engine_that_lacks_a_weighting_leaves_it_to_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    T = model(ws.Fixed(4, 4), ws.AverageHard())
    wanted = ws.outputs(T, ["abba", "b"]), ws.check.same_decisions(T, T, up_to=4).inputs
    monkeypatch.setattr("weightsmith.kernels.packed.run.WEIGHTINGS", {ws.Softmax: WEIGHTINGS[ws.Softmax]})
    T = model(ws.Fixed(4, 4), ws.AverageHard())  # an engine is kept for the other
    assert type(engine_for(T, every_value=False)) is Reference
    assert (ws.outputs(T, ["abba", "b"]), ws.check.same_decisions(T, T, up_to=4).inputs) == wanted


def test_a_tie_rule_that_machine_code_lacks_is_left_to_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new rule is a name in `Ties` and a line of `nearest_integer`; kernels refuse it until they know it."""
    A = ws.Fixed(4, 4)
    T = model(A)
    monkeypatch.setitem(vars(A), "rounding", A.rounding._replace(rule=3))
    with pytest.raises(ws.ModelError, match="the packed engine does not know the tie rule zero of"):
        PackedRun(T)
    assert type(engine_for(T, every_value=False)) is Reference


@pytest.mark.parametrize("quantity", ["decisions", "logits", "vectors", "outputs"])
def test_engines_give_the_same_results(quantity: Any) -> None:
    T, ids = model(ws.Fixed(4, 4)), np.array([[0, 1, 1], [1, 0, 0]])
    assert np.array_equal(PackedRun(T).results(ids, quantity), Reference(T).results(ids, quantity))
