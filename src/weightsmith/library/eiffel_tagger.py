"""The first head of the lecture as the slide draws it: under a full mask, "Eiffel" attends to "Tower" to its right."""

from typing import get_args

from weightsmith.arithmetic import Arithmetic, Native
from weightsmith.errors import InputError, brief
from weightsmith.library.eiffel import EMBEDDINGS, PARIS, PRINTED
from weightsmith.model import Attention, Block, Head, Transformer, heads, matrix
from weightsmith.model.heads import never
from weightsmith.model.transformer import Mask
from weightsmith.rewrites import to_arithmetic

LONGEST = 8
PLACES = heads.places(LONGEST)
WORDS = tuple(word for word in EMBEDDINGS if word != "London")
LANES = (
    *PRINTED,
    "followed by Tower",
    "after Eiffel",
    "in the name",
    *(f"word {word}" for word in WORDS),
    *PLACES,
)


def eiffel_tagger(mask: Mask = "full", arithmetic: Arithmetic | None = None) -> Transformer:
    """Tag each word of up to 8 as part of the name "Eiffel Tower" or not.

    With the full mask every word sees all words, as in an encoder: "Eiffel" attends to "Tower" and gets the vector of
    the slide, and both words get the feature that they form a name. With mask="causal" the weights are the same, and
    the heads that look to the right see nothing: only "Tower" is tagged.

    Positions are a table with one lane for each place, so that a head can look at the next place.
    """
    if mask not in get_args(Mask):
        raise InputError(f"mask={brief(mask)}: write 'full', or 'causal' to see what a model that predicts words sees")
    A = Native("float64")
    printed = {(word, lane): x for word in WORDS for lane, x in zip(PRINTED, EMBEDDINGS[word], strict=True)}
    call = "library.eiffel_tagger()" if mask == "full" else f"library.eiffel_tagger({mask!r})"
    T = Transformer(
        arithmetic=A,
        vocabulary=WORDS,
        lanes=LANES,
        embedding=matrix(WORDS, LANES, printed | {(word, f"word {word}"): 1.0 for word in WORDS}),
        positions=heads.place_table(LANES, PLACES),
        blocks=(Block(Attention(_heads(A)), origin="look at both neighbours, recognise the name"),),
        output=matrix(["other", "name"], LANES, {("name", "in the name"): 1.0}),
        classes=("other", "name"),
        mask=mask,
        provenance=(call,),
    )
    if arithmetic is None or arithmetic == A:
        return T
    never(arithmetic)  # refuses an arithmetic in which a head cannot attend to nothing
    return to_arithmetic(T, arithmetic)


def _heads(A: Arithmetic) -> tuple[Head, ...]:
    """Return two heads for neighbours and two for the name, each once to the right and once to the left."""
    adjacent, joined = {"dim 0": 0.1, "dim 1": 0.2, "dim 3": 0.1}, {"dim 0": 0.2, PARIS: 0.3, "in the name": 1.0}
    right = {"word Tower": adjacent | {"followed by Tower": 1.0}}
    left = {"word Eiffel": adjacent | {"after Eiffel": 1.0}}
    return (
        heads.next(LANES, PLACES, right, A, name="right neighbour"),
        heads.previous(LANES, left, A, places=PLACES, name="left neighbour"),
        heads.next(LANES, PLACES, {"word Tower": joined}, A, who="word Eiffel", name="Eiffel before Tower"),
        heads.previous(LANES, {"word Eiffel": joined}, A, places=PLACES, who="word Tower", name="Tower after Eiffel"),
    )
