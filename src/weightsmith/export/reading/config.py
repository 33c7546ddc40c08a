"""The config.json of a checkpoint, which is not trusted: every field has a type, bounds and a default."""

from collections.abc import Mapping
from typing import Any

from weightsmith.errors import FileError, brief, listed
from weightsmith.model.block import Activation

MAX_SIZE = 1 << 24
ACTIVATIONS: Mapping[str, Activation] = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
GATED: Mapping[str, Activation] = {"silu": "swiglu", "swish": "swiglu", "relu": "reglu"}
GEGLU: Mapping[str, Activation] = {"gelu": "geglu_tanh", "gelu_pytorch_tanh": "geglu_tanh"}  # Gemma means tanh by both


class Config:
    """The fields of a config. A field that is null counts as one that is not there."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        """Take the fields."""
        self.cleared = {name for name, value in fields.items() if value is None}
        self.fields = {name: value for name, value in fields.items() if value is not None}

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field; refuse to go on without one that has no default."""
        if name in self.fields:
            return self.fields[name]
        if default is None:
            raise FileError(f"config.json lacks {name}")
        return default

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a whole number from 1 on."""
        value = self.get(name, default)
        if type(value) is not int or not 1 <= value <= MAX_SIZE:
            raise self.refusal(name, f"write a whole number from 1 to {MAX_SIZE:,}")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Return a number from 0 on."""
        value = self.get(name, default)
        if type(value) not in (int, float) or not 0 <= value < 1e30:
            raise self.refusal(name, "write a number from 0 on")
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth value."""
        value = self.get(name, default)
        if type(value) is not bool:
            raise self.refusal(name, "write true or false")
        return value

    def activation(self, name: str, default: str, known: Mapping[str, Activation] = ACTIVATIONS) -> Activation:
        """Return the activation that a name of Hugging Face stands for."""
        value = self.get(name, default)
        if not isinstance(value, str) or value not in known:
            raise self.refusal(name, f"only {listed(list(known))} are read")
        return known[value]

    def must_be(self, name: str, wanted: bool) -> None:
        """Refuse another value of a field that changes what a model means."""
        if self.flag(name, wanted) != wanted:
            raise self.refusal(name, f"only models with {name}={str(wanted).lower()} are read")

    def part_of(self, whole: str, parts: str) -> int:
        """Return how large one of several equal parts is."""
        size, count = self.whole(whole), self.whole(parts)
        if size % count:
            raise self.refusal(whole, f"it must be a multiple of {parts}={count}")
        return size // count

    def groups(self, heads: int, default: int) -> int:
        """Return how many groups of heads have the same keys and values."""
        groups = self.whole("num_key_value_heads", default)
        if heads % groups:
            raise FileError(f"config.json has num_key_value_heads={groups}: it must divide num_attention_heads={heads}")
        return groups

    def refusal(self, name: str, instead: str) -> FileError:
        """Return the error that a field has a value which is not read."""
        return FileError(f"config.json has {name}={brief(self.fields.get(name))}: {instead}")


def windows(config: Config, window: int | None, first: int = 0) -> list[int | None]:
    """Return the window of each block.

    `layer_types` says which blocks have it; without it, those from the block `first` on.
    """
    blocks = config.whole("num_hidden_layers")
    kinds = config.get("layer_types", ["full_attention"] * first + ["sliding_attention"] * (blocks - first))
    if not isinstance(kinds, list) or any(kind not in ("full_attention", "sliding_attention") for kind in kinds):
        raise config.refusal("layer_types", "only 'full_attention' and 'sliding_attention' are read")
    if "layer_types" in config.fields and len(kinds) != blocks:
        raise config.refusal("layer_types", f"write one for each of the {blocks} blocks")
    if "layer_types" in config.fields and window is None and "sliding_attention" in kinds:
        raise config.refusal("layer_types", "it has 'sliding_attention', and there is no window: write sliding_window")
    return [window if kind == "sliding_attention" else None for kind in kinds[:blocks]]
