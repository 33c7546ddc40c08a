"""An exercise: its text, the decisions that an answer must make, and the parts that it may have."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from weightsmith.arithmetic import Arithmetic, Fixed
from weightsmith.errors import whole_number
from weightsmith.exercises.grade import Grade
from weightsmith.exercises.texts import Text, text_of

Kind: TypeAlias = Literal["model", "input"]  # what an answer is


@dataclass(frozen=True)
class Sizes:
    """How many parts a transformer may have for all points."""

    blocks: int = 1
    heads: int = 0
    neurons: int = 0


@dataclass(frozen=True)
class Exercise:
    """One exercise. `print(E)` shows the statement, `E.hint(1)` the first hint, `E.check(answer)` grades an answer."""

    number: int
    name: str
    vocabulary: Sequence[str]
    languages: Mapping[str, str] = field(repr=False)  # class → the inputs that it is the decision on, an expression
    otherwise: str = "NO"  # the decision on every other input
    within: str | None = field(default=None, repr=False)  # an expression: only these inputs count
    sizes: Sizes = field(default=Sizes(), repr=False)
    kind: Kind = "model"
    arithmetic: Arithmetic = field(default=Fixed(4, 4), repr=False)

    def __post_init__(self) -> None:
        """Freeze the languages."""
        object.__setattr__(self, "languages", MappingProxyType(dict(self.languages)))

    @property
    def text(self) -> Text:
        """The title, the statement, the template and the hints."""
        return text_of(self.number, self.name)

    @property
    def title(self) -> str:
        """The title."""
        return self.text.title

    @property
    def statement(self) -> str:
        """The statement, in Markdown."""
        return self.text.statement

    @property
    def template(self) -> str:
        """A Python file to begin with: it runs, and its answer is wrong."""
        return self.text.template

    @property
    def hints(self) -> int:
        """The number of hints."""
        return len(self.text.hints)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of an answer, in order; of two with equal logits the first wins."""
        return (self.otherwise, *self.languages) if self.within is None else tuple(self.languages)

    def hint(self, number: int = 1) -> str:
        """Return one of the hints, counted from 1."""
        return self.text.hints[whole_number(number, "the hint", 1, self.hints) - 1]

    def expected(self, tokens: Sequence[str]) -> str:
        """Return the right decision on an input."""
        text = self.written(tokens)
        right = (name for name, language in self.languages.items() if re.fullmatch(language, text))
        return next(right, self.otherwise)

    def written(self, tokens: Sequence[str]) -> str:
        """Return an input as one writes it: characters, or words with spaces between them."""
        return ("" if all(len(token) == 1 for token in self.vocabulary) else " ").join(tokens)

    def check(self, answer: object) -> Grade:
        """Grade an answer in this process: a transformer, or for some exercises an input.

        >>> from weightsmith import exercises, library
        >>> print(exercises.exercise("previous").check(library.ends_with("a", "ab")))
        exercise 3, previous: refuted by a, the shortest: it says YES, and NO is right; 0 of 10 points
        """
        from weightsmith.exercises.judging import judge

        return judge(self, answer)

    def __str__(self) -> str:
        """Return the title and the statement."""
        return f"Exercise {self.number}, {self.name}: {self.title}\n\n{self.statement}"

    def _repr_markdown_(self) -> str:
        """Return the title and the statement for notebooks."""
        return f"### Exercise {self.number}: {self.title}\n\n{self.statement}"
