"""A family of models: one for each length and arithmetic, built anew each time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from weightsmith.arithmetic import Arithmetic, checked_arithmetic
from weightsmith.errors import InputError, WeightsmithError, brief, cut, whole_number
from weightsmith.model.chain import Chain
from weightsmith.model.names import checked_text
from weightsmith.model.transformer import Transformer

Member: TypeAlias = Transformer | Chain
Build: TypeAlias = Callable[[int, Arithmetic], Member]

MAX_NAME = 200  # characters


class BuilderError(InputError):
    """A builder failed, or returned something else than T_n; a builder that refuses raises another error."""


@dataclass(frozen=True)
class Family:
    """{T_n}: `build(n, A)` returns the model for inputs of length n in an arithmetic, with the ∞ of that arithmetic.

    A theorem with precision s(n) or width d(n) is about a family. `Family.uniform(build)` is one model for all n:
    claims about it are decided for all lengths. `suffix` are tokens that every model reads after its input, such as
    ("CLS",); they are no part of the input and do not count in n.

    >>> from weightsmith import Fixed, library
    >>> F = Family(lambda n, A: library.length_modulo(2, arithmetic=A, max_length=n), name="even length")
    >>> F(6, Fixed(2, 2)).max_length
    6
    """

    build: Build
    name: str = ""
    suffix: Sequence[str] = ()
    is_uniform: bool = field(default=False, init=False)  # whether one model serves every n

    def __post_init__(self) -> None:
        """Refuse what cannot be called; take the function's name if there is no other."""
        if not callable(self.build):
            raise InputError(f"build={brief(self.build)}: write a function of n and an arithmetic that returns T_n")
        if not isinstance(self.name, str):
            raise InputError(f"name={brief(self.name)}: write a text, such as name='majority'")
        object.__setattr__(self, "name", self.name or getattr(self.build, "__name__", "family"))
        checked_text(self.name, "the name of a family", most=MAX_NAME)
        if not isinstance(self.suffix, list | tuple) or not all(isinstance(token, str) for token in self.suffix):
            raise InputError(f"suffix={brief(self.suffix)}: write the tokens that follow each input, as ('CLS',)")
        object.__setattr__(self, "suffix", tuple(self.suffix))

    @classmethod
    def uniform(cls, build: Callable[[Arithmetic], Member], name: str = "", suffix: Sequence[str] = ()) -> "Family":
        """Return the family of one model for all n: `build(A)` returns it.

        >>> from weightsmith import library
        >>> Family.uniform(lambda A: library.contains("1", arithmetic=A), name="contains").is_uniform
        True
        """
        if not callable(build):
            raise InputError(f"build={brief(build)}: write a function of an arithmetic that returns the transformer")
        family = cls(lambda n, A: build(A), name or getattr(build, "__name__", "family"), suffix)
        object.__setattr__(family, "is_uniform", True)
        return family

    def __call__(self, n: int, arithmetic: Arithmetic) -> Member:
        """Build T_n in an arithmetic; refuse one that is in another arithmetic or cannot read n tokens."""
        n = whole_number(n, "n", 1, meaning="the length of the inputs, 1 or more")
        checked_arithmetic(arithmetic, InputError)
        where = f"{cut(self.name)} for n = {n} in {arithmetic}"
        try:
            model = self.build(n, arithmetic)
        except WeightsmithError:  # it refuses this arithmetic
            raise
        except Exception as error:
            raise BuilderError(f"the builder of {where} fails: {type(error).__name__}: {cut(str(error))}") from error
        if not isinstance(model, Transformer | Chain):
            raise BuilderError(
                f"the builder of {where} returns {brief(model)}: it must return a transformer or a chain"
            )
        own = (model.transformer if isinstance(model, Chain) else model).arithmetic
        if own != arithmetic:
            raise BuilderError(
                f"the builder of {where} returns a transformer in {own}: pass its second argument on as arithmetic="
            )
        needed = n + len(self.suffix)
        if model.max_length is not None and model.max_length < needed:
            raise BuilderError(
                f"the builder of {where} returns a transformer for at most {model.max_length} tokens: T_{n} must read "
                f"{needed}"
            )
        return model
