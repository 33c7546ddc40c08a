"""Nothing in a directory is trusted: each thing that is wrong is refused by name, before any weight is read."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

import weightsmith as ws
from tests.export.checkpoints import (
    GPT2,
    LANES,
    LENGTH,
    LLAMA,
    TOKENS,
    Arrays,
    drawn_arrays,
    gpt2_shapes,
    llama_shapes,
    trained_tokenizer,
    write,
)
from weightsmith.export import from_hugging_face
from weightsmith.export.reading.tensors import Tensors


@pytest.fixture
def gpt2(tmp_path: Path) -> Path:
    return write(tmp_path / "model", GPT2, drawn_arrays(gpt2_shapes()))


@pytest.fixture
def llama(tmp_path: Path) -> Path:
    return write(tmp_path / "model", LLAMA, drawn_arrays(llama_shapes()))


def refused(directory: Path, text: str, *, weights: bool = False) -> None:
    """See that it is refused with a text, and before any weight is read, unless it is the weights that are wrong."""
    with pytest.MonkeyPatch.context() as patch:
        if not weights:
            patch.setattr(Tensors, "numbers", None)
        with pytest.raises(ws.FileError) as raised:
            from_hugging_face(directory)
    assert f"cannot read {str(directory)!r}: {text}" in str(raised.value)


def configured(directory: Path, **changes: Any) -> None:
    config = json.loads((directory / "config.json").read_text())
    (directory / "config.json").write_text(json.dumps({**config, **changes}))


def test_the_checkpoints_of_these_tests_are_read_as_they_are(gpt2: Path, tmp_path: Path) -> None:
    assert ws.run(from_hugging_face(gpt2), ["1", "2"]).logits.shape == (TOKENS,)
    other = write(tmp_path / "llama", LLAMA, drawn_arrays(llama_shapes()))
    assert ws.run(from_hugging_face(str(other)), ["1", "2"]).logits.shape == (TOKENS,)


GPT2_FIELDS = [
    ("model_type", "bert", "config.json has model_type='bert': only gpt2, llama, mistral, qwen2, gpt_neox, phi"),
    ("model_type", ["gpt2"], "config.json has model_type=['gpt2']: only gpt2"),
    ("model_type", None, "config.json lacks model_type"),
    (
        "architectures",
        ["GPT2ForSequenceClassification"],
        "config.json has architectures=['GPT2ForSequenceClassification']: of this family only GPT2LMHeadModel",
    ),
    ("architectures", "GPT2LMHeadModel", "config.json has architectures='GPT2LMHeadModel'"),
    ("quantization_config", {"quant_method": "gptq"}, "config.json has quantization_config={'quant_method': 'gptq'}"),
    ("scale_attn_by_inverse_layer_idx", True, "config.json has scale_attn_by_inverse_layer_idx=True: only models with"),
    ("add_cross_attention", True, "config.json has add_cross_attention=True: only models with"),
    ("scale_attn_weights", 1, "config.json has scale_attn_weights=1: write true or false"),
    ("activation_function", "mish", "config.json has activation_function='mish': only gelu, gelu_python, gelu_new"),
    ("n_embd", None, "config.json lacks n_embd"),
    ("n_embd", 0, "config.json has n_embd=0: write a whole number from 1 to 16,777,216"),
    ("n_embd", 8.0, "config.json has n_embd=8.0: write a whole number"),
    ("n_embd", True, "config.json has n_embd=True: write a whole number"),
    ("n_embd", 10**30, "config.json has n_embd=1000000000000000000000000000000: write a whole number"),
    ("n_embd", 6, "the tensor 'transformer.wte.weight' has shape (300, 8), and config.json makes it (300, 6)"),
    ("n_head", 3, "config.json has n_embd=8: it must be a multiple of n_head=3"),
    ("n_layer", 10**7, "the tensor 'transformer.h.2.attn.c_attn.weight' is missing, which config.json asks for"),
    ("n_layer", 1, "it has tensors that such a model does not have: transformer.h.1.attn.c_attn.bias, "),
    ("n_positions", 17, "the tensor 'transformer.wpe.weight' has shape (16, 8), and config.json makes it (17, 8)"),
    ("vocab_size", 301, "the tensor 'transformer.wte.weight' has shape (300, 8), and config.json makes it (301, 8)"),
    ("layer_norm_epsilon", "small", "config.json has layer_norm_epsilon='small': write a number from 0 on"),
    ("layer_norm_epsilon", -1, "config.json has layer_norm_epsilon=-1: write a number from 0 on"),
    ("tie_word_embeddings", False, "the tensor 'lm_head.weight' is missing, which config.json asks for"),
    ("tie_word_embeddings", "no", "config.json has tie_word_embeddings='no': write true or false"),
]  # fmt: skip
LONG = {"factor": 2, "original_max_position_embeddings": 8}
LLAMA_FIELDS = [
    ("num_key_value_heads", 3, "config.json has num_key_value_heads=3: it must divide num_attention_heads=2"),
    ("hidden_act", "gelu", "config.json has hidden_act='gelu': only silu, swish, relu are read"),
    ("attention_bias", True, "the tensor 'model.layers.0.self_attn.q_proj.bias' is missing"),
    ("head_dim", 6, "the tensor 'model.layers.0.self_attn.q_proj.weight' has shape (8, 8), and config.json makes it"),
    ("head_dim", 5, "config.json lets 5 of 5 coordinates of a head turn: they turn in pairs"),
    ("rope_scaling", {"type": "linear", "factor": 0.5}, "config.json has factor=0.5: write a number from 1 to"),
    ("rope_scaling", {"type": "linear"}, "config.json lacks factor"),
    ("rope_scaling", {"rope_type": "longrope"}, "config.json has rope_scaling of the kind 'longrope', which is"),
    ("rope_parameters", {**LONG, "rope_type": "llama3"}, "config.json lacks low_freq_factor"),
    ("rope_parameters", {"rope_type": "llama3", "factor": 2}, "config.json lacks max_position_embeddings"),
    ("rope_parameters", {**LONG, "rope_type": "llama3", "low_freq_factor": 4, "high_freq_factor": 4.0},
     "config.json has low_freq_factor=4 and high_freq_factor=4: the second must be the larger one"),
    ("rope_parameters", {**LONG, "rope_type": "yarn", "partial_rotary_factor": 0.5},
     "config.json has rope_parameters of the kind 'yarn' for a part of each head, which is not read"),
    ("rope_parameters", {"rope_type": "yarn", "factor": 2, "original_max_position_embeddings": 0},
     "config.json has original_max_position_embeddings=0: write a whole number"),
    ("rope_parameters", {"rope_type": ["x"]}, "config.json has rope_parameters of the kind ['x']"),
    ("rope_parameters", 3, "config.json has rope_parameters=3: write an object"),
    ("rope_parameters", {"partial_rotary_factor": 0.3}, "config.json lets 1 of 4 coordinates of a head turn"),
    ("rope_parameters", {"rope_theta": 0.5}, "config.json has rope_theta=0.5: write a number above 1"),
    ("rope_theta", "ten", "config.json has rope_theta='ten': write a number from 0 on"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value", "text"), GPT2_FIELDS)
def test_a_config_of_gpt2_is_refused_with_field_and_value(gpt2: Path, field: str, value: Any, text: str) -> None:
    configured(gpt2, **{field: value})
    refused(gpt2, text)


@pytest.mark.parametrize(("field", "value", "text"), LLAMA_FIELDS)
def test_a_config_of_llama_is_refused_with_field_and_value(llama: Path, field: str, value: Any, text: str) -> None:
    configured(llama, **{field: value})
    refused(llama, text)


@pytest.mark.parametrize(
    ("family", "changes", "text"),
    [
        ("qwen2", {"layer_types": ["chunked_attention"]}, "config.json has layer_types=['chunked_attention']: only"),
        ("phi", {"qk_layernorm": True}, "config.json has qk_layernorm=True: only models with qk_layernorm=false"),
        ("qwen2", {"layer_types": ["full_attention"]}, "config.json has layer_types=['full_attention']: write one for"),
        (
            "qwen2",
            {"layer_types": ["sliding_attention"] * 2},
            "config.json has layer_types=['sliding_attention', 'sliding_attention']: it has 'sliding",
        ),
        ("qwen2", {"max_window_layers": -1}, "config.json has max_window_layers=-1: write a whole number from 0 to"),
        ("mistral", {"sliding_window": -1}, "config.json has sliding_window=-1: write a whole number"),
        ("gpt_neox", {"use_parallel_residual": "yes"}, "config.json has use_parallel_residual='yes': write true"),
    ],
)
def test_a_config_of_another_family_is_refused_with_field_and_value(
    llama: Path, family: str, changes: dict[str, Any], text: str
) -> None:
    configured(llama, model_type=family, architectures=None, **changes)
    if family == "gpt_neox":  # its tensors have other names
        shapes = {"gpt_neox.embed_in.weight": (TOKENS, LANES), "gpt_neox.final_layer_norm.weight": (LANES,)}
        shapes |= {"gpt_neox.final_layer_norm.bias": (LANES,), "embed_out.weight": (TOKENS, LANES)}
        configured(llama, rotary_pct=1.0)
        for b in range(2):
            name = f"gpt_neox.layers.{b}"
            linears = {"attention.query_key_value": (24, 8), "attention.dense": (8, 8)}
            linears |= {"mlp.dense_h_to_4h": (12, 8), "mlp.dense_4h_to_h": (8, 12)}
            for part, size in linears.items():
                shapes |= {f"{name}.{part}.weight": size, f"{name}.{part}.bias": size[:1]}
            for norm in ("input_layernorm", "post_attention_layernorm"):
                shapes |= {f"{name}.{norm}.weight": (LANES,), f"{name}.{norm}.bias": (LANES,)}
        safetensors.numpy.save_file(drawn_arrays(shapes), llama / "model.safetensors")
    refused(llama, text)


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "gpt2", "it is not a directory. Checkpoints are read from where they are stored: ")
    refused(tmp_path, "it has no config.json, so it is not a checkpoint of Hugging Face")
    (tmp_path / "config.json").write_text(json.dumps(GPT2))
    refused(tmp_path, "it has no weights: model.safetensors, or model.safetensors.index.json with the files")
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80")
    refused(
        tmp_path,
        "it has only pickled weights, pytorch_model.bin, which can run anything when they are read. Convert them where "
        "you trust them: transformers.AutoModelForCausalLM.from_pretrained(directory).save_pretrained(directory)",
    )
    with pytest.raises(ws.InputError, match="numbers='float16': write 'float32', 'float64' or None"):
        from_hugging_face(tmp_path, numbers="float16")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "config.json: it is not valid JSON"),
        ("[]", "config.json: it is not a JSON object"),
        ("[" * 100_000, "config.json: it is not valid JSON"),
        ('{"a": 1, "a": 2}', "config.json: it is not valid JSON: the key 'a' occurs twice"),
        ('{"n_embd": NaN}', "config.json: it is not valid JSON: NaN is not a number"),
    ],
)
def test_a_config_that_is_no_json_object_is_refused(gpt2: Path, text: str, said: str) -> None:
    (gpt2 / "config.json").write_text(text)
    refused(gpt2, said)


def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(gpt2: Path) -> None:
    (gpt2 / "model.safetensors").unlink()
    os.mkfifo(gpt2 / "model.safetensors")
    refused(gpt2, "model.safetensors: it is not a regular file")


def changed(directory: Path, change: Callable[[Arrays], None]) -> None:
    arrays = drawn_arrays(gpt2_shapes())
    change(arrays)
    safetensors.numpy.save_file(arrays, directory / "model.safetensors")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda a: a.pop("transformer.h.1.ln_2.bias"), "the tensor 'transformer.h.1.ln_2.bias' is missing"),
        (lambda a: a.update(score=np.zeros(3)), "it has tensors that such a model does not have: score"),
        (
            lambda a: a.update({"transformer.h.0.attn.c_attn.weight": np.zeros((24, 8), np.float32)}),
            "the tensor 'transformer.h.0.attn.c_attn.weight' has shape (24, 8), and config.json makes it (8, 24)",
        ),
        (
            lambda a: a.update({"transformer.ln_f.bias": np.zeros(8, np.int64)}),
            "the tensor 'transformer.ln_f.bias' has dtype I64: only F64, F32, F16, BF16 are read",
        ),
        (lambda a: a.update(x=np.zeros((1,) * 9, np.float32)), "model.safetensors: tensor 'x' has shape [1, 1, "),
    ],
)  # fmt: skip
def test_tensors_that_do_not_fit_are_refused(gpt2: Path, change: Callable[[Arrays], None], text: str) -> None:
    changed(gpt2, change)
    refused(gpt2, text)


def header_changed(directory: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = directory / "model.safetensors"
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda h: h["transformer.ln_f.bias"].update(data_offsets=[0, 10**15]), "has data_offsets [0, 10000000000"),
        (lambda h: h["transformer.ln_f.bias"].update(shape=[8, 10**6]), "of shape [8, 1000000] needs 32,000,000 bytes"),
        (lambda h: h["transformer.ln_f.bias"].update(shape=[-8]), "has shape [-8]: 0 to 8 axes of at most"),
        (lambda h: h["transformer.ln_f.bias"].update(dtype="F8_E4M3"), "has dtype 'F8_E4M3': only F64, F32, F16, "),
        (lambda h: h["transformer.ln_f.bias"].update(h["transformer.ln_f.weight"]), "does not begin where the one"),
    ],
)  # fmt: skip
def test_a_header_that_lies_is_refused(gpt2: Path, change: Callable[[dict[str, Any]], None], text: str) -> None:
    header_changed(gpt2, change)
    with pytest.raises(ws.FileError) as raised:
        from_hugging_face(gpt2)
    assert "model.safetensors: tensor 'transformer." in str(raised.value)
    assert text in str(raised.value)


def test_a_header_that_is_longer_than_its_file_is_refused(gpt2: Path) -> None:
    (gpt2 / "model.safetensors").write_bytes((1 << 60).to_bytes(8, "little") + b"{}")
    refused(gpt2, "model.safetensors: its header claims 1,152,921,504,606,846,976 bytes")
    (gpt2 / "model.safetensors").write_bytes(b"")
    refused(gpt2, "model.safetensors: its header claims 0 bytes: it is not a safetensors file, or it is cut off")


def sharded(directory: Path, index: dict[str, Any]) -> None:
    os.rename(directory / "model.safetensors", directory / "a.safetensors")
    (directory / "model.safetensors.index.json").write_text(json.dumps(index))


@pytest.mark.parametrize("name", ["../a.safetensors", "/etc/passwd", "a.bin", "b/a.safetensors", "..", "", 3, "a\x00"])
def test_a_shard_outside_the_directory_is_refused(gpt2: Path, name: Any) -> None:
    sharded(gpt2, {"weight_map": {"x": name}})
    refused(gpt2, f"model.safetensors.index.json: it has the tensor 'x' in the file {name!r}: write the plain name")


def test_an_index_that_does_not_fit_its_shards_is_refused(gpt2: Path) -> None:
    sharded(gpt2, {"weight_map": dict.fromkeys(gpt2_shapes(), "a.safetensors") | {"x": "a.safetensors"}})
    refused(gpt2, "a.safetensors: model.safetensors.index.json says otherwise about the tensor 'x', which is not in it")
    index = gpt2 / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"x": "b.safetensors"}}))
    refused(gpt2, "b.safetensors: No such file or directory")
    index.write_text(json.dumps({"weight_map": []}))
    refused(gpt2, "model.safetensors.index.json: its weight_map is []: it must say of each tensor in which file it is")


def test_weights_that_are_no_numbers_are_refused_by_the_tensors_name(gpt2: Path) -> None:
    def spoil(arrays: Arrays) -> None:
        arrays["transformer.h.1.mlp.c_fc.weight"][2, 3] = np.nan

    changed(gpt2, spoil)
    refused(gpt2, "the tensor 'transformer.h.1.mlp.c_fc.weight' is nan at [2, 3]: no number", weights=True)


def test_a_tied_output_that_is_another_is_refused_and_a_copy_is_not(gpt2: Path) -> None:
    changed(gpt2, lambda a: a.update({"lm_head.weight": a["transformer.wte.weight"].copy()}))
    assert from_hugging_face(gpt2).tied
    changed(gpt2, lambda a: a.update({"lm_head.weight": a["transformer.wte.weight"] + 1}))
    text = "config.json has tie_word_embeddings=true, and the tensor 'lm_head.weight' differs from the embedding"
    refused(gpt2, text, weights=True)


def test_masks_and_angles_in_older_files_are_left_out(gpt2: Path, tmp_path: Path) -> None:
    plain, mask = from_hugging_face(gpt2), np.ones((1, 1, LENGTH, LENGTH), np.uint8)
    older = {f"h.{b}.attn.bias": mask for b in range(2)} | {"h.0.attn.masked_bias": np.array(-1e4, np.float32)}
    shorter = {name.removeprefix("transformer."): array for name, array in drawn_arrays(gpt2_shapes()).items()}
    safetensors.numpy.save_file({**shorter, **older}, gpt2 / "model.safetensors")
    assert from_hugging_face(gpt2) == plain
    angles = {"model.layers.0.self_attn.rotary_emb.inv_freq": np.zeros(2, np.float32)}
    from_hugging_face(write(tmp_path / "llama", LLAMA, {**drawn_arrays(llama_shapes()), **angles}))


def test_a_tokenizer_with_more_tokens_than_the_embedding_has_rows_is_refused(gpt2: Path) -> None:
    tokenizer = trained_tokenizer()
    tokenizer.add_tokens(["one too many"])
    tokenizer.save(str(gpt2 / "tokenizer.json"))
    refused(gpt2, "tokenizer.json: it has the token 'one too many' with id 300, and the embedding has 300 rows")


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}'])
def test_a_tokenizer_that_is_none_is_refused(gpt2: Path, text: str) -> None:
    (gpt2 / "tokenizer.json").write_text(text)
    refused(gpt2, "tokenizer.json: its tokenizer cannot be read: ")


def test_merges_that_do_not_fit_are_refused(gpt2: Path) -> None:
    (gpt2 / "vocab.json").write_text('{"a": 0, "b": 1}')
    (gpt2 / "merges.txt").write_text("#version: 0.2\na b c\n")
    refused(gpt2, "vocab.json: merges.txt must have two parts in each line")
    (gpt2 / "merges.txt").write_text("a b\n")
    refused(gpt2, "vocab.json: it does not fit merges.txt: ")
    (gpt2 / "vocab.json").write_text('{"a": "0"}')
    refused(gpt2, "vocab.json: it must have a whole number for each token")


def test_neither_torch_nor_transformers_is_loaded(gpt2: Path) -> None:
    trained_tokenizer().save(str(gpt2 / "tokenizer.json"))
    code = f"""import sys, weightsmith as ws
from weightsmith.export import from_hugging_face
ws.run(from_hugging_face({str(gpt2)!r}), "The Tower")
assert not {{"torch", "transformers"}} & sys.modules.keys()"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
