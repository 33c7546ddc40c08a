"""`compile_regex`: a regular language as a proved transformer without positions."""

import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Literal, overload

from weightsmith.arithmetic import Arithmetic, Fixed, Native, checked_arithmetic
from weightsmith.automata import Automaton
from weightsmith.errors import InputError, LawError, UnknownError, brief, cut, whole_number
from weightsmith.model import Transformer, read_tokens
from weightsmith.operators import meaning
from weightsmith.programs.budget import DEFAULT_MEMORY, allowed
from weightsmith.programs.ltl.lowering import most_counted
from weightsmith.programs.machines.compiled import MachineChain, compile_machine
from weightsmith.programs.regex.cascade import Cascade, cascade_of
from weightsmith.programs.regex.images import images_of
from weightsmith.programs.regex.language import ReadLanguage, read_language, without_empty_input
from weightsmith.programs.regex.levels import NotCyclicError, levels_of
from weightsmith.programs.regex.plan import plan_cascade
from weightsmith.programs.regex.weights import LanguageWeights
from weightsmith.programs.regex.witness import NotStarFreeError, Witness, witness_of

LONGEST = 1024  # tokens, for counts and chains
SECONDS = 60.0  # for a proof
TRIES = 6  # covers of which the cheapest is taken


class CompiledLanguage(Transformer):
    """A transformer that decides a regular language: see `compile_regex`."""

    @classmethod
    def stored_as(cls) -> str:
        """Return the name in files: a transformer among others."""
        return Transformer.stored_as()

    @classmethod
    def of(cls, T: Transformer, language: ReadLanguage, up_to: int | None) -> "CompiledLanguage":
        """Return a transformer with the language that it decides."""
        made = cls(**{field.name: getattr(T, field.name) for field in fields(Transformer)})
        made._set("_compiled", (language, up_to))
        return made

    @property
    def transformer(self) -> Transformer:
        """The transformer alone."""
        return Transformer(**{field.name: getattr(self, field.name) for field in fields(Transformer)})

    @property
    def _known(self) -> tuple[ReadLanguage, int | None]:
        found: tuple[ReadLanguage, int | None] | None = self.__dict__.get("_compiled")
        if found is None:
            raise InputError("this transformer was made by changing a compiled one: compile the language again")
        return found

    @property
    def automaton(self) -> Automaton:
        """The smallest automaton of the language, made without the transformer."""
        return self._known[0].automaton

    @property
    def source(self) -> str:
        """The expression."""
        return self._known[0].source

    @property
    def up_to(self) -> int | None:
        """The length up to which it is right; None: at every length."""
        return self._known[1]

    def __call__(self, tokens: str | Sequence[str]) -> bool:
        """Return whether an input belongs to the language, computed by the weights."""
        from weightsmith.inspect import run  # it is loaded when something runs

        return bool(run(self, tokens).decision == "YES")

    def means(self, tokens: str | Sequence[str]) -> bool:
        """Return the same by the automaton, without the weights."""
        ids = [self.vocabulary.index(token) for token in read_tokens(self, tokens)]
        return self.automaton.accepts(ids)

    @property
    def verdict(self) -> Any:
        """The verdict of `check.recognizes` on it, proved by `verify.py`; made once."""
        if "_verdict" not in self.__dict__:
            self._set("_verdict", self.prove())
        return self.__dict__["_verdict"]

    def prove(self, seconds: float | None = None) -> Any:
        """Return the verdict of `check.recognizes`; raise where it is not proved."""
        language, up_to = self._known
        verdict = meaning("recognizes")(self, language.given, up_to, seconds=seconds or SECONDS)
        if verdict.holds is None:
            less = "" if up_to is None else f"up_to={max(1, up_to // 2)} or less, or "
            raise UnknownError(f"the weights are written, but not proved: {verdict.unknown}; write {less}prove=False")
        if not verdict.holds:
            raise AssertionError(f"the compiled weights are wrong on {verdict.counterexample!r}")
        return verdict

    def certificate(self) -> dict[str, Any]:
        """Return the certificate of the proof, which `check.replay` and `verify.py` read."""
        certificate: dict[str, Any] = self.verdict.certificate()
        return certificate

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the language when copied or unpickled."""
        return _rebuilt, (super().__reduce__(), self.__dict__.get("_compiled"))


def _rebuilt(reduced: tuple[Any, tuple[Any, ...]], known: tuple[ReadLanguage, int | None] | None) -> CompiledLanguage:
    make, arguments = reduced
    made: CompiledLanguage = make(*arguments)
    if known is not None:
        made._set("_compiled", known)
    return made


@overload
def compile_regex(
    expression: str | re.Pattern[str] | Automaton,
    vocabulary: str | Sequence[str] | None = None,
    arithmetic: Arithmetic | None = None,
    up_to: int | None = None,
    *,
    chain: Literal[False] = False,
    prove: bool = True,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> CompiledLanguage: ...


@overload
def compile_regex(
    expression: str | re.Pattern[str] | Automaton,
    vocabulary: str | Sequence[str] | None = None,
    arithmetic: Arithmetic | None = None,
    up_to: int | None = None,
    *,
    chain: Literal[True],
    prove: bool = True,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> MachineChain: ...


def compile_regex(
    expression: str | re.Pattern[str] | Automaton,
    vocabulary: str | Sequence[str] | None = None,
    arithmetic: Arithmetic | None = None,
    up_to: int | None = None,
    *,
    chain: bool = False,
    prove: bool = True,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> CompiledLanguage | MachineChain:
    """Compile a regular expression, or an automaton, to a transformer without positions, right at every length.

    Every input is matched as a whole. The vocabulary is, unless given, the letters that the expression names. A
    star-free language becomes strict heads that look at the last token where something was set. One that is not is
    refused with a word whose repetitions must be counted; with `up_to` it is compiled to heads that count, right up to
    that length, or, with `chain`, to a chain that writes one state after the other. The arithmetic is, unless given,
    the smallest. `check.recognizes` proves the weights, unless `prove` is False; `certificate()` is that proof.

    >>> P = compile_regex("(a|b)*ab", vocabulary="ab")
    >>> P("bbab"), P("ba"), str(P.arithmetic), len(P.blocks)
    (True, False, 'fixed(2,0)', 1)
    """
    for name, value in (("chain", chain), ("prove", prove)):
        if type(value) is not bool:
            raise InputError(f"{name}={brief(value)}: write True or False")
    if up_to is not None:
        up_to = whole_number(up_to, "up_to", 1, LONGEST, f"the length up to which it must be right, 1 to {LONGEST:,}")
    A = None if arithmetic is None else checked_arithmetic(arithmetic)
    if isinstance(A, Native):
        raise InputError(f"arithmetic={A!r} may add in any order: write Fixed(4, 4), or None for the smallest")
    language = read_language(expression, vocabulary)
    if chain:
        if up_to is None:
            raise InputError("a chain is proved up to a length: write up_to=63, for example")
        return compile_machine(language.automaton, up_to, arithmetic=A)
    with allowed(seconds, memory) as budget:
        budget.at(f"the expression {cut(language.source, 80)}", None)
        made = _compiled(language, A, up_to)
    if prove:
        made._set("_verdict", made.prove(seconds))
    return made


def _compiled(language: ReadLanguage, A: Arithmetic | None, up_to: int | None) -> CompiledLanguage:
    """Return the transformer of a language."""
    images = images_of(without_empty_input(language.automaton))
    witness = witness_of(images)
    if witness is not None and up_to is None:
        raise NotStarFreeError.of(
            witness,
            "write up_to=63 (--up-to 63) for heads that count, right up to that length; or chain=True (--chain) as "
            "well, for one state a token",
        )
    try:
        levels = levels_of(images)
    except NotCyclicError:
        assert witness is not None
        raise _not_cyclic(witness, up_to) from None
    cascade = cascade_of(images, levels, TRIES)
    counting = witness is not None
    T = _in_arithmetic(language, cascade, A, up_to if counting else None)
    return CompiledLanguage.of(T, language, up_to if counting else None)


def _not_cyclic(witness: Witness, up_to: int | None) -> NotStarFreeError:
    error = NotStarFreeError(
        f"the language is not star-free: {witness}; the words that permute its states form a group that is not cyclic, "
        f"and heads here count in cyclic groups only: write up_to={up_to}, chain=True, one state a token"
    )
    error.witness = witness
    return error


def _in_arithmetic(language: ReadLanguage, cascade: Cascade, A: Arithmetic | None, up_to: int | None) -> Transformer:
    """Return the transformer in an arithmetic, or in the smallest."""
    plan, opposite = plan_cascade(cascade, language.vocabulary, up_to or 0), False
    smallest = Fixed(plan.largest.bit_length(), 0)
    if A is not None and (most := most_counted(A)) < plan.largest:
        if not most or up_to is not None:
            purpose = f"counts up to length {up_to}" if most else "every flag"
            raise LawError(
                f"{A} lacks the number {most + 1}, which {purpose} needs: write arithmetic={smallest!r}, or None for "
                "the smallest that will do"
            )
        plan, opposite = plan_cascade(cascade, language.vocabulary, every=True), True
    weights = LanguageWeights(plan, language.vocabulary, opposite)
    return weights.transformer(A or smallest, [cut(f"compile_regex({language.source!r})", 2000)])
