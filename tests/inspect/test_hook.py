"""The hook of a run is called at every site and what it gives is checked; what a changed run says may be no value."""

from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Native
from weightsmith.model.readout import NO_VALUE
from weightsmith.model.sites import Site

REVERSE = "aggregate(select(indices, length - indices - 1, ==), tokens);"


@pytest.fixture(scope="module")
def T() -> ws.Transformer:
    return ws.programs.compile_rasp(REVERSE, vocabulary="abc", max_length=5).transformer


MODELS = {
    "finite": ws.random_transformer("01", 3, 2, 2, 3, 6, ws.Fixed(4, 4), 1, weighting=ws.Softmax(True)),
    "native": ws.random_transformer("01", 3, 2, 2, 3, 6, Native("float64"), 1, weighting=ws.Softmax(True)),
}
WRONG: dict[str, tuple[Any, str]] = {
    "None": (None, "change=None: write a function of a site and the values there, such as lambda site, x"),
    "a number": (3, "change=3: write a function of a site"),
    "one argument": (lambda x: x, r"change\(x\) cannot be called with a site and the values there: write a function"),
    "three": (lambda a, b, c: c, r"change\(a, b, c\) cannot be called"),
    "nothing returned": (lambda site, x: None, "change gives None at embedding: return the values to go on with"),
    "a part": (lambda site, x: x[..., :1], r"an array of the shape \(.*1\) at embedding, .* the shape \(.*3\): return"),
    "a number returned": (lambda site, x: 0.0, r"an array of the shape \(\) at embedding"),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("name", WRONG)
def test_a_hook_that_cannot_be_meant_is_refused_in_every_arithmetic(kind: str, name: str) -> None:
    change, message = WRONG[name]
    with pytest.raises(ws.InputError, match=message):
        ws.run(MODELS[kind], "010", change=change)
    with pytest.raises(ws.InputError, match=message):
        ws.run_batch(MODELS[kind], ["010", "110"], change=change)


@pytest.mark.parametrize("kind", MODELS)
def test_a_head_of_another_shape_is_refused_at_its_site(kind: str) -> None:
    def change(site: Site, values: Any) -> Any:
        return values[:1] if site == Site("head", 1, 1) else values

    with pytest.raises(
        ws.InputError, match=r"shape \(1, 3\) at block 1 head 1, where the values have the shape \(3, 3\)"
    ):
        ws.run(MODELS[kind], "010", change=change)


@pytest.mark.parametrize("kind", MODELS)
def test_the_hook_is_called_at_every_site_in_the_order_of_the_run(kind: str) -> None:
    seen = []

    def change(site: Site, values: Any, scale: float = 1.0) -> Any:  # more arguments may have defaults
        seen.append(str(site))
        return (values * scale).tolist()

    found = ws.run(MODELS[kind], "010", change=change)
    blocks = [
        [
            f"block {b} head 0",
            f"block {b} head 1",
            f"block {b} attention",
            f"block {b} activations",
            f"block {b} feed-forward",
        ]
        for b in range(2)
    ]
    assert seen == ["embedding", *blocks[0], *blocks[1]]
    assert np.array_equal(found.stream, ws.run(MODELS[kind], "010").stream)


def test_the_output_of_a_changed_run_that_is_no_value_is_a_question_mark(T: ws.Transformer) -> None:
    r = ws.run(T, "abca")
    for changed in (
        ws.ablate(r, block=1, head=1),
        ws.run(T, "abca", change=lambda site, x: 0 * x if str(site) == "block 1 head 1" else x),
        ws.patch(r, ws.run(T, "cbac"), 1, head=0),
    ):
        batch_like = [NO_VALUE if n < 0 else T.answers[n] for n in changed.answer_ids.tolist()]
        assert NO_VALUE in changed.outputs
        assert list(changed.outputs) == batch_like
        assert changed.decision is changed.outputs[-1] or changed.decision == changed.outputs[-1]
        assert "correct the weights" not in str(changed)
        found = ws.changed(r, changed)
        assert found.outputs == {
            i: (was, now) for i, (was, now) in enumerate(zip(r.outputs, changed.outputs, strict=True)) if was != now
        }
        assert "output at" in str(found)
        assert found.decisions == (r.outputs[-1], changed.outputs[-1])


def test_an_unchanged_run_still_refuses_a_code_without_a_value(T: ws.Transformer) -> None:
    readout = T.readout
    assert readout is not None
    some = ws.Readout(readout.lanes, dict(list(readout.entries)[:2]))
    less = ws.Transformer(
        T.arithmetic, T.vocabulary, T.lanes, T.embedding, T.positions, T.blocks, mask=T.mask, readout=some
    )
    with pytest.raises(ws.InputError, match="Add the code to the table"):
        ws.run(less, "abc").outputs  # noqa: B018
    assert ws.run_batch(less, ["abc"]).outputs == ((NO_VALUE, "b", "a"),)


@pytest.mark.parametrize("function", [ws.attribute, ws.ablations])
def test_a_value_where_a_lane_is_meant_is_refused_with_its_code_and_the_lane(T: ws.Transformer, function: Any) -> None:
    r, (lane,) = ws.run(T, "abca"), T.readout.lanes if T.readout else ()
    with pytest.raises(ws.InputError, match=f"'c' is a value of the readout, whose code is {lane}=2; .*write '{lane}'"):
        function(r, "c")
    with pytest.raises(ws.InputError, match="'c' is a value of the readout"):
        ws.sweep(r, r, "c")
    with pytest.raises(ws.InputError, match="'c' is a value of the readout"):
        ws.lens(r).table("c")
    with pytest.raises(ws.InputError, match="there is no lane of the readout zzz"):
        function(r, "zzz")
