"""Where does a word stand: at the end, at the start, anywhere, or is it the whole input?

One construction serves all: a head for each letter looks at the letter's distance from here and adds −1 to the lane
`found` where another letter stands. The head for the farthest letter comes last and adds 1 instead where its letter
stands. So `found` is 1 exactly where the word ends, and 0 or less elsewhere; saturation cannot change that.
"""

from collections.abc import Mapping, Sequence

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.errors import InputError, brief, named, whole_number
from weightsmith.library.arguments import read_vocabulary, read_word, token_lane
from weightsmith.model import Attention, Block, Head, Transformer, heads, matrix
from weightsmith.model.positions import MAX_LENGTH

ANY = "?"


def ends_with(
    word: str | Sequence[str], vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None
) -> Transformer:
    """Answer YES exactly on the inputs that end with the word, at every length.

    One head per letter, each at its distance from the last position.
    """
    tokens = read_vocabulary(vocabulary)
    letters, origin = read_word(word, tokens), f"library.ends_with({brief(word)})"
    return _build(
        letters, tokens, arithmetic, origin=origin, does=f"Says whether the input ends with {_text(letters)}."
    )


def starts_with(
    word: str | Sequence[str], vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None
) -> Transformer:
    """Answer YES exactly on the inputs that start with the word, at every length.

    The first block finds at each position whether the word ends there, and whether it could: the lane `reached` is 1
    from the first position that is far enough from the start. The second looks at that position.
    """
    tokens = read_vocabulary(vocabulary)
    letters, origin = read_word(word, tokens), f"library.starts_with({brief(word)})"
    does = f"Says whether the input starts with {_text(letters)}."
    return _build(letters, tokens, arithmetic, look_at="reached", origin=origin, does=does)


def contains_word(
    word: str | Sequence[str], vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None
) -> Transformer:
    """Answer YES exactly on the inputs in which the word stands somewhere, without gaps, at every length.

    The first block finds at each position whether the word ends there, the second looks for such a position.
    """
    tokens = read_vocabulary(vocabulary)
    letters, origin = read_word(word, tokens), f"library.contains_word({brief(word)})"
    does = f"Says whether {_text(letters)} occurs in the input."
    return _build(letters, tokens, arithmetic, look_at="found", origin=origin, does=does)


def matches(
    pattern: str | Sequence[str], vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None
) -> Transformer:
    """Answer YES exactly on the inputs that match the whole pattern, ? for any one symbol, at every length.

    As `ends_with`, and a head at the distance of the pattern's length adds −1 if anything stands there. A ? needs no
    head, unless it is the first of the pattern: something must stand there.
    """
    tokens = read_vocabulary(vocabulary)
    if ANY in tokens:
        raise InputError("the vocabulary has ?, which stands for any symbol in a pattern: write another token for it")
    letters, origin = read_word(pattern, tokens, "pattern", also=(ANY,)), f"library.matches({brief(pattern)})"
    does = f"Says whether the whole input matches {_text(letters)}."
    return _build(letters, tokens, arithmetic, whole=True, origin=origin, does=does)


def exact_length(n: int, vocabulary: str | Sequence[str] = "01", arithmetic: Arithmetic | None = None) -> Transformer:
    """Answer YES exactly on the inputs of n tokens, at every length.

    Two heads: something must stand at the distance n − 1 from the last position, and nothing at the distance n.
    """
    letters, origin = (ANY,) * whole_number(n, "n", 1, MAX_LENGTH), f"library.exact_length({n})"
    does = f"Says whether the input has {n} tokens."
    return _build(letters, read_vocabulary(vocabulary), arithmetic, whole=True, origin=origin, does=does)


def _text(letters: Sequence[str]) -> str:
    """Return a word for a description."""
    return named(("" if all(len(letter) == 1 for letter in letters) else " ").join(letters))


def _build(
    letters: tuple[str, ...],
    vocabulary: tuple[str, ...],
    arithmetic: Arithmetic | None,
    *,
    whole: bool = False,
    look_at: str | None = None,
    origin: str,
    does: str,
) -> Transformer:
    """Build the block that finds the word and, to look at the best position by a lane, the block that does."""
    A = or_default(arithmetic)
    known = {letter: token_lane(letter, vocabulary) for letter in vocabulary if letter in letters}
    lanes = [*known.values(), *(["reached"] if look_at == "reached" else []), "found"]
    answer = "found" if look_at is None else "answer"
    lanes += [answer] if look_at is not None else []
    far = len(letters) - 1
    needed = {d: letter for d, letter in enumerate(reversed(letters)) if letter != ANY or d == far}
    distances = [*([len(letters)] if whole else []), *needed]

    def head(distance: int) -> Head:
        copies, adds = _taken(known.get(needed.get(distance, ANY)), distance == far, lanes)
        return heads.at_distance(lanes, distance, copies, A, adds)

    blocks = [Block(Attention(tuple(head(d) for d in distances)), origin="does the word end here")]
    if look_at is not None:
        look = heads.best(lanes, look_at, {"found": answer})
        where = "the first position that is far enough" if look_at == "reached" else "a position where the word ends"
        blocks.append(Block(Attention((look,)), origin=f"look at {where}"))
    return Transformer(
        arithmetic=A,
        vocabulary=vocabulary,
        lanes=lanes,
        embedding=matrix(vocabulary, lanes, dict.fromkeys(known.items(), 1.0)),
        blocks=blocks,
        output=matrix(["NO", "YES"], lanes, {("YES", answer): 1}),
        provenance=(origin,),
        description=does,
    )


def _taken(
    letter: str | None, farthest: bool, lanes: Sequence[str]
) -> tuple[dict[str, str | Mapping[str, float]], dict[str, float]]:
    """Return what a head copies and what it adds: 1 for the farthest letter, −1 for a wrong nearer one.

    None is no letter: any will do.
    """
    copies: dict[str, str | Mapping[str, float]] = {} if letter is None else {letter: "found"}
    if not farthest:
        return copies, {"found": -1.0}
    adds = {"reached": 1.0} if "reached" in lanes else {}
    return copies, adds | ({"found": 1.0} if letter is None else {})
