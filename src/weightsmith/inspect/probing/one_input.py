"""Units along one input: the value of each after every token, and the value of the feature that its rule predicts."""

from dataclasses import dataclass, field
from typing import Any

from weightsmith.errors import shown
from weightsmith.inspect.probing.units import Unit
from weightsmith.tables import Cell, Table, Tabled

HEIGHTS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Track:
    """One unit along an input."""

    unit: Unit
    values: tuple[float, ...] = field(repr=False)  # of the unit
    leans: tuple[float, ...] = field(repr=False)  # signed distance to the rule's threshold; > 0: the higher value
    says: tuple[Any, ...]  # the values of the feature that its rule predicts

    @property
    def heat(self) -> tuple[float, ...]:
        """The distances divided by the largest one here, from −1 to 1."""
        most = max(map(abs, self.leans)) or 1.0
        return tuple(lean / most for lean in self.leans)


@dataclass(frozen=True)
class Tracks(Tabled):
    """Units along one input, beside the feature."""

    tokens: tuple[str, ...]
    name: str  # of the feature
    feature: tuple[Any, ...]
    tracks: tuple[Track, ...]
    ends: tuple[Any, ...]  # the lower and the higher value of a feature with two; () for one with many

    @property
    def two(self) -> bool:
        """Whether the feature has two values, so that a prediction is right or wrong."""
        return bool(self.ends)

    def table(self) -> Table:
        """Return a table with a column for each token: the feature, then for each unit a bar and its prediction.

        A high bar is far on the side of the feature's higher value; ✗ marks a wrong prediction.
        """
        columns = [shown(token) for token in self.tokens]
        result = Table("", *columns, lead=1)
        result.add(self.name, *map(value_text, self.feature), style="best", ends=True)
        for track in self.tracks:
            cells = []
            for heat, said, true in zip(track.heat, track.says, self.feature, strict=True):
                wrong = self.two and said != true
                text = f"{bar_of(heat)} {value_text(said)}" + (" ✗" if wrong else "")
                cells.append(Cell(text, "bad" if wrong else ""))
            result.add(str(track.unit), *cells)
        return result


def bar_of(heat: float) -> str:
    """Return a bar from the lowest, for −1, to the highest, for 1."""
    return HEIGHTS[min(int((heat + 1) / 2 * len(HEIGHTS)), len(HEIGHTS) - 1)]


def value_text(value: Any) -> str:
    """Return the text of a value of a feature: yes or no, a text, or a number with three digits."""
    if isinstance(value, str):
        return shown(value)
    return ("no", "yes")[int(value)] if isinstance(value, bool) else f"{value:.3g}"
