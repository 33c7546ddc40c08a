"""Regular expressions as automata: 20,000 random ones, ours and those of other libraries, against `re`.

Libraries that are not installed are skipped (pip install interegular greenery automata-lib).
"""

import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from tests.automata.expressions import Drawn, drawn_expressions, texts

from weightsmith.automata import compile_regex
from weightsmith.tables import Table

COUNT, SEED, SECONDS = 20_000, 13, 5  # a translation that takes longer is given up
KINDS = ("plain", "anchors", "looks")

Matcher = Callable[[tuple[int, ...], str], bool]  # from an input, as ids and as a string
Translation = Callable[[str, tuple[str, ...]], Matcher]


def measure() -> Iterator[Table]:
    """Yield a table of wrong and refused expressions by kind, with the time that all translations took."""
    cells = [(kind, what) for kind in KINDS for what in ("wrong", "refused")]
    table = Table("", *map(": ".join, cells), "seconds", right=range(1, len(cells) + 2))
    drawn = list(drawn_expressions(COUNT, SEED))
    for name, translation in _translations().items():
        counts, seconds = _counted(translation, drawn)
        table.add(name, *(f"{counts[cell]:,}" for cell in cells), f"{seconds:.0f}")
    kinds = Counter(one.kind for one in drawn)
    table.add("of", *(f"{kinds[kind]:,}" for kind, _ in cells), "")
    yield table


def _counted(translation: Translation, drawn: list[Drawn]) -> tuple[Counter[tuple[str, str]], float]:
    """Return the numbers of wrong and refused expressions of each kind, and the seconds of all translations."""
    words = {one.vocabulary: texts(one.vocabulary, SEED) for one in drawn}
    counts, seconds = Counter[tuple[str, str]](), 0.0
    for one in drawn:
        begin = time.perf_counter()
        try:
            with _limited():
                matcher = translation(one.pattern, one.vocabulary)
        except Exception:  # each library has its own exceptions
            counts[one.kind, "refused"] += 1
            continue
        finally:
            seconds += time.perf_counter() - begin
        counts[one.kind, "wrong"] += not _right(one, matcher, words[one.vocabulary])
    return counts, seconds


def _right(one: Drawn, matcher: Matcher, words: list[tuple[tuple[int, ...], str]]) -> bool:
    match = re.compile(one.pattern).fullmatch
    try:
        return all(matcher(ids, text) == (match(text) is not None) for ids, text in words)
    except Exception:  # a library that fails when it matches
        return False


def _translations() -> dict[str, Translation]:
    """Return our translation and those of the installed libraries."""
    translations: dict[str, Translation] = {"weightsmith": _ours}
    peers = {"interegular": _interegular, "greenery": _greenery, "automata": _automata}
    for name, translation in peers.items():
        try:
            import_module(name)
        except ImportError:
            continue
        translations[name] = translation
    return translations


def _ours(pattern: str, vocabulary: tuple[str, ...]) -> Matcher:
    automaton = compile_regex(pattern, vocabulary)
    if automaton is None:
        raise ValueError("not translated")
    return lambda ids, text: automaton.accepts(ids)


def _interegular(pattern: str, vocabulary: tuple[str, ...]) -> Matcher:
    machine: Any = import_module("interegular").parse_pattern(pattern).to_fsm()
    return lambda ids, text: bool(machine.accepts(text))


def _greenery(pattern: str, vocabulary: tuple[str, ...]) -> Matcher:
    machine: Any = import_module("greenery").parse(pattern).to_fsm()
    return lambda ids, text: bool(machine.accepts(text))


def _automata(pattern: str, vocabulary: tuple[str, ...]) -> Matcher:
    letters = set("".join(vocabulary) + " ")
    nfa: Any = import_module("automata.fa.nfa").NFA.from_regex(pattern, input_symbols=letters)
    machine: Any = import_module("automata.fa.dfa").DFA.from_nfa(nfa)
    return lambda ids, text: bool(machine.accepts_input(text))


@contextmanager
def _limited() -> Iterator[None]:
    """Stop a translation that takes too long."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
