"""Small checkpoints, written with numpy and the library `tokenizers` alone."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

LANES, HEADS, BLOCKS, TOKENS, LENGTH, NEURONS = 8, 2, 2, 300, 16, 12
LINES = ["The Eiffel Tower is in Paris", "The Tower of London is in London", "Ein Turm, größer als 300 Meter 🗼"]
GPT2 = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": LANES, "n_head": HEADS, "n_layer": BLOCKS,
    "n_positions": LENGTH, "n_inner": NEURONS, "vocab_size": TOKENS,
}  # fmt: skip
LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": LANES, "num_attention_heads": HEADS,
    "num_key_value_heads": 1, "num_hidden_layers": BLOCKS, "intermediate_size": NEURONS, "vocab_size": TOKENS,
}  # fmt: skip
Arrays = dict[str, np.ndarray[Any, Any]]


def gpt2_shapes(prefix: str = "transformer.") -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (TOKENS, LANES), "wpe.weight": (LENGTH, LANES)}
    norms = ["ln_f", *(f"h.{b}.{name}" for b in range(BLOCKS) for name in ("ln_1", "ln_2"))]
    shapes |= {f"{norm}.{part}": (LANES,) for norm in norms for part in ("weight", "bias")}
    sizes = {
        "attn.c_attn": (LANES, 3 * LANES),
        "attn.c_proj": (LANES, LANES),
        "mlp.c_fc": (LANES, NEURONS),
        "mlp.c_proj": (NEURONS, LANES),
    }
    for b in range(BLOCKS):
        for name, size in sizes.items():
            shapes |= {f"h.{b}.{name}.weight": size, f"h.{b}.{name}.bias": size[1:]}
    return {f"{prefix}{name}": shape for name, shape in shapes.items()}


def llama_shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (TOKENS, LANES),
        "model.norm.weight": (LANES,),
        "lm_head.weight": (TOKENS, LANES),
    }
    half, sizes = LANES // HEADS, {"gate_proj": (NEURONS, LANES), "up_proj": (NEURONS, LANES)}
    for b in range(BLOCKS):
        name = f"model.layers.{b}"
        shapes |= {f"{name}.{norm}.weight": (LANES,) for norm in ("input_layernorm", "post_attention_layernorm")}
        shapes |= {f"{name}.mlp.{part}.weight": size for part, size in sizes.items()}
        shapes |= {f"{name}.mlp.down_proj.weight": (LANES, NEURONS)}
        shapes |= {f"{name}.self_attn.{part}_proj.weight": (LANES, LANES) for part in "qo"}
        shapes |= {f"{name}.self_attn.{part}_proj.weight": (half, LANES) for part in "kv"}
    return shapes


def drawn_arrays(shapes: dict[str, tuple[int, ...]]) -> Arrays:
    random = np.random.default_rng(0)
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write(directory: Path, config: dict[str, Any], arrays: Arrays) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "config.json").write_text(json.dumps(config))
    safetensors.numpy.save_file(arrays, directory / "model.safetensors", metadata={"format": "pt"})
    return directory


def trained_tokenizer(size: int = TOKENS) -> Tokenizer:
    """Give pairs of bytes as in GPT-2, learnt from a few lines."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer
