"""What is written for Hugging Face opens in its library, offline, and decides as the original."""

import ast
import json
import os
import subprocess
import sys
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
    pipeline,
)

import weightsmith as ws
from tests.export.hub import few_inputs, offline
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import WEIGHTINGS
from weightsmith import Fixed, Native, Transformer, export, semantics
from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError
from weightsmith.export import description
from weightsmith.export.hugging_face import hub
from weightsmith.export.hugging_face.hub.network_weightsmith import Operations
from weightsmith.library.entries import ENTRIES, EXAMPLES, Entry
from weightsmith.model import Weighting
from weightsmith.model.folds import map_arrays

FLOAT64 = Native("float64")
RECOGNISERS = [entry for entry in ENTRIES if entry.build().classes == ("NO", "YES")]
LIBRARY = [*ENTRIES, *EXAMPLES]
A, B = ws.library.contains("1"), ws.library.ends_with("01")
TABLE = ws.PositionTable(np.random.default_rng(0).normal(size=(12, 3)))
FORMS: dict[str, Any] = {
    "zero-one": ws.zero_one_form,
    "infinity": ws.infinity_form,
    "signed infinity": ws.signed_infinity_form,
}
COMBINATIONS = {
    "and": A & B,
    "or": A | B,
    "xor": A ^ B,
    "not": ~A,
    "if": ws.if_then_else(A, B, ~B),
    "zero": ws.zero_vector(ws.flag(ws.library.length_modulo(3), "here", [2]), at="here"),
}


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with offline(tmp_path_factory.mktemp("modules")) as folder, few_inputs():
        yield folder


def opened(directory: Path, T: Transformer) -> Any:
    kind = AutoModelForCausalLM if T.classes == T.vocabulary else AutoModelForSequenceClassification
    return kind.from_pretrained(directory, trust_remote_code=True).eval()


def tokenizer(directory: Path) -> Any:
    return AutoTokenizer.from_pretrained(directory, trust_remote_code=True)


# Agreement


@pytest.mark.one_in(2)
@pytest.mark.parametrize("entry", LIBRARY, ids=lambda entry: entry.name)
def test_every_model_of_the_library_decides_as_the_original(entry: Entry, tmp_path: Path) -> None:
    T = entry.build()
    report = export.to_hugging_face(T, tmp_path / "model")
    assert report.agrees
    assert (report.target, report.dtype) == ("Hugging Face", "float64")
    assert report.up_to >= 6 or len(T.vocabulary) > 2
    if entry.name not in ("balanced", "bank", "parity"):  # their sums are rounded, or saturate on the way
        assert report.stream_difference is not None
        assert report.stream_difference < 1e-12


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("entry", RECOGNISERS, ids=lambda entry: entry.name)
@pytest.mark.one_in(8)
def test_a_normal_form_decides_as_the_original(entry: Entry, form: str, tmp_path: Path) -> None:
    report = export.to_hugging_face(FORMS[form](entry.build()), tmp_path / "model")
    assert report.agrees
    assert report.up_to >= 6


@pytest.mark.parametrize("name", COMBINATIONS)
def test_a_combination_decides_as_the_original_and_saturates_where_it_does(name: str, tmp_path: Path) -> None:
    report = export.to_hugging_face(COMBINATIONS[name], tmp_path / "model")
    assert report.agrees
    assert report.up_to >= 6
    assert report.stream_difference == 0


def close(report: export.Agreement, T: Transformer) -> bool:
    """Say whether the stream is as close as float64 allows: relative to the sizes of its values, which reach 10^6."""
    assert report.stream_difference is not None
    largest = max(float(np.abs(ws.run(T, tokens).stream).max()) for tokens in ("a", "ab", "abba", "bbbaa"))
    return report.agrees and report.stream_difference < 1e-12 * max(largest, 1.0) ** 2


def calm(T: Transformer) -> Transformer:
    """Halve every weight, so that no exponential overflows."""
    return map_arrays(T, lambda array: array / 2)


KINDS = [(rule, mask) for mask in ("causal", "full") for rule in (RULES if mask == "causal" else FULL)]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("rule", "mask"), KINDS)
@pytest.mark.one_in(12)
def test_every_kind_of_model_agrees(rule: str, mask: str, activation: str, tmp_path: Path) -> None:
    T = calm(kind_of_model(FLOAT64, 8, rule, activation, mask=mask, loudness=0.0, norms=activation == "gelu"))
    assert close(export.to_hugging_face(T, tmp_path / "model"), T)


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
def test_every_weighting_gives_the_weights_of_the_reference(weighting: Weighting) -> None:
    arithmetic, random = Fixed(4, 20), np.random.default_rng(0)
    scores = arithmetic.round(random.choice([-15.9, -14.0, -2.5, 0.0, 0.25, 3.0, 15.9], (50, 6, 6)))
    scores[0] = scores[1, 0] = arithmetic.round(-15.9)  # nothing has a weight
    visible = np.tril(np.ones((6, 6), bool))
    how, weigh = description.weighting(arithmetic, weighting), Operations().weigh
    given = torch.tensor(scores), torch.tensor(visible).expand(50, 6, 6), torch.ones(6, 1, dtype=torch.bool)
    if weighting == ws.Softmax(shifted=True, empty="error"):
        assert np.abs(weigh(how, *given).numpy() - reference(arithmetic, weighting, scores, visible)).max() < 1e-5
        how = description.weighting(arithmetic, ws.Softmax(empty="error"))
        with pytest.raises(ValueError, match=r"every weight of a row of attention is 0; the largest score is -15\.9"):
            weigh(how, *given)
        return
    # The reference rounds each exponential, sum and weight by up to 2^-21
    assert np.abs(weigh(how, *given).numpy() - reference(arithmetic, weighting, scores, visible)).max() < 1e-5


def reference(arithmetic: Fixed, weighting: Weighting, scores: Array, visible: Any) -> Array:
    return semantics.attention.weigh(arithmetic.core, weighting, scores, visible, "a head")[0]


def test_parallel_blocks_agree(tmp_path: Path) -> None:
    T = calm(kind_of_model(FLOAT64, 4, "halves", "gelu", loudness=0.0))
    T = replace(T, blocks=tuple(replace(block, parallel=True) for block in T.blocks))
    assert close(export.to_hugging_face(T, tmp_path / "model"), T)


# In the library's hands


def test_the_hidden_states_and_the_attention_are_those_of_the_run(tmp_path: Path) -> None:
    T = ws.library.eiffel()
    text = "The Eiffel Tower is in"
    export.to_hugging_face(T, tmp_path / "model")
    model, run = opened(tmp_path / "model", T), ws.run(T, text)
    given = tokenizer(tmp_path / "model")(text, return_tensors="pt")
    found = model(**given, output_hidden_states=True, output_attentions=True)
    for stage, expected in zip(found.hidden_states, run.stream[::2], strict=True):
        assert np.abs(stage[0].numpy(force=True) - expected).max() < 1e-12
    for block, heads in zip(found.attentions, run.attention, strict=True):
        assert np.abs(block[0].numpy(force=True) - np.stack(heads)).max() < 1e-12
    assert "hidden_states" not in model(**given)
    assert model(**given, return_dict=False)[0].shape[-1] == found.logits.shape[-1]


def test_generate_and_the_pipeline_write_what_weightsmith_writes(tmp_path: Path) -> None:
    T = ws.library.fish()
    export.to_hugging_face(T, tmp_path / "model")
    model, reading = opened(tmp_path / "model", T), tokenizer(tmp_path / "model")
    texts = ["Thanks for all the", "all the", "Thanks for the", "the"]
    expected = [" ".join([text, *ws.generate(T, text, 3)]) for text in texts]
    made = model.generate(**reading(texts, return_tensors="pt", padding=True), max_new_tokens=3)
    assert [text.strip() for text in reading.batch_decode(made, skip_special_tokens=True)] == expected
    writer = pipeline("text-generation", str(tmp_path / "model"), trust_remote_code=True)
    assert [one[0]["generated_text"] for one in writer(texts, batch_size=2, max_new_tokens=3)] == expected


def test_the_pipeline_classifies_with_the_names_of_the_classes(tmp_path: Path) -> None:
    T = ws.library.contains_word("101")
    export.to_hugging_face(T, tmp_path / "model")
    texts = ["".join(bits) for n in range(1, 6) for bits in product("01", repeat=n)]
    classify = pipeline("text-classification", str(tmp_path / "model"), trust_remote_code=True)
    assert [one["label"] for one in classify(texts, batch_size=len(texts))] == [ws.run(T, x).decision for x in texts]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("rule", "mask"), [("one for each head", "causal"), ("alibi", "full"), ("halves", "full")])
def test_padding_changes_nothing_on_either_side(rule: str, mask: str, side: str, tmp_path: Path) -> None:
    for tied in (True, False):
        T = calm(kind_of_model(FLOAT64, 1, rule, "silu", mask=mask, tied=tied, loudness=0.0))
        T = replace(T, positions=tuple(scheme for scheme in (TABLE, T.attention_positions) if scheme is not None))
        export.to_hugging_face(T, tmp_path / "model")
        model, reading = opened(tmp_path / "model", T), tokenizer(tmp_path / "model")
        reading.padding_side = side
        texts = ["a", "abba", "bb", "babab"]
        given = reading(texts, return_tensors="pt", padding=True)
        several = model(**given).logits.detach()
        by_ids = model(
            input_ids=given["input_ids"]
        ).logits.detach()  # padding is told from tokens without a mask as well
        assert torch.equal(several, by_ids)
        for n, text in enumerate(texts):
            alone = model(**reading(text, return_tensors="pt")).logits[0].detach()
            real = given["attention_mask"][n].bool()
            found = several[n][real][:, :-1] if tied else several[n]
            alone = alone[:, :-1] if tied else alone
            assert float((found - alone).abs().max()) <= 1e-12 * max(1.0, float(alone.abs().max()))


@pytest.mark.long  # a process of its own takes its time; the test after this one asks the same of the sources
def test_a_process_that_has_no_weightsmith_opens_the_directory(tmp_path: Path) -> None:
    export.to_hugging_face(A & B, tmp_path / "model")
    program = (
        "import sys; sys.modules['weightsmith'] = None\n"
        "from transformers import pipeline\n"
        f"classify = pipeline('text-classification', {str(tmp_path / 'model')!r}, trust_remote_code=True)\n"
        "print(*(one['label'] for one in classify(['1101', '1110', '01', '0'])))\n"
    )
    home = {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **home}, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.split() == ["YES", "NO", "YES", "NO"], done.stderr


def test_the_files_beside_the_weights_import_torch_and_transformers_only() -> None:
    for source in Path(hub.__file__).parent.glob("*_weightsmith.py"):
        for node in ast.walk(ast.parse(source.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [str(node.module)]
            assert {name.partition(".")[0] for name in names} <= {"torch", "transformers", "math", "typing"}


def test_what_was_opened_saves_and_opens_again(tmp_path: Path, modules: Path) -> None:
    T = ws.library.fish()
    export.to_hugging_face(T, tmp_path / "model")
    opened(tmp_path / "model", T).save_pretrained(tmp_path / "again")
    given = torch.tensor([[3, 4, 5, 6]])
    assert torch.equal(opened(tmp_path / "again", T)(given).logits, opened(tmp_path / "model", T)(given).logits)


def test_an_export_leaves_nothing_where_the_library_keeps_code(tmp_path: Path, modules: Path) -> None:
    before = sorted(modules.rglob("*"))
    export.to_hugging_face(A, tmp_path / "a model of mine")
    assert sorted(modules.rglob("*")) == before


def test_a_loss_is_that_of_the_logits(tmp_path: Path) -> None:
    export.to_hugging_face(A, tmp_path / "model")
    given, labels = torch.tensor([[0, 1], [0, 0]]), torch.tensor([1, 0])
    found = opened(tmp_path / "model", A)(given, labels=labels)
    assert torch.allclose(found.loss, torch.nn.functional.cross_entropy(found.logits, labels))
    T = ws.library.fish()
    export.to_hugging_face(T, tmp_path / "model")
    given = torch.tensor([[3, 4, 5, 6]])
    found = opened(tmp_path / "model", T)(given, labels=given)
    assert torch.allclose(found.loss, torch.nn.functional.cross_entropy(found.logits[0, :-1], given[0, 1:]))


# What may go wrong


def test_what_decides_otherwise_is_refused_and_not_written(tmp_path: Path) -> None:
    T = kind_of_model(Fixed(2, 2), 1, "none", "relu")  # so coarse that rounding decides
    with pytest.raises(ExportError, match="Hugging Face in float64 decides .* times otherwise, first on"):
        export.to_hugging_face(T, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    assert not export.to_hugging_face(T, tmp_path / "model", allow_differences=True).agrees


@pytest.mark.parametrize(("positions", "most"), [(TABLE, 12), ((TABLE, ws.Rotary()), 12), (ws.Alibi(), 2048)])
def test_an_input_that_is_too_long_is_refused(positions: Any, most: int, tmp_path: Path) -> None:
    T = replace(calm(kind_of_model(FLOAT64, 3, "none", "relu", loudness=0.0)), positions=positions)
    export.to_hugging_face(T, tmp_path / "model")
    model = opened(tmp_path / "model", T)
    assert model.config.max_position_embeddings == most
    with pytest.raises(ValueError, match=f"the input has {most + 1} tokens, and this model reads at most {most}"):
        model(torch.zeros(1, most + 1, dtype=torch.long))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_every_dtype_is_opened_as_it_was_written(dtype: Any, tmp_path: Path) -> None:
    report = export.to_hugging_face(A, tmp_path / "model", dtype=dtype)
    assert (report.agrees, report.dtype) == (True, dtype)
    assert opened(tmp_path / "model", A).dtype == getattr(torch, dtype)


def test_hostile_names_of_tokens_and_classes_stay_what_they_are(tmp_path: Path) -> None:
    tokens = ("</s>", "a\tb", "../..", "{{x}}", "\u2028", "'\"\\", "__import__('os')", "<unk>")
    T = replace(
        ws.random_transformer(tokens, 3, 1, 1, 2, 4, arithmetic=FLOAT64, seed=0), classes=("\u202e", "\n</script>")
    )
    export.to_hugging_face(T, tmp_path / "model")
    model, reading = opened(tmp_path / "model", T), tokenizer(tmp_path / "model")
    assert list(model.config.id2label.values()) == list(T.classes)
    assert reading.convert_tokens_to_ids(list(tokens)) == list(range(len(tokens)))
    assert reading("</s> ../.. <unk>")["input_ids"] == [0, 2, 7]


def test_an_earlier_export_is_measured_again(tmp_path: Path) -> None:
    written = export.to_hugging_face(A, tmp_path / "model")
    assert written.proved == "all lengths"
    assert export.agreement(A, tmp_path / "model") == replace(written, proved=None)  # somebody may have changed it
    with pytest.raises(ExportError, match="holds another model: its tokens or classes are not those of this one"):
        export.agreement(ws.library.fish(), tmp_path / "model")


def test_the_circuit_goes_with_the_weights(tmp_path: Path) -> None:
    export.to_hugging_face(A, tmp_path / "model")
    assert json.loads((tmp_path / "model" / "circuit.json").read_text()) == export.circuit(A)
