"""Random expressions: compiled and proved at every length, or refused with a witness that is true."""

from itertools import islice

import pytest

import weightsmith as ws
from tests.programs.regex.drawn import expressions
from tests.programs.regex.monoid import is_aperiodic
from weightsmith.automata import Automaton
from weightsmith.programs import CompiledLanguage, NotStarFreeError, Witness, compile_regex
from weightsmith.programs.regex.images import TooManyStatesError

FEW, MANY = 25, 500


def assert_true(witness: Witness, automaton: Automaton) -> None:
    """Assert, by the automaton of the expression, that membership depends on repetitions as the witness says.

    `re` would do too, but takes exponential time on some expressions.
    """
    k, letters = witness.modulus, list(automaton.vocabulary)
    assert k > 1
    assert not any(witness.belongs == witness.belongs[:d] * (k // d) for d in range(1, k) if k % d == 0)
    before, word, after = (
        [letters.index(letter) for letter in part] for part in (witness.before, witness.word, witness.after)
    )
    for n in range(1, 4 * k + 40):
        assert automaton.accepts(before + word * n + after) == witness.belongs[n % k]


def compiled(
    text: str, letters: str, up_to: int | None = None
) -> CompiledLanguage | NotStarFreeError | TooManyStatesError:
    """Return a compiled language, or its refusal."""
    try:
        return compile_regex(text, letters, up_to=up_to)
    except (NotStarFreeError, TooManyStatesError) as error:
        return error


def compiled_or_refused(text: str, letters: str, automaton: Automaton) -> str:
    """Return what became of an expression, after a comparison with the monoid."""
    star_free = is_aperiodic(automaton.table.tolist())
    P = compiled(text, letters)
    if isinstance(P, TooManyStatesError):
        return "explodes"
    if isinstance(P, NotStarFreeError):
        assert star_free is not True
        assert_true(P.witness, automaton)
        assert str(P.witness) in str(P)
        return "refused"
    assert star_free is not False
    assert P.positions is None
    assert P.verdict.scope == "all lengths"
    assert P.verdict.holds
    assert ws.check.recognizes(P, automaton).holds  # the claim, from the automaton instead of the expression
    return "compiled" if star_free else "compiled, the monoid is too large"


def test_random_expressions_are_proved_at_every_length_or_refused_with_a_true_witness() -> None:
    results = [compiled_or_refused(*one) for one in islice(expressions(seed=1), FEW)]
    assert {"compiled", "refused"} <= set(results)


@pytest.mark.long
def test_five_hundred_expressions_are_proved_at_every_length_or_refused_with_a_true_witness() -> None:
    results = [compiled_or_refused(*one) for one in islice(expressions(seed=2), MANY)]
    assert results.count("compiled") + results.count("refused") > 0.9 * MANY  # decided by the monoid, too
    assert results.count("refused") > 0.05 * MANY
    assert results.count("explodes") < 0.01 * MANY


def counted_or_refused(text: str, letters: str, up_to: int) -> str | None:
    """Return what became of a language that is not star-free, or None for one that is."""
    P = compiled(text, letters, up_to)
    if isinstance(P, TooManyStatesError):
        return None
    if isinstance(P, NotStarFreeError):
        assert "not cyclic" in str(P)
        return "not cyclic"
    if P.up_to is None:
        return None
    assert P.verdict.holds
    return "counted"


def test_what_is_not_star_free_is_counted_up_to_a_length() -> None:
    results = [counted_or_refused(text, letters, up_to=9) for text, letters, _ in islice(expressions(seed=3), 40)]
    assert results.count("counted") >= 3


@pytest.mark.long
def test_all_that_is_not_star_free_is_counted_up_to_nine_or_has_no_cyclic_group() -> None:
    results = [counted_or_refused(text, letters, up_to=9) for text, letters, _ in islice(expressions(seed=4), 400)]
    assert results.count("counted") > 0.5 * (400 - results.count(None))
