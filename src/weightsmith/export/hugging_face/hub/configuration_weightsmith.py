"""The configuration of a model that was written with Weightsmith, for Hugging Face's library."""

from typing import Any

from transformers import PretrainedConfig


class WeightsmithConfig(PretrainedConfig):  # type: ignore[misc]
    """The parts of the model: `architecture` is the description that `network_weightsmith.Network` reads.

    Padding has the id after the vocabulary, and counts in `vocab_size`.
    """

    model_type = "weightsmith"

    def __init__(self, architecture: dict[str, Any] | None = None, **others: Any) -> None:
        """Take the parts; without any the model has one token, one lane, one class and no blocks."""
        self.architecture = architecture or {
            "vocabulary": 1,
            "lanes": 1,
            "classes": 1,
            "blocks": [],
            "mask": "causal",
        }
        self.vocab_size: int = self.architecture["vocabulary"] + 1
        self.hidden_size: int = self.architecture["lanes"]
        self.num_hidden_layers: int = len(self.architecture["blocks"])
        heads = [group["heads"] for block in self.architecture["blocks"] for group in block.get("groups", ())]
        self.num_attention_heads: int = max(heads, default=0)
        self.max_position_embeddings: int | None = self.architecture.get("max_length")
        self.use_cache = False  # every token is computed anew
        known = {name: value for name, value in others.items() if name not in vars(self)}  # those follow from the parts
        super().__init__(**{"pad_token_id": self.vocab_size - 1, "tie_word_embeddings": False, **known})
