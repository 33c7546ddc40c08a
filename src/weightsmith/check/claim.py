"""What a claim is: a statement about transformers for every input.

A kind of claim is a class. It says what is run (`quantity`), which models it is about, on which inputs it holds
(`judge`), what each side says of an input (`sides`), how a certificate describes it (`described`, `read`, `cited`) and
how a form of the studio asks for it (`from_form`). One that automata can decide has `first_failure` too. Its `kind` is
its name in a certificate, in the sentence of a verdict and on the command line.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata import Input, Inputs, Language, Truths, parser_is_known
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.exploring import Ints
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import Ids
from weightsmith.check.divergence import Divergence
from weightsmith.check.frame import EVERY_INPUT, Frame
from weightsmith.check.models import Model
from weightsmith.check.plan import Plan, make_plan, shard_size
from weightsmith.inspect.chains import run_chain
from weightsmith.inspect.run import run
from weightsmith.model import Chain, digest
from weightsmith.semantics import SEMANTICS_VERSION
from weightsmith.semantics.evaluation import Quantity as Quantity

Values: TypeAlias = npt.NDArray[Any]

SAY_LENGTH = "say up to which length, as in up_to=10"
HAS_FUNCTION = "it holds a Python function: give a regular expression or Automaton(…) instead"


@dataclass(frozen=True, eq=False)
class Claim(ABC):
    """A claim; its fields are data, so that it can be sent to another machine."""

    kinds: ClassVar[dict[str, type["Claim"]]] = {}
    kind: ClassVar[str]
    quantity: ClassVar[Quantity]
    about: ClassVar[int]  # how many models
    in_form: ClassVar[bool] = True  # whether a form of the studio can ask for it, if it holds no function
    frame: Frame = field(default=EVERY_INPUT, kw_only=True)

    def __init_subclass__(cls) -> None:
        """Register a kind by its name."""
        super().__init_subclass__()
        if "kind" in vars(cls):
            cls.kinds[cls.kind] = cls

    @property
    @abstractmethod
    def models(self) -> tuple[Any, ...]:
        """The models; the vocabulary of the first orders the inputs."""

    @property
    def runs(self) -> tuple[Any, ...]:
        """The models that are run: here all; for a claim about a site, the parts up to it."""
        return self.models

    @abstractmethod
    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Return for each input whether the claim holds, and the compared values.

        `values` are the quantity of each of the `runs`: decisions, logits or last vectors; outputs or streams have an
        axis for positions.
        """

    @abstractmethod
    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Return the answer of each side on an input, by the reference semantics; `evidence` is that of `judge`."""

    def divergence(self, tokens: Input) -> Divergence | None:
        """Return where the streams of two models part on an input; None without a common lane."""
        return None

    by_automata: ClassVar[bool] = False  # whether `first_failure` decides it for all lengths

    def first_failure(self, machines: Sequence[list[Moore]], within: Moore | None, budget: Budget) -> "Failure":
        """Find the shortest input on which the claim fails, the first in vocabulary order.

        The machines of each model label every input with 1 + the number of its answer; after each input exactly one of
        them has a label above 0. `within` labels the inputs that the claim is about with 2.
        """
        raise NotImplementedError

    @property
    def no_automaton(self) -> str | None:
        """The reason why automata cannot decide it for all lengths; None where they can."""
        return None if self.by_automata else f"{self.kind} has no automaton for all lengths: {SAY_LENGTH}"

    @property
    def watched(self) -> "tuple[Watched, ...]":
        """What each automaton labels: by default the decision of each model, after the suffix."""
        return tuple(Watched(T, self.frame.after(T)) for T in self.models)

    def proof_entries(self) -> dict[str, Any]:
        """Return further entries of a certificate with a proof."""
        return {}

    def check_places(self, up_to: int | None) -> None:
        """Refuse a claim about positions that no input up to a length has."""
        return

    def described(self) -> dict[str, Any]:
        """Return the entries of a certificate for it, besides those for the models and the frame."""
        return {}

    @classmethod
    def cited(cls, entries: Mapping[str, Any]) -> str:
        """Say what is claimed, from the untrusted entries of a certificate."""
        return cls.kind.replace("_", " ")

    @classmethod
    def from_form(cls, models: Sequence[Model], form: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments of its function in `weightsmith.check`, from the fields of a form."""
        return {}

    @classmethod
    @abstractmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Any], frame: Frame) -> Self:
        """Return the claim of a certificate from its `described` entries; "function" is its Python function."""

    @classmethod
    def had_function(cls, data: Mapping[str, Any]) -> bool:
        """Return whether the claim of a certificate has a Python function, of which only the source is written."""
        return False

    @property
    def code(self) -> frozenset[str]:
        """The `described` entries that are Python code."""
        return frozenset()

    @property
    def languages(self) -> dict[str, Language]:
        """The sets of inputs in it, by their entries in a certificate."""
        return {} if self.frame.within is None else {"within": self.frame.within}

    @property
    def not_data(self) -> str | None:
        """The reason why ledgers, clusters and certificates cannot hold it; None where they can."""
        if not all(language.is_data for language in self.languages.values()):
            return HAS_FUNCTION
        if self.frame.countable:
            return None
        known = "give an expression without lookaround and references, or Automaton(…)"
        unknown = "this Python reads expressions in a way that is not known here; give Automaton(…)"
        return f"no automaton decides its within: {known if parser_is_known() else unknown}"

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens of the inputs."""
        return self.frame.vocabulary(self.models[0])

    def plan(self, up_to: int) -> Plan:
        """Return the plan for inputs up to a length; it follows from the claim alone."""
        return make_plan(len(self.vocabulary), up_to, shard_size(sum(T.weights for T in self.models)))

    def identity(self, plan: Plan | None) -> dict[str, Any]:
        """Return the entries that identify a check; without a plan, a check of all lengths."""
        return {
            "claim": self.kind,
            "models": [digest(T) for T in self.models],
            **self.described(),
            **self.frame.described(),
            "vocabulary": list(self.vocabulary),
            **({} if plan is None else {"up_to": plan.up_to}),
            "semantics": SEMANTICS_VERSION,
            **({} if plan is None else {"tiers": [asdict(tier) for tier in plan.tiers]}),
        }

    @property
    def longest(self) -> int | None:
        """The longest input that all models can read with its suffix; None for any length."""
        fitting = [T.max_length - len(self.frame.after(T)) for T in self.models if T.max_length is not None]
        return min(fitting, default=None)

    def run(self, T: Model, tokens: Input) -> Any:
        """Run one of its models on an input and its suffix, with the sums of the checker: a `Run`, or a `ChainRun`."""
        if isinstance(T, Chain):
            return run_chain(T, tokens, sums="left")
        return run(T, [*tokens, *self.frame.after(T)], sums="left")

    def __str__(self) -> str:
        """Return its name and its frame: "same decisions, inputs of length 4"."""
        return f"{self.kind.replace('_', ' ')}{self.frame}"


def in_forms() -> dict[str, type[Claim]]:
    """Return the kinds of claims for forms of the studio, by their names there: none with a Python function."""
    return {
        name.replace("_", " "): kind for name, kind in Claim.kinds.items() if kind.in_form and not kind.had_function({})
    }


class Watched(NamedTuple):
    """What an automaton labels after each input: by default the answers of a model, else `numbers` of its vectors."""

    model: Model
    suffix: tuple[str, ...]
    numbers: Callable[[Array], Ints] | None = None
    outcomes: Callable[[Array], Ints] | None = None  # numbers of vectors that may never occur


class Failure(NamedTuple):
    """The result of `Claim.first_failure`: an input, or None, and per model one machine of its decisions, or None."""

    ids: Ids | None
    decisions: Sequence[Moore | None]


def is_predicate(described: object) -> bool:
    """Return whether the entry of a language is Python code."""
    return isinstance(described, Mapping) and "predicate" in described
