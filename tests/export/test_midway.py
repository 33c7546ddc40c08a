"""Sums that saturate or round midway: inputs are looked for, and a target that differs on one is refused by name."""

import json
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import safetensors
import torch

import weightsmith as ws
from tests.export.hub import few_inputs, offline
from weightsmith import Fixed, Float, Native, export
from weightsmith.errors import ExportError
from weightsmith.export.outputs import answers, original
from weightsmith.export.pytorch import made
from weightsmith.export.pytorch.file import NAMES, write
from weightsmith.export.saturation import Late, late_and_exact, relying_on_saturation
from weightsmith.export.search import LENGTH, LONGEST, searched
from weightsmith.export.search.runs import runs
from weightsmith.export.search.states import words_of_states
from weightsmith.export.search.sums import towards


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs(search=True):
        yield


# Each with the shortest input that a sum which saturates late decides otherwise, of those that consist of two runs
MAJORITIES: dict[str, tuple[ws.Transformer, str]] = {
    "fixed(2,2)": (ws.library.majority("1", arithmetic=Fixed(2, 2)), "1" * 16 + "0" * 15),
    "fixed(3,0)": (ws.library.majority("a", string.ascii_lowercase, Fixed(3, 0)), "a" * 8 + "b" * 7),
    "float(4,3)": (ws.library.majority("1", arithmetic=Float(4, 3)), "1" * 9 + "0" * 8),
    "fixed(4,4)": (ws.library.majority("1"), "1" * 256 + "0" * 255),
}
WRITERS: dict[str, Callable[..., Any]] = {
    "PyTorch": lambda T, folder, **more: export.to_torch(T, **more).agreement,
    "ONNX": lambda T, folder, **more: export.to_onnx(T, folder / "model.onnx", **more),
    "Hugging Face": lambda T, folder, **more: export.to_hugging_face(T, folder / "model", **more),
    "TransformerLens, own modules": lambda T, folder, **more: export.to_transformer_lens(T, **more).agreement,
}


def short(text: str) -> str:
    symbols = sorted(set(text), key=text.index)
    return " ".join(f"{symbol}×{text.count(symbol)}" for symbol in symbols)


# All targets of one, and the quick targets of all
CASES = [
    pytest.param(name, target, marks=[] if name == "fixed(2,2)" or target in ("PyTorch", "ONNX") else pytest.mark.long)
    for name in MAJORITIES
    for target in WRITERS
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "target"), CASES)
def test_majority_is_refused_by_every_target_with_the_input_and_both_answers(
    name: str, target: str, tmp_path: Path
) -> None:
    T, first = MAJORITIES[name]
    assert ws.run(T, first).decision == "NO"
    with pytest.raises(ExportError) as refused:
        WRITERS[target](T, tmp_path)
    text = str(refused.value)
    dtype = "float64" if target == "Hugging Face" else "float32"
    assert text.startswith(f"{target} in {dtype} decides ")
    assert (
        f"times otherwise, first on {short(first)}: YES, where the original says NO. Sums of the original saturate or "
        "round midway in block 0 attention, and what was made adds up first; to_torch(T, exact=True) folds as T does. "
        "Write allow_saturation=True to have it nevertheless, with a sentence on that in it (--allow-saturation on the "
        "command line)"
    ) in text
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("target", WRITERS)
def test_what_is_allowed_is_said_in_the_report_and_in_the_files(target: str, tmp_path: Path) -> None:
    T, first = MAJORITIES["fixed(2,2)"]
    report = WRITERS[target](T, tmp_path, allow_saturation=True)
    assert not report.agrees
    assert "".join(report.first_difference) == first
    assert (report.first_answers, report.saturates, report.midway) == (("NO", "YES"), *2 * (("block 0 attention",),))
    sentence = (
        f"On 1×16 0×15 {target} says YES, and the original NO: sums saturate or round midway in block 0 attention."
    )
    assert report.difference == sentence == report.to_json()["difference"]
    assert "differ, the first on 1×16 0×15: YES, where the original says NO\nsums of the original saturate" in str(
        report
    )
    if target == "ONNX":
        (said,) = [entry.value for entry in onnx.load(str(tmp_path / "model.onnx")).metadata_props]
        assert json.loads(said)["difference"] == sentence
    if target == "Hugging Face":
        assert json.loads((tmp_path / "model" / "config.json").read_text())["weightsmith"]["difference"] == sentence


@pytest.mark.parametrize("name", ["model.safetensors", pytest.param("model.pt2", marks=pytest.mark.long)])
def test_weights_and_programs_of_pytorch_say_it_too(name: str, tmp_path: Path) -> None:
    T, _ = MAJORITIES["fixed(3,0)"]
    with pytest.raises(ExportError, match="first on a×8 b×7"):
        write(T, made(T), tmp_path / name)
    assert not (tmp_path / name).exists()
    report = write(T, made(T), tmp_path / name, allow_saturation=True)
    if name.endswith("pt2"):
        extra = {NAMES: ""}
        torch.export.load(tmp_path / name, extra_files=extra)
        said = json.loads(extra[NAMES])
    else:
        with safetensors.safe_open(tmp_path / name, "np") as file:
            said = json.loads(file.metadata()["weightsmith"])
    assert said["difference"] == report.difference
    assert "a×8 b×7" in said["difference"]


def test_what_agrees_says_nothing_of_the_kind_in_its_file(tmp_path: Path) -> None:
    export.to_onnx(ws.library.contains("1"), tmp_path / "model.onnx")
    (said,) = [entry.value for entry in onnx.load(str(tmp_path / "model.onnx")).metadata_props]
    assert "difference" not in json.loads(said)


def test_rounding_that_is_not_midway_is_another_matter() -> None:
    T = ws.random_transformer(lanes=4, max_length=4)
    with pytest.raises(ExportError, match=r"It does not round as the original does.*Write allow_differences=True"):
        export.to_torch(T)
    with pytest.raises(ExportError, match="Write allow_differences=True"):
        export.to_torch(T, allow_saturation=True)


def test_the_exact_module_agrees_on_the_inputs_that_were_searched_for() -> None:
    for name in ("fixed(2,2)", "fixed(3,0)", "float(4,3)"):
        report = export.to_torch(MAJORITIES[name][0], exact=True).agreement
        assert report is not None
        assert report.agrees
        assert report.searched > 100
        assert report.logit_difference == report.stream_difference == 0


def test_an_option_must_be_true_or_false(tmp_path: Path) -> None:
    for write_it in WRITERS.values():
        with pytest.raises(ValueError, match="allow_saturation=1: write True or False"):
            write_it(ws.library.contains("1"), tmp_path, allow_saturation=1)


def test_a_report_says_on_which_inputs(tmp_path: Path) -> None:
    lines = str(export.to_onnx(ws.library.balanced(2), tmp_path / "model.onnx")).splitlines()
    ran = r"all up to length 6, 6 random ones and 2\d\d in search of sums that saturate or round midway"
    assert re.fullmatch(rf"ONNX, float32: 3\d\d inputs run \({ran}; the longest has 64\)", lines[0])
    assert lines[1].endswith("as in the original on these inputs")
    assert lines[-1] == "saturates midway, where the target adds up first: block 0 attention, output"


# The search


@pytest.mark.parametrize("name", MAJORITIES)
def test_the_search_meets_an_input_on_which_late_sums_decide_otherwise(name: str) -> None:
    T, _ = MAJORITIES[name]
    late = replace(T, arithmetic=late_and_exact(T.arithmetic))  # type: ignore[arg-type]

    said = ([answers(T, original(model, ids).logits) for ids in searched(T)] for model in (T, late))
    assert any((ours != others).any() for ours, others in zip(*said, strict=True))


def test_letters_that_are_embedded_alike_are_one_letter() -> None:
    T, _ = MAJORITIES["fixed(3,0)"]
    assert set(np.unique(np.concatenate([ids.ravel() for ids in searched(T)]))) == {0, 1}
    assert sum(map(len, searched(T))) < 250


def test_of_many_letters_those_are_taken_that_take_a_sum_furthest() -> None:
    A = Fixed(4, 4)
    T = ws.library.majority("1", string.digits, A)
    votes = A.round(np.linspace(-1, 1, 10))[:, np.newaxis]
    T = replace(T, embedding=T.embedding + np.where([[1, 0]], votes - T.embedding[:, :1], 0))
    letters = np.unique(np.concatenate([ids.ravel() for ids in searched(T)]))
    assert len(letters) == 6
    assert {0, 9} <= set(letters.tolist())


def test_words_go_towards_both_ends_of_a_sum() -> None:
    T, _ = MAJORITIES["fixed(2,2)"]
    words = {word.tobytes() for word in towards(T, [0, 1], 20)}
    assert {np.full(20, letter).tobytes() for letter in (0, 1)} <= words


def test_a_sum_that_only_an_alternation_fills_is_filled() -> None:
    """A strict head writes what stood before, two neurons find a change, and a second head adds the changes up."""
    A, lanes = Fixed(4, 4), ("here", "before", "change", "lead")
    before = ws.Head(
        np.zeros((1, 4)), np.zeros((1, 4)), np.eye(1, 4), np.eye(4)[:, [1]], ws.RightmostHard(), strict=True
    )
    neurons = [ws.Neuron({"here": sign, "before": -sign}, {"change": 0.0625}, bias=-1) for sign in (1.0, -1.0)]
    total = ws.heads.total(lanes, {"change": "lead"}, A)
    blocks = [ws.Block(ws.Attention((before,)), ws.feed_forward(lanes, neurons)), ws.Block(ws.Attention((total,)))]
    T = ws.Transformer(A, "ab", lanes, np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]]), None, blocks, np.eye(2, 4, 3))
    assert {"ab" * 10, "ba" * 10} & {"".join("ab"[k] for k in word) for word in towards(T, [0, 1], 20)}


def test_the_automaton_gives_words_that_reach_its_states_and_tell_them_apart() -> None:
    T, _ = MAJORITIES["fixed(2,2)"]
    words = ["".join(T.vocabulary[k] for k in word) for word in words_of_states(T, [0, 1])]
    assert any(word.startswith("1" * 16) and word.endswith("0") for word in words)
    assert words_of_states(replace(T, mask="full"), [0, 1]) == []


def test_runs_go_to_the_position_limit_and_long_ones_to_where_a_sum_is_full() -> None:
    T, _ = MAJORITIES["fixed(2,2)"]
    for length in (5, 20, 100):
        limited = replace(T, positions=ws.PositionTable(np.zeros((length, 2))))
        assert {ids.shape[1] for ids in searched(limited)} == {length}
    T, _ = MAJORITIES["fixed(4,4)"]
    assert [ids.shape[1] for ids in searched(T)] == [LENGTH, 2 * (255 + 8)]
    assert max(ids.shape[1] for ids in searched(ws.library.majority("1", arithmetic=Fixed(8, 8)))) <= LONGEST
    assert searched(ws.to_arithmetic(T, Native("float32"))) == ()


def test_runs_are_all_of_two_and_some_of_three_and_what_repeats() -> None:
    found = {"".join(map(str, word)) for word in runs((0, 1), 12)}
    assert {"0" * n + "1" * (12 - n) for n in range(1, 12)} <= found
    assert {"1" * n + "0" * (12 - n) for n in range(1, 12)} <= found
    assert {"01" * 6, "10" * 6, "001" * 4} <= found
    assert any(word[0] == word[-1] and len(set(word)) == 2 and word.count(word[0] * 2) for word in found)


def test_under_a_full_mask_inputs_of_several_lengths_are_searched() -> None:
    T = replace(MAJORITIES["fixed(2,2)"][0], mask="full")
    assert len(searched(T)) > 4
    with pytest.raises(ExportError, match="allow_saturation=True"):
        export.to_torch(T)


def test_inputs_for_which_the_original_has_no_answer_are_left_out() -> None:
    """At a lead of −4 every exp(score) rounds to 0, and the original raises: runs that begin with a stay."""
    A, lanes, none = Fixed(4, 4), ("one", "vote", "lead"), np.zeros((1, 3))
    head = ws.Head(np.array([[0.0, 0, 1]]), np.array([[1.0, 0, 0]]), none, none.T, ws.Softmax(empty="error"))
    total = ws.heads.total(lanes, {"vote": "lead"}, A)
    blocks = [ws.Block(ws.Attention((part,))) for part in (total, head)]
    T = ws.Transformer(A, "ab", lanes, np.array([[1.0, 1, 0], [1.0, -1, 0]]), None, blocks, np.eye(2, 3, 1))
    with pytest.raises(ws.ModelError, match="every exp"):
        ws.run(T, "bbbb")
    with few_inputs(most=14, random=0, search=True):
        report = export.to_torch(T, allow_differences=True).agreement
    assert report is not None
    assert 0 < report.searched < sum(map(len, searched(T)))


# Which sublayers saturate midway


def test_the_sublayers_that_saturate_midway_are_named() -> None:
    T, first = MAJORITIES["fixed(2,2)"]
    ids = np.array([[T.vocabulary.index(token) for token in first]])
    assert relying_on_saturation(T, [ids], Late) == ("block 0 attention",)
    assert relying_on_saturation(T, [ids[:, :15]], Late) == ()
    assert relying_on_saturation(T, [ids[:, :16]], Late) == ()  # the end of the sum is where it saturates
    U, first = MAJORITIES["float(4,3)"]
    ids = np.array([[U.vocabulary.index(token) for token in first]])
    assert relying_on_saturation(U, [ids], Late) == ()  # it rounds midway, and does not saturate
    assert relying_on_saturation(U, [ids], late_and_exact) == ("block 0 attention",)


def test_survival_is_that_of_the_exported_module() -> None:
    """Without saturation parity is lost in every type; with it it is kept in all."""
    kept = export.to_torch(ws.library.parity()).agreement
    lost = export.to_torch(ws.library.parity(), saturate=False, allow_differences=True).agreement
    assert kept is not None
    assert lost is not None
    assert kept.survives == {"float32": True, "bfloat16": True, "float16": True}
    assert lost.survives == {"float32": False, "bfloat16": False, "float16": False}


def test_onnx_says_nothing_of_types_that_onnxruntime_does_not_run(tmp_path: Path) -> None:
    assert export.to_onnx(ws.library.parity(), tmp_path / "model.onnx").survives == {}
