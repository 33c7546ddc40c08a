"""Short fables to learn from, written for this project: plots with changing animals, and some whole texts.

An animal eats one thing and lives in one place, throughout. So a model that continues a fable must remember who acts,
which only the words before can say, and know what that animal eats, which only its weights can say.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from weightsmith.train.settings import whole

EATS: Mapping[str, str] = MappingProxyType(
    {
        "fox": "grapes",
        "bear": "honey",
        "mouse": "cheese",
        "hen": "corn",
        "rabbit": "carrots",
        "cat": "fish",
        "goat": "grass",
        "squirrel": "nuts",
        "crow": "seeds",
        "duck": "bread",
    }
)
LIVES_IN: Mapping[str, str] = MappingProxyType(
    {
        "fox": "den",
        "bear": "cave",
        "mouse": "hole",
        "hen": "barn",
        "rabbit": "burrow",
        "cat": "house",
        "goat": "stable",
        "squirrel": "tree",
        "crow": "nest",
        "duck": "reeds",
    }
)
ANIMALS = tuple(EATS)
KINDS = ("young", "old", "small", "proud", "clever", "quiet", "lazy", "brave")
PLACES = ("river", "forest", "hill", "village", "mill", "garden", "lake", "road")
SEASONS = ("spring", "summer", "autumn", "winter")
DAYS = ("One day", "One morning", "One evening", "One cold night")
TEXTS = (
    "The moon is up , the sun is down , and all is quiet in the town . The cat comes home , the dog is fed , and every "
    "child is in its bed .",
    "Little lamp , burn all night , keep the dark away . When the morning brings its light , sleep the whole of day .",
    "The rain fell on the hill , the rain fell on the mill . The river rose and took the bridge , and the rain is "
    "falling still .",
    "A road went up a hill to see what was behind . It found another hill , and did not mind .",
    "The wind asked the tree : why do you stay ? The tree asked the wind : why do you go ? Neither of them knew , and "
    "so they stayed friends .",
    "In winter the river sleeps under the ice . It dreams of boats . In spring it wakes and carries them .",
    "A child planted a nut and waited . A year went by , and a second . Now the child is old and sits in the shade of "
    "a tree .",
    "The sun and the moon share one house . When one comes home , the other goes to work . They meet at the door , "
    "morning and evening , and the sky turns red .",
    "An old man had a clock that was slow . He was late for the market , late for dinner , and late for bed . He was "
    "never late for a talk with a friend .",
    "A stone lay in the river and complained that nothing happened . The water said : you were a hill once . Wait .",
)  # whole texts, as they are


def fables(words: int = 300_000, seed: int = 0) -> str:
    """Return a text of at least this many words and signs, a fable on each line; the same seed gives the same text.

    >>> fables(30, seed=7)[:49]
    'A young mouse lost its way in the forest . It ask'
    """
    words, seed = whole(words, "words", 1), whole(seed, "seed", 0)
    draw, lines, length = random.Random(seed), list[str](), 0
    while length < words:
        lines.append(_fable(draw))
        length += len(lines[-1].split())
    return "\n".join(lines) + "\n"


def _fable(draw: random.Random) -> str:
    plots: Sequence[Callable[[random.Random, str, str, str], str]] = (
        _hunger, _race, _storm, _bridge, _net, _lost, _share, _song, _boast,
    )  # fmt: skip
    place = draw.randrange(2 * len(plots) + 1)
    if place == 2 * len(plots):
        return draw.choice(TEXTS)
    first, second = draw.sample(ANIMALS, 2)
    return plots[place // 2](draw, first, second, draw.choice(KINDS))


def _begin(draw: random.Random, animal: str, kind: str) -> str:
    """Return the first sentence: who, and where."""
    place = draw.choice(PLACES)
    return draw.choice(
        (
            f"Once {_a(kind)} {animal} lived in {_a(LIVES_IN[animal])} by the {place} .",
            f"{_A(kind)} {animal} had its {LIVES_IN[animal]} near the {place} .",
            f"There was once {_a(kind)} {animal} in {_a(LIVES_IN[animal])} by the {place} .",
        )
    )


def _a(word: str) -> str:
    """Return a word with its article."""
    if word == "reeds":
        return "the reeds"
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _A(word: str) -> str:  # noqa: N802
    """Return a word with its article, at the beginning of a sentence."""
    return _a(word).capitalize()


def _hunger(draw: random.Random, one: str, other: str, kind: str) -> str:
    place, food = draw.choice(PLACES), EATS[one]
    return (
        f"{_begin(draw, one, kind)} {draw.choice(DAYS)} it was hungry and looked for {food} . {_A(other)} said : I saw "
        f"{food} near the {place} . The {one} went to the {place} and found the {food} . It ate and ate , and brought "
        f"some {EATS[other]} home for the {other} . "
        + draw.choice(("A kind word is worth a meal .", "Who gives shall get .", "Good news makes good friends ."))
    )


def _race(draw: random.Random, one: str, other: str, kind: str) -> str:
    goal = draw.choice(PLACES)
    return (
        f"{_A(kind)} {one} laughed at {_a(other)} because it was slow . Let us run to the {goal} , said the {other} . "
        f"The {one} ran fast and was soon far ahead . Then it saw some {EATS[one]} , ate too much , and fell asleep . "
        f"The {other} did not stop . When the {one} woke up , the {other} was at the {goal} . "
        + draw.choice(("Slow and steady comes first .", "Who sleeps on the way comes late ."))
    )


def _storm(draw: random.Random, one: str, other: str, kind: str) -> str:
    season = draw.choice(SEASONS)
    return (
        f"{_begin(draw, one, kind)} In {season} a storm came and broke the {LIVES_IN[other]} of {_a(other)} . The "
        f"{other} was wet and cold . Come in , said the {one} , there is room for two . They ate {EATS[one]} and told "
        "stories until the morning . " + draw.choice(("A friend is a warm house .", "The best roof is a friend ."))
    )


def _bridge(draw: random.Random, one: str, other: str, kind: str) -> str:
    food = EATS[one]
    return (
        f"{_A(kind)} {one} crossed a bridge with some {food} in its mouth . In the water it saw another {one} , and "
        f"that {one} had {food} too . I want both , thought the {one} , and opened its mouth . The {food} fell into "
        "the water and sank . " + draw.choice(("Who wants all loses all .", "Keep what you have ."))
    )


def _net(draw: random.Random, one: str, other: str, kind: str) -> str:
    return (
        f"{_A(kind)} {one} caught {_a(other)} . Let me go , said the {other} , and one day I will help you . The {one} "
        f"laughed and let it go . Soon after , the {one} was caught in a net . The {other} heard it cry , came out of "
        f"the {LIVES_IN[other]} and cut the net . "
        + draw.choice(("Small friends are great friends .", "No kindness is lost ."))
    )


def _lost(draw: random.Random, one: str, other: str, kind: str) -> str:
    home = LIVES_IN[one]
    return (
        f"A young {one} lost its way in the forest . It asked {_a(kind)} owl : where is my home ? The owl asked : what "
        f"do you eat ? I eat {EATS[one]} , said the young {one} . Then your home is the {home} , said the owl . The "
        f"{one} went to the {home} , and its mother was there . "
        + draw.choice(("Ask , and you will find the way .", "Who asks gets home ."))
    )


def _share(draw: random.Random, one: str, other: str, kind: str) -> str:
    home, food, wanted = LIVES_IN[one], EATS[one], EATS[other]
    return (
        f"{_begin(draw, one, kind)} In autumn it filled the {home} with {food} . In winter {_a(other)} came and said : "
        f"I have no {wanted} , and I am hungry . "
        + draw.choice(
            (
                f"The {one} gave it half of the {food} . In spring the {other} brought {wanted} for both . Half is "
                "more than all .",
                f"Go away , said the {one} . In spring the {one} was alone , and nobody came to the {home} . A full "
                "house can be empty .",
            )
        )
    )


def _song(draw: random.Random, one: str, other: str, kind: str) -> str:
    place = draw.choice(PLACES)
    return (
        f"{draw.choice(DAYS)} {_a(kind)} {one} sang a song by the {place} . {_A(other)} came out of the "
        f"{LIVES_IN[other]} to listen . What a beautiful song , said the {other} , what is it about ? It is about "
        f"{EATS[one]} , said the {one} . They sang it together until the sun went down . "
        + draw.choice(("Two voices make one song .", "A song shared is a song doubled ."))
    )


def _boast(draw: random.Random, one: str, other: str, kind: str) -> str:
    return (
        f"I am not afraid of anything , said {_a(kind)} {one} to {_a(other)} . Just then a leaf fell from a tree . The "
        f"{one} ran to the {LIVES_IN[one]} and hid . It was only a leaf , said the {other} , and laughed . "
        + draw.choice(("Big words hide small hearts .", "Who is brave does not say so ."))
    )
