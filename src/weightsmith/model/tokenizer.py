"""The tokenizer of a model that was read from a checkpoint: from a text to the names of its tokens, and back.

A model keeps it as the JSON text of tokenizer.json. The `tokenizers` library, which reads it, is loaded when a text is
first given to such a model.
"""

from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from weightsmith.errors import InputError, cut, named
from weightsmith.model.names import MAX_NAME, is_unicode

MAX_TOKENIZER = 24 << 20  # letters
MAX_TOKENS = 1 << 24


class Tokenizer(NamedTuple):
    """A tokenizer that is ready, and the names of its tokens by id."""

    library: Any  # tokenizers.Tokenizer
    names: tuple[str, ...]
    ids: dict[str, int]


@lru_cache(maxsize=4)
def tokenizer_of(text: str) -> Tokenizer:
    """Return the tokenizer of a JSON text; refuse a text that the library cannot read."""
    try:
        import tokenizers  # an extra, which may be missing
    except ImportError:
        raise InputError(
            "the model has a tokenizer, which the library tokenizers reads: pip install 'weightsmith[export]', or give "
            "the tokens as a list"
        ) from None
    library = guarded("its tokenizer cannot be read", tokenizers.Tokenizer.from_str, text)
    names = _names(library)
    return Tokenizer(library, names, {name: i for i, name in enumerate(names)})


def encoded(text: str, given: str) -> tuple[str, ...]:
    """Return the tokens of a given text, with those that the tokenizer puts around it."""
    tokenizer = tokenizer_of(text)
    found = guarded(f"its tokenizer does not read {named(given)}", tokenizer.library.encode, given)
    return tuple(tokenizer.names[i] for i in found.ids)


def decoded(text: str, tokens: Sequence[str]) -> str:
    """Return the text of tokens; a token that the tokenizer lacks is its own text."""
    tokenizer, parts, known = tokenizer_of(text), list[str](), list[int]()
    for token in (*tokens, None):
        if token is not None and token in tokenizer.ids:
            known.append(tokenizer.ids[token])
            continue
        if known:
            parts.append(guarded("its tokenizer fails", tokenizer.library.decode, known, skip_special_tokens=False))
            known = []
        parts.append(token or "")
    return "".join(parts)


def _names(library: Any) -> tuple[str, ...]:
    """Return a name for each id: the token itself where it can be one."""
    by_id = {i: token for token, i in library.get_vocab(with_added_tokens=True).items()}
    count = max(by_id, default=-1) + 1
    if count > MAX_TOKENS:
        raise InputError(f"its tokenizer has ids up to {count - 1:,}, at most {MAX_TOKENS:,} are read")
    taken = set(by_id.values())
    return tuple(_name(by_id.get(i), i, taken) for i in range(count))


def _name(token: str | None, i: int, taken: Container[str]) -> str:
    if token is not None and 0 < len(token) <= MAX_NAME and is_unicode(token):
        return token
    return made_up(i, taken, "token" if token is not None else "unused")


def made_up(i: int, taken: Container[str], word: str = "unused") -> str:
    """Return a name for an id whose token cannot be one, or that has no token: one that no other has."""
    name = f"<{word} {i}>"
    while name in taken:
        name = f"<{name}>"
    return name


def guarded(what: str, function: Any, *arguments: Any, **options: Any) -> Any:
    """Call the library; turn its errors, one of which is no `Exception`, into an `InputError`."""
    try:
        return function(*arguments, **options)
    except Exception as error:
        raise InputError(f"{what}: {cut(str(error))}") from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise InputError(f"{what}: {cut(str(error))}") from None
