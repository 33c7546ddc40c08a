"""One token after another: the decision becomes the next token."""

from collections.abc import Iterator, Sequence

from weightsmith.errors import InputError, ModelError
from weightsmith.model import Transformer, check_length, read_tokens
from weightsmith.model.names import listed
from weightsmith.semantics.run import run


def generate(T: Transformer, tokens: str | Sequence[str], steps: int) -> Iterator[str]:
    """Give the next tokens one by one: each is the decision on everything before it.

    The classes must be tokens. What is wrong with the arguments is said at once, not at the first token.
    """
    unknown = [name for name in T.classes if name not in T.vocabulary]
    if unknown:
        raise ModelError(f"generate needs classes that are tokens, and {listed(unknown)} is not in the vocabulary")
    if type(steps) is not int or steps < 0:
        raise InputError(f"steps={steps!r}: write how many tokens to generate, 0 or more")
    read = read_tokens(T, tokens)
    check_length(T, len(read) + max(steps - 1, 0))
    return _generate(T, read, steps)


def _generate(T: Transformer, read: tuple[str, ...], steps: int) -> Iterator[str]:
    for _ in range(steps):
        token = run(T, read).decision
        yield token
        read = (*read, token)
