"""Samples for sparse autoencoders: vectors of the stream, and the true activation of each feature in them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.arithmetic import Array, as_float64
from weightsmith.disguises.dictionary import Dictionary
from weightsmith.errors import InputError, ModelError, whole_number
from weightsmith.inspect.comparison import all_inputs, length_of
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer, position_table, token_ids
from weightsmith.model.names import place_of
from weightsmith.model.sites import stage_names
from weightsmith.model.tokens import Tokens, read_inputs
from weightsmith.semantics.evaluation import Evaluation, Ids

if TYPE_CHECKING:
    import torch

NEGATIVE = " (negative)"
TOLERANCE = 1e-4  # of a sum of features, as a share of the largest number of the stream


@dataclass(frozen=True, eq=False)
class Samples:
    """Vectors of the stream at one stage, one for each position of each input, and the features that they consist of.

    `activations` are (samples, lanes), `features` (samples, features). Up to rounding, activations = features ·
    directions. No feature is negative: one that is negative somewhere is there twice, the second time with the
    opposite direction and the ending " (negative)".

    `feature_vectors`, `sample(n)` and the call are what the evaluation of SAELens on synthetic data asks of a feature
    dictionary and of a generator of activations; they give tensors of PyTorch.
    """

    dictionary: Dictionary = field(repr=False)
    features: Array = field(repr=False)
    activations: Array = field(repr=False)
    stage: str
    _rng: np.random.Generator = field(repr=False)

    @property
    def feature_vectors(self) -> "torch.Tensor":
        """The directions, (features, lanes)."""
        return _tensor(self.dictionary.directions)

    def sample(self, batch_size: int) -> "torch.Tensor":
        """Draw the features of some samples, (batch_size, features)."""
        count = whole_number(batch_size, "batch_size", 1)
        return _tensor(self.features[self._rng.integers(len(self.features), size=count)])

    def __call__(self, features: "torch.Tensor") -> "torch.Tensor":
        """Return the vectors of the stream of some features, (batch, lanes)."""
        return features @ self.feature_vectors.to(features)

    def tensors(self) -> "dict[str, torch.Tensor]":
        """Return feature_vectors, feature_activations and hidden_activations, by these names, in float32."""
        return {
            "feature_vectors": self.feature_vectors,
            "feature_activations": _tensor(self.features),
            "hidden_activations": _tensor(self.activations),
        }


def _tensor(values: Array) -> "torch.Tensor":
    try:
        import torch
    except ImportError as error:
        raise InputError("tensors need PyTorch: write pip install 'weightsmith[torch]'") from error
    return torch.from_numpy(values.astype(np.float32))


def samples_of(
    original: Transformer,
    transformer: Transformer,
    dictionary: Dictionary,
    inputs: Sequence[Tokens] | None,
    stage: str | None,
    seed: int,
) -> Samples:
    """Run inputs, by default all up to a length, and return the features and vectors at every position."""
    stages = stage_names(transformer)
    s = len(stages) - 1 if stage is None else place_of(stage, stages, "stage")
    rng = np.random.default_rng(whole_number(seed, "seed", 0, 2**63))
    _refuse_nonlinear(original)
    features, vectors = [], []
    for ids in _groups(transformer, inputs):
        found = engine_for(transformer).evaluate(ids)
        features.append(_features(original, found, ids, s).reshape(-1, len(dictionary.features)))
        vectors.append(as_float64(found.stream[s]).reshape(-1, len(transformer.lanes)))
    book, values = _without_negatives(dictionary, np.concatenate(features))
    h = np.concatenate(vectors)
    error = float(np.abs(values @ book.directions - h).max())
    if error > TOLERANCE * max(1.0, float(np.abs(h).max())):
        raise ModelError(
            f"{stages[s]}: the stream differs by {error:.3g} from the sum of its features: {transformer.arithmetic} "
            "saturates or rounds there; write compile(…, backend='softmax') and rotate it in Native('float64')"
        )
    return Samples(book, values, h, stages[s], rng)


def _refuse_nonlinear(T: Transformer) -> None:
    for b, block in enumerate(T.blocks):
        if block.norm_placement == "post" and (block.attention_norm or block.feed_forward_norm):
            raise ModelError(f"block {b} has a norm after its sublayers: its stream is no sum of features")


def _groups(T: Transformer, inputs: Sequence[Tokens] | None) -> list[Ids]:
    """Return token ids, (inputs, positions), for each length."""
    if inputs is None:
        return list(all_inputs(T, length_of(T, None)))
    if isinstance(inputs, str) or not isinstance(inputs, Sequence) or not len(inputs):
        raise InputError("inputs: write a list of inputs, such as ['ab', 'ba']")
    read = [token_ids(T, tokens) for tokens in read_inputs(T, inputs)]
    return [np.array([ids for ids in read if len(ids) == n], np.intp) for n in sorted({len(ids) for ids in read})]


def _features(original: Transformer, found: Evaluation, ids: Ids, stage: int) -> Array:
    """Return what the components of a run add to the features, (inputs, positions, features).

    Every component writes to the features of the original what its weights there say; what it reads is what it read in
    this run, interference included.
    """
    table = position_table(original.positions, original.arithmetic, len(original.lanes), ids.shape[1])
    f = as_float64(original.embedding)[ids] + (0.0 if table is None else as_float64(table))
    for b, block in enumerate(original.blocks):
        if stage > 2 * b and block.attention is not None:
            for head, run in zip(block.attention.heads, found.heads[b], strict=True):
                f = f + as_float64(run.mixed) @ as_float64(head.W_O).T
            f = f + (0.0 if block.attention.b_O is None else as_float64(block.attention.b_O))
        if stage > 2 * b + 1 and block.feed_forward is not None:
            layer = block.feed_forward
            f = f + as_float64(found.activations[b]) @ as_float64(layer.W_2).T + as_float64(layer.b_2)
    return f


def _without_negatives(dictionary: Dictionary, values: Array) -> tuple[Dictionary, Array]:
    """Return a dictionary with two features for each that is negative somewhere; none of the values is negative."""
    negative = np.flatnonzero((values < 0).any(axis=0))
    names = [*dictionary.features, *(f"{dictionary.features[j]}{NEGATIVE}" for j in negative.tolist())]
    rows = np.concatenate([dictionary.directions, -dictionary.directions[negative]])
    return Dictionary(names, rows), np.concatenate([values.clip(min=0), (-values[:, negative]).clip(min=0)], axis=1)
