"""Two facts in one memory: what belongs to the Eiffel Tower, and what to photosynthesis."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.library import stories
from weightsmith.memory import write_many
from weightsmith.model import Attention, Block, Transformer, heads, matrix

WORDS = ("the", "Eiffel", "Tower", "Bridge", "photosynthesis", "of", "and")
BELONGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Eiffel Tower": ("Paris", "France", "landmark", "tall", "iron", "1889"),
        "photosynthesis": ("plants", "chlorophyll", "sunlight", "CO2", "oxygen"),
    }
)
KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"Eiffel Tower": ("after Eiffel", "is Tower"), "photosynthesis": ("is photosynthesis",)}
)
NOTHING = "nothing"


def associations(arithmetic: Arithmetic | None = None) -> Transformer:
    """Recall what belongs to the last word: Paris … 1889 to "Eiffel Tower", plants … oxygen to "photosynthesis".

    A head tells each word whether "Eiffel" stands just before it, so that the name of two words is together at
    "Tower". The feed-forward layer is a memory of two facts, written with `memory.write_many`: each is a neuron that
    fires with 1 for its own key, and is at most −1 for the other's, for half of its own and for nothing. What a fact
    adds are lanes, one for each thing that belongs to it, and these are the classes; `nothing` has logit 0. Things of
    one fact are equally strong, so the decision is the first of them.
    """
    A = or_default(arithmetic)
    things = tuple(thing for belonging in BELONGS.values() for thing in belonging)
    words = ("Eiffel", "Tower", "photosynthesis")
    lanes = (*(f"is {word}" for word in words), "after Eiffel", *things)
    neighbour = heads.previous(lanes, {"is Eiffel": "after Eiffel"}, A)
    T = Transformer(
        arithmetic=A,
        vocabulary=WORDS,
        lanes=lanes,
        embedding=matrix(WORDS, lanes, {(word, f"is {word}"): 1.0 for word in words}),
        blocks=(Block(Attention((neighbour,)), origin="put names together, recall what belongs to them"),),
        output=matrix((NOTHING, *things), lanes, {(thing, thing): 1.0 for thing in things}),
        classes=(NOTHING, *things),  # nothing has logit 0 and wins ties
    )
    facts = [(name, dict.fromkeys(KEYS[name], 1.0), dict.fromkeys(BELONGS[name], 1.0)) for name in BELONGS]
    halves = [{lane: 1.0} for lane in KEYS["Eiffel Tower"]]
    T = replace(
        write_many(T, 0, facts, rivals=halves),
        provenance=("library.associations()",),
        edits=(),
        description="Recalls what belongs to a name, also to one of two words.",
    )
    return T.story(stories.ASSOCIATIONS)
