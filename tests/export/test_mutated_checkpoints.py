"""Checkpoints that were changed at random are read to valid models, or refused by name, with little memory."""

import json
import tracemalloc
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

import weightsmith as ws
from tests.export.checkpoints import GPT2, LLAMA, drawn_arrays, gpt2_shapes, llama_shapes, trained_tokenizer, write
from tests.files.mutations import HOSTILE, mutated
from weightsmith.export import from_hugging_face
from weightsmith.model import named_arrays

MEMORY = 64 << 20
FIELDS = (
    *("model_type", "architectures", "quantization_config", "tie_word_embeddings", "rope_parameters", "rope_scaling"),
    *("head_dim", "layer_types", "attention_bias", "rope_theta", "scale_attn_weights", "rms_norm_eps", "hidden_act"),
    *("layer_norm_epsilon", "activation_function", "n_inner"),
)
ROPES = ("rope_type", "type", "rope_theta", "partial_rotary_factor", "factor")


def checkpoints(folder: Path) -> list[Path]:
    """Write a GPT-2 with a tokenizer and a Llama in two files."""
    gpt2 = write(folder / "gpt2", GPT2, drawn_arrays(gpt2_shapes()))
    trained_tokenizer().save(str(gpt2 / "tokenizer.json"))
    llama = write(folder / "llama", LLAMA, drawn_arrays(llama_shapes()))
    (llama / "model.safetensors").rename(llama / "a.safetensors")
    index = {"weight_map": dict.fromkeys(llama_shapes(), "a.safetensors")}
    (llama / "model.safetensors.index.json").write_text(json.dumps(index))
    return [gpt2, llama]


def config_changed(text: bytes, random: Random) -> bytes:
    """Return a config with another value for a field, or with other bytes."""
    if random.random() < 0.2:
        return mutated(text, random)
    config = json.loads(text)
    value = random.choice(HOSTILE)
    if random.random() < 0.2:
        config["rope_parameters"] = {random.choice(ROPES): value}
    else:
        config[random.choice((*config, *FIELDS))] = value
    return json.dumps(config).encode()


@pytest.mark.parametrize("count", [40, pytest.param(5_000, marks=pytest.mark.long)])
def test_mutated_checkpoints_are_valid_or_refused(count: int, tmp_path: Path) -> None:
    random, directories, said = Random(count), checkpoints(tmp_path), {True: 0, False: 0}
    for directory in directories:
        from_hugging_face(directory)
    tracemalloc.start()
    for _ in range(count):
        directory = random.choice(directories)
        path = directory / "config.json" if random.random() < 0.5 else random.choice(sorted(directory.iterdir()))
        whole = path.read_bytes()
        path.write_bytes((config_changed if path.name == "config.json" else mutated)(whole, random))
        said[is_valid(directory)] += 1
        path.write_bytes(whole)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert min(said.values()) > count // 50, said
    assert peak < MEMORY


def is_valid(directory: Path) -> bool:
    """Read a checkpoint: a model in which everything holds, and which runs; or a short error that names it."""
    said, T = "", None
    try:
        T = from_hugging_face(directory)
    except ws.FileError as error:
        said = str(error)
    if T is None:
        assert said.startswith(f"cannot read '{directory}': ")
        assert len(said) < 800
        return False
    assert all(np.isfinite(array).all() and T.arithmetic.contains(array).all() for _, array in named_arrays(T))
    with suppress(ws.WeightsmithError):  # numbers that became too large
        ws.run(T, "The")
    return True
