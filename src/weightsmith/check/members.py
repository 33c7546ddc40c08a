"""One model of a family, on the inputs of its length: right, wrong, refused or unknown."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, checked_arithmetic, parse_arithmetic
from weightsmith.automata import Automaton, Input, Language, Named, language
from weightsmith.automata.languages import Regular
from weightsmith.check.claims import Recognizes, check_class
from weightsmith.check.engine import ASK_FIRST, check_claim
from weightsmith.check.frame import make_frame
from weightsmith.check.models import Model
from weightsmith.check.options import Options
from weightsmith.check.plan import MAX_LENGTH, inputs_between
from weightsmith.check.verdict import Verdict
from weightsmith.errors import InputError, ModelError, WeightsmithError, brief, whole_number
from weightsmith.model import Family
from weightsmith.model.family import BuilderError

Status: TypeAlias = Literal["right", "wrong", "refused", "unknown"]
Arithmetics: TypeAlias = Arithmetic | str | Callable[[int], Arithmetic]

NO_TIME = "there was no time left"
LEAST_SECONDS = 0.01


@dataclass(frozen=True)
class LengthResult:
    """What is known of T_n: right or wrong on its inputs, refused by its builder or by a run, or unknown."""

    n: int
    arithmetic: str
    status: Status
    counterexample: Input | None = None  # the first in vocabulary order, and with shorter inputs the shortest
    reason: str = ""  # why it is refused or unknown
    how: str = ""  # "exhaustive", "proved"
    verdict: Verdict | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Question:
    """What is asked of every T_n: the language, the class that counts as YES, and whether shorter inputs count too."""

    family: Family
    language: Any
    yes: str = "YES"
    shorter: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no family."""
        if not isinstance(self.family, Family):
            raise InputError(f"{brief(self.family)} is not a family: write Family(lambda n, A: T_n, name='majority')")
        if type(self.shorter) is not bool:
            raise InputError(
                f"shorter={brief(self.shorter)}: write True for all inputs up to n, or False for those of n"
            )

    def vocabulary(self, T: Model) -> tuple[str, ...]:
        """Return the tokens of the inputs."""
        return tuple(token for token in T.vocabulary if token not in self.family.suffix)

    def language_of(self, T: Model, n: int) -> Language:
        """Return the language for inputs up to n, by an automaton where there is one."""
        tokens = self.vocabulary(T)
        if isinstance(self.language, Named):
            decided = self.language.automaton(tokens, n)
            if decided is not None:
                return Regular(decided)
        return language(self.language, tokens)

    def claim(self, T: Model, n: int) -> Recognizes:
        """Return the claim about T_n; inputs that are too many to run are framed so that automata can decide it."""
        wanted, tokens = self.language_of(T, n), self.vocabulary(T)
        check_class(T, self.yes, "yes={1}")
        many = inputs_between(len(tokens), n, n) > ASK_FIRST
        within = exactly(len(tokens), [n]) if many and not self.shorter and wanted.automaton is not None else None
        length = None if self.shorter or within is not None else n
        return Recognizes(T, wanted, self.yes, frame=make_frame((T,), self.family.suffix, length, within))

    def check(self, n: int, A: Arithmetic, options: Options, end: float | None = None) -> LengthResult:
        """Build T_n and check it; `end` is by `time.monotonic`."""
        known = {"n": n, "arithmetic": str(A)}
        if end is not None and end - time.monotonic() < LEAST_SECONDS:
            return LengthResult(**known, status="unknown", reason=NO_TIME)  # type: ignore[arg-type]
        try:
            T = self.family(n, A)
        except BuilderError:
            raise
        except WeightsmithError as error:
            return LengthResult(**known, status="refused", reason=str(error))  # type: ignore[arg-type]
        left = options.seconds if end is None else end - time.monotonic()
        if left is not None and left < LEAST_SECONDS:
            return LengthResult(**known, status="unknown", reason=NO_TIME)  # type: ignore[arg-type]
        timed = Options(workers=options.workers, memory=options.memory, seconds=left, states=options.states)
        claim = self.claim(T, n)
        try:
            verdict = check_claim(claim, n if claim.frame.length is None else None, timed)
        except ModelError as error:  # a run fails, as a norm of zeros does
            return LengthResult(**known, status="refused", reason=str(error))  # type: ignore[arg-type]
        return result_of(n, A, verdict)


def result_of(n: int, A: Arithmetic, verdict: Verdict) -> LengthResult:
    """Return the result of a verdict on T_n."""
    if verdict.counterexample is not None:
        return LengthResult(n, str(A), "wrong", verdict.counterexample, verdict=verdict)
    if verdict.holds is None:
        return LengthResult(n, str(A), "unknown", reason=getattr(verdict, "unknown", ""), verdict=verdict)
    how = "proved" if getattr(verdict, "proof", None) is not None else "exhaustive"
    return LengthResult(n, str(A), "right", how=how, verdict=verdict)


def exactly(symbols: int, lengths: Sequence[int]) -> Automaton:
    """Return the automaton of the inputs with one of these lengths."""
    most = max(lengths)
    table = np.repeat(np.minimum(np.arange(1, most + 3), most + 1)[:, np.newaxis], symbols, axis=1)
    accepting = np.zeros(most + 2, np.bool_)
    accepting[list(lengths)] = True
    return Automaton(table.astype(np.int32), accepting)


def arithmetic_at(given: object, n: int) -> Arithmetic:
    """Return the arithmetic of T_n: the given one, or the value of a function of n."""
    if isinstance(given, str):
        return parse_arithmetic(given)
    if isinstance(given, Arithmetic) or not callable(given):
        return checked_arithmetic(given)
    try:
        found = given(n)
    except WeightsmithError:
        raise
    except Exception as error:
        raise InputError(f"arithmetic fails for n = {n}: {type(error).__name__}: {error}") from error
    if isinstance(found, str):
        return parse_arithmetic(found)
    if not isinstance(found, Arithmetic):
        raise InputError(f"arithmetic gives {brief(found)} for n = {n}: it must give an arithmetic, as Fixed(n, 4)")
    return found


def longest(up_to: object) -> int:
    """Return the greatest n, or raise."""
    meaning = f"the greatest n, from 1 to {MAX_LENGTH}, as in up_to=12"
    return whole_number(up_to, "up_to", 1, MAX_LENGTH, meaning)
