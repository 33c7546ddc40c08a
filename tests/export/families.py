"""Small models of the families that are read, drawn at random by Hugging Face's own classes."""

from typing import Any

import torch
from transformers.models.gemma.configuration_gemma import GemmaConfig
from transformers.models.gemma.modeling_gemma import GemmaForCausalLM
from transformers.models.gpt2.configuration_gpt2 import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel
from transformers.models.gpt_neox.configuration_gpt_neox import GPTNeoXConfig
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXForCausalLM
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaForCausalLM
from transformers.models.mistral.configuration_mistral import MistralConfig
from transformers.models.mistral.modeling_mistral import MistralForCausalLM
from transformers.models.phi.configuration_phi import PhiConfig
from transformers.models.phi.modeling_phi import PhiForCausalLM
from transformers.models.qwen2.configuration_qwen2 import Qwen2Config
from transformers.models.qwen2.modeling_qwen2 import Qwen2ForCausalLM

from tests.peers.builders import drawn
from tests.peers.models import rms_norm_in_float64, rotary_in_float64

torch.set_num_threads(1)

TOKENS, LENGTH = 40, 48
NAMES = {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4, "max_position_embeddings": LENGTH}
OF_GPT2 = {"n_layer": 2, "n_embd": 32, "n_head": 4, "n_positions": LENGTH, "n_inner": 48}
ALL = {"vocab_size": TOKENS, "bos_token_id": None, "eos_token_id": None, "attn_implementation": "sdpa"}
FAMILIES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "gpt2": (GPT2Config, GPT2LMHeadModel, OF_GPT2),
    "llama": (LlamaConfig, LlamaForCausalLM, {**NAMES, "intermediate_size": 48, "num_key_value_heads": 2}),
    "mistral": (MistralConfig, MistralForCausalLM, {**NAMES, "intermediate_size": 48, "num_key_value_heads": 2}),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM, {**NAMES, "intermediate_size": 48, "num_key_value_heads": 1}),
    "gemma": (
        GemmaConfig,
        GemmaForCausalLM,
        {**NAMES, "intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 12, "pad_token_id": None},
    ),
    "gpt_neox": (GPTNeoXConfig, GPTNeoXForCausalLM, {**NAMES, "intermediate_size": 48}),
    "phi": (PhiConfig, PhiForCausalLM, {**NAMES, "intermediate_size": 48}),
}


def model(family: str, **changes: Any) -> Any:
    config, kind, sizes = FAMILIES[family]
    return drawn(kind(config(**{**ALL, **sizes, **changes})))


def in_float64(model: Any) -> Any:
    """Give the model in float64 throughout: see `tests.peers.models` for what Hugging Face computes in float32."""
    config, model = model.config, model.double()
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    for module in model.modules():
        kind = type(module).__name__
        if kind.endswith("RotaryEmbedding"):
            rope = config.rope_parameters
            if rope["rope_type"] not in ("default", "dynamic"):
                module.forward = scaled_in_float64(module)
                continue
            turning = int(size * rope.get("partial_rotary_factor", 1.0))
            module.forward = rotary_in_float64(turning, rope["rope_theta"])
        elif kind == "GemmaRMSNorm":
            module.forward = gemma_norm_in_float64(module)
        elif kind == "GemmaTextScaledWordEmbedding":
            module.embed_scale = torch.tensor(config.hidden_size**0.5, dtype=torch.float64)
        elif kind.endswith("RMSNorm"):
            module.forward = rms_norm_in_float64(module)
    return model


def gemma_norm_in_float64(module: Any) -> Any:
    """Give Gemma's norm, whose gains are stored less 1."""

    def forward(h: Any) -> Any:
        return torch.nn.functional.rms_norm(h, (h.shape[-1],), 1 + module.weight, module.eps)

    return forward


def scaled_in_float64(module: Any) -> Any:
    """Give rotary positions with the angles of transformers, which computes them in float32."""
    inverse, factor = module.inv_freq.clone().double(), module.attention_scaling

    def forward(x: Any, position_ids: Any) -> tuple[Any, Any]:
        angles = position_ids[..., None].double() * inverse
        both = torch.cat((angles, angles), dim=-1)
        return both.cos() * factor, both.sin() * factor

    return forward


def logits(model: Any, ids: Any) -> Any:
    """Give the logits at every position, (positions, tokens)."""
    with torch.no_grad():
        return model(torch.from_numpy(ids)[None]).logits[0].double().numpy()
