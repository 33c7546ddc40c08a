"""A model that looks trained, with the model that it stands for."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weightsmith.disguises.dictionary import Dictionary
from weightsmith.disguises.samples import Samples, samples_of
from weightsmith.export.circuit_map import circuit
from weightsmith.export.circuit_value import Circuit
from weightsmith.files import load_transformer, save
from weightsmith.inspect import outputs
from weightsmith.inspect.comparison import Compared, tokens_for
from weightsmith.model import Transformer
from weightsmith.model.tokens import Tokens
from weightsmith.storage import refusals, write_json
from weightsmith.tables import Page


@dataclass(frozen=True, eq=False)
class Disguised:
    """A transformer whose lanes are no features, and the one that it was made of, with one feature in each lane.

    Both have the same blocks, heads and neurons, with the same indices: the circuit of the `original` is that of the
    `transformer`. A vector of the stream is Σ value of a feature · its direction in the `dictionary`. `R(tokens)`
    gives the values at every position, computed by the `transformer`.
    """

    original: Transformer
    transformer: Transformer
    dictionary: Dictionary
    compared: Compared
    values: tuple[Any, ...] = ()  # the value of each answer of the transformer, if it is another
    program: object = None  # that it was made of: it reads the tokens

    def __call__(self, tokens: str | Sequence[Any]) -> list[Any]:
        """Return the value at every position; of a compiled program the tokens are those that it reads itself."""
        T = self.transformer
        found = outputs(T, [self.read(tokens)])[0]
        names = dict(zip(T.answers, self.values, strict=True)) if self.values else {}
        return [names.get(one, one) for one in found]

    def read(self, tokens: Any) -> Any:
        """Return an input as the transformer's tokens."""
        return tokens_for(self.program, tokens)

    def circuit(self, *, up_to: int | None = None, neurons: bool = False) -> Circuit:
        """Return `export.circuit` of the original, and the direction of each of its lanes, as "basis"."""
        return Circuit({**circuit(self.original, up_to=up_to, neurons=neurons), "basis": self.dictionary.to_json()})

    def samples(self, inputs: Sequence[Tokens] | None = None, *, stage: str | None = None, seed: int = 0) -> Samples:
        """Return vectors of the stream and the true features in them, to train and score sparse autoencoders.

        There is one sample for each position of the inputs, by default of all inputs up to a length. `stage` is one of
        "embedding", "block 0 attention", …, by default the last. `seed` is that of `Samples.sample`.
        """
        if isinstance(inputs, Sequence) and not isinstance(inputs, str):
            inputs = [self.read(tokens) for tokens in inputs]
        return samples_of(self.original, self.transformer, self.dictionary, inputs, stage, seed)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a folder: model.safetensors, original.safetensors, dictionary.json and compared.json."""
        place = Path(folder)
        with refusals("cannot write", folder):
            place.mkdir(parents=True, exist_ok=True)
            write_json(place / "compared.json", vars(self.compared) | {"values": list(self.values)})
        save(self.transformer, place / "model.safetensors")
        save(self.original, place / "original.safetensors")
        self.dictionary.save(place / "dictionary.json")

    def _repr_html_(self) -> str:
        """Return the comparison and the dictionary as HTML, for notebooks."""
        return Page(repr(self), self.dictionary.table())._repr_html_()

    def __repr__(self) -> str:
        """Describe it briefly."""
        T, features = self.transformer, len(self.dictionary.features)
        return f"<{features} features in {len(T.lanes)} directions of the stream; {self.compared}>"


def read_models(folder: str | os.PathLike[str]) -> tuple[Transformer, Transformer, Dictionary]:
    """Return the model, the original and the dictionary of a folder that `Disguised.save` wrote."""
    place = Path(folder)
    models = [load_transformer(place / name) for name in ("model.safetensors", "original.safetensors")]
    return models[0], models[1], Dictionary.load(place / "dictionary.json")
