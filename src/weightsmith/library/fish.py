"""A small language model: "Thanks for all the" is continued with "fish", by the embedding transposed."""

from collections.abc import Mapping
from types import MappingProxyType

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import ModelError
from weightsmith.library import stories
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward, heads, matrix

CODE = ("noun", "code 1", "code 2", "code 3")
FOUND = ("is Thanks", "is all", "after all", "thanked")  # what the blocks find out; no word has any of it
LANES = (*CODE, *FOUND)
EMBEDDINGS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "So": (-1, -1, -1, -1),
        "long": (-1, -1, -1, 1),
        "and": (-1, -1, 1, -1),
        "Thanks": (-1, -1, 1, 1),
        "for": (-1, 1, -1, -1),
        "all": (-1, 1, -1, 1),
        "the": (-1, 1, 1, -1),
        ".": (-1, 1, 1, 1),
        "fish": (1, 1, 1, 1),
        "help": (1, -1, 1, 1),
        "time": (1, 1, -1, 1),
        "world": (1, 1, 1, -1),
    }
)
USUALLY_NEXT: Mapping[str, str] = MappingProxyType(
    {
        **{"So": "long", "long": "and", "and": "Thanks", "Thanks": "for", "for": "all", "all": "the", ".": "So"},
        **dict.fromkeys(("fish", "help", "time", "world"), "."),
    }
)
AFTER_THE: Mapping[tuple[bool, bool], str] = MappingProxyType(  # (after all, thanked) → the next word
    {(False, False): "world", (True, False): "time", (False, True): "help", (True, True): "fish"}
)
NEEDED = (0.5, 1.5, 2.5, 4.5, *map(float, range(1, 9)))  # all that occurs in a run, but for signs
LOUDNESS = 1.5  # of the word that is said, against 1 for the word that stands here


def fish(arithmetic: Arithmetic | None = None) -> Transformer:
    """Say which word comes next: "fish" after "Thanks for all the", and other nouns after other words with "the".

    Each of the 12 words is a corner of a cube, four lanes of 1 and −1, so that a word's product with itself is 4 and
    with any other at most 2. The output is tied: a word's logit is the product of its own embedding with the stream.
    Block 0 recognises "Thanks" and "all". The heads of block 1 bring that to the words after them, and its neurons
    take the word that stands here out of the stream and put the one that comes next there.

    An arithmetic must hold the whole numbers up to 8 and the halves up to 4.5, and then nothing is rounded.
    """
    A = or_default(arithmetic)
    _check_exact(A)
    code = {(word, lane): float(x) for word, row in EMBEDDINGS.items() for lane, x in zip(CODE, row, strict=True)}
    recognise = [_recogniser(word, {}, {f"is {word}": 1.0}, word) for word in ("Thanks", "all")]
    neighbour = heads.previous(LANES, {"is all": "after all"}, A)
    thanked = heads.best(LANES, "is Thanks", {"is Thanks": "thanked"})
    return Transformer(
        arithmetic=A,
        vocabulary=tuple(EMBEDDINGS),
        lanes=LANES,
        embedding=matrix(list(EMBEDDINGS), LANES, code),
        blocks=(
            Block(None, feed_forward(LANES, recognise), origin="recognise Thanks and all"),
            Block(
                Attention((neighbour, thanked)),
                feed_forward(LANES, _habits()),
                origin="tell the words after them, say what comes next",
            ),
        ),
        tied=True,
        provenance=("library.fish()",),
        description='Says which word follows "the".',
    ).story(stories.FISH)


def _check_exact(A: Arithmetic) -> None:
    """Refuse an arithmetic in which something would be rounded."""
    lacking = [number for number in NEEDED if not A.contains(number)]
    if lacking:
        raise ModelError(f"fish() needs the number {lacking[0]:g}, which {A} lacks: write Fixed(4, 4)")


def _habits() -> list[Neuron]:
    """Return a neuron for each word and what follows it; "the" has four, of which just one fires."""
    usual = [_recogniser(word, {}, _says(word, to), f"after {word}") for word, to in USUALLY_NEXT.items()]
    for (after_all, was_thanked), to in AFTER_THE.items():
        said = " ".join(["Thanks …"] * was_thanked + ["all"] * after_all + ["the"])
        conditions = {"after all": after_all, "thanked": was_thanked}
        usual.append(_recogniser("the", conditions, _says("the", to), f"after {said}"))
    return usual


def _recogniser(word: str, conditions: Mapping[str, bool], writes: Mapping[str, float], name: str) -> Neuron:
    """Return a neuron that fires with 1 at a word, if flags are as they should be, and is at most −1 elsewhere.

    The product of the word with itself is 4, with another at most 2; a flag that is wrong takes 2 away.
    """
    reads = dict(zip(CODE, map(float, EMBEDDINGS[word]), strict=True))
    reads |= {flag: 2.0 if up else -2.0 for flag, up in conditions.items()}
    return Neuron(reads, writes, bias=-3.0 - 2.0 * sum(conditions.values()), name=name)


def _says(word: str, to: str) -> dict[str, float]:
    """Return what turns the embedding of a word into that of the next one, said aloud."""
    pairs = zip(CODE, EMBEDDINGS[word], EMBEDDINGS[to], strict=True)
    return {lane: LOUDNESS * then - now for lane, now, then in pairs}
