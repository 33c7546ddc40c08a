"""A picture of units along a sentence, each a line of colours below the feature that it follows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weightsmith.errors import InputError, brief, shown
from weightsmith.inspect.probing.one_input import Tracks, value_text
from weightsmith.train.pictures import MOST_LETTERS, VISIBLE_FORMS, new_figure, write_picture
from weightsmith.train.records import picture_format

# in inches
WORD_WIDTH, LINE_HEIGHT = 0.75, 0.55
LABEL_WIDTH, TITLE_HEIGHT = 3.2, 1.1
MOST_WIDTH = 40.0
DARK = 0.8  # from so much heat on, letters on it are white


def draw_tracks(path: Path, tracks: Tracks) -> None:
    """Draw the units along a sentence: an SVG, PNG or PDF, as the name says.

    Red is the higher value of the feature, blue the lower, and white the threshold between them. What a unit says
    stands in its colour, with ✗ where it is wrong.
    """
    picture_format(path)
    write_picture(Path(path), tracks_figure(tracks))


def tracks_figure(tracks: Tracks) -> Any:
    """Return the picture as a matplotlib figure."""
    if not isinstance(tracks, Tracks):
        raise InputError(f"{brief(tracks)} is no sentence with units along it: write tracking(…).over(sentence)")
    lines = [(tracks.name, _feature_heat(tracks), [value_text(value) for value in tracks.feature])]
    for track in tracks.tracks:
        wrong = [tracks.two and said != true for said, true in zip(track.says, tracks.feature, strict=True)]
        texts = [value_text(said) + (" ✗" if bad else "") for said, bad in zip(track.says, wrong, strict=True)]
        lines.append((str(track.unit), list(track.heat), texts))
    width = min(LABEL_WIDTH + WORD_WIDTH * len(tracks.tokens), MOST_WIDTH)
    figure = new_figure((width, TITLE_HEIGHT + LINE_HEIGHT * len(lines)))
    axis = figure.add_subplot()
    axis.imshow([heat for _, heat, _ in lines], aspect="auto", cmap="RdBu_r", vmin=-1.3, vmax=1.3, interpolation="none")
    for row, (_, heat, texts) in enumerate(lines):
        for column, (warmth, text) in enumerate(zip(heat, texts, strict=True)):
            colour = "white" if abs(warmth) > DARK else "black"
            axis.text(column, row, text, ha="center", va="center", color=colour, fontsize=9, parse_math=False)
    axis.axhline(0.5, color="white", linewidth=4)
    words = [_cut(VISIBLE_FORMS.get(token) or shown(token)) for token in tracks.tokens]
    axis.set_xticks(range(len(words)), words, parse_math=False)
    axis.set_yticks(range(len(lines)), [label for label, _, _ in lines], parse_math=False)
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    for side in axis.spines.values():
        side.set_visible(False)
    axis.set_title("each unit alone, word by word", loc="left")
    return figure


def _feature_heat(tracks: Tracks) -> list[float]:
    """Return the feature itself from −1, its lowest value here, to 1."""
    numbers: Sequence[Any] = tracks.feature
    low, high = (min(numbers), max(numbers)) if not tracks.two else tracks.ends
    if tracks.two:
        return [1.0 if value == high else -1.0 for value in numbers]
    return [2 * (float(value) - low) / (high - low) - 1 if high > low else 0.0 for value in numbers]


def _cut(word: str) -> str:
    return word if len(word) <= MOST_LETTERS else f"{word[: MOST_LETTERS - 1]}…"
