"""Ready-made transformers that are no recognisers, each with inputs and what it decides on them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from weightsmith.arithmetic import Arithmetic
from weightsmith.library.bank import bank
from weightsmith.library.eiffel import eiffel
from weightsmith.model import Transformer


@dataclass(frozen=True)
class Example:
    """One example: how to build it, and what it decides."""

    builder: Callable[..., Transformer]
    decides: Mapping[str, str]  # input → decision

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.builder.__name__

    @property
    def call(self) -> str:
        """The example as one writes it: eiffel()."""
        return f"{self.name}()"

    @property
    def claim(self) -> str:
        """The first line of the function's documentation."""
        return (self.builder.__doc__ or "").partition("\n")[0]

    def build(self, arithmetic: Arithmetic | None = None) -> Transformer:
        """Build it, in its own arithmetic unless another is given."""
        return self.builder(arithmetic=arithmetic)


EXAMPLES: tuple[Example, ...] = (
    Example(eiffel, {"The Eiffel Tower is in": "Paris", "The Tower is in": "London"}),
    Example(
        bank,
        {"the river by the bank": "geographic", "a deposit at the bank": "financial", "we sat by the bank": "unclear"},
    ),
)
