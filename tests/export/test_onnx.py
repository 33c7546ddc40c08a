"""What is written as ONNX decides as the original: onnx checks the file, onnxruntime runs it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import weightsmith as ws
from tests.export.models import hand_built
from tests.export.reports import assert_agrees, few_inputs, run_all_up_to_6
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import WEIGHTINGS, many_heads
from weightsmith import Fixed, Native, Softmax, export
from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError

__all__ = ["few_inputs"]
pytestmark = pytest.mark.usefixtures("few_inputs")


def opened(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def ran(path: Path, ids: Any) -> dict[str, Array]:
    """Run a file on its own, and give every output by its name."""
    session = opened(path)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"tokens": np.array(ids, np.int64)}), strict=True))


def assert_close(found: Array, wanted: Array, what: object) -> None:
    """See that values differ by less than 10⁻¹² of the largest: sums are made in another order."""
    assert found.shape == wanted.shape, what
    size = max(1.0, float(np.abs(wanted).max(initial=0)))
    assert np.abs(found - wanted).max(initial=0) <= 1e-12 * size, what


def assert_same_run(T: ws.Transformer, path: Path, ids: list[int]) -> None:
    """Compare every value that the file gives with those of the run."""
    found, r = ran(path, [ids]), ws.run(T, [T.vocabulary[i] for i in ids])
    stages = [
        "embedding",
        *(f"blocks.{b}.{part}" for b in range(len(T.blocks)) for part in ("attention", "feed_forward")),
    ]
    for stage, wanted in zip(stages, r.stream, strict=True):
        assert_close(found[f"{stage}.stream"][0], wanted, (T, stage))
    for b, heads in enumerate(r.attention):
        if len(heads):
            assert_close(found[f"blocks.{b}.attention.weights"][0], np.stack(heads), (T, "weights", b))
        if r.activations[b].shape[-1]:
            assert_close(found[f"blocks.{b}.feed_forward.neurons"][0], r.activations[b], (T, "neurons", b))
    assert_close(found["logits"][0, -1], r.logits, (T, "logits"))


def test_every_library_model_its_form_and_combinations_decide_as_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.onnx"
    for name, T in hand_built().items():
        run_all_up_to_6(T, monkeypatch)
        assert_agrees(name, T, export.to_onnx(T, path, trace=True))
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)


def test_the_lectures_example_has_the_same_stream_in_float64(tmp_path: Path) -> None:
    T = ws.library.eiffel()
    report = export.to_onnx(T, tmp_path / "eiffel.onnx", trace=True)
    assert report.dtype == "float64"
    assert report.stream_difference is not None
    assert report.stream_difference <= 1e-12
    assert report.logit_difference <= 1e-12
    ids = [T.vocabulary.index(word) for word in ("The", "Eiffel", "Tower", "is", "in")]
    assert T.classes[ran(tmp_path / "eiffel.onnx", [ids])["logits"][0, -1].argmax()] == "Paris"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("rule", "mask"), [*((rule, "causal") for rule in RULES), *((rule, "full") for rule in FULL[::2])]
)
def test_every_rule_and_activation_gives_every_value_of_the_run(
    rule: str, mask: Any, activation: str, tmp_path: Path
) -> None:
    n = RULES.index(rule)
    heads = (2, 3, 5, 0, 1)[n % 5]
    how: dict[str, Any] = {"heads": heads, "mask": mask, "tied": n % 3 == 0, "norms": n % 2 == 0, "loudness": 0.0}
    T = kind_of_model(Native("float64"), n, rule, activation, weighting=Softmax(shifted=True), **how)
    report = export.to_onnx(T, tmp_path / "model.onnx", trace=True)
    assert report.agrees, report
    assert_same_run(T, tmp_path / "model.onnx", [0, 1, 1, 0, 1])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=repr)
def test_every_weighting_gives_every_value_of_the_run(weighting: Any, mask: Any, tmp_path: Path) -> None:
    """Scores are multiples of 2⁻²⁰ or so, which no order of sums rounds: so hard attention sees the same ties."""
    for n in range(3):
        T = kind_of_model(Fixed(3, 3), n, weighting=weighting, mask=mask, loudness=0.0)
        positions = (None, ws.Alibi((0.25, 0.5)))[n % 2]
        T = ws.to_arithmetic(replace(T, positions=positions, blocks=T.blocks[:1]), Native("float64"))
        try:
            export.to_onnx(T, tmp_path / "model.onnx", trace=True)
        except ws.ModelError as error:
            assert "overflowed" in str(error)  # noqa: PT017
            continue
        assert_same_run(T, tmp_path / "model.onnx", [0, 1, 1, 0, 1])


def test_heads_of_different_sizes_some_of_them_empty_give_every_value_of_the_run(tmp_path: Path) -> None:
    for seed in range(4):
        T = ws.to_arithmetic(many_heads(Fixed(3, 3), seed), Native("float64"))
        export.to_onnx(T, tmp_path / "model.onnx", trace=True, allow_differences=True)
        assert_same_run(T, tmp_path / "model.onnx", [0, 1, 1, 0])


def test_parallel_blocks_read_the_stream_at_their_entry(tmp_path: Path) -> None:
    T = kind_of_model(Native("float64"), 4, "halves", "gelu", loudness=0.0, weighting=Softmax(shifted=True))
    T = replace(T, blocks=[replace(block, norm_placement="pre", parallel=True) for block in T.blocks])
    export.to_onnx(T, tmp_path / "model.onnx", trace=True)
    assert_same_run(T, tmp_path / "model.onnx", [0, 1, 1, 0, 1])


@pytest.mark.parametrize("empty", ["zero", "uniform"])
@pytest.mark.parametrize("A", [Fixed(4, 4), Native("float32"), Native("float64")], ids=str)
def test_a_softmax_without_weight_follows_its_rule(A: Any, empty: Any, tmp_path: Path) -> None:
    """In `Fixed(4, 4)` exp(−4) rounds to 0, in float32 exp(−104) does, though float64 runs them."""
    low = {"fixed(4,4)": -4.0, "float32": -104.0, "float64": -746.0}[str(A)]
    one = np.ones((1, 1))
    head = ws.Head(one, 0 * one, one, one, Softmax(empty=empty), b_K=np.ones(1))
    blocks = [ws.Block(ws.Attention([head]))]
    T = ws.Transformer(A, "ab", ["x"], np.array([[1.0], [low]]), None, blocks, np.array([[0.0], [1.0]]))
    export.to_onnx(T, tmp_path / "model.onnx", trace=True, dtype="float64", allow_differences=True)
    assert ws.run(T, "aab").empty_softmax == 1
    weights = ran(tmp_path / "model.onnx", [[0, 0, 1]])["blocks.0.attention.weights"][0, 0]
    assert weights[2].tolist() == ([1 / 3] * 3 if empty == "uniform" else [0.0] * 3)
    assert weights[1].tolist() == [0.5, 0.5, 0.0]


def test_what_saturates_here_saturates_there_unless_that_is_left_out(tmp_path: Path) -> None:
    """Every score of a counting head is ∞ and so is the sum of their exponentials: ∞ ⊘ ∞ = 1 at each position."""
    T = ws.library.parity()
    export.to_onnx(T, tmp_path / "model.onnx", trace=True)
    assert ran(tmp_path / "model.onnx", [[1, 1, 0]])["blocks.0.attention.weights"][0, 0].tolist() == [
        [1, 0, 0],
        [1, 1, 0],
        [1, 1, 1],
    ]
    with pytest.raises(ExportError, match="ONNX in float32 decides [0-9,]+ times otherwise, first on 1, 1"):
        export.to_onnx(T, tmp_path / "plain.onnx", saturate=False)
    assert not (tmp_path / "plain.onnx").exists()
    report = export.to_onnx(T, tmp_path / "plain.onnx", saturate=False, allow_differences=True)
    assert report.different_decisions > 0
    assert (tmp_path / "plain.onnx").exists()


def test_gelu_is_exact_in_float64_over_its_whole_range(tmp_path: Path) -> None:
    """onnxruntime has no error function in float64, so it is a series here."""
    one = np.ones((1, 1))
    vocabulary = [f"t{i}" for i in range(241)]
    x = np.linspace(-12, 12, 241)
    layer = ws.FeedForward(one, None, one, activation="gelu")  # type: ignore[arg-type]
    blocks = [ws.Block(feed_forward=layer)]
    T = ws.Transformer(Native("float64"), vocabulary, ["x"], x[:, np.newaxis], None, blocks, np.array([[0.0], [1.0]]))
    export.to_onnx(T, tmp_path / "model.onnx", trace=True)
    found = ran(tmp_path / "model.onnx", [range(241)])["blocks.0.feed_forward.neurons"][0, :, 0]
    wanted = ws.run(T, vocabulary).activations[0][:, 0]
    assert np.abs(found - wanted).max() <= 1e-14


def test_inputs_and_outputs_have_the_stated_names_shapes_and_types(tmp_path: Path) -> None:
    T = ws.random_transformer("abc", lanes=5, blocks=1, heads=2, neurons=7, classes=("x", "y", "z", "w"))
    for dtype, name in ((None, "float"), ("float64", "double")):
        export.to_onnx(T, tmp_path / "model.onnx", trace=True, dtype=dtype, allow_differences=True)  # type: ignore[arg-type]
        session = opened(tmp_path / "model.onnx")
        (tokens,) = session.get_inputs()
        assert (tokens.name, tokens.type, tokens.shape) == ("tokens", "tensor(int64)", ["batch", "positions"])
        assert {output.name: output.shape for output in session.get_outputs()} == {
            "logits": ["batch", "positions", 4],
            "embedding.stream": ["batch", "positions", 5],
            "blocks.0.attention.weights": ["batch", 2, "positions", "positions"],
            "blocks.0.attention.stream": ["batch", "positions", 5],
            "blocks.0.feed_forward.neurons": ["batch", "positions", 7],
            "blocks.0.feed_forward.stream": ["batch", "positions", 5],
        }
        assert {output.type for output in session.get_outputs()} == {f"tensor({name})"}
    export.to_onnx(T, tmp_path / "model.onnx", allow_differences=True)
    assert [output.name for output in opened(tmp_path / "model.onnx").get_outputs()] == ["logits"]


def test_any_batch_and_length_will_do_and_a_longer_input_than_the_longest_is_refused(tmp_path: Path) -> None:
    T = ws.random_transformer(max_length=8, arithmetic=Native("float64"))
    export.to_onnx(T, tmp_path / "model.onnx")
    ids = np.random.default_rng(0).integers(0, 2, (5, 8))
    together = ran(tmp_path / "model.onnx", ids)["logits"]
    for n in (1, 3, 8):
        assert_close(ran(tmp_path / "model.onnx", ids[2:3, :n])["logits"][0], together[2, :n], n)
    with pytest.raises(Exception, match="indices element out of data bounds"):
        ran(tmp_path / "model.onnx", [[0] * 9])
    turning = replace(T, positions=ws.Rotary())
    export.to_onnx(turning, tmp_path / "model.onnx", max_length=70)
    assert ran(tmp_path / "model.onnx", [[0] * 70])["logits"].shape == (1, 70, 2)
    with pytest.raises(Exception, match="indices element out of data bounds"):
        ran(tmp_path / "model.onnx", [[0] * 71])


def test_a_tied_output_is_the_embedding_itself(tmp_path: Path) -> None:
    T = ws.random_transformer("abcdefghij", lanes=3, tied=True, arithmetic=Native("float64"))
    export.to_onnx(T, tmp_path / "model.onnx")
    graph = onnx.load(tmp_path / "model.onnx").graph
    assert [i.name for i in graph.initializer if list(i.dims) in ([10, 3], [3, 10])] == ["embedding"]


def test_the_file_says_what_its_tokens_classes_and_lanes_are_called(tmp_path: Path) -> None:
    T = replace(ws.library.contains("1"), vocabulary=("\n", "né\0"), classes=("NO", "\u202e"))
    export.to_onnx(T, tmp_path / "model.onnx")
    model = onnx.load(tmp_path / "model.onnx")
    (prop,) = model.metadata_props
    assert prop.key == "weightsmith"
    said = json.loads(prop.value)
    assert said["vocabulary"] == ["\n", "né\0"]
    assert said["classes"] == ["NO", "\u202e"]
    assert (said["lanes"], said["arithmetic"]) == (["symbol", "found"], "fixed(4,4)")
    assert (said["max_length"], said["saturates_at"]) == (None, 15.9375)
    assert said["origins"] == ["look for 1"]


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        export.to_onnx(ws.library.balanced(2), tmp_path / name, trace=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_large_model_has_its_weights_in_a_second_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from weightsmith.export.onnx import writing

    monkeypatch.setattr(writing, "LARGEST_FILE", 100)
    T = ws.random_transformer(lanes=6, arithmetic=Native("float64"))
    export.to_onnx(T, tmp_path / "model.onnx", trace=True)
    model, data = sorted(path.name for path in tmp_path.iterdir())
    assert (model, data[:11], data[-5:]) == ("model.onnx", "model.onnx.", ".data")
    onnx.checker.check_model(str(tmp_path / "model.onnx"), full_check=True)
    outside = [
        i for i in onnx.load(tmp_path / "model.onnx", load_external_data=False).graph.initializer if i.external_data
    ]
    assert "embedding" in {i.name for i in outside}
    assert_same_run(T, tmp_path / "model.onnx", [0, 1, 1])
    export.to_onnx(ws.random_transformer(lanes=6, arithmetic=Native("float64"), seed=1), tmp_path / "model.onnx")
    assert len(list(tmp_path.iterdir())) == 3  # the weights of the first are nobody's now, but were not touched


def test_a_file_that_is_there_stays_whole_when_a_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"before")
    with pytest.raises(ExportError, match="times otherwise"):
        export.to_onnx(ws.library.parity(), path, saturate=False)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_refused_with_the_reason(tmp_path: Path) -> None:
    T, path = ws.library.contains("1"), tmp_path / "model.onnx"
    with pytest.raises(ws.InputError, match="is not a transformer"):
        export.to_onnx("model.safetensors", path)  # type: ignore[arg-type]
    with pytest.raises(ws.FileError, match="cannot write '.*nowhere/model.onnx': No such file or directory"):
        export.to_onnx(T, tmp_path / "nowhere" / "model.onnx")
    with pytest.raises(ws.FileError, match="it is not a regular file"):
        export.to_onnx(T, tmp_path)
    with pytest.raises(ws.FileError, match="cannot write"):
        export.to_onnx(T, "a\0b")
    with pytest.raises(ws.FileError, match="cannot write 3"):
        export.to_onnx(T, 3)  # type: ignore[arg-type]
    with pytest.raises(
        ExportError, match="dtype='float16': onnxruntime runs all operators in 'float32' and 'float64' only"
    ):
        export.to_onnx(T, path, dtype="float16")  # type: ignore[arg-type]
    with pytest.raises(ExportError, match="trace='yes': write True or False"):
        export.to_onnx(T, path, trace="yes")  # type: ignore[arg-type]
    with pytest.raises(ws.InputError, match="max_length=3: write a whole number from 64 to 1048576"):
        export.to_onnx(T, path, max_length=3)
    wide = ws.random_transformer(arithmetic=Native("float64"))
    wide = replace(wide, embedding=np.full((2, 4), 1e39))
    with pytest.raises(ExportError, match="embedding holds numbers beyond the range of float32: write dtype='float64'"):
        export.to_onnx(wide, path, dtype="float32")
    assert not path.exists()


def test_a_written_file_can_be_measured_again(tmp_path: Path) -> None:
    T, path = ws.library.parity(), tmp_path / "model.onnx"
    report = export.to_onnx(T, path, trace=True)
    assert export.agreement(T, path) == export.agreement(T, str(path)) == report
    assert report.saturates == ()
    plain = export.to_onnx(T, path, saturate=False, allow_differences=True)
    assert plain.saturates == ("block 0 attention",)
    path.write_bytes(b"no model")
    with pytest.raises(ws.FileError, match="cannot read '.*model.onnx': onnxruntime cannot open it: "):
        export.agreement(T, path)
    with pytest.raises(ws.FileError, match="cannot read '.*other.onnx': No such file"):
        export.agreement(T, tmp_path / "other.onnx")


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_a_missing_package_is_named(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(ExportError, match=f"an ONNX file needs {package}: write pip install 'weightsmith.export.'"):
        export.to_onnx(ws.library.contains("1"), tmp_path / "model.onnx")
