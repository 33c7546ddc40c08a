"""What a checkpoint holds, family by family in the same words: which tensors are which matrices of a transformer.

A plan is made from the config and the headers alone. So whatever is missing or has another shape is refused before any
weight is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from weightsmith.export.reading.config import Config
from weightsmith.export.reading.tensors import Tensor, Tensors
from weightsmith.model.block import Activation
from weightsmith.model.distances import Rotary


@dataclass(frozen=True)
class Linear:
    """A matrix (what it writes, what it reads) and its bias."""

    weight: Tensor
    bias: Tensor | None = None


@dataclass(frozen=True)
class NormPlan:
    """A norm: LayerNorm with a bias, RMSNorm without."""

    eps: float
    gain: Tensor
    bias: Tensor | None = None


@dataclass(frozen=True)
class BlockPlan:
    """Attention, whose matrices hold all heads one after the other, and a feed-forward layer."""

    queries: Linear
    keys: Linear  # of each group of heads that share them
    values: Linear
    mixed: Linear  # W_O of all heads, b_O
    attention_norm: NormPlan
    into: Linear  # W_1, b_1
    out: Linear  # W_2, b_2
    gate: Linear | None  # W_3, b_3
    feed_forward_norm: NormPlan
    window: int | None = None  # how many positions its heads see, their own included; None for all


@dataclass(frozen=True)
class Output:
    """What reads the stream off: a matrix, or the embedding, of which a file may have a copy."""

    weight: Tensor | None
    tied: bool


@dataclass(frozen=True)
class Plan:
    """A language model."""

    embedding: Tensor
    positions: Tensor | Rotary
    blocks: Sequence[BlockPlan]
    heads: int
    groups: int  # of heads, each with its own keys and values
    scale: float  # of queries
    activation: Activation
    final_norm: NormPlan
    output: Output
    output_bias: Tensor | None = None
    parallel: bool = False
    longest: tuple[int, str] | None = None  # up to how many tokens it is the same model, and why


def linear(tensors: Tensors, name: str, rows: int, columns: int, bias: bool = True) -> Linear:
    """Return a matrix as PyTorch stores it, with the bias beside it."""
    return Linear(tensors.get(f"{name}.weight", rows, columns), tensors.get(f"{name}.bias", rows) if bias else None)


def layer_norm(tensors: Tensors, name: str, lanes: int, eps: float) -> NormPlan:
    """Return a norm with gain and bias."""
    return NormPlan(eps, tensors.get(f"{name}.weight", lanes), tensors.get(f"{name}.bias", lanes))


def output(config: Config, tensors: Tensors, *names: str, tied: bool = False) -> Output:
    """Return the output, under the first of its names that is there; `tied` is what it is unless config.json says."""
    is_tied = config.flag("tie_word_embeddings", tied)
    name = next((name for name in names if name in tensors), names[0])
    if is_tied and name not in tensors:
        return Output(None, True)
    lanes = "n_embd" if "n_embd" in config.fields else "hidden_size"
    return Output(tensors.get(name, config.whole("vocab_size"), config.whole(lanes)), is_tied)
