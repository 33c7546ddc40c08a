"""The lecture's standing example, written out: "The Eiffel Tower is in" is continued with "Paris"."""

from collections.abc import Mapping
from types import MappingProxyType

from weightsmith.arithmetic import Arithmetic, Native
from weightsmith.library import stories
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward, heads, matrix
from weightsmith.model.heads import never
from weightsmith.rewrites import to_arithmetic

PARIS, LANDMARK, CULTURE = "dim 42 Paris", "dim 73 landmark", "dim 158 French culture"
PRINTED = ("dim 0", "dim 1", PARIS, "dim 3")  # the four coordinates that the lecture prints
HIDDEN = ("one", "after Eiffel", "compound")  # behind the dots, with a lane for each word
EMBEDDINGS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "The": (0.2, 0.1, 0.0, 0.3),
        "Eiffel": (0.5, 0.3, 0.1, 0.0),
        "Tower": (0.4, 0.2, 0.2, 0.1),
        "is": (0.1, 0.0, 0.3, 0.2),
        "in": (0.0, 0.2, 0.1, 0.1),
        "Paris": (0.6, 0.1, 0.0, 0.4),
        "London": (0.6, 0.2, 0.0, 0.3),  # this one and the next are not in the lecture
        ".": (0.0, 0.1, 0.0, 0.1),
    }
)
USUALLY_NEXT: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "The": {"Tower": 3, "Eiffel": 2},
        "Eiffel": {"Tower": 3},
        "Tower": {"is": 3},
        "is": {"in": 3},
        "in": {"London": 3},
        "Paris": {".": 3},
        "London": {".": 3},
        ".": {"The": 3},
    }
)
LANES = (*PRINTED, LANDMARK, CULTURE, *HIDDEN, *(f"word {token}" for token in EMBEDDINGS))


def eiffel(arithmetic: Arithmetic | None = None) -> Transformer:
    """Continue "The Eiffel Tower is in" with "Paris", and "The Tower is in" with "London".

    Block 0 assembles and recalls. At "Tower" one head looks at the left neighbour, another at the first half of a
    compound noun, and what they add makes neuron 2847 of the lecture fire: it knows that the Eiffel Tower is a
    landmark in Paris. Neuron 5432 fires at every "Tower". Block 1 moves what "Tower" has learned to
    "in", and with it a vote for the word "Paris". Its neurons vote for the word that usually comes next.

    The output is tied: it is the embedding itself, as in the lecture. The lanes `word …` say which word stands here
    and, at the end, which comes next; the printed coordinates of the words alone differ too little for that.

    The numbers are decimal fractions, so the default arithmetic is the machine's. In a finite one they are rounded.
    The decisions stay the same down to Fixed(2, 2) and Float(4, 3); Fixed(1, 1) is too coarse and forgets Paris.
    """
    A = Native("float64")
    words = {(token, f"word {token}"): 1.0 for token in EMBEDDINGS} | {(token, "one"): 1.0 for token in EMBEDDINGS}
    printed = {(token, lane): x for token, row in EMBEDDINGS.items() for lane, x in zip(PRINTED, row, strict=True)}
    T = Transformer(
        arithmetic=A,
        vocabulary=tuple(EMBEDDINGS),
        lanes=LANES,
        embedding=matrix(list(EMBEDDINGS), LANES, words | printed),
        blocks=(_assemble_and_recall(A), _move_and_decide(A)),
        tied=True,
        provenance=("library.eiffel()",),
        description="Finishes a sentence about a tower.",
    )
    if arithmetic is None or arithmetic == A:
        return T.story(stories.EIFFEL)
    never(arithmetic)  # refuses an arithmetic in which a head cannot attend to nothing
    return to_arithmetic(T, arithmetic)


def _assemble_and_recall(A: Arithmetic) -> Block:
    """Return the lecture's block: two heads, two neurons."""
    seen = "word Eiffel"
    next_to = {seen: {"dim 0": 0.1, "dim 1": 0.2, "dim 3": 0.1, "after Eiffel": 1.0}}
    joined = {seen: {"dim 0": 0.2, PARIS: 0.3, "compound": 1.0}}
    neighbour = heads.previous(LANES, next_to, A)
    compound = heads.where(LANES, seen, joined, A, who="word Tower", distance=1)
    # What is hidden behind the dots keeps a neuron silent where its words do not stand.
    eiffel_tower = Neuron(
        reads=_reads(0.8, 0.1, 0.9, -0.1) | {"one": -1.0, "after Eiffel": 0.3, "compound": 0.87},
        writes={PARIS: 0.9, LANDMARK: 0.8, CULTURE: 0.6, "dim 0": 0.05, "dim 1": 0.025, "dim 3": 0.2},
        name="2847",
    )
    any_tower = Neuron(
        reads=_reads(0.1, 0.8, -0.2, 0.3) | {"one": -1.0, "word Tower": 1.05},
        writes={PARIS: 0.1, LANDMARK: 0.7, CULTURE: 0.05, "dim 0": 0.1, "dim 1": 0.05, "dim 3": 0.15},
        name="5432",
    )
    origin = "assemble Eiffel Tower, recall it"
    return Block(Attention((neighbour, compound)), feed_forward(LANES, [eiffel_tower, any_tower]), origin=origin)


def _move_and_decide(A: Arithmetic) -> Block:
    """Return the block after it: a head that carries knowledge to "in", and a neuron for each habit of the language."""
    known: dict[str, str | Mapping[str, float]] = {PARIS: {PARIS: 1.0, "word Paris": 4.0}}
    known |= {LANDMARK: LANDMARK, CULTURE: CULTURE}
    carry = heads.where(LANES, "compound", known, A, who="word in")
    elsewhere = {"Paris": {"word in": -8.0}}  # at "in" the lane `word Paris` is hearsay: no such word stands here
    habits = [
        Neuron(
            reads={f"word {token}": 1.0} | elsewhere.get(token, {}),
            writes={f"word {token}": -1.0} | {f"word {to}": weight for to, weight in follows.items()},
            name=f"after {token}",
        )
        for token, follows in USUALLY_NEXT.items()
    ]
    return Block(Attention((carry,)), feed_forward(LANES, habits), origin="carry it to in, say what usually comes next")


def _reads(*weights: float) -> dict[str, float]:
    return dict(zip(PRINTED, weights, strict=True))
