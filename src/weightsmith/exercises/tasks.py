"""The ten exercises, from one neuron to an induction head."""

from weightsmith.errors import InputError, brief, is_whole, named, nearest_names
from weightsmith.exercises.definition import Exercise, Sizes

FLAGS = ("none", "left", "right", "both")
COUNTRIES = ("France", "Italy", "capital", "language")


def _followed_by(token: str) -> str:
    """Return the inputs over abc whose last token was followed by `token` the most recent time that it occurred."""
    others = {last: "".join(other for other in "abc" if other != last) for last in "abc"}
    cases = (f"[abc]*{last}{'' if last == token else f'{token}[{others[last]}]*'}{last}" for last in "abc")
    return "|".join(cases)


EXERCISES: tuple[Exercise, ...] = (
    Exercise(1, "neuron", FLAGS, {"YES": "(.* )?both"}, sizes=Sizes(1, 0, 1)),
    Exercise(2, "exactly-one", FLAGS, {"YES": "(.* )?(left|right)"}, sizes=Sizes(1, 0, 2)),
    Exercise(3, "previous", tuple("ab"), {"YES": "[ab]*a[ab]"}, sizes=Sizes(1, 1, 0)),
    Exercise(4, "first-and-last", tuple("ab"), {"YES": "a[ab]*b"}, sizes=Sizes(1, 1, 1)),
    Exercise(
        5,
        "facts",
        COUNTRIES,
        {
            "Paris": "(.* )?France capital",
            "Rome": "(.* )?Italy capital",
            "French": "(.* )?France language",
            "Italian": "(.* )?Italy language",
        },
        otherwise="unknown",
        sizes=Sizes(1, 1, 4),
    ),
    Exercise(6, "contains", tuple("ab"), {"YES": "[ab]*ab[ab]*"}, sizes=Sizes(2, 2, 1)),
    Exercise(7, "count", tuple("01"), {"YES": "0*10*10*1[01]*"}, sizes=Sizes(1, 1, 1)),
    Exercise(8, "mend", tuple("ab"), {"YES": "[ab]*aab"}, sizes=Sizes(1, 2, 1)),
    Exercise(
        9,
        "induction",
        tuple("abc"),
        {token: _followed_by(token) for token in "abc"},
        within="[abc]*a[abc]*a|[abc]*b[abc]*b|[abc]*c[abc]*c",
        sizes=Sizes(2, 2, 0),
    ),
    Exercise(10, "refute", tuple("01"), {"YES": "0*1(0*10*1)*0*"}, kind="input"),
)


def exercise(which: int | str) -> Exercise:
    """Return an exercise by its number or its name.

    >>> exercise(9).name
    'induction'
    """
    names = [each.name for each in EXERCISES]
    if isinstance(which, str) and which.isdecimal() and len(which) < 3:
        which = int(which)
    for each in EXERCISES:
        if which == each.name or (is_whole(which) and which == each.number):
            return each
    if isinstance(which, str):
        raise InputError(
            f"there is no exercise {named(which)}: {nearest_names(which, names)}write one of {', '.join(names)}"
        )
    raise InputError(f"there is no exercise {brief(which)}: write a number from 1 to {len(EXERCISES)}, or a name")
