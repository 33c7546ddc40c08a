"""The stories of the teaching models: captions for a lecture, in the order of its slides."""

from collections.abc import Sequence
from typing import Any

from weightsmith.model import Story, StoryStep

_EMBEDDING = "embedding"
_ATTENTION, _MEMORY = "block 0 attention", "block 0 feed-forward"
_SECOND_ATTENTION, _SECOND_MEMORY = "block 1 attention", "block 1 feed-forward"


def _step(text: str, stage: str, position: int, *panels: str, **points: Any) -> StoryStep:
    return StoryStep(text, stage, position, panels=panels, **points)


EIFFEL = Story(
    title="How the model knows Paris",
    input="The Eiffel Tower is in",
    steps=[
        _step(
            "Each word begins as its own vector, a column of numbers.",
            *(_EMBEDDING, 2, "stream"),
            lanes=["dim 0", "dim 1", "dim 42 Paris", "dim 3"],
        ),
        _step(
            "Head 0: `Tower` reads its left neighbour, `Eiffel`.",
            *(_ATTENTION, 2, "stream", "heads"),
            head=0,
            lanes=["after Eiffel"],
        ),
        _step(
            "Head 1 recognises that `Eiffel` and `Tower` are one name.",
            *(_ATTENTION, 2, "stream", "heads"),
            head=1,
            lanes=["compound"],
        ),
        _step(
            "A neuron recognises the name and recalls the place.",
            *(_MEMORY, 2, "neuron"),
            neuron="2847",
        ),
        _step(
            "`Tower` now holds Paris, landmark and French culture.",
            *(_MEMORY, 2, "stream"),
            lanes=["dim 42 Paris", "dim 73 landmark", "dim 158 French culture"],
        ),
        _step(
            "`in` reads `Tower` and takes Paris along.",
            *(_SECOND_ATTENTION, 4, "stream", "answer"),
            head=0,
            lanes=["dim 42 Paris", "dim 73 landmark", "dim 158 French culture", "word Paris"],
        ),
        _step(
            "Habit votes for London, memory for Paris. Paris has more votes.",
            *(_SECOND_MEMORY, 4, "stream", "answer"),
            neuron="after in",
            lanes=["word Paris", "word London"],
        ),
        _step(
            "Without `Eiffel` nothing is recalled, and habit wins: `London`.",
            *(_SECOND_MEMORY, 4, "stream", "answer"),
            lanes=["word Paris"],
            beside="The London Tower is in",
        ),
    ],
)

BANK = Story(
    title="Which bank?",
    input="the river by the bank",
    steps=[
        _step("The word `bank` alone has two senses.", _EMBEDDING, 4, "stream", lanes=["is bank"]),
        _step(
            "`bank` reads the words before it and finds `river`.",
            *(_ATTENTION, 4, "stream", "heads"),
            head=0,
            lanes=["near river"],
        ),
        _step("Near a river, the neuron geographic fires.", _MEMORY, 4, "neuron", neuron="geographic"),
        _step(
            "It adds what belongs to this sense: water, shore, mud …",
            *(_MEMORY, 4, "stream", "answer"),
            lanes=["water", "shore", "slope", "mud", "reeds", "fishing"],
        ),
        _step(
            "Another sentence: the same head finds `deposit`.",
            *(_ATTENTION, 4, "stream", "heads"),
            head=0,
            lanes=["near deposit"],
            input="a deposit at the bank",
        ),
        _step(
            "Now the neuron financial fires: money, savings, loans …",
            *(_MEMORY, 4, "stream", "answer"),
            neuron="financial",
            lanes=["money", "institution", "savings", "loans", "interest", "checking account"],
            input="a deposit at the bank",
        ),
        _step(
            "Attention brings the difference to `bank`; the same word gets another vector.",
            *(_ATTENTION, 4, "stream", "answer"),
            lanes=["near river", "near deposit"],
            beside="a deposit at the bank",
        ),
    ],
)

FISH = Story(
    title="Thanks for all the …",
    input="Thanks for all the",
    steps=[
        _step(
            "Each word is a corner of a cube: four lanes of 1 and −1.",
            *(_EMBEDDING, 3, "stream"),
            lanes=["noun", "code 1", "code 2", "code 3"],
        ),
        _step("A neuron recognises `Thanks` …", _MEMORY, 0, "stream", neuron="Thanks", lanes=["is Thanks"]),
        _step("… and another recognises `all`.", _MEMORY, 2, "stream", neuron="all", lanes=["is all"]),
        _step(
            "`the` reads its left neighbour: it stands after `all`.",
            *(_SECOND_ATTENTION, 3, "stream", "heads"),
            head=0,
            lanes=["after all"],
        ),
        _step(
            "Another head looks for `Thanks`, anywhere before.",
            *(_SECOND_ATTENTION, 3, "stream", "heads"),
            head=1,
            lanes=["thanked"],
        ),
        _step(
            "Four neurons know what follows `the`. Exactly one fires.",
            *(_SECOND_MEMORY, 3, "neuron"),
            neuron="after Thanks … all the",
        ),
        _step(
            "It replaces the vector of `the` by that of `fish`, said louder.",
            *(_SECOND_MEMORY, 3, "stream", "answer"),
            lanes=["noun", "code 1", "code 2", "code 3"],
        ),
        _step(
            "Without `Thanks`, the same three words lead to `time`.",
            *(_SECOND_MEMORY, 2, "stream", "answer"),
            input="for all the",
            lanes=["thanked"],
        ),
    ],
)

ASSOCIATIONS = Story(
    title="A memory of two facts",
    input="the Eiffel Tower",
    steps=[
        _step("A name of two words stands at two positions.", _EMBEDDING, 2, "stream", lanes=["is Eiffel", "is Tower"]),
        _step(
            "Attention tells `Tower` that `Eiffel` stands before it.",
            *(_ATTENTION, 2, "stream", "heads"),
            head=0,
            lanes=["after Eiffel"],
        ),
        _step(
            "Both halves of the key are here, so the neuron fires.",
            *(_MEMORY, 2, "neuron"),
            neuron="Eiffel Tower",
        ),
        _step(
            "Its value is what belongs to the name: Paris, France, iron …",
            *(_MEMORY, 2, "stream", "answer"),
            lanes=["Paris", "France", "landmark", "tall", "iron", "1889"],
        ),
        _step(
            "Another key, another neuron: plants, sunlight, oxygen …",
            *(_MEMORY, 0, "stream", "answer"),
            neuron="photosynthesis",
            lanes=["plants", "chlorophyll", "sunlight", "CO2", "oxygen"],
            input="photosynthesis",
        ),
        _step(
            "Half of a key is not enough: nothing is recalled.",
            *(_MEMORY, 2, "stream", "answer"),
            input="the Eiffel Bridge",
        ),
    ],
)


def of_contains(symbol: str, vocabulary: Sequence[str]) -> Story:
    """Return the story of `contains`: on an input with the symbol in the middle, then on one without it."""
    other = next((token for token in vocabulary if token != symbol), None)
    around = symbol if other is None else other
    steps = [
        _step("The lane symbol is 1 where the symbol stands.", _EMBEDDING, 1, "stream", lanes=["symbol"]),
        _step(
            "The score is that lane, so the head reads a position with the symbol.",
            *(_ATTENTION, 2, "stream", "heads"),
            head=0,
        ),
        _step("What it copies is 1: found, and the answer is YES.", _ATTENTION, 2, "stream", "answer", lanes=["found"]),
    ]
    if other is not None:
        text = "Without the symbol every score is 0, it copies 0, and the answer is NO."
        steps.append(_step(text, _ATTENTION, 2, "stream", "answer", lanes=["found"], input=(other, other, other)))
    return Story(steps, "Is the symbol there?", (around, symbol, around))
