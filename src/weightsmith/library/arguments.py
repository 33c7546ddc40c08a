"""Arguments of builders, checked: an error names the value and the line to write."""

from collections.abc import Sequence

from weightsmith.errors import InputError, brief, listed, named, shown
from weightsmith.model.names import checked_names
from weightsmith.model.tokens import text_tokens


def read_vocabulary(vocabulary: str | Sequence[str], size: int | None = None, meaning: str = "") -> tuple[str, ...]:
    """Return the tokens: the characters of a text, or a list as it is; `size` is how many there must be, and why."""
    tokens = tuple(vocabulary) if isinstance(vocabulary, str) else vocabulary
    result = checked_names(tokens, "vocabulary", printable=False)
    if size is not None and len(result) != size:
        raise InputError(f"the vocabulary {listed(result)} has {len(result)} tokens: write {size} tokens, {meaning}")
    return result


def read_symbol(symbol: str, vocabulary: tuple[str, ...]) -> str:
    """Return the symbol, which must be a token."""
    if not isinstance(symbol, str) or symbol not in vocabulary:
        raise InputError(
            f"the symbol {named(symbol)} is not in the vocabulary {listed(vocabulary)}: write one of these"
        )
    return symbol


def read_word(
    word: str | Sequence[str], vocabulary: tuple[str, ...], what: str = "word", also: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the tokens of a word, read as an input is read; `also` may stand in it besides the vocabulary."""
    if isinstance(word, str):
        letters = text_tokens(vocabulary, word)
    elif isinstance(word, list | tuple):
        letters = tuple(word)
    else:
        raise InputError(f"the {what} must be a text or a list of tokens, and it is {brief(word)}")
    if not letters:
        raise InputError(f"the {what} is empty: write at least one of {listed((*vocabulary, *also))}")
    for place, letter in enumerate(letters):
        if not isinstance(letter, str) or letter not in (*vocabulary, *also):
            raise InputError(
                f"token {place} of the {what}, {named(letter)}, is not in the vocabulary: "
                f"write {listed((*vocabulary, *also))}"
            )
    return letters


def token_lane(symbol: str, vocabulary: tuple[str, ...]) -> str:
    """Name the lane that is 1 where this token stands; a name that is too long gives way to the token's place."""
    return f"is {shown(symbol)}" if len(shown(symbol)) <= 40 else f"is token {vocabulary.index(symbol)}"
