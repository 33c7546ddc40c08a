"""The plain PyTorch module: the same decisions, the machine's floats, and back to a transformer."""

import copy
import pickle
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

import weightsmith as ws
from tests.export.models import all_inputs, hand_built
from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from tests.kernels.models import random_model
from tests.train.small import randomised
from weightsmith import Fixed, Native
from weightsmith.errors import ExportError
from weightsmith.export import Agreement, agreement, from_torch, to_torch, without_saturation
from weightsmith.export.measure import inputs, original
from weightsmith.export.pytorch import made
from weightsmith.export.pytorch.file import ModuleRun, write
from weightsmith.train import Shape
from weightsmith.train.convert import to_transformer

# What two programs that add in different orders may differ by, relative to the largest value
CLOSE = {"float64": 1e-12, "float32": 1e-4}
ROUNDING = ("bank()", "infinity_form(majority('1'))", "infinity_form(balanced(2))")  # these round on their way
WEIGHTINGS = (ws.Softmax(shifted=True), ws.AverageHard(), ws.LeftmostHard(), ws.RightmostHard())


@pytest.mark.parametrize("name", hand_built())
def test_hand_built_models_decide_alike_and_streams_stay_close(name: str) -> None:
    T = hand_built()[name]
    single, double = ModuleRun(made(T, dtype="float32")), ModuleRun(made(T, dtype="float64"))
    for ids in all_inputs(T, 6, most=100):
        wanted, found = original(T, ids), double.outputs(ids)
        for logits in (found.logits, single.outputs(ids).logits):
            assert np.array_equal(wanted.logits.argmax(-1), logits.argmax(-1))
        apart = [np.abs(a - b).max() for a, b in zip(wanted.stream or (), found.stream or (), strict=True)]
        assert max(apart) < 1e-12 or name in ROUNDING


@pytest.mark.parametrize("rule", RULES)
def test_models_in_native_give_what_their_run_gives(rule: str) -> None:
    for n, activation in enumerate(ACTIVATIONS):
        dtype: Any = ("float32", "float64", "float64")[(n + len(rule)) % 3]
        T = kind_of_model(
            Native(dtype), n, rule, activation, norms=True, loudness=0.0, parallel=n % 2 == 0, tied=n % 3 == 0,
            weighting=WEIGHTINGS[n % len(WEIGHTINGS)],
        )  # fmt: skip
        ids = np.random.default_rng(n).integers(0, 2, (3, 9))
        wanted, module = original(T, ids), made(T)
        found, run = module(torch.from_numpy(ids)).detach().numpy(), module.run(torch.from_numpy(ids))
        scale = max(np.abs(stage).max() for stage in wanted.stream or ())
        for a, b in zip(wanted.stream or (), run.stream, strict=True):
            assert np.abs(a - b.detach().numpy()).max() <= CLOSE[dtype] * scale
        assert np.abs(wanted.logits - found).max() <= CLOSE[dtype] * max(scale, np.abs(wanted.logits).max())
        assert [len(heads) for heads in run.attention] == [2, 2]
        assert run.activations[0].shape == (3, 9, 4)


def test_inputs_longer_than_the_first_tables_are_run_too() -> None:
    for positions in (ws.Rotary(), ws.Alibi(), ws.Sinusoidal(200)):
        T = kind_of_model(Native("float64"), 1, "none", loudness=0.0, weighting=ws.Softmax(shifted=True))
        T = ws.Transformer(**{**vars(T), "positions": positions})
        ids = np.random.default_rng(0).integers(0, 2, (2, 150))
        found = made(T)(torch.from_numpy(ids)).detach().numpy()
        assert np.abs(original(T, ids).logits - found).max() < 1e-9


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16"])
def test_a_module_runs_in_every_dtype(name: str) -> None:
    module = made(ws.library.contains("1"), dtype=name)
    assert module.embedding.dtype == getattr(torch, name)
    assert module(torch.tensor([[0, 1, 0]])).dtype == getattr(torch, name)
    moved = made(ws.library.contains("1")).to(getattr(torch, name))
    assert torch.equal(moved(torch.tensor([[0, 1, 0]])), module(torch.tensor([[0, 1, 0]])))


@pytest.mark.parametrize("rule", RULES)
def test_nothing_stays_behind_when_a_module_moves_to_another_device(rule: str) -> None:
    softmax = ws.Softmax(shifted=True)
    T = kind_of_model(Native("float32"), 1, rule, norms=True, loudness=0.0, weighting=softmax)
    for module in (made(T), made(kind_of_model(Fixed(4, 4), 1, rule, "gelu", norms=True), exact=True)):
        module.to("meta")  # a device without numbers, on which nothing else can be computed with
        assert {tensor.device.type for tensor in (*module.parameters(), *module.buffers())} == {"meta"}


@pytest.mark.long  # what it loads first takes its time
@pytest.mark.parametrize("rule", RULES)
def test_a_module_computes_with_nothing_but_what_moved(rule: str) -> None:
    T = kind_of_model(Native("float32"), 1, rule, norms=True, loudness=0.0, weighting=ws.Softmax(shifted=True))
    module, ids = made(T).to("meta"), torch.zeros(2, 7, dtype=torch.int64, device="meta")
    assert module(ids).shape == module.run(ids).logits.shape == (2, 7, 2)


def test_weights_have_readable_names_and_heads_of_one_kind_stand_together() -> None:
    T = ws.random_transformer("01", 4, 2, 3, 5, arithmetic=Native("float32"))
    names = list(made(T).state_dict())
    assert names[:3] == ["embedding", "output", "positions.values"]
    assert "blocks.1.attention.heads.0-2.W_Q" in names
    assert "blocks.0.feed_forward.W_1" in names
    assert made(T).vocabulary == ("0", "1")
    assert made(T).classes == ("NO", "YES")
    assert made(T).lanes == T.lanes
    tied = made(ws.random_transformer("01", arithmetic=Native("float32"), tied=True))
    assert "output" not in tied.state_dict()
    assert tied.output is None
    assert not dict(made(ws.random_transformer(), exact=True).named_parameters())


def test_a_module_can_be_trained_copied_and_pickled() -> None:
    T = kind_of_model(Native("float32"), 2, "halves", loudness=0.0, weighting=ws.Softmax(shifted=True), tied=True)
    module, ids = made(T), torch.tensor([[0, 1, 1]])
    module(ids).sum().backward()
    assert all(parameter.grad is not None for parameter in module.parameters())
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(other(ids), module(ids))
    with torch.no_grad():
        module.embedding += 1
    assert np.array_equal(from_torch(module).embedding, (T.embedding.astype(np.float32) + 1).astype(np.float64))


def test_the_transformer_comes_back_as_it_was() -> None:
    for seed in range(5):
        for A in (Fixed(4, 4), Native("float32"), Native("float64")):
            T = random_model(A, seed)
            assert from_torch(made(T)) == T
    for seed, rule in enumerate(RULES):
        T = kind_of_model(Native("float32"), seed, rule, "swiglu", norms=True)
        assert from_torch(made(T)) == T


def test_what_was_remembered_of_neurons_and_edits_comes_back() -> None:
    S = ws.random_transformer(lanes=4)
    T = ws.memory.write(S, 1, {"x0": 1.0}, {"x1": 1.0}, name="a fact")
    back = from_torch(made(T))
    assert back == T
    assert back.provenance == T.provenance
    assert back.edits == T.edits != ()
    layer, other = T.blocks[1].feed_forward, back.blocks[1].feed_forward
    assert layer is not None
    assert other is not None
    assert "a fact" in other.names == layer.names


def test_weights_that_are_no_members_are_refused_with_the_reason() -> None:
    module = made(ws.library.contains("1"))
    with torch.no_grad():
        module.embedding += 0.001
    with pytest.raises(ExportError, match=r"do not make a transformer in fixed\(4,4\).*round the parameters first"):
        from_torch(module)


@pytest.mark.parametrize("classes", [None, ("NO", "MAYBE", "YES")])
def test_what_train_makes_becomes_a_transformer(classes: tuple[str, ...] | None) -> None:
    shape = Shape(lanes=8, blocks=1, heads=2, neurons=6, context=8)
    model = randomised(shape, 3, None if classes is None else len(classes))
    assert from_torch(model, "abc", classes) == to_transformer(model, "abc", classes, "")
    with pytest.raises(ExportError, match=r"has no names: write from_torch\(module, vocabulary, classes\)"):
        from_torch(model)
    with pytest.raises(ExportError, match="the vocabulary has 2 tokens, and the module has 3"):
        from_torch(model, "ab", classes)
    with pytest.raises(ExportError, match="classes="):
        from_torch(model, "abc", ("x",) if classes is None else None)


def test_other_modules_are_refused_with_what_is_possible() -> None:
    with pytest.raises(ExportError, match=r"this is a 'Linear': write from_hugging_face\(directory\)"):
        from_torch(torch.nn.Linear(2, 2))
    with pytest.raises(ExportError, match=r"knows its vocabulary and classes: write from_torch\(module\)"):
        from_torch(made(ws.library.contains("1")), "01")


def test_a_module_refuses_what_is_no_input() -> None:
    module = made(ws.random_transformer(max_length=4))
    for wrong, message in (
        (torch.zeros(2, 3), "int64 .batch, positions., and this is a tensor of torch.float32 with 2 axes"),
        (torch.zeros(3, dtype=torch.int64), "with 1 axes"),
        ([[0, 1]], r"and this is \[\[0, 1\]\]"),
        (torch.zeros(1, 0, dtype=torch.int64), "no positions: give at least one token"),
        (torch.zeros(1, 5, dtype=torch.int64), "has 5 positions, and the position table holds 4"),
    ):
        with pytest.raises(ws.InputError, match=message):
            module(wrong)


def test_dtypes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ExportError, match="dtype='int8': write one of float32, float64, bfloat16, float16"):
        made(ws.library.contains("1"), dtype="int8")
    T = ws.to_arithmetic(ws.library.contains("1"), ws.Float.like("bfloat16"))
    T = ws.Transformer(**{**vars(T), "embedding": np.full_like(T.embedding, T.arithmetic.infinity)})
    with pytest.raises(ExportError, match=r"embedding holds 3.38953e\+38, which is beyond float16: write dtype="):
        made(T, dtype="float16")
    assert made(T).embedding.dtype == torch.float32
    assert made(ws.random_transformer(arithmetic=ws.Float(10, 25))).embedding.dtype == torch.float64


def test_the_report_is_attached_and_complete() -> None:
    found = to_torch(ws.library.first_equals_last()).agreement
    assert found is not None
    assert (found.target, found.dtype, found.agrees) == ("PyTorch", "float32", True)
    assert found.inputs > 8000
    assert found.up_to == 12
    assert found.longest == 64
    assert found.logit_difference == found.stream_difference == 0
    assert dict(found.survives) == {"float32": True, "bfloat16": True, "float16": True}
    assert found.saturates == ()  # the module saturates too


def test_a_model_that_decides_otherwise_is_refused_with_what_to_write() -> None:
    T = ws.flag(ws.library.contains("1") & ws.library.contains("0"), "start", [0], max_length=5)
    with pytest.raises(ExportError) as refused:
        to_torch(T, saturate=False)
    text = str(refused.value)
    # At every position that only one symbol stands before: 2·(2 + 4 + … + 32 − 5) of them
    assert text.startswith(
        "PyTorch in float32 decides 114 times otherwise, first on 0: YES, where the original says NO. It "
    )
    assert "It relies on saturation:" in text
    assert "block 3 feed-forward (infinity form: times ∞ again)" in text
    assert "without_saturation(T) is the same model without it" in text
    assert "Write allow_differences=True to have it nevertheless" in text
    found = to_torch(T, saturate=False, allow_differences=True).agreement
    assert found is not None
    assert not found.agrees
    assert found.saturates == ("block 3 feed-forward",)
    assert not found.survives["float16"] or found.survives["float32"]
    assert agreement(without_saturation(T), made(without_saturation(T), saturate=False), up_to=6).agrees


def test_agreement_takes_modules_functions_and_what_exporters_wrap() -> None:
    T = ws.library.contains("1")
    module = made(T)
    wanted: Agreement = agreement(T, module, up_to=5)
    assert wanted.agrees
    assert wanted.inputs == 2 + 4 + 8 + 16 + 32
    assert agreement(T, ModuleRun(module), up_to=5) == wanted
    assert agreement(T, lambda ids: module(torch.from_numpy(ids)), up_to=5).agrees
    assert agreement(T, torch.nn.Sequential(module), up_to=5).agrees
    always = agreement(T, lambda ids: np.ones((*ids.shape, 2)) * [1, 0], up_to=3)
    assert always.first_difference == ("1",)
    assert always.different_decisions == 1 + 5 + 17  # of all positions those from the first 1 on
    unknown = agreement(T, lambda ids: np.full((*ids.shape, 2), np.nan), up_to=2)
    assert unknown.different_decisions == 2 + 8
    assert unknown.logit_difference == np.inf
    with pytest.raises(ExportError, match=r"agreement\(T, 3\): give it what an exporter made"):
        agreement(T, 3)
    with pytest.raises(ExportError, match=r"returned 'float64' \(2,\) for token ids \(2, 1\)"):
        agreement(T, lambda ids: np.zeros(2))
    with pytest.raises(ws.InputError, match="up_to"):
        agreement(T, module, up_to=0)


def test_written_weights_and_programs_open_without_us(tmp_path: Path) -> None:
    T = ws.random_transformer(blocks=1, max_length=3, arithmetic=Native("float32"))
    module, ids = made(T), torch.tensor([[0, 1], [1, 1], [1, 0]])
    assert write(T, module, tmp_path / "m.safetensors").agrees
    found = safetensors.torch.load_file(tmp_path / "m.safetensors")
    assert found.keys() == module.state_dict().keys()
    assert torch.equal(found["embedding"], module.embedding)
    other = made(ws.random_transformer(blocks=1, max_length=3, arithmetic=Native("float32"), seed=1))
    other.load_state_dict(found)
    assert torch.equal(other(ids), module(ids))
    assert write(T, module, tmp_path / "m.pt2").target == "PyTorch program"
    program = torch.export.load(BytesIO((tmp_path / "m.pt2").read_bytes())).module()
    assert torch.allclose(program(ids), module(ids), atol=1e-6)
    assert program(ids[:1, :1]).shape == (1, 1, 2)
    with pytest.raises(ExportError, match=r"ends with \.pt2 for a program"):
        write(T, module, tmp_path / "m.pt")
    with pytest.raises(ExportError, match=r"\.safetensors for its weights"):
        write(T, made(ws.library.contains("1"), exact=True), tmp_path / "m.pt2")


def test_a_large_model_is_run_on_fewer_inputs() -> None:
    small, large = (ws.random_transformer("01", lanes, max_length=20) for lanes in (4, 120))
    counts = [sum(len(ids) for ids, _ in inputs(T)) for T in (small, large)]
    assert counts[0] == 2**13 - 2 + 200
    assert counts[1] < counts[0]
    for T in (small, large):
        complete = max(ids.shape[1] for ids, whole in inputs(T) if whole)
        assert sum(len(ids) for ids, whole in inputs(T) if whole) == 2 ** (complete + 1) - 2
        assert max(ids.shape[1] for ids, _ in inputs(T)) == 20
