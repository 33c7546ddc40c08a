"""Which inputs a claim is about, and what follows each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weightsmith.check.inputs import Inputs
from weightsmith.check.languages import Decided, Language, Matching, language
from weightsmith.errors import InputError, ModelError, brief, listed, shown
from weightsmith.model import Transformer, check_length


@dataclass(frozen=True, eq=False)
class Frame:
    """The inputs of one length or of a language only, each followed by a suffix; without any of it, all inputs."""

    suffix: tuple[str, ...] = ()  # follows each input of the models that know it, and is no part of an input
    length: int | None = None
    within: Language | None = None

    @property
    def plain(self) -> bool:
        """Whether the claim is about all inputs, as they are."""
        return not self.suffix and self.length is None and self.within is None

    @property
    def countable(self) -> bool:
        """Whether its inputs can be counted without going through all of them."""
        return not isinstance(self.within, Matching | Decided)

    def vocabulary(self, T: Transformer) -> tuple[str, ...]:
        """Return the tokens that inputs consist of, in the order of a model."""
        return tuple(token for token in T.vocabulary if token not in self.suffix)

    def after(self, T: Transformer) -> tuple[str, ...]:
        """Return what follows each input of a model."""
        return self.suffix if set(self.suffix) <= set(T.vocabulary) else ()

    def check_lengths(self, models: Sequence[Transformer], longest: int) -> None:
        """Refuse inputs that are longer, with what follows them, than a position table."""
        for T in models:
            check_length(T, longest + len(self.after(T)))

    def lengths(self, shortest: int, longest: int) -> range:
        """Return the lengths of inputs in a range."""
        if self.length is None:
            return range(shortest, longest + 1)
        return range(max(shortest, self.length), min(longest, self.length) + 1)

    def claimed(self, inputs: Inputs) -> Inputs:
        """Keep the inputs of the language."""
        return inputs if self.within is None else inputs.only(self.within.expected(inputs))

    def described(self) -> dict[str, Any]:
        """Return what certificates and ledgers say of it."""
        within = None if self.within is None else self.within.described()
        said = {"suffix": list(self.suffix), "length": self.length, "within": within}
        return {name: value for name, value in said.items() if value}

    def __str__(self) -> str:
        """Say it as the name of a claim goes on: ", inputs of length 4"."""
        words = [f"each input followed by {' '.join(map(shown, self.suffix))}"] if self.suffix else []
        words += [f"inputs of length {self.length}"] if self.length is not None else []
        words += [f"inputs {self.within}"] if self.within is not None else []
        return "".join(f", {part}" for part in words)


EVERY = Frame()


def make_frame(models: Sequence[Transformer], suffix: Sequence[str], length: int | None, within: object) -> Frame:
    """Return the frame of a claim about these models, or say why it cannot have it."""
    for place, T in zip(("first", "second"), models, strict=False):
        checked_model(T, place)
    frame = Frame(_suffix(suffix, models), _length(length))
    vocabulary = frame.vocabulary(models[0])
    if not vocabulary:
        raise InputError(
            f"the vocabulary {listed(models[0].vocabulary)} has no token besides the suffix: no input is left"
        )
    return frame if within is None else Frame(frame.suffix, frame.length, language(within, vocabulary))


def checked_model(T: object, place: str) -> Transformer:
    """Refuse what is not a transformer."""
    if not isinstance(T, Transformer):
        raise ModelError(f"the {place} argument, {brief(T)}, is not a transformer: write load('model.safetensors')")
    return T


def _suffix(given: object, models: Sequence[Transformer]) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(token, str) for token in given):
        raise InputError(f"suffix={brief(given)}: write the tokens that follow each input, such as suffix=('END',)")
    suffix = tuple(given)
    for T in models:
        missing = [token for token in suffix if token not in T.vocabulary]
        if missing and len(missing) < len(suffix):
            raise InputError(
                f"a transformer has the vocabulary {listed(T.vocabulary)}, and of the suffix {listed(suffix)} "
                f"it lacks {listed(missing)}: it must have all of it, or nothing"
            )
    if suffix and not any(suffix[0] in T.vocabulary for T in models):
        raise InputError(
            f"no transformer has the suffix {listed(suffix)}: write tokens of {listed(models[0].vocabulary)}"
        )
    return suffix


def _length(length: object) -> int | None:
    if length is None or (type(length) is int and length >= 1):
        return length
    raise InputError(f"length={brief(length)}: write the length of the inputs, 1 or more")
