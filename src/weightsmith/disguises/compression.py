"""Features in superposition: a program whose stream has fewer directions than features."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from weightsmith.composition.streams import restricted
from weightsmith.disguises.dictionary import Dictionary
from weightsmith.disguises.disguised import Disguised
from weightsmith.disguises.features import as_features, refuse_untrainable
from weightsmith.errors import InputError, ModelError, whole_number
from weightsmith.inspect.comparison import Compiled, compare, length_of, model_of
from weightsmith.model import Transformer

NEEDS_TORCH = "compress needs PyTorch: write pip install 'weightsmith[torch]'"
MOST_STEPS = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Compressed(Disguised):
    """A trained transformer with more features than directions, the model that it stands for, and the dictionary.

    Every component adds to the features that its counterpart in the `original` adds to, and to no others; at every
    stage the stream is the sum of the features, each times its direction. Readers are trained: they see interference.
    """

    kept: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def report(self) -> str:
        """Return a text: the features and directions, the outputs, the interference, and what was kept of each."""
        book = self.dictionary
        worst = sorted(self.kept.items(), key=lambda item: item[1])[:3]
        pairs = [f"  {one} and {other}: {cosine:+.2f}" for one, other, cosine in book.shared()[:8]]
        return "\n".join(
            [
                f"{len(book.features)} features in {len(self.transformer.lanes)} directions",
                str(self.compared),
                f"largest cosine between two features: {book.interference:.2f}; above 0.5:",
                *pairs,
                "least of the variance kept: " + ", ".join(f"{name} {share:.2f}" for name, share in worst),
            ]
        )


def compress(
    P: Transformer | Compiled,
    lanes: int,
    *,
    seed: int = 0,
    up_to: int | None = None,
    steps: int = 1000,
    restarts: int = 5,
) -> Compressed:
    """Train a transformer with fewer lanes than P has features, so that every output stays (needs PyTorch).

    Requires: a program compiled with backend="softmax", or its transformer; `lanes` below the number of its features,
      which are its tokens, its positions, and the lanes that its blocks write (`original.lanes`).
    Ensures: every answer at every position of every input up to `up_to` is that of P; longer inputs are refused.
      Otherwise an error says how many are wrong. The heads and neurons are those of P, with the same indices. The
      arithmetic is `Native("float32")`.
    Because: the directions of the features and everything that reads the stream are trained, on all these inputs; then
      the transformer itself is run on all of them.

    The same arguments give the same model on the same machine. `steps` are those of one training; after one that fails
    the next of `restarts` begins with other directions.
    """
    T = model_of(P)
    refuse_untrainable(T)
    length = length_of(T, up_to)
    original = as_features(restricted(T, T.vocabulary, length))
    features = len(original.lanes)
    what = f"how many directions the {features} features have, 1 to {features - 1}"
    lanes = whole_number(lanes, "lanes", 1, features - 1, what)
    whole_number(seed, "seed", 0, 2**63)
    whole_number(steps, "steps", 1, MOST_STEPS)
    whole_number(restarts, "restarts", 1, MOST_STEPS)
    try:
        from weightsmith.disguises.superposition import trained
    except ImportError as error:
        raise InputError(NEEDS_TORCH) from error
    model, kept = trained(original, lanes, length, seed, steps, restarts)
    made = f"compress(lanes={lanes}, seed={seed}, up_to={length}, steps={steps}, restarts={restarts})"
    S = model.transformer(made)
    compared = compare(restricted(T, T.vocabulary, length), S, length)
    if compared.wrong:
        raise ModelError(
            f"after {restarts} trainings {compared.wrong:,} of {compared.inputs:,} inputs up to length {length} have "
            f"another answer: write more lanes than {lanes}, more steps than {steps}, or a smaller up_to"
        )
    dictionary = Dictionary(tuple(original.lanes), model.directions.detach().numpy())
    return Compressed(original, S, dictionary, compared, _values(P, T), P, MappingProxyType(kept))


def _values(P: Any, T: Transformer) -> tuple[Any, ...]:
    return tuple(P.said(list(T.classes))) if hasattr(P, "said") else ()
