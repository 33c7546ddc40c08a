"""The one place at which tests of the extraction call the checker of proofs."""

from functools import partial
from itertools import count

import weightsmith as ws
from weightsmith.automata import Automaton, language
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.limits import Limits
from weightsmith.check.claims import Recognizes
from weightsmith.check.every_length import check_by_automata
from weightsmith.check.frame import make_frame
from weightsmith.check.verdict import EveryLength


def in_steps(steps: int, states: int, limits: Limits | None = None) -> Budget:
    """Return a budget whose seconds are looks at the clock, so that the same models end on every machine."""
    return Budget(steps, states, clock=partial(next, count(0.0)), limits=limits or Limits())


def proved_and_checked(T: ws.Transformer, accepted: Automaton, limits: Limits) -> EveryLength:
    """Decide whether a transformer recognizes a language, at every length; what is proved, the checker has accepted.

    No proof that is found is refused. The search is one that has ended before, so the budget is no matter.
    """
    frame = make_frame((T,), (), None, None)
    claim = Recognizes(T, language(accepted, frame.vocabulary(T)), "YES", frame=frame)
    verdict = check_by_automata(claim, Budget(3600.0, limits=limits))
    assert verdict.holds is not None, verdict.unknown
    assert verdict.holds is (verdict.proof is not None)
    assert verdict.shortest
    return verdict
