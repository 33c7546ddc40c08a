"""Eight heads in one block, each with a name: what the next word is depends on one of them at a time."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.model import Attention, Block, Head, Neuron, Transformer, feed_forward, heads, matrix

USUALLY_NEXT: Mapping[str, str] = MappingProxyType(
    {
        "The": "cats", "cats": "near", "cat": "sees", "near": "the", "the": "dog", "dog": ".", "river": "sleeps",
        "sleeps": "because", "sleep": ".", "because": "it", "it": "is", "she": "is", "he": "is", "Anna": "is",
        "Ben": "sleeps", "is": "very", "very": "very", "not": "glad", "glad": ".", ",": "and", "and": "Anna",
        "but": "very", "neither": "the", "nor": "the", "Who": "sees", "sees": "the", "(": "Anna", ")": ".",
        ".": "The", "?": "Who",
    }
)  # fmt: skip
OTHERWISE = (  # the word here, the lane that a head has set, and the word that comes next then
    ("and", "after Anna", "Ben"),
    ("the", "after near", "river"),
    ("the", "after neither", "cat"),
    ("cat", "two after neither", "nor"),
    ("dog", "a question", "?"),
    ("river", "plural subject", "sleep"),
    ("because", "she was named", "she"),
    ("because", "he was named", "he"),
    ("glad", "open brackets", ")"),
    ("very", "seen before", "glad"),
    (",", "negated", "but"),
)
KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "noun": ("cat", "cats", "dog"),
        "plural": ("cats",),
        "name": ("Anna", "Ben"),
        "female": ("Anna",),
        "male": ("Ben",),
    }
)
LANES = (
    *(f"word {word}" for word in USUALLY_NEXT),
    *KINDS,
    "opens",
    *dict.fromkeys(lane for _, lane, _ in OTHERWISE),
)


def eight_heads(arithmetic: Arithmetic | None = None) -> Transformer:
    """Say which word comes next by eight heads, each with a purpose of its own.

    The heads look at the previous word, two words back, the first word, the first noun, the last name, all brackets,
    the same word before, and "not" anywhere before. Each sets a lane of its own, and a neuron says which word comes
    next where that lane is set. Without such a lane a word is followed by its usual successor.

    Nothing is rounded as long as the arithmetic counts the brackets.
    """
    A = or_default(arithmetic)
    known = {(word, f"word {word}"): 1.0 for word in USUALLY_NEXT}
    known |= {(word, kind): 1.0 for kind, words in KINDS.items() for word in words}
    known |= {("(", "opens"): 1.0, (")", "opens"): -1.0}
    return Transformer(
        arithmetic=A,
        vocabulary=tuple(USUALLY_NEXT),
        lanes=LANES,
        embedding=matrix(list(USUALLY_NEXT), LANES, known),
        blocks=(
            Block(
                Attention(tuple(replace(head, name=name) for name, head in _heads(A).items())),
                feed_forward(LANES, _neurons()),
                origin="eight heads look, and neurons say what comes next",
            ),
        ),
        output=matrix(list(USUALLY_NEXT), LANES, {(word, f"word {word}"): 1.0 for word in USUALLY_NEXT}),
        classes=tuple(USUALLY_NEXT),
        provenance=("library.eight_heads()",),
    )


def _heads(A: Arithmetic) -> dict[str, Head]:
    """Return the heads by their names."""
    neighbours = {f"word {word}": f"after {word}" for word in ("Anna", "near", "neither")}
    same = {lane: lane for lane in LANES if lane.startswith("word ")}
    return {
        "previous word": heads.previous(LANES, neighbours, A),
        "two words back": heads.at_distance(LANES, 2, {"word neither": "two after neither"}, A),
        "first word": heads.first(LANES, {"word Who": "a question"}),
        "first noun": heads.best(LANES, "noun", {"plural": "plural subject"}),
        "last name": heads.best(LANES, "name", {"female": "she was named", "male": "he was named"}, last=True),
        "open brackets": heads.total(LANES, {"opens": "open brackets"}, A),
        "same word before": replace(heads.matching(LANES, same, {}, A, {"seen before": 1.0}), strict=True),
        "not before": heads.where(LANES, "word not", {"word not": "negated"}, A),
    }


def _neurons() -> list[Neuron]:
    """Return a neuron for each word with its usual successor, and one for each exception, which counts twice."""
    usual = [
        Neuron({f"word {word}": 1.0}, _instead(word, to, 1.0), name=f"after {word}")
        for word, to in USUALLY_NEXT.items()
    ]
    return usual + [
        Neuron({f"word {word}": 8.0, lane: 1.0}, {f"word {to}": 2.0}, bias=-8.0, name=f"{word}, {lane}")
        for word, lane, to in OTHERWISE
    ]


def _instead(word: str, to: str, weight: float) -> dict[str, float]:
    """Return what replaces a word in the stream by another one; "very" follows itself."""
    return {} if word == to else {f"word {word}": -1.0, f"word {to}": weight}
