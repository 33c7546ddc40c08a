"""Checkpoints that Hugging Face's own classes have written, read back: the logits must be those of transformers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.gpt2.modeling_gpt2 import GPT2Model

import weightsmith as ws
from tests.export.families import FAMILIES, TOKENS, in_float64, logits, model
from weightsmith.export import from_hugging_face
from weightsmith.export.measure import original

LENGTHS = (1, 2, 7, 31)
# In float32 both sides round to 2^-24 at every step, in another order; in float64 to 2^-53.
CLOSE = {"float32": 1e-4, "float64": 1e-9}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("gpt2", {"activation_function": "relu", "n_inner": None, "scale_attn_weights": False}),
    ("llama", {"attention_bias": True, "mlp_bias": True, "head_dim": 6, "num_key_value_heads": 4}),
    ("llama", {"num_key_value_heads": 1, "rope_parameters": {"rope_type": "default", "rope_theta": 500.0}}),
    ("llama", {"hidden_act": "relu", "rms_norm_eps": 0.1}),
    ("mistral", {"head_dim": 12}),
    ("gemma", {"attention_bias": True, "hidden_act": "gelu", "num_key_value_heads": 1}),
    ("qwen2", {"use_sliding_window": True, "sliding_window": 40, "max_window_layers": 1}),
    ("qwen2", {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}),
    ("gpt_neox", {"use_parallel_residual": False, "attention_bias": False, "hidden_act": "gelu_new"}),
    ("phi", {"num_key_value_heads": 2, "hidden_act": "gelu", "layer_norm_eps": 0.1}),
]


def assert_same_logits(T: ws.Transformer, model: Any, close: float) -> None:
    random = np.random.default_rng(5)
    for length in LENGTHS:
        ids = random.integers(TOKENS, size=length)
        wanted = logits(model, ids)
        np.testing.assert_allclose(original(T, ids[None]).logits[0], wanted, rtol=0, atol=close)
        run = ws.run(T, [T.vocabulary[i] for i in ids])
        np.testing.assert_allclose(run.logits, wanted[-1], rtol=0, atol=close)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_logits_of_a_checkpoint_are_those_of_transformers(family: str, tied: bool, tmp_path: Path) -> None:
    theirs = model(family, tie_word_embeddings=tied)
    theirs.save_pretrained(tmp_path)
    T = from_hugging_face(tmp_path)
    assert (T.arithmetic, T.tied) == (ws.Native("float32"), tied and family != "gemma")  # its embedding is scaled
    assert_same_logits(T, theirs, CLOSE["float32"])
    wide = from_hugging_face(tmp_path, numbers="float64")
    assert wide.arithmetic == ws.Native("float64")
    assert_same_logits(wide, in_float64(theirs), CLOSE["float64"])


@pytest.mark.parametrize(("family", "changes"), VARIANTS)
def test_what_a_config_changes_is_read(family: str, changes: dict[str, Any], tmp_path: Path) -> None:
    theirs = in_float64(model(family, **changes))
    theirs.save_pretrained(tmp_path)
    T = from_hugging_face(tmp_path)  # the file has float64
    assert T.arithmetic == ws.Native("float64")
    assert_same_logits(T, theirs, CLOSE["float64"])


def test_shards_are_read_as_one_file_is(tmp_path: Path) -> None:
    theirs = model("llama")
    theirs.save_pretrained(tmp_path / "one")
    theirs.save_pretrained(tmp_path / "many", max_shard_size="10KB")
    assert len(list((tmp_path / "many").glob("model-*.safetensors"))) > 2
    assert from_hugging_face(tmp_path / "many") == from_hugging_face(tmp_path / "one")


def test_heads_of_a_group_share_the_memory_of_their_keys_and_values(tmp_path: Path) -> None:
    model("llama").save_pretrained(tmp_path)
    a, b, c, d = from_hugging_face(tmp_path).blocks[1].attention.heads
    assert a.W_K.base is b.W_K.base
    assert a.W_V.base is b.W_V.base
    assert c.W_K.base is d.W_K.base
    assert not np.array_equal(a.W_K, c.W_K)
    assert not np.array_equal(a.W_Q, b.W_Q)


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
def test_half_precision_is_widened_exactly(half: torch.dtype, tmp_path: Path) -> None:
    model("qwen2").to(half).save_pretrained(tmp_path)
    T, wide = from_hugging_face(tmp_path), FAMILIES["qwen2"][1].from_pretrained(tmp_path, dtype=torch.float32)
    assert T.arithmetic == ws.Native("float32")
    assert (T.embedding == wide.model.embed_tokens.weight.detach().numpy()).all()
    assert_same_logits(T, wide, CLOSE["float32"])


def test_float64_weights_are_rounded_when_float32_is_asked_for(tmp_path: Path) -> None:
    theirs = model("gpt2").double()
    with torch.no_grad():
        theirs.transformer.wte.weight += 1e-12
    theirs.save_pretrained(tmp_path)
    T = from_hugging_face(tmp_path, numbers="float32")
    assert (T.embedding == theirs.transformer.wte.weight.detach().float().numpy()).all()
    assert_same_logits(T, theirs.float(), CLOSE["float32"])


def test_the_base_model_of_gpt2_is_read_under_its_shorter_names(tmp_path: Path) -> None:
    theirs = model("gpt2")
    body: GPT2Model = theirs.transformer
    body.save_pretrained(tmp_path)
    assert_same_logits(from_hugging_face(tmp_path), theirs, CLOSE["float32"])


@pytest.mark.parametrize("window", [1, 6, 7, 31, 32, 4096])
def test_a_sliding_window_is_read_as_it_is(window: int, tmp_path: Path) -> None:
    """The inputs have 1, 2, 7 and 31 tokens: windows of one, of a whole input, one less than it, and longer."""
    theirs = in_float64(model("mistral", sliding_window=window))
    theirs.save_pretrained(tmp_path)
    T = from_hugging_face(tmp_path)
    assert {head.window for block in T.blocks for head in block.attention.heads} == {window}
    assert len(T.provenance) == 1
    assert_same_logits(T, theirs, CLOSE["float64"])
    wide, ids = without_windows(T), np.arange(31) * 7 % TOKENS
    apart = np.abs(original(wide, ids[None]).logits[0] - logits(theirs, ids)).max(axis=-1)
    assert (apart > 1e-3).tolist() == [i >= window for i in range(31)]  # it matters from the first token that is hidden


def without_windows(T: ws.Transformer) -> ws.Transformer:
    def wide(block: ws.Block) -> ws.Block:
        assert block.attention is not None
        heads = tuple(replace(head, window=None) for head in block.attention.heads)
        return replace(block, attention=replace(block.attention, heads=heads))

    return replace(T, blocks=tuple(map(wide, T.blocks)))


@pytest.mark.parametrize(
    ("changes", "windows"),
    [
        ({"max_window_layers": 0}, [5, 5, 5]),
        ({"max_window_layers": 2}, [None, None, 5]),
        ({"max_window_layers": 28}, [None, None, None]),
        ({"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}, [5, None, 5]),
        ({"use_sliding_window": False}, [None, None, None]),
    ],
)
def test_the_blocks_with_a_window_are_those_that_the_config_says(
    changes: dict[str, Any], windows: list[int | None], tmp_path: Path
) -> None:
    sizes = {"num_hidden_layers": 3, "use_sliding_window": True, "sliding_window": 5}
    theirs = in_float64(model("qwen2", **{**sizes, **changes}))
    theirs.save_pretrained(tmp_path)
    T = from_hugging_face(tmp_path)
    assert [block.attention.heads[0].window for block in T.blocks] == windows
    assert_same_logits(T, theirs, CLOSE["float64"])
    fields = json.loads((tmp_path / "config.json").read_text())
    if "layer_types" not in changes:  # older files have none
        del fields["layer_types"]
        (tmp_path / "config.json").write_text(json.dumps(fields))
        assert from_hugging_face(tmp_path) == T


def test_a_mistral_whose_config_has_no_window_has_that_of_transformers(tmp_path: Path) -> None:
    theirs = model("mistral", sliding_window=None)
    theirs.save_pretrained(tmp_path)
    assert from_hugging_face(tmp_path).blocks[0].attention.heads[0].window is None
    fields = json.loads((tmp_path / "config.json").read_text())
    assert fields.pop("sliding_window", None) is None
    (tmp_path / "config.json").write_text(json.dumps(fields))
    assert type(theirs.config).from_pretrained(tmp_path).sliding_window == 4096
    assert from_hugging_face(tmp_path).blocks[0].attention.heads[0].window == 4096


LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
SCALED: list[tuple[str, dict[str, Any]]] = [
    ("llama", {"rope_type": "linear", "factor": 4.0}),
    ("gpt_neox", {"rope_type": "linear", "factor": 2.5, "partial_rotary_factor": 0.5}),
    ("llama", {**LLAMA3, "original_max_position_embeddings": 12}),
    ("qwen2", {**LLAMA3, "original_max_position_embeddings": 40, "rope_theta": 100.0}),
    ("mistral", {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}),
    ("llama", {"rope_type": "yarn", "factor": 3.0, "truncate": False, "beta_fast": 8.0, "beta_slow": 0.5}),
    ("llama", {"rope_type": "yarn", "factor": 3.0, "mscale": 1.0, "mscale_all_dim": 0.5}),
    ("llama", {"rope_type": "yarn", "factor": 8.0, "attention_factor": 1.5}),
]


@pytest.mark.parametrize(("family", "rope"), SCALED)
def test_scaled_angles_are_those_of_transformers(family: str, rope: dict[str, Any], tmp_path: Path) -> None:
    """Which computes them in float32: each is near ours, and so are the logits."""
    theirs = in_float64(model(family, rope_parameters={"rope_theta": 10000.0, **rope}))
    theirs.save_pretrained(tmp_path)
    T = from_hugging_face(tmp_path)
    assert_same_logits(T, theirs, 2e-5)
    scheme = T.attention_positions
    assert isinstance(scheme, ws.Rotary)
    assert scheme.scales is not None
    (angles,) = {module.inv_freq for module in theirs.modules() if hasattr(module, "inv_freq")}
    plain = scheme.base ** (-np.arange(len(angles)) / len(angles))
    np.testing.assert_allclose(scheme.scales, angles.double().numpy() / plain, rtol=1e-6)
    assert len(set(scheme.scales)) > 1 or rope["rope_type"] == "linear"
    unscaled, ids = replace(T, positions=replace(scheme, scales=None)), np.arange(31) * 7 % TOKENS
    assert np.abs(original(unscaled, ids[None]).logits[0] - logits(theirs, ids)).max() > 1e-2


def test_the_fields_of_older_configs_scale_angles_too(tmp_path: Path) -> None:
    rope = {**LLAMA3, "original_max_position_embeddings": 12}
    model("llama", rope_parameters={"rope_theta": 500.0, **rope}).save_pretrained(tmp_path)
    T = from_hugging_face(tmp_path)
    fields = json.loads((tmp_path / "config.json").read_text())
    del fields["rope_parameters"]
    fields |= {"rope_theta": 500.0, "rope_scaling": rope}
    (tmp_path / "config.json").write_text(json.dumps(fields))
    assert from_hugging_face(tmp_path) == T


@pytest.mark.parametrize(
    ("kind", "missing"),
    [
        ("qwen3", "a norm on queries and keys in each head (q_norm and k_norm): only gpt2, llama"),
        ("gemma2", "soft-capping of scores and logits (attn_logit_softcapping, final_logit_softcapping) and a norm on"),
        (
            "gemma3_text",
            "a norm on queries and keys in each head (q_norm and k_norm) and a norm on what a sublayer adds",
        ),
        ("mixtral", "experts: only gpt2, llama"),
    ],
)
def test_other_families_are_refused_with_what_is_missing(kind: str, missing: str, tmp_path: Path) -> None:
    assert CONFIG_MAPPING[kind].model_type == kind
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
    with pytest.raises(ws.FileError) as refused:
        from_hugging_face(tmp_path)
    assert f"which is not read, because models here do not have {missing}" in str(refused.value)


def test_dynamic_angles_are_the_same_up_to_the_trained_length_and_say_so(tmp_path: Path) -> None:
    rope = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0}
    theirs = model("llama", rope_parameters=rope, max_position_embeddings=20)
    theirs.save_pretrained(tmp_path)
    T, ids = from_hugging_face(tmp_path), np.arange(31) * 7 % TOKENS
    assert "up to 20 tokens" in T.provenance[1]
    short = np.abs(original(T, ids[None, :20]).logits[0] - logits(theirs, ids[:20]))
    assert short.max() < CLOSE["float32"] < np.abs(original(T, ids[None]).logits[0] - logits(theirs, ids)).max()


def test_a_checkpoint_survives_saving_and_loading_and_goes_on_as_in_transformers(tmp_path: Path) -> None:
    theirs = model("phi")
    theirs.save_pretrained(tmp_path / "phi")
    T = from_hugging_face(tmp_path / "phi")
    ws.save(T, tmp_path / "phi.safetensors")
    assert ws.load(tmp_path / "phi.safetensors") == T
    ids = np.array([3, 1, 4, 1, 5])
    begun = torch.from_numpy(ids)[None]
    further = theirs.generate(begun, attention_mask=torch.ones_like(begun), do_sample=False, max_new_tokens=8)
    ours = list(ws.generate(T, [T.vocabulary[i] for i in ids], 8))
    assert ours == [T.vocabulary[i] for i in further[0, len(ids) :].tolist()]
