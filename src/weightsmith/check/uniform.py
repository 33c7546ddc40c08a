"""One model for all n: proved right at all lengths, or every n that fails, from its exact automaton.

The automaton of the model and that of the language give, for each n, the first input of length n that is decided
wrongly. Each such input is run by the reference semantics. The other lengths are claimed together, and right only if
`verify.py` accepts the proof.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic
from weightsmith.automata import Automaton, Counting, Input, Inputs, Named, Truths, written
from weightsmith.automata.automaton import pairs_of
from weightsmith.automata.extraction import UnknownError, automaton
from weightsmith.automata.languages import Regular
from weightsmith.check.claims import Recognizes, check_class
from weightsmith.check.engine import check_claim
from weightsmith.check.every_length import why_not
from weightsmith.check.examine import by_reference, reader
from weightsmith.check.frame import make_frame
from weightsmith.check.members import LEAST_SECONDS, LengthResult, Question, exactly
from weightsmith.check.models import Model
from weightsmith.check.options import Options
from weightsmith.check.verdict import ALL_LENGTHS
from weightsmith.errors import InputError, ModelError
from weightsmith.model import Transformer


@dataclass(frozen=True)
class Decided:
    """What automata say: right at all lengths, or results for some n, and the first failure beyond the last n."""

    every_length: bool = False
    results: Sequence[LengthResult] = ()
    beyond: Input | None = None
    beyond_is_shortest: bool = False  # whether no shorter input longer than the last n fails


def decide_uniform(question: Question, T: Model, A: Arithmetic, up_to: int, options: Options, end: float) -> Decided:
    """Decide one model for all n by automata; no results where these do not know."""
    check_class(T, question.yes, "yes={1}")
    wanted = _language(question, T, up_to)
    if wanted is None:
        return Decided()
    claim = Recognizes(T, Regular(wanted), question.yes, frame=make_frame((T,), question.family.suffix, None, None))
    if why_not(claim) is not None:
        return Decided()
    beyond, shortest = None, False
    if not isinstance(question.language, Named) or question.language.regular:
        found = check_claim(claim, None, _timed(options, end))
        if found.holds and found.scope == ALL_LENGTHS:
            return Decided(every_length=True)
        beyond, shortest = found.counterexample, getattr(found, "shortest", True)
    if not isinstance(T, Transformer) or end - time.monotonic() < LEAST_SECONDS:
        return Decided()
    try:
        machine = automaton(
            T, yes=question.yes, seconds=end - time.monotonic(), states=options.states, memory=options.memory
        )
    except UnknownError:
        return Decided()
    wrong = _Wrong.of(machine, wanted, question, T)
    results = _failures(claim, wrong, A, up_to)
    right = [n for n in range(1, up_to + 1) if n not in {result.n for result in results}]
    results += _proved(claim, question, T, A, right, options, end)
    named, failing = question.language, any(result.status == "wrong" for result in results)
    if isinstance(named, Named) and not named.regular and not failing and not question.family.suffix:
        beyond = _beyond(claim, named, machine)
        shortest = beyond is not None and _right_below(question, T, len(beyond), options, end)
    if beyond is None or len(beyond) <= up_to:
        return Decided(results=results)
    return Decided(results=results, beyond=beyond, beyond_is_shortest=shortest)


def _beyond(claim: Recognizes, named: Named, machine: Automaton) -> Input | None:
    """Return the first input of any length that is decided wrongly, after a run; None where none was found."""
    try:
        unlike = Counting(named.step, named.belongs, named.start).first_unlike(machine)
    except InputError:  # too many pairs of states
        return None
    if unlike is None:
        return None
    says_yes = claim.run(claim.T, unlike).decision == claim.yes
    return unlike if says_yes != named.contains(unlike) else None


def _right_below(question: Question, T: Model, length: int, options: Options, end: float) -> bool:
    """Return whether it is proved that all inputs shorter than this are decided rightly."""
    wanted = question.language_of(T, length - 1).automaton
    if wanted is None or end - time.monotonic() < LEAST_SECONDS:
        return False
    within = exactly(wanted.table.shape[1], range(1, length))
    claim = Recognizes(T, Regular(wanted), question.yes, frame=make_frame((T,), (), None, within))
    try:
        return check_claim(claim, None, _timed(options, end)).holds is True
    except (InputError, ModelError):
        return False


def _language(question: Question, T: Model, up_to: int) -> Automaton | None:
    """Return the automaton of the language, at least of the inputs up to a length; None where there is none."""
    return question.language_of(T, up_to).automaton


def _timed(options: Options, end: float) -> Options:
    left = max(end - time.monotonic(), LEAST_SECONDS)
    return Options(workers=options.workers, memory=options.memory, seconds=left, states=options.states)


@dataclass(frozen=True)
class _Wrong:
    """The product of both automata over the tokens of inputs: which pairs of states are wrong."""

    table: npt.NDArray[np.int32]
    wrong: Truths

    @classmethod
    def of(cls, machine: Automaton, wanted: Automaton, question: Question, T: Model) -> "_Wrong":
        """Return the product; a suffix is read after each input."""
        columns = [T.vocabulary.index(token) for token in question.vocabulary(T)]
        accepting = machine.accepting
        for token in reversed(question.family.suffix):
            accepting = accepting[machine.table[:, T.vocabulary.index(token)]]
        read = Automaton(machine.table[:, columns], accepting, machine.start)
        pairs, table = pairs_of(read, Automaton(wanted.table, wanted.accepting, wanted.start))
        return cls(table, read.accepting[pairs[:, 0]] != wanted.accepting[pairs[:, 1]])

    def ways(self, up_to: int) -> list[Truths]:
        """Return for k = 0 … up_to and each state whether k tokens can lead to a wrong one."""
        ways = [self.wrong]
        for _ in range(up_to):
            ways.append(np.any(ways[-1][self.table], axis=1))
        return ways


def _failures(claim: Recognizes, product: _Wrong, A: Arithmetic, up_to: int) -> list[LengthResult]:
    """Return every n that fails with its first input, which the reference semantics decides wrongly too."""
    ways, results = product.ways(up_to), []
    for n in range(1, up_to + 1):
        if not ways[n][0]:
            continue
        state, ids = 0, list[int]()
        for left in range(n - 1, -1, -1):
            following = product.table[state]
            ids.append(int(np.flatnonzero(ways[left][following])[0]))
            state = int(following[ids[-1]])
        one = Inputs(claim.vocabulary, tuple(ids), 0)
        decided = next(by_reference(reader(claim, claim.models[0]), claim.quantity, [one]))
        holds, _ = claim.judge([decided], one)
        tokens = written(claim.vocabulary, ids)
        if holds.all():
            raise AssertionError(f"the automaton and the semantics disagree on {tokens!r}")
        results.append(LengthResult(n, str(A), "wrong", tokens, how="run"))
    return results


def _proved(
    claim: Recognizes, question: Question, T: Model, A: Arithmetic, right: list[int], options: Options, end: float
) -> list[LengthResult]:
    """Claim all lengths at once that do not fail: right if that is proved; nothing otherwise."""
    if not right or end - time.monotonic() < LEAST_SECONDS:
        return []
    within = exactly(len(claim.vocabulary), right)
    framed = Recognizes(T, claim.language, question.yes, frame=make_frame((T,), question.family.suffix, None, within))
    try:
        verdict = check_claim(framed, None, _timed(options, end))
    except (InputError, ModelError):
        return []
    if not verdict.holds:
        return []
    return [LengthResult(n, str(A), "right", how="proved") for n in right]
