"""The entries of the library: recognisers with their predicates, examples with their decisions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from weightsmith.arithmetic import Arithmetic
from weightsmith.automata import Counting, Named, languages
from weightsmith.inspect.run import decisions
from weightsmith.library.associations import associations
from weightsmith.library.bank import bank
from weightsmith.library.contains import contains
from weightsmith.library.counting import balanced, majority, parity
from weightsmith.library.eiffel import eiffel
from weightsmith.library.eiffel_tagger import eiffel_tagger
from weightsmith.library.eight_heads import eight_heads
from weightsmith.library.first_equals_last import first_equals_last
from weightsmith.library.fish import fish
from weightsmith.library.lengths import length_modulo
from weightsmith.library.normed import normed
from weightsmith.library.parity_chain import parity_chain
from weightsmith.library.positions import learned_positions, relative_positions, word_and_position
from weightsmith.library.shipped import storyteller
from weightsmith.library.words import contains_word, ends_with, exact_length, matches, starts_with
from weightsmith.model import Chain, Family, Transformer

Tokens = tuple[str, ...]


def says_yes(model: Transformer | Chain, inputs: Sequence[Tokens]) -> list[bool]:
    """Return for each input whether the decision is YES."""
    decided = model.decide(inputs) if isinstance(model, Chain) else decisions(model, inputs)
    return [decision == "YES" for decision in decided]


@dataclass(frozen=True)
class ReadyMade:
    """A ready-made transformer: how to build it, and its default instance."""

    builder: Callable[..., Any]  # returns a Transformer, or for those of `CHAINS` a Chain
    arguments: tuple[str | int, ...] = field(default=(), kw_only=True)
    options: Mapping[str, str | int] = field(default_factory=dict, kw_only=True)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.builder.__name__

    @property
    def call(self) -> str:
        """The default instance, as one writes it: contains('1')."""
        options = [f"{name}={value!r}" for name, value in self.options.items()]
        return f"{self.name}({', '.join([*map(repr, self.arguments), *options])})"

    @property
    def claim(self) -> str:
        """The first line of the function's documentation."""
        return (self.builder.__doc__ or "").partition("\n")[0]

    def build(self, arithmetic: Arithmetic | None = None) -> Any:
        """Build the default instance, by default in its own arithmetic."""
        return self.builder(*self.arguments, arithmetic=arithmetic, **self.options)


@dataclass(frozen=True)
class Example(ReadyMade):
    """A transformer that is no recogniser, with some inputs and their decisions."""

    decides: Mapping[str, str]  # input → decision


@dataclass(frozen=True)
class Entry(ReadyMade):
    """A recogniser: its predicate, and inputs on which it is known to fail."""

    predicate: Callable[[Tokens], bool]
    yes: str  # an input of which the predicate holds
    no: str  # one of which it does not
    symbols: str = "01"  # inputs consist of these
    max_length: int | None = None  # the longest input; None where any length will do
    fails_at: Mapping[str, str] = field(default_factory=dict)  # arithmetic → an input that it is known to get wrong
    language: str | Counting | None = None  # of the predicate
    named: Named | None = None  # the language by name, where it has no expression

    @property
    def describing(self) -> str | Named:
        """The language as claims take it."""
        if self.named is not None:
            return self.named
        assert isinstance(self.language, str), "an entry has an expression or a name"
        return self.language

    def family(self) -> Family:
        """Return the family of the default instance: built anew for each arithmetic, and for each n if that matters."""
        if "max_length" not in signature(self.builder).parameters:
            return Family.uniform(self.build, self.call)

        def build(n: int, arithmetic: Arithmetic) -> Any:
            options = {**self.options, "max_length": n}
            return self.builder(*self.arguments, arithmetic=arithmetic, **options)

        return Family(build, self.name)


def nested(tokens: Tokens, depth: int) -> bool:
    """Say whether brackets are correctly nested, with at most `depth` open at once."""
    count = 0
    for token in tokens:
        count += 1 if token == "(" else -1
        if not 0 <= count <= depth:
            return False
    return count == 0


def odd_ones(tokens: Tokens) -> bool:
    """Say whether the number of ones is odd."""
    return tokens.count("1") % 2 == 1


ENTRIES: tuple[Entry, ...] = (
    Entry(contains, lambda tokens: "1" in tokens, yes="0010", no="000", arguments=("1",), language=".*1.*"),
    Entry(
        contains_word,
        lambda tokens: "101" in "".join(tokens),
        yes="01010",
        no="0110",
        arguments=("101",),
        language=".*101.*",
    ),
    Entry(
        starts_with, lambda tokens: tokens[:2] == ("0", "1"), yes="0110", no="0010", arguments=("01",), language="01.*"
    ),
    Entry(
        ends_with, lambda tokens: tokens[-2:] == ("0", "1"), yes="1101", no="0110", arguments=("01",), language=".*01"
    ),
    Entry(
        matches,
        lambda tokens: len(tokens) == 3 and tokens[0] == "0" and tokens[2] == "1",
        yes="011",
        no="0111",
        arguments=("0?1",),
        language="0.1",
    ),
    Entry(exact_length, lambda tokens: len(tokens) == 4, yes="0000", no="00000", arguments=(4,), language="...."),
    Entry(
        length_modulo,
        lambda tokens: len(tokens) % 3 == 0,
        yes="101",
        no="10",
        arguments=(3,),
        max_length=16,
        language="(...)*",
    ),
    Entry(first_equals_last, lambda tokens: tokens[0] == tokens[-1], yes="0110", no="01", language="0(.*0)?|1(.*1)?"),
    Entry(
        majority,
        lambda tokens: 2 * tokens.count("1") > len(tokens),
        yes="0110111",
        no="0110",
        arguments=("1",),
        language=Counting(lambda lead, token: lead + (1 if token == "1" else -1), lambda lead: lead > 0),
        named=languages.majority("1"),
        fails_at={
            "fixed(4,4)": "1" * 256 + "0" * 255,
            "fixed(2,2)": "1" * 16 + "0" * 15,
            "float(4,3)": "1" * 9 + "0" * 8,
        },
    ),
    Entry(
        balanced,
        lambda tokens: nested(tokens, 2),
        yes="(()())",
        no="((()))",
        arguments=(2,),
        symbols="()",
        language=r"(\((\(\))*\))*",
    ),
    Entry(
        parity,
        odd_ones,
        yes="0111",
        no="0110",
        language="0*1(0*10*1)*0*",
        fails_at={"fixed(4,4)": "1" * 16, "fixed(2,2)": "1" * 4, "float(4,3)": "1" * 9},
    ),
)

CHAINS: tuple[Entry, ...] = (
    Entry(
        parity_chain,
        odd_ones,
        yes="0111",
        no="0110",
        options={"max_length": 8},
        max_length=8,
        named=languages.parity("1"),
    ),
)

EXAMPLES: tuple[Example, ...] = (
    Example(eiffel, {"The Eiffel Tower is in": "Paris", "The Tower is in": "London"}),
    Example(
        bank,
        {"the river by the bank": "geographic", "a deposit at the bank": "financial", "we sat by the bank": "unclear"},
    ),
    Example(fish, {"Thanks for all the": "fish", "all the": "time", "Thanks for the": "help", "the": "world"}),
    Example(associations, {"the Eiffel Tower": "Paris", "photosynthesis": "plants", "the Eiffel Bridge": "nothing"}),
)

TRAINED: tuple[Example, ...] = (  # shipped as files
    Example(storyteller, {"A young bear lost its way in the": "forest", "Once a young mouse lived in": "a"}),
    Example(learned_positions, {"0010": "YES", "1101": "NO"}),
    Example(relative_positions, {"00001000": "YES", "00010000": "NO"}),
)

LECTURE: tuple[Example, ...] = (  # for single slides; the trained ones are the last
    Example(eiffel_tagger, {"The Eiffel Tower": "name", "The Eiffel Tower is": "other", "The Tower": "other"}),
    Example(eight_heads, {"Anna and": "Ben", "Ben and": "Anna", "Who sees the dog": "?", "neither the cat": "nor"}),
    Example(normed, {"2468": "rises", "8642": "falls", "5555": "flat"}),
    Example(word_and_position, {"The cat": "cat", "The cat sat": "sat"}),
    *TRAINED,
)
