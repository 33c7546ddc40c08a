"""A further array and a further positional scheme, declared here: nothing else has to know of them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.kernels.packed import batch, run_columns
from weightsmith.model import AddedPositions, AttentionPositions, digest
from weightsmith.model.folds import joined, named_arrays, selected
from weightsmith.model.frozen import LANES, NEURONS, Axes
from weightsmith.semantics import evaluate


@dataclass(frozen=True, eq=False)
class Scaled(ws.FeedForward):
    """A layer with a further array: a scale for each neuron and lane."""

    scale: Annotated[Array | None, Axes(NEURONS, LANES)] = None


@dataclass(frozen=True, eq=False)
class Window(AttentionPositions):
    """A further scheme: positions at a distance of `size` or more get −∞, and keys are moved by a row for here."""

    offsets: Annotated[Array, Axes("rows", "coordinates")]
    size: int = 2

    def __post_init__(self) -> None:
        self._freeze()

    def key_offsets(self) -> Array:
        return self.offsets

    def penalties(self, arithmetic: Arithmetic, length: int) -> Array:
        return np.where(np.arange(length) < self.size, 0.0, -arithmetic.infinity)

    def text(self) -> str:
        return f"a window of {self.size}"


@dataclass(frozen=True, eq=False)
class Ramp(AddedPositions):
    """A further scheme that adds to the embedding: lane 0 gets a quarter for each position."""

    max_length: int

    def vectors(self, arithmetic: Arithmetic, lanes: int, length: int | None = None) -> Array:
        result = np.zeros((self.max_length if length is None else length, lanes))
        result[:, 0] = arithmetic.round(np.arange(len(result)) / 4)
        return result

    def text(self) -> str:
        return f"a ramp for {self.max_length}"


def model(arithmetic: Arithmetic | None = None) -> ws.Transformer:
    T = ws.random_transformer(vocabulary="01", lanes=3, blocks=1, heads=2, neurons=2, seed=3, arithmetic=arithmetic)
    layer = T.blocks[0].feed_forward
    assert layer is not None
    arrays = {name: getattr(layer, name) for name in ("W_1", "b_1", "W_2", "b_2")}
    scaled = Scaled(**arrays, scale=T.arithmetic.round([[0.5, -1.25, 2.0], [1.0, 0.25, -3.0]]))
    window = Window(T.arithmetic.round([[0.5, -0.5, 1.0], [1.0, 2.0, -1.0]]))
    return replace(T, blocks=(replace(T.blocks[0], feed_forward=scaled),), positions=(Ramp(6), window))


T = model()


def scale_of(model: ws.Transformer) -> Array:
    layer = model.blocks[0].feed_forward
    assert isinstance(layer, Scaled)
    assert layer.scale is not None
    return layer.scale


def offsets_of(model: ws.Transformer) -> Array:
    scheme = model.attention_positions
    assert isinstance(scheme, Window)
    return scheme.offsets


def with_scale(scale: Array) -> ws.Transformer:
    layer = T.blocks[0].feed_forward
    assert isinstance(layer, Scaled)
    return replace(T, blocks=(replace(T.blocks[0], feed_forward=replace(layer, scale=scale)),))


def test_the_new_arrays_are_frozen_counted_and_named() -> None:
    assert not scale_of(T).flags.writeable
    assert not offsets_of(T).flags.writeable
    names = [name for name, _ in named_arrays(T)]
    assert {"blocks.0.feed_forward.scale", "positions.1.offsets"} <= set(names)
    assert T.weights == sum(array.size for _, array in named_arrays(T))
    assert "a ramp for 6; a window of 2" in repr(T)


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (
            np.ones((2, 4)),
            "blocks.0.feed_forward.scale has shape (2, 4), and it must be (2, 3): (neurons, lanes)",
        ),
        (
            np.ones((3, 3)),
            "blocks.0.feed_forward.scale has shape (3, 3), and it must be (2, 3): (neurons, lanes)",
        ),
        (np.ones(3), "scale must have 2 axes, and its shape is (3,)"),
        (np.full((2, 3), np.nan), "scale[0, 0] is nan: every weight must be a finite number"),
        (np.full((2, 3), 0.3), "blocks.0.feed_forward.scale[0, 0] = 0.3 is not a member of fixed(4,4)"),
    ],
)
def test_the_new_array_is_checked(scale: Array, message: str) -> None:
    with pytest.raises(ws.ModelError) as raised:
        with_scale(scale)
    assert message in str(raised.value)


def test_the_new_array_counts_when_models_are_compared_and_digested() -> None:
    other = with_scale(2 * scale_of(T))
    assert other != T
    assert digest(other) != digest(T)
    assert with_scale(scale_of(T)) == T
    assert digest(with_scale(scale_of(T))) == digest(T)
    assert hash(T) == hash(model())
    moved = replace(T, positions=(Ramp(6), Window(2 * offsets_of(T))))
    assert moved != T
    assert digest(moved) != digest(T)


def test_the_new_array_is_widened_and_its_lanes_are_ignored() -> None:
    wide = ws.widen(T, ["a", "b"], where="front")
    assert np.array_equal(scale_of(wide), np.pad(scale_of(T), ((0, 0), (2, 0))))
    assert np.array_equal(offsets_of(wide), offsets_of(T))
    without = ws.ignore_lanes(T, [T.lanes[1]])
    assert np.array_equal(scale_of(without), scale_of(T) * [1, 0, 1])


def test_the_new_array_is_rounded() -> None:
    coarse = ws.to_arithmetic(T, ws.Fixed(4, 0))
    assert np.array_equal(scale_of(coarse), ws.Fixed(4, 0).round(scale_of(T)))
    assert np.array_equal(offsets_of(coarse), ws.Fixed(4, 0).round(offsets_of(T)))


def test_the_new_parts_are_saved_and_loaded(tmp_path: Path) -> None:
    ws.save(T, tmp_path / "model.safetensors")
    loaded = ws.load(tmp_path / "model.safetensors")
    assert loaded == T
    assert digest(loaded) == digest(T)
    assert np.array_equal(scale_of(loaded), scale_of(T))
    assert np.array_equal(offsets_of(loaded), offsets_of(T))


def test_neurons_with_the_new_array_are_cut_and_stacked() -> None:
    layer = T.blocks[0].feed_forward
    assert isinstance(layer, Scaled)
    assert layer.scale is not None
    back = joined([selected(layer, NEURONS, [1]), selected(layer, NEURONS, [0])], NEURONS)
    assert back.scale is not None
    assert np.array_equal(back.scale, layer.scale[::-1])
    assert np.array_equal(back.W_2, layer.W_2[:, ::-1])
    undone = ws.memory.undo(ws.memory.write(T, 0, {T.lanes[0]: 1.0}, {T.lanes[1]: 1.0}))
    assert undone == T
    assert np.array_equal(scale_of(undone), scale_of(T))


def test_the_new_schemes_move_the_run_and_fast_runs_equal_it() -> None:
    ids = np.array([[a, b, c, d] for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)])
    found = evaluate(T, ids)
    assert not np.array_equal(found.stream[0], evaluate(replace(T, positions=None), ids).stream[0])
    bare = evaluate(replace(T, positions=Ramp(6)), ids)
    assert not np.array_equal(found.heads[0][0].scores, bare.heads[0][0].scores)
    columns = run_columns(T, batch(ids))
    assert np.array_equal(columns.decisions[-16:], np.argmax(found.logits, axis=-1))
    native = model(ws.Native("float64"))
    exact = evaluate(native, np.array([0, 1, 1, 0])).logits
    assert np.abs(exact).max() > 1e-3
    assert np.allclose(ws.logits(native, ["0110"])[0], exact, rtol=1e-10, atol=0)  # BLAS adds up in another order
