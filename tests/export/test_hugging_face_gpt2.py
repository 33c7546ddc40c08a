"""A transformer as a plain GPT-2: within its bound; in the library's classes, refused where it cannot."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    GPT2ForSequenceClassification,
    GPT2LMHeadModel,
    pipeline,
)

import weightsmith as ws
from tests.export.hub import few_inputs, offline
from tests.kernels.kinds import kind_of_model
from weightsmith import Native, Softmax, Transformer, export
from weightsmith.errors import ExportError
from weightsmith.export.hugging_face import gpt2, gpt2_weights
from weightsmith.export.hugging_face.gpt2_bound import ROUNDOFF, Bound, best_constant
from weightsmith.library.entries import ENTRIES, EXAMPLES, ReadyMade
from weightsmith.model.folds import map_arrays

FLOAT64 = Native("float64")
DTYPES = ("float64", "float32", "bfloat16", "float16")


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs():
        yield


def model(seed: int = 3, activation: str = "gelu_tanh", *, tied: bool = False, share: float = 0.5) -> Transformer:
    """Draw a model that a GPT-2 can be; its weights are a share of what is drawn."""
    how: Any = {"weighting": Softmax(shifted=True), "tied": tied, "loudness": 0.0, "strict": False}
    T = kind_of_model(FLOAT64, seed, "none", activation, **how)
    return map_arrays(T, lambda array: array * share)


# The bound


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("seed", "activation"), list(enumerate(["relu", "gelu", "gelu_tanh", "silu"])))
def test_every_logit_is_within_the_bound(seed: int, activation: str, dtype: Any, tmp_path: Path) -> None:
    T = model(seed, activation)
    report = export.to_hugging_face(T, tmp_path / "model", "gpt2", dtype=dtype, allow_differences=True)
    assert report.error_bound is not None
    assert report.logit_difference <= report.error_bound
    assert report.to_json()["error_bound"] == report.error_bound
    assert f"a logit is at most {report.error_bound:.3g} from that of the same weights" in str(report)
    if dtype == "float64":
        assert report.agrees
        assert report.error_bound < 1e-8
        assert report.stream_difference is not None
        assert report.stream_difference < 1e-12


@pytest.mark.parametrize("part", ["attention", "feed-forward"])
def test_the_bound_counts_what_each_sublayer_loses_when_large_numbers_cancel(part: str, tmp_path: Path) -> None:
    read, write = np.array([[1.1], [0.7], [1.3]]), np.array([[0.9e6, 0.83e6, -1571e3 / 1.3]])  # together 0
    layer = ws.FeedForward(read, None, write, None)  # type: ignore[arg-type]
    head = ws.Head(0 * read, 0 * read, read, write, Softmax())
    block = ws.Block(feed_forward=layer) if part == "feed-forward" else ws.Block(ws.Attention((head,)))
    T = Transformer(
        arithmetic=FLOAT64,
        vocabulary="ab",
        lanes=("x",),
        embedding=np.array([[1 / 3], [2 / 7]]),
        blocks=[block],
        output=np.array([[1.0], [-1.0]]),
    )
    report = export.to_hugging_face(T, tmp_path / "model", "gpt2", dtype="float32", allow_differences=True)
    assert report.error_bound is not None
    assert 1e-3 < report.logit_difference <= report.error_bound < 100


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_constant_has_the_smallest_bound_of_all_powers_of_2(dtype: str) -> None:
    T = model()
    sizes, seen = gpt2_weights.sizes_for(T), gpt2.largest_values(T)
    C, bound = best_constant(T, sizes, seen, dtype)
    for other in (C / 2, C * 2) if dtype != "float16" else (C / 2,):
        assert Bound(T, sizes, seen, other, ROUNDOFF[dtype]).logits() >= bound


def test_a_model_beyond_its_bound_is_found_out_and_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpt2, "best_constant", lambda *given: (2.0, best_constant(*given)[1]))  # far too small
    with pytest.raises(ExportError, match="from the same weights without norms, and the bound is .*: this is a defect"):
        export.to_hugging_face(model(), tmp_path / "model", "gpt2")
    assert list(tmp_path.iterdir()) == []


# The library of ready-made models


@pytest.mark.parametrize("name", ["length_modulo", "majority"])
def test_recognisers_without_hard_attention_and_distances_decide_as_the_original(name: str, tmp_path: Path) -> None:
    entry = next(entry for entry in ENTRIES if entry.name == name)
    for T in (entry.build(), ws.zero_one_form(entry.build())):
        assert export.to_hugging_face(T, tmp_path / "model", "gpt2").agrees


@pytest.mark.parametrize("name", ["parity", "bank"])
def test_what_relies_on_saturation_is_refused_and_not_written(name: str, tmp_path: Path) -> None:
    T = next(entry for entry in (*ENTRIES, *EXAMPLES) if entry.name == name).build()
    with pytest.raises(ExportError, match="Hugging Face GPT-2 in float64 decides .* times otherwise, first on"):
        export.to_hugging_face(T, tmp_path / "model", "gpt2")
    assert list(tmp_path.iterdir()) == []
    report = export.to_hugging_face(T, tmp_path / "model", "gpt2", allow_differences=True)
    assert not report.agrees
    assert report.error_bound is not None
    assert report.error_bound < 1e-9  # the weights are right; it is the arithmetic that differs


REFUSED = [
    entry for entry in (*ENTRIES, *EXAMPLES) if entry.name not in ("length_modulo", "majority", "parity", "bank")
]


@pytest.mark.parametrize("entry", REFUSED, ids=lambda entry: entry.name)
def test_hard_attention_and_distances_are_refused_by_name(entry: ReadyMade, tmp_path: Path) -> None:
    says = r"block \d, head 0 has (LeftmostHard\(\)|Relative\(…\)): write .*; or leave out stock='gpt2'"
    with pytest.raises(ExportError, match=says):
        export.to_hugging_face(entry.build(), tmp_path / "model", "gpt2")
    assert list(tmp_path.iterdir()) == []


# In the library's hands


@pytest.mark.parametrize("tied", [True, False])
def test_what_was_written_is_read_again_and_measured_again(tied: bool, tmp_path: Path) -> None:
    T = model(tied=tied)
    written = export.to_hugging_face(T, tmp_path / "model", "gpt2")
    again = export.agreement(T, tmp_path / "model")
    assert replace(again, error_bound=written.error_bound) == written


def test_a_classifier_is_opened_without_code_of_ours(tmp_path: Path) -> None:
    T = ws.library.length_modulo(3)
    export.to_hugging_face(T, tmp_path / "model", "gpt2", dtype="float32")
    opened = AutoModelForSequenceClassification.from_pretrained(tmp_path / "model")
    assert isinstance(opened, GPT2ForSequenceClassification)
    assert opened.dtype == torch.float32
    assert not list((tmp_path / "model").glob("*.py"))
    texts = ["".join(bits) for n in range(1, 6) for bits in product("01", repeat=n)]
    classify = pipeline("text-classification", str(tmp_path / "model"))
    assert [one["label"] for one in classify(texts, batch_size=len(texts))] == [ws.run(T, x).decision for x in texts]


@pytest.mark.parametrize("seed", [3, 5, 6])
def test_a_language_model_generates_what_weightsmith_generates(seed: int, tmp_path: Path) -> None:
    T = model(seed, tied=True)
    export.to_hugging_face(T, tmp_path / "model", "gpt2")
    opened = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    reading = AutoTokenizer.from_pretrained(tmp_path / "model")
    assert isinstance(opened, GPT2LMHeadModel)
    texts = ["ab", "abba", "b", "bbb"]
    made = opened.generate(**reading(texts, return_tensors="pt", padding=True), max_new_tokens=5)
    expected = [text + "".join(ws.generate(T, text, 5)) for text in texts]
    assert reading.batch_decode(made, skip_special_tokens=True) == expected
    written = pipeline("text-generation", str(tmp_path / "model"))(texts, batch_size=4, max_new_tokens=5)
    assert [one[0]["generated_text"] for one in written] == expected


def test_padding_is_never_the_next_token(tmp_path: Path) -> None:
    export.to_hugging_face(model(tied=True), tmp_path / "model", "gpt2")
    opened = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    with torch.no_grad():
        logits = opened(torch.tensor(list(product([0, 1], repeat=6)))).logits
    assert bool((logits[..., 2:] < logits[..., :2] - 50).all())


# Sizes


@pytest.mark.parametrize("lanes", range(1, 20))
def test_a_quarter_of_the_lanes_are_constants_and_heads_have_a_power_of_4(lanes: int) -> None:
    for heads, neurons in ((1, 1), (3, 7), (12, 0)):
        T = ws.random_transformer("01", lanes, 2, heads, neurons, 8, arithmetic=FLOAT64, seed=0)
        sizes = gpt2_weights.sizes_for(T)
        assert 2 * sizes.lanes + 2 * sizes.constants <= sizes.width == 8 * sizes.constants
        assert sizes.heads * sizes.head_size == sizes.width
        assert sizes.heads >= heads
        assert np.log2(sizes.head_size) % 2 == 0


def test_blocks_without_attention_or_neurons_and_heads_of_several_sizes_are_padded(tmp_path: Path) -> None:
    def draw(*shape: int) -> Any:
        return np.random.default_rng(shape).normal(size=shape) / 2

    def head(keys: int, values: int) -> ws.Head:
        return ws.Head(draw(keys, 3), draw(keys, 3) / 3, draw(values, 3), draw(3, values), Softmax(), draw(keys))

    blocks = [
        ws.Block(attention=ws.Attention((head(1, 5), head(2, 1), head(5, 0)), draw(3))),
        ws.Block(feed_forward=ws.FeedForward(draw(7, 3), draw(7), draw(3, 7), draw(3))),
        ws.Block(),
        ws.Block(ws.Attention((head(0, 2),)), ws.FeedForward(draw(2, 3), draw(2), draw(3, 2), draw(3))),
    ]
    T = Transformer(
        arithmetic=FLOAT64,
        vocabulary="abc",
        lanes=("x", "y", "z"),
        embedding=draw(3, 3),
        positions=ws.Sinusoidal(9),
        blocks=blocks,
        output=draw(4, 3),
        classes=tuple("UVWX"),
        output_bias=draw(4),
    )
    report = export.to_hugging_face(T, tmp_path / "model", "gpt2")
    assert report.agrees
    assert report.logit_difference < 1e-13


# What a GPT-2 cannot be


def changed(name: str) -> Transformer:
    T = model()
    first = T.blocks[0]
    assert first.attention is not None
    assert first.feed_forward is not None
    gated = replace(first.feed_forward, activation="swiglu", W_3=first.feed_forward.W_1)
    blocks = {
        "parallel": replace(first, parallel=True),
        "gate": replace(first, feed_forward=gated),
        "activation": replace(first, feed_forward=replace(first.feed_forward, activation="relu")),
    }
    if name in blocks:
        return replace(T, blocks=(blocks[name], *T.blocks[1:]))
    others: dict[str, dict[str, Any]] = {
        "mask": {"mask": "full"},
        "rotary": {"positions": ws.Rotary()},
        "alibi": {"positions": ws.Alibi()},
    }
    return replace(T, **others[name])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("mask", "GPT-2 is causal, and this model has mask='full': write mask='causal'"),
        ("parallel", "block 0 is parallel, and GPT-2 adds attention before feed-forward reads: write parallel=False"),
        ("gate", "GPT-2 has no gate, and this model has activation='swiglu': write one of relu, gelu, gelu_tanh, silu"),
        (
            "activation",
            "GPT-2 has one activation for all blocks, and this model has gelu_tanh, relu: write one of them",
        ),
        ("rotary", r"GPT-2 adds a table of positions, and block 0, head 0 has Rotary\(…\): write PositionTable\(…\)"),
        ("alibi", r"GPT-2 adds a table of positions, and block 0, head 0 has Alibi\(…\): write PositionTable\(…\)"),
    ],
)
def test_what_a_gpt2_cannot_be_is_refused_with_what_to_write(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=f"^{says}; or leave out stock='gpt2', and the model's own class is written$"):
        export.to_hugging_face(changed(name), tmp_path / "model", "gpt2")
    assert list(tmp_path.iterdir()) == []


def test_values_that_the_dtype_does_not_hold_are_refused(tmp_path: Path) -> None:
    T = map_arrays(model(), lambda array: array * 1e5)
    with pytest.raises(ExportError, match="holds .*, which is beyond float16: write dtype='float64'"):
        export.to_hugging_face(T, tmp_path / "model", dtype="float16")
