"""Formulas compiled to transformers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from weightsmith.arithmetic import Arithmetic, or_default
from weightsmith.automata import Automaton
from weightsmith.errors import NAME_ECHO, InputError, brief, cut, named
from weightsmith.model import Transformer, read_tokens
from weightsmith.model.names import checked_names
from weightsmith.programs.budget import DEFAULT_MEMORY, Budget, allowed
from weightsmith.programs.ltl.formulas import Formula, tokens_in
from weightsmith.programs.ltl.meaning import truths
from weightsmith.programs.ltl.plan import Plan, planned
from weightsmith.programs.ltl.progression import formula_automaton
from weightsmith.programs.ltl.reading import parse_ltl
from weightsmith.programs.ltl.weights import Written
from weightsmith.tables import Table, Tabled


@dataclass(frozen=True)
class Part:
    """Where a part of a formula stands in the transformer."""

    where: str  # "lane O a", "block 0, head 1", "block 0, neuron 2", "embedding"
    formula: str


@dataclass(frozen=True, eq=False, repr=False)
class CompiledFormula(Tabled):
    """A temporal formula with the transformer that decides it: YES where the formula holds at the last position.

    Called with an input it says, by the weights, at which positions the formula holds; `means` says the same by the
    meaning of formulas alone, and `automaton` by progression. `parts` says what of the formula each lane, head and
    neuron is; printed it is that table.
    """

    formula: Formula
    source: str
    transformer: Transformer
    parts: tuple[Part, ...]

    def __call__(self, tokens: str | Sequence[str]) -> list[bool]:
        """Say of each position of an input whether the formula holds there."""
        from weightsmith.inspect import outputs  # it is loaded when something runs

        return [said == "YES" for said in outputs(self.transformer, [tokens])[0]]

    def means(self, tokens: str | Sequence[str]) -> list[bool]:
        """Say the same without the transformer."""
        return truths(self.formula, read_tokens(self.transformer, tokens))

    @cached_property
    def automaton(self) -> Automaton:
        """The smallest automaton of the formula, made without the transformer; it does not accept the empty input."""
        return formula_automaton(self.formula, self.transformer.vocabulary)

    @property
    def _sizes(self) -> tuple[tuple[int, str], tuple[int, str]]:
        return (len(self.transformer.blocks), "block"), (len(self.transformer.lanes), "lane")

    def table(self) -> Table:
        """Return a row for each part."""
        T = self.transformer
        blocks, lanes = (f"{n} {what}{'' if n == 1 else 's'}" for n, what in self._sizes)
        title = f"{cut(str(self.formula), 100)}, in {T.arithmetic}: {blocks}, {lanes}"
        result = Table("part", "holds or computes", title=title)
        for part in self.parts:
            result.add(part.where, part.formula)
        return result


def compile_ltl(
    formula: str | Formula,
    vocabulary: str | Sequence[str],
    arithmetic: Arithmetic | None = None,
    *,
    soft: bool = False,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> CompiledFormula:
    """Compile a formula of past-time temporal logic to a transformer that decides it, for inputs of any length.

    Y, O, H and S speak of the past, O<, H< and S< of what is before the position itself; ! & | ^ -> <-> connect. The
    transformer is causal, without positions, and has as many blocks as the formula is deep in these operators: each is
    one head and one lane. Heads are hard; with `soft`, those of O and H are a softmax that saturates. The arithmetic is
    Fixed(4, 4) unless another is given; one that lacks a law which the formula needs is refused. So is a formula that
    takes more `seconds` to compile, or more bytes of `memory`.

    >>> P = compile_ltl("O(a & Y b) | (!c S a)", vocabulary="abc")
    >>> P("cbac")
    [False, False, True, True]
    """
    if isinstance(vocabulary, str):
        vocabulary = tuple(vocabulary)
    tokens = checked_names(vocabulary, "vocabulary", printable=False)
    if type(soft) is not bool:
        raise InputError(f"soft={brief(soft)}: write True or False")
    source = formula if isinstance(formula, str) else str(formula)
    read = parse_ltl(formula, tokens) if isinstance(formula, str) else formula
    if not isinstance(read, Formula):
        raise InputError(f"{brief(formula)} is no formula: write a text, such as 'O(a & Y b)'")
    for token in sorted(tokens_in(read) - set(tokens)):
        raise InputError(f"the formula speaks of {named(token)}, which is no token of the vocabulary")
    with allowed(seconds, memory) as budget:
        budget.at(f"the formula {cut(source, NAME_ECHO)}", None)
        plan = planned(read, tokens)
        _require_room(plan, budget)
        written = Written(plan, or_default(arithmetic), soft)
        T = written.transformer([cut(f"compile_ltl({source!r})", 2000)])
        return CompiledFormula(read, source, T, _parts(written, T))


def _require_room(plan: Plan, budget: Budget) -> None:
    """Refuse weights that would take too much memory: of a head eight rows of lanes, of a neuron two."""
    heads, neurons, lanes = len(plan.heads), len(plan.neurons), len(plan.texts)
    numbers = (8 * heads + 2 * neurons + len(plan.vocabulary)) * lanes
    budget.room(numbers, f"{heads:,} heads and {neurons:,} neurons that read {lanes:,} lanes")


def _parts(written: Written, T: Transformer) -> tuple[Part, ...]:
    plan = written.plan
    lanes = [Part(f"lane {lane}", text) for lane, text in plan.texts.items()]
    lanes += [Part(f"lane {other}", f"!({plan.texts[lane]})") for lane, other in written.complements.items()]
    found = [Part("embedding", plan.texts[lane]) for lane in plan.letters]
    for b in range(len(T.blocks)):
        heads = [head for head in plan.heads if plan.depths[head.lane] == b + 1]
        neurons = [neuron for neuron in written.cubes if plan.depths[neuron.lane] == b + 1]
        found += [Part(f"block {b}, head {i}", plan.texts[head.lane]) for i, head in enumerate(heads)]
        found += [Part(f"block {b}, neuron {n}", plan.texts[neuron.lane]) for n, neuron in enumerate(neurons)]
    return (*found, *lanes)
