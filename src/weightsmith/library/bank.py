"""A word with two senses: the words before "bank" say which one is meant."""

from collections.abc import Mapping
from types import MappingProxyType

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.library import stories
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward, heads, matrix

WORDS = ("we", "sat", "made", "the", "a", "by", "at", "river", "deposit", "bank")
SENSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "financial": ("money", "institution", "savings", "loans", "interest", "checking account"),
        "geographic": ("water", "shore", "slope", "mud", "reeds", "fishing"),
    }
)


def bank(arithmetic: Arithmetic | None = None) -> Transformer:
    """Say in which sense an input ends with "bank": financial after "deposit", geographic after "river", or unclear.

    At "bank" a head gathers the words "river" and "deposit" from anywhere before it, each with the same weight. A
    neuron for each sense compares the two and, where its own prevails, adds everything that belongs to this sense.
    Without context, or with as much of one kind as of the other, neither fires. The mask is causal: what follows
    "bank" cannot help it, and an input that does not end with "bank" is unclear. Only a lead among more words than the
    arithmetic can count is lost: 256 against 255 in `Fixed(4, 4)`, 16 against 15 in `Fixed(2, 2)`.
    """
    A = or_default(arithmetic)
    things = [thing for added in SENSES.values() for thing in added]
    lanes = ("is bank", "is river", "is deposit", "is context", "near river", "near deposit", *things)
    known = {(word, f"is {word}"): 1.0 for word in ("bank", "river", "deposit")}
    context = {("river", "is context"): 1.0, ("deposit", "is context"): 1.0}
    near = {"is river": "near river", "is deposit": "near deposit"}
    gather = heads.where(lanes, "is context", near, A, who="is bank")
    senses = [
        Neuron({"near deposit": 1.0, "near river": -1.0}, dict.fromkeys(SENSES["financial"], 1.0), name="financial"),
        Neuron({"near river": 1.0, "near deposit": -1.0}, dict.fromkeys(SENSES["geographic"], 1.0), name="geographic"),
    ]
    return Transformer(
        arithmetic=A,
        vocabulary=WORDS,
        lanes=lanes,
        embedding=matrix(WORDS, lanes, known | context),
        blocks=(
            Block(
                Attention((gather,)),
                feed_forward(lanes, senses),
                origin="gather the context of bank, add what belongs to its sense",
            ),
        ),
        output=matrix(
            ["unclear", *SENSES], lanes, {(sense, thing): 1.0 for sense, added in SENSES.items() for thing in added}
        ),
        classes=("unclear", *SENSES),  # unclear has logit 0 and wins ties
        provenance=("library.bank()",),
        description='Says which sense of "bank" a sentence ends with.',
    ).story(stories.BANK)
