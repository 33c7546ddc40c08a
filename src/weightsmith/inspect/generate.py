"""Next-token probabilities, and generation token by token."""

from collections.abc import Iterator, Sequence

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, ModelError, brief, listed, whole_number
from weightsmith.inspect.run import evaluate
from weightsmith.model import Transformer, needs_classes, read_tokens, token_ids
from weightsmith.model.tokens import read_tokens_of_any_length
from weightsmith.semantics.evaluation import NOTHING


def next_token(T: Transformer, tokens: str | Sequence[str], temperature: float = 1.0) -> dict[str, float]:
    """Return the probability of each class as the next token, the most likely first.

    It is the softmax of the logits divided by the temperature, in float64. Equally likely tokens keep the order of the
    classes, which must be tokens.
    """
    read = read_tokens(T, tokens)
    check_classes(T, "next_token")
    check_temperature(temperature, positive=True)
    ids = np.array(token_ids(T, read))
    likely = probabilities(evaluate(T, ids).logits, temperature)
    order = np.argsort(-likely, kind="stable")
    return {T.classes[c]: float(likely[c]) for c in order}


def generate(
    T: Transformer,
    tokens: str | Sequence[str],
    steps: int,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    seed: int | None = None,
    cache: bool = True,
    slide: bool = False,
) -> Iterator[str]:
    """Yield the next tokens one by one.

    With temperature 0 each is the decision on everything before it; above 0 it is drawn, from the `top_k` most likely
    classes (None: all of them), and the same seed draws the same tokens. A causal transformer keeps the keys and values
    of what came before, unless `cache` is False; the tokens are the same.

    A text that does not fit the context, T.max_length, is refused, unless `slide` is True: then only its last
    T.max_length tokens are seen, the first of them at position 0. Every token moves this window on, and with it every
    position, so all of it is computed anew.

    The classes must be tokens. Wrong arguments are refused at once, not at the first token.
    """
    read = read_tokens_of_any_length(T, tokens)
    check_classes(T, "generate")
    steps = whole_number(steps, "steps", 0, meaning="how many tokens to generate, 0 or more")
    check_temperature(temperature, positive=False)
    if top_k is not None:
        top_k = whole_number(top_k, "top_k", 1, meaning="from how many of the most likely tokens to draw, 1 or more")
    if seed is not None:
        seed = whole_number(seed, "seed", 0)
    if not slide:
        check_context(T, len(read), steps, "slide=True")
    draw = _Draw(temperature, top_k, np.random.default_rng(seed))
    return _generate(T, read, steps, draw, cache and T.mask == "causal")


def check_classes(T: Transformer, what: str) -> None:
    """Refuse classes that are not tokens: they cannot come next in a text."""
    needs_classes(T, what)
    known = set(T.vocabulary)
    unknown = [name for name in T.classes if name not in known]
    if unknown:
        raise ModelError(
            f"{what} needs classes that are tokens, and {listed(unknown)} is not in the vocabulary: "
            "`run` says what a classifier decides"
        )


def check_context(T: Transformer, length: int, steps: int, line: str) -> None:
    """Refuse a text of a length that would leave the context; the line to write lets it slide."""
    most = T.max_length
    if steps == 0 or most is None or length + steps - 1 <= most:
        return
    left = most - length + 1
    fewer = (
        f"at most {left} more token{'' if left == 1 else 's'} can be generated"
        if left > 0
        else "a shorter text is needed"
    )
    raise InputError(
        f"the context holds {most:,} tokens and the text has {length:,}, so {fewer}; write {line} to see only the last "
        f"{most:,} tokens from there on"
    )


def check_temperature(temperature: float, positive: bool) -> None:
    """Check a temperature."""
    number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
    if not number or not 0 <= temperature < np.inf or (positive and temperature == 0):
        least = "a number above 0" if positive else "0 for the decision itself, or a number above 0"
        raise InputError(f"temperature={brief(temperature)}: write {least}")


def probabilities(logits: Array, temperature: float) -> Array:
    """Return the softmax of logits divided by a temperature."""
    with np.errstate(over="ignore"):  # a tiny temperature gives −∞, and so probability 0
        e = np.exp((logits.astype(np.float64) - logits.max()) / temperature)
    result: Array = e / e.sum()
    return result


class _Draw:
    """The choice of the next class from logits."""

    def __init__(self, temperature: float, top_k: int | None, random: np.random.Generator) -> None:
        self.temperature, self.top_k, self.random = temperature, top_k, random

    def __call__(self, logits: Array) -> int:
        if self.temperature == 0:
            return int(np.argmax(logits))
        best = np.argsort(-logits, kind="stable")[: self.top_k]
        return int(self.random.choice(best, p=probabilities(logits[best], self.temperature)))


def _generate(T: Transformer, read: tuple[str, ...], steps: int, draw: _Draw, cache: bool) -> Iterator[str]:
    class_ids, ids, past, most = token_ids(T, T.classes), token_ids(T, read), NOTHING, T.max_length
    for _ in range(steps):
        if most is not None and len(ids) > most:  # the window has moved: cached keys are of other positions
            ids, past, cache = ids[-most:], NOTHING, False
        found = evaluate(T, np.array(ids[past.length :]), past)
        if cache:
            past = found.past
        chosen = draw(found.logits)
        yield T.classes[chosen]
        ids.append(class_ids[chosen])
