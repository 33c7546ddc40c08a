"""Models with a readout, such as compiled programs, in other tools: the codes of its lanes, at every position."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForTokenClassification, pipeline

import weightsmith as ws
from tests.export.hub import offline
from tests.programs import examples_in_python as programs
from weightsmith import Fixed, Native, export
from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError
from weightsmith.export.pytorch import made
from weightsmith.export.pytorch.file import write
from weightsmith.programs import CompiledProgram, rasp

LENGTH = 4
PROGRAMS = {
    "hist": (programs.hist, "abc"),
    "reverse": (programs.reverse, "abc"),
    "sort": (lambda: programs.stable_sort(rasp.tokens, rasp.tokens), "abc"),
    "shuffle_dyck2": (lambda: programs.shuffle_dyck(("()", "{}")), "(){}"),
}


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")):
        yield


@cache
def compiled(name: str) -> CompiledProgram:
    make, vocabulary = PROGRAMS[name]
    return ws.programs.compile(make(), vocabulary=vocabulary, max_length=LENGTH)


@cache
def wanted(name: str) -> dict[tuple[int, ...], list[Any]]:
    """Return what the program says of every input, by the interpreter."""
    P = compiled(name)
    places = [ids for n in range(1, LENGTH + 1) for ids in product(range(len(P.transformer.vocabulary)), repeat=n)]
    tokens = P.transformer.vocabulary
    return {ids: list(ws.programs.evaluate(P.program, [tokens[i] for i in ids])) for ids in places}


def table(readout: ws.Readout | None) -> list[list[Any]]:
    """Return a readout as it stands beside a model: pairs of a code and its value."""
    assert readout is not None
    return [[list(code), value] for code, value in readout.entries]


def assert_says(name: str, run: Any, entries: list[list[Any]]) -> None:
    """See that codes, by a table as it stands beside a model, are the values that the program has everywhere."""
    values = {tuple(code): value for code, value in entries}
    for n in range(1, LENGTH + 1):
        inputs = [ids for ids in wanted(name) if len(ids) == n]
        found = np.asarray(run(np.array(inputs)), np.float64)
        said = [[values[tuple(code)] for code in row] for row in found.tolist()]
        assert said == [wanted(name)[ids] for ids in inputs]


def assert_complete(name: str, report: Any) -> None:
    assert report.agrees
    assert report.up_to == LENGTH
    assert (report.inputs, report.outputs) == (len(wanted(name)), sum(map(len, wanted(name))))
    assert report.logit_difference == report.stream_difference == 0


def in_torch(module: Any) -> Any:
    def run(ids: Array) -> Any:
        with torch.no_grad():
            return module(torch.from_numpy(ids)).numpy()

    return run


@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_say_what_the_program_says_and_the_exact_one_has_its_streams(name: str) -> None:
    T = compiled(name).transformer
    for module in (export.to_torch(T), export.to_torch(T, exact=True)):
        assert_complete(name, module.agreement)
        assert module.readout == T.readout
        assert_says(name, in_torch(module), table(module.readout))
        assert export.from_torch(module) == T
    for ids in list(wanted(name))[::7]:
        found, r = module.run(torch.tensor([ids])), ws.run(T, [T.vocabulary[i] for i in ids])
        assert all(np.array_equal(ours[0].numpy(), stage) for ours, stage in zip(found.stream, r.stream, strict=True))
        assert np.array_equal(found.logits[0].numpy(), np.asarray(r.codes))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.one_in(2)
def test_onnxruntime_gives_codes_and_the_table_is_in_the_metadata(name: str, tmp_path: Path) -> None:
    T = compiled(name).transformer
    assert_complete(name, export.to_onnx(T, tmp_path / "model.onnx", trace=True))
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    said = json.loads(session.get_modelmeta().custom_metadata_map["weightsmith"])
    assert said["readout"]["table"] == table(T.readout)
    assert_says(name, lambda ids: session.run(["codes"], {"tokens": ids})[0], said["readout"]["table"])
    assert export.agreement(T, tmp_path / "model.onnx", up_to=2).agrees
    other = replace(T, readout=None, classes=("NO", "YES"), output=np.zeros((2, len(T.lanes))))
    with pytest.raises(ws.FileError, match=r"it gives codes and no logits: it was written from another model"):
        export.agreement(other, tmp_path / "model.onnx")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.one_in(2)
def test_transformer_lens_gives_codes(name: str) -> None:
    T = compiled(name).transformer
    bridge = export.to_transformer_lens(T)
    assert_complete(name, bridge.agreement)
    assert_says(name, in_torch(bridge), table(bridge.readout))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.one_in(2)
def test_transformers_says_the_values_as_labels_of_tokens(name: str, tmp_path: Path) -> None:
    T = compiled(name).transformer
    assert_complete(name, export.to_hugging_face(T, tmp_path / "model"))
    model = AutoModelForTokenClassification.from_pretrained(tmp_path / "model", trust_remote_code=True)
    values = model.config.readout["values"]
    for n in range(1, LENGTH + 1):
        inputs = [ids for ids in wanted(name) if len(ids) == n]
        labels = model(torch.tensor(inputs)).logits.argmax(-1).tolist()
        assert [[values[label] for label in row] for row in labels] == [wanted(name)[ids] for ids in inputs]
    assert export.agreement(T, tmp_path / "model", up_to=2).agrees


def test_the_pipeline_of_transformers_shows_a_value_at_every_token_and_leaves_padding_alone(tmp_path: Path) -> None:
    P = compiled("hist")
    export.to_hugging_face(P.transformer, tmp_path / "model")
    say = pipeline("token-classification", str(tmp_path / "model"), trust_remote_code=True, batch_size=2)
    assert [[token["entity"] for token in tokens] for tokens in say(["abca", "bb"])] == [list("2112"), list("22")]


def program(table: dict[float, Any], values: tuple[float, ...] = (0.0, 1.0, 2.0)) -> ws.Transformer:
    """Give a model of one lane, which says of each of three tokens what its embedding stands for."""
    readout = ws.Readout(("code",), table)
    return ws.Transformer(Fixed(4, 4), "abc", ("code",), np.array([values]).T, readout=readout)


def test_values_of_any_kind_have_labels_and_texts_are_told_from_what_looks_like_them(tmp_path: Path) -> None:
    export.to_hugging_face(program({0: "a", 1: None, 2: 0.5}), tmp_path / "plain")
    export.to_hugging_face(program({0: "1", 1: 1, 2: "None"}), tmp_path / "alike")
    configs = [json.loads((tmp_path / name / "config.json").read_text()) for name in ("plain", "alike")]
    assert [list(config["id2label"].values()) for config in configs] == [["a", "None", "0.5"], ["'1'", "1", "'None'"]]
    assert configs[1]["readout"]["values"] == ["1", 1, "None"]


def test_a_code_that_is_not_in_the_table_is_a_difference_however_near_it_is(tmp_path: Path) -> None:
    T = program({0: "zero", 1: "one", 2: "two"})
    module = export.to_torch(T)
    with torch.no_grad():
        module.embedding[1] += 2.0**-20
    report = export.agreement(T, module, up_to=2)
    assert (report.different_decisions, report.outputs) == (1 + 6, 3 + 18)
    assert (report.first_difference, report.first_position) == (("b",), 0)
    first = "outputs: 7 of 21 differ, the first on b: nothing that is an answer, where the original says one\n"
    assert f"{first}largest difference of a code: 9.54e-07" in str(report)
    assert not export.agreement(T, lambda ids: np.full((*ids.shape, 1), np.nan), up_to=2).agrees
    export.to_hugging_face(T, tmp_path / "model")
    model = AutoModelForTokenClassification.from_pretrained(tmp_path / "model", trust_remote_code=True)
    model.network.embedding.weight.data[1] += 0.25
    with pytest.raises(ValueError, match=r"input 1, position 2: the code \[1.25\] is not in the table of the readout"):
        model(torch.tensor([[0, 2, 0], [0, 2, 1]]))
    assert model(torch.tensor([[0, 1]]), attention_mask=torch.tensor([[1, 0]])).logits[0, 0].argmax() == 0


def test_with_a_full_mask_a_difference_before_the_last_position_counts_and_is_named() -> None:
    T = replace(program({0: "zero", 1: "one", 2: "two"}), mask="full")

    def run(ids: Array) -> Array:
        codes: Array = T.embedding[ids]
        codes[:, 0] = np.where(ids[:, -1:] == 2, 2, codes[:, 0])
        return codes

    report = export.agreement(T, run, up_to=2)
    assert (report.different_decisions, report.first_difference, report.first_position) == (2, ("a", "c"), 0)
    with pytest.raises(ExportError, match="says something .* times otherwise, first on a, c at position 0"):
        required(report, allow_differences=False)


def required(report: Any, allow_differences: bool) -> Any:
    """Return what exporters do with a report; the package has a function of the module's name."""
    return import_module("weightsmith.export.measure").required(report, allow_differences)


def reported(module: Any) -> export.Agreement:
    """Return the report on a module."""
    report: export.Agreement = module.agreement
    return report


def thirds() -> ws.Transformer:
    """Give the mean over what was seen of "a" as 1, which is rounded in the arithmetic: 1 ⊘ 3 is 0.3125."""
    A, nothing = Fixed(4, 4), np.zeros((0, 2))
    head = ws.Head(nothing, nothing, np.array([[1.0, 0.0]]), np.array([[0.0], [1.0]]), ws.AverageHard())
    table = {float(code): n for n, code in enumerate(A.round(np.arange(0, 16) / 16).tolist())} | {1.0: 16}
    return ws.Transformer(
        A, "ab", ("is a", "mean"), np.array([[1.0, 0.0], [0.0, 0.0]]), ws.PositionTable(np.zeros((4, 2))),
        [ws.Block(ws.Attention([head]))], readout=ws.Readout(("mean",), table),
    )  # fmt: skip


def test_where_an_answer_hangs_on_rounding_only_the_exact_module_is_taken(tmp_path: Path) -> None:
    T = thirds()
    assert reported(export.to_torch(T, exact=True)).agrees
    hint = r"does not round as the original does: to_torch\(T, exact=True\) does, and a program compiled with backend"
    for make in (
        export.to_torch,
        export.to_transformer_lens,
        lambda T: export.to_onnx(T, tmp_path / "model.onnx"),
        lambda T: export.to_hugging_face(T, tmp_path / "model"),
    ):
        with pytest.raises(ExportError, match=hint):
            make(T)
    assert not list(tmp_path.iterdir())
    report = reported(export.to_torch(T, allow_differences=True))
    assert report.first_difference == ("a", "a", "a")  # 1 ⊘ 3 three times is 15/16
    assert not any(report.survives.values())


def test_programs_need_the_ends_of_the_arithmetic_and_what_has_none_is_refused(tmp_path: Path) -> None:
    T = compiled("hist").transformer
    message = r"It relies on saturation: block 0 attention \(hist\); a program compiled with backend=.softmax. does"
    with pytest.raises(ExportError, match=message):
        export.to_torch(T, saturate=False)
    with pytest.raises(ExportError, match=message):
        export.to_onnx(T, tmp_path / "model.onnx", saturate=False)
    with pytest.raises(ExportError, match="GPT-2 has classes, and this model a readout: write .*backend=.softmax"):
        export.to_hugging_face(T, tmp_path / "model", stock="gpt2")


def test_a_portable_program_is_compared_at_every_position_too() -> None:
    P = ws.programs.compile(programs.hist(), vocabulary="abc", max_length=LENGTH, backend="softmax")
    report = reported(export.to_torch(P.transformer, saturate=False))
    assert P.transformer.mask == "full"
    assert report.agrees
    assert report.outputs == sum(map(len, wanted("hist")))


def test_a_readout_in_the_machines_own_floats_is_read_after_the_final_norm(tmp_path: Path) -> None:
    rows = np.array([[1.0, -1.0], [-1.0, 1.0]])
    readout = ws.Readout(("y", "x"), {(-1, 1): "first", (1, -1): "second"})
    T = ws.Transformer(Native("float64"), "ab", ("x", "y"), 4 * rows, final_norm=ws.LayerNorm(eps=0.0), readout=readout)
    reports = [
        export.to_torch(T).agreement,
        export.to_transformer_lens(T).agreement,
        export.to_onnx(T, tmp_path / "model.onnx"),
        export.to_hugging_face(T, tmp_path / "model"),
    ]
    assert all(report.agrees and report.logit_difference == 0 for report in reports)


def test_the_circuit_of_a_program_ends_in_the_lanes_that_are_read() -> None:
    T = compiled("hist").transformer
    found = export.circuit(T)
    assert found["readout"] == {"lanes": ["hist"], "table": table(T.readout)}
    assert found["components"][-1]["reads"] == {"hist": {"hist": 1.0}}
    assert {edge["from"] for edge in found["edges"] if edge["to"] == "unembed"} >= {"blocks.0.attn.head.0"}


def test_the_table_goes_with_the_weights_and_with_a_program_of_torch_export(tmp_path: Path) -> None:
    P = compiled("reverse")
    T, module = P.transformer, made(P.transformer)
    entries = table(T.readout)
    assert write(T, module, tmp_path / "weights.safetensors").agrees
    with safe_open(tmp_path / "weights.safetensors", "np") as file:
        assert json.loads(file.metadata()["weightsmith"])["readout"] == {"lanes": ["reverse"], "table": entries}
    inside = {"weightsmith.json": ""}
    assert write(T, module, tmp_path / "program.pt2").agrees
    program = torch.export.load(tmp_path / "program.pt2", extra_files=inside).module()
    assert json.loads(inside["weightsmith.json"])["readout"]["table"] == entries
    assert_says("reverse", in_torch(program), entries)
