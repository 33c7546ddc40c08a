"""Small models of Hugging Face, drawn at random, in float64 throughout."""

from typing import Any

import torch
from transformers.models.gpt2.configuration_gpt2 import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaForCausalLM

from tests.peers.builders import drawn

VOCABULARY = 40


def gpt2_model(activation: str = "gelu_new", tied: bool = True, seed: int = 0) -> Any:
    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=48, n_embd=32, n_layer=3, n_head=4, activation_function=activation,
        tie_word_embeddings=tied, attn_implementation="eager", bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    return drawn(GPT2LMHeadModel(config).double(), seed)


def llama_model(shared: int = 1, tied: bool = False, seed: int = 0) -> Any:
    """`shared` is how many heads have the same keys and values."""
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4,
        num_key_value_heads=4 // shared, max_position_embeddings=48, tie_word_embeddings=tied, rms_norm_eps=1e-5,
        attn_implementation="sdpa", bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    model = drawn(LlamaForCausalLM(config).double(), seed)
    model.model.rotary_emb.forward = rotary_in_float64(config.head_dim, config.rope_parameters["rope_theta"])
    for module in model.modules():
        if type(module).__name__ == "LlamaRMSNorm":
            module.forward = rms_norm_in_float64(module)
    return model


# Hugging Face computes the angles of rotary positions, Llama's norm and the softmax of its "eager" attention in
# float32 whatever the type of the model. That is right for bfloat16 and would hide everything below 1e-7 here, so the
# first two are replaced by the same formulas in float64, and attention is PyTorch's own ("sdpa"), which stays in it.


def rotary_in_float64(size: int, base: float) -> Any:
    inverse = base ** -(torch.arange(0, size, 2, dtype=torch.float64) / size)

    def forward(x: Any, position_ids: Any) -> tuple[Any, Any]:
        angles = position_ids[..., None].double() * inverse
        both = torch.cat((angles, angles), dim=-1)
        return both.cos(), both.sin()

    return forward


def rms_norm_in_float64(module: Any) -> Any:
    def forward(h: Any) -> Any:
        return torch.nn.functional.rms_norm(h, (h.shape[-1],), module.weight, module.variance_epsilon)

    return forward
