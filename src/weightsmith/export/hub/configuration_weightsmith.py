"""The configuration of a model that was written with Weightsmith, for Hugging Face's library."""

from typing import Any

from transformers import PretrainedConfig


class WeightsmithConfig(PretrainedConfig):  # type: ignore[misc]
    """What the model consists of; `architecture` says it part by part, as `network_weightsmith.Network` reads it."""

    model_type = "weightsmith"
    keys_to_ignore_at_inference: list[str] = []  # noqa: RUF012

    def __init__(self, architecture: dict[str, Any] | None = None, pad_token_id: int | None = None, **others: Any):
        """Take the parts; without any the model has one token, one lane, one class and no blocks."""
        self.architecture = architecture or {
            "vocabulary": 1,
            "lanes": 1,
            "classes": 1,
            "blocks": [],
            "mask": "causal",
        }
        self.vocab_size: int = self.architecture["vocabulary"]
        self.hidden_size: int = self.architecture["lanes"]
        self.num_hidden_layers: int = len(self.architecture["blocks"])
        heads = [group["heads"] for block in self.architecture["blocks"] for group in block.get("groups", ())]
        self.num_attention_heads: int = max(heads, default=0)
        self.max_position_embeddings: int | None = self.architecture.get("max_length")
        self.use_cache = False  # every token is computed anew
        for name in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "use_cache"):
            others.pop(name, None)  # they follow from the parts
        others.pop("max_position_embeddings", None)
        super().__init__(pad_token_id=pad_token_id, **{"tie_word_embeddings": False, **others})
