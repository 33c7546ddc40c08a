"""The true dictionary of a model: the direction of each feature in the stream; and scores of found ones against it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.errors import FileError, InputError, brief, listed, named, shown
from weightsmith.model.names import checked_names
from weightsmith.storage import read_json, refusals, write_json
from weightsmith.tables import Table, Tabled

FORMAT = "weightsmith dictionary"
VERSION = 1
MOST_ROWS, MOST_LANES = 60, 3  # of the table: features, lanes of a feature
COVERED = 0.9  # the cosine from which a feature counts as found
KEYS = {"format", "version", "features", "directions"}


@dataclass(frozen=True)
class Score:
    """How well a dictionary of directions covers the true one. Cosines are absolute: a feature may have both signs."""

    mean_max_cosine: float  # of each true feature with the nearest direction
    coverage: float  # share of the true features with a cosine of at least `threshold`
    threshold: float
    lost: tuple[str, ...]  # the other true features
    dead: tuple[int, ...]  # directions that are 0, or never active

    def __str__(self) -> str:
        """Return it as a line, with figures that are cut: 100% only where it is all of them."""
        cosine, share = int(10_000 * self.mean_max_cosine + 1e-2), int(100 * self.coverage + 1e-9)
        missed = f"; not found: {listed(self.lost)}" if self.lost else ""
        return (
            f"mean max cosine {cosine / 10_000:.4f}, coverage {share}% at {self.threshold:g}, "
            f"{len(self.dead)} dead{missed}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Dictionary(Tabled):
    """Features by name, and the direction of each in the stream: the stream is Σ value · direction."""

    features: Sequence[str]
    directions: Array  # (features, lanes)

    def __post_init__(self) -> None:
        """Check and freeze both."""
        object.__setattr__(self, "features", checked_names(self.features, "the features of a dictionary", False))
        object.__setattr__(self, "directions", _rows(self.directions, "directions"))
        if len(self.features) != len(self.directions):
            raise InputError(
                f"Dictionary has {len(self.features)} features and {len(self.directions)} directions: write one each"
            )

    def direction(self, feature: str) -> Array:
        """Return the direction of a feature."""
        if feature not in self.features:
            raise InputError(f"there is no feature {named(feature)}: the features are {listed(self.features)}")
        row: Array = self.directions[list(self.features).index(feature)]
        return row

    @cached_property
    def gram(self) -> Array:
        """The cosines between all features, (features, features): the identity if none share a direction."""
        rows = _unit(self.directions)
        return rows @ rows.T

    @property
    def interference(self) -> float:
        """The largest absolute cosine between two features; 0 without two."""
        return float(np.abs(self.gram - np.diag(np.diag(self.gram))).max(initial=0.0))

    @property
    def alone(self) -> tuple[str, ...]:
        """The features that still have a lane of their own: it holds them and nothing else."""
        there = self.directions != 0
        own = (there.sum(axis=1) == 1) & (there & (there.sum(axis=0) == 1)).any(axis=1)
        return tuple(name for name, is_alone in zip(self.features, own.tolist(), strict=True) if is_alone)

    def shared(self, at_least: float = 0.5) -> list[tuple[str, str, float]]:
        """Return the pairs of features whose absolute cosine is at least this, the largest first."""
        pairs = np.argwhere(np.triu(np.abs(self.gram) >= at_least, 1)).tolist()
        found = [(self.features[i], self.features[j], float(self.gram[i, j])) for i, j in pairs]
        return sorted(found, key=lambda pair: -abs(pair[2]))

    def score(
        self, found: npt.ArrayLike, activations: npt.ArrayLike | None = None, *, threshold: float = COVERED
    ) -> Score:
        """Score a dictionary that was found, such as the decoder of a sparse autoencoder, (directions, lanes).

        `activations`, (samples, directions), tell which directions are dead: never active on any sample. Without them
        these are the directions that are 0.
        """
        rows = _rows(found, "found")
        if rows.shape[1] != self.directions.shape[1]:
            raise InputError(
                f"found has shape {rows.shape}, and the stream has {self.directions.shape[1]} lanes: write one row for "
                "each direction"
            )
        if type(threshold) not in (int, float) or not 0 < threshold <= 1:
            raise InputError(f"threshold={brief(threshold)}: write a cosine above 0, up to 1")
        silent = ~rows.any(axis=1)
        if activations is not None:
            samples = _rows(activations, "activations")
            if samples.shape[1] != len(rows):
                raise InputError(
                    f"activations has shape {samples.shape}, and there are {len(rows)} directions: write one column "
                    "for each"
                )
            silent |= ~samples.any(axis=0)
        cosines = np.abs(_unit(self.directions) @ _unit(rows).T).max(axis=1, initial=0.0)
        lost = tuple(name for name, cosine in zip(self.features, cosines, strict=True) if cosine < threshold)
        share = 1 - len(lost) / len(self.features)
        return Score(float(cosines.mean()), share, float(threshold), lost, tuple(np.flatnonzero(silent).tolist()))

    def table(self) -> Table:
        """Return a row for each feature: its largest lanes, and the nearest other feature."""
        title = f"{self!r}; interference {self.interference:.3g}"
        result = Table("feature", "lanes", "largest", "nearest other", "cosine", right=[1, 4], title=title)
        others = self.gram - np.diag(np.diag(self.gram))
        for i, name in enumerate(self.features[:MOST_ROWS]):
            row, nearest = self.directions[i], int(np.abs(others[i]).argmax())
            order = np.argsort(-np.abs(row), kind="stable")[:MOST_LANES]
            lanes = ", ".join(f"{j}: {row[j]:.3g}" for j in order.tolist() if row[j])
            alone = others[i, nearest] == 0
            near = ("", "") if alone else (shown(self.features[nearest]), f"{others[i, nearest]:.3f}")
            result.add(shown(name), str(int(np.count_nonzero(row))), lanes, *near)
        left = len(self.features) - MOST_ROWS
        result.notes += [f"… {left:,} more features: see .features and .directions"] if left > 0 else []
        return result

    def __repr__(self) -> str:
        """Describe it briefly."""
        return f"<{len(self.features)} features in {self.directions.shape[1]} directions of the stream>"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values, for `json.dumps`."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "features": list(self.features),
            "directions": self.directions.tolist(),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it into a JSON file."""
        with refusals("cannot write", path):
            write_json(Path(path), self.to_json(), entry_lines=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Dictionary":
        """Read it from a file that `save` wrote."""
        with refusals("cannot read", path):
            found = read_json(path, "a dictionary")
            if found.keys() != KEYS or found["format"] != FORMAT or found["version"] != VERSION:
                raise FileError(f"it is not a {FORMAT} of version {VERSION}: write Dictionary.save(…)")
            rows = found["directions"]
            if not isinstance(found["features"], list) or not isinstance(rows, list):
                raise FileError("its features and directions are not lists")
            try:
                return cls(found["features"], _rows(rows, "directions"))
            except InputError as error:
                raise FileError(str(error)) from None


def _rows(values: npt.ArrayLike, name: str) -> Array:
    """Return a matrix of finite numbers; refuse anything else."""
    if hasattr(values, "detach"):  # a tensor of PyTorch that is trained
        values = values.detach().cpu().numpy()
    try:
        rows = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}={brief(values)}: write a matrix of numbers") from None
    if rows.ndim != 2 or not np.isfinite(rows).all() or not rows.size:
        raise InputError(f"{name} has shape {rows.shape}: write a matrix of finite numbers, with a row for each")
    rows.flags.writeable = False
    return rows


def _unit(rows: Array) -> Array:
    """Return rows of length 1; a row of 0 stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0, 1.0, lengths)
