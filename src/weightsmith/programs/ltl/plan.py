"""What of a formula becomes what: lanes, heads and neurons, by how deep they are in temporal operators."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from weightsmith.errors import cut
from weightsmith.model.names import MAX_NAME
from weightsmith.programs.ltl.cubes import Lane, Letters, Tree, Variable, disjoint_cubes, tokens_of
from weightsmith.programs.ltl.formulas import Connective, Formula, Past, Token, Truth


@dataclass(frozen=True)
class Literal:
    """A lane that holds a truth as 0 or 1, or its opposite; no lane for what always holds."""

    lane: str | None
    positive: bool = True

    def __invert__(self) -> "Literal":
        """Return the opposite, which costs nothing: whoever reads a lane reads 1 − x as well."""
        return Literal(self.lane, not self.positive)


ALWAYS = Literal(None)


@dataclass(frozen=True)
class HeadPlan:
    """A head: Y, O or S of literals, written to a lane. H is the opposite of O."""

    operator: str
    strict: bool
    reads: tuple[Literal, ...]
    lane: str


@dataclass(frozen=True)
class NeuronPlan:
    """A neuron: 1 where all its literals hold, added to a lane."""

    reads: tuple[Literal, ...]
    lane: str


@dataclass
class Plan:
    """Everything that a formula needs."""

    vocabulary: tuple[str, ...]
    result: Literal = ALWAYS
    letters: dict[str, frozenset[str]] = field(default_factory=dict)  # lane → where the embedding has a 1
    heads: list[HeadPlan] = field(default_factory=list)
    neurons: list[NeuronPlan] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  # lane → the formula whose truth it holds
    depths: dict[str, int] = field(default_factory=dict)

    @property
    def blocks(self) -> int:
        """How many blocks there are: as many as the formula is deep."""
        return max((self.depths[head.lane] for head in self.heads), default=0)


def planned(formula: Formula, vocabulary: Sequence[str]) -> Plan:
    """Plan the lanes, heads and neurons of a formula. Equal parts of it are there once."""
    plan = Plan(tuple(vocabulary))
    plan.result = _Planner(plan).literal(formula)
    return _pruned(plan)


def _pruned(plan: Plan) -> Plan:
    """Leave out what the result does not come from: what a connective turned out not to need."""
    writers: dict[str, list[HeadPlan | NeuronPlan]] = {}
    every: list[HeadPlan | NeuronPlan] = [*plan.heads, *plan.neurons]
    for writer in every:
        writers.setdefault(writer.lane, []).append(writer)
    needed, waiting = set[str](), [plan.result]
    while waiting:
        lane = waiting.pop().lane
        if lane is not None and lane not in needed:
            needed.add(lane)
            waiting += [literal for writer in writers.get(lane, ()) for literal in writer.reads]
    return Plan(
        plan.vocabulary,
        plan.result,
        {lane: tokens for lane, tokens in plan.letters.items() if lane in needed},
        [head for head in plan.heads if head.lane in needed],
        [neuron for neuron in plan.neurons if neuron.lane in needed],
        {lane: text for lane, text in plan.texts.items() if lane in needed},
        {lane: depth for lane, depth in plan.depths.items() if lane in needed},
    )


class _Planner:
    """Plans formulas, and remembers which lane holds what."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.known: dict[Formula, Literal] = {}
        self.of_heads: dict[tuple[object, ...], Literal] = {}
        self.of_cubes: dict[object, Literal] = {}

    def literal(self, formula: Formula) -> Literal:
        """Return the literal that holds a formula."""
        if formula not in self.known:
            self.known[formula] = self._literal(formula)
        return self.known[formula]

    def _literal(self, formula: Formula) -> Literal:
        cubes = disjoint_cubes(formula, self.plan.vocabulary, self._found)
        if not cubes.holds or not cubes.fails:
            return ALWAYS if cubes.holds else ~ALWAYS
        for some, positive in ((cubes.holds, True), (cubes.fails, False)):
            if len(some) == 1 and len(some[0]) == 1:
                variable, holds = some[0][0]
                found = self._variable(variable)
                return found if holds == positive else ~found
        fewest = min(len(cubes.holds), len(cubes.fails))
        chosen, positive = (cubes.holds, True) if len(cubes.holds) == fewest else (cubes.fails, False)
        if all(isinstance(variable, Letters) for cube in chosen for variable, _ in cube):
            found = self._letters(tokens_of(chosen, self.plan.vocabulary))
            return found if positive else ~found
        reads = [tuple(self._read(variable, holds) for variable, holds in cube) for cube in chosen]
        key = frozenset(frozenset(cube) for cube in reads)
        if key not in self.of_cubes:
            depth = max(self._depth(literal) for cube in reads for literal in cube)
            lane = self._lane(formula if positive else Connective("!", (formula,)), depth)
            self.plan.neurons += [NeuronPlan(cube, lane) for cube in reads]
            self.of_cubes[key] = Literal(lane)
        found = self.of_cubes[key]
        return found if positive else ~found

    def _read(self, variable: Variable, holds: bool) -> Literal:
        found = self._variable(variable)
        return found if holds else ~found

    def _variable(self, variable: Variable) -> Literal:
        return self._letters(variable.tokens) if isinstance(variable, Letters) else Literal(variable.name)

    def _found(self, formula: Past) -> Tree:
        """Return the lane that holds a formula, as cubes are made of it."""
        literal = self._past(formula)
        lane = Lane(literal.lane) if literal.lane is not None else True
        return lane if literal.positive else ("!", (lane,))

    def _letters(self, tokens: frozenset[str]) -> Literal:
        """Return the lane of the embedding that is 1 for these tokens, or for all others."""
        others = frozenset(self.plan.vocabulary) - tokens
        for lane, there in self.plan.letters.items():
            if there in (tokens, others):
                return Literal(lane, there == tokens)
        few, positive = (tokens, True) if len(tokens) <= len(others) else (others, False)
        said: Formula = Truth(False)
        for name in (token for token in self.plan.vocabulary if token in few):
            said = Token(name) if isinstance(said, Truth) else Connective("|", (said, Token(name)))
        lane = self._lane(said, 0)
        self.plan.letters[lane] = few
        return Literal(lane, positive)

    def _past(self, formula: Past) -> Literal:
        reads = tuple(self.literal(part) for part in formula.parts)
        operator, opposite = formula.operator, formula.operator == "H"
        said = formula
        if opposite:
            operator, reads = "O", tuple(~literal for literal in reads)
            said = Past("O", (Connective("!", formula.parts),), formula.strict)
        key = operator, formula.strict, reads
        if key not in self.of_heads:
            lane = self._lane(said, 1 + max(self._depth(literal) for literal in reads))
            self.plan.heads.append(HeadPlan(operator, formula.strict, reads, lane))
            self.of_heads[key] = Literal(lane)
        return ~self.of_heads[key] if opposite else self.of_heads[key]

    def _depth(self, literal: Literal) -> int:
        return 0 if literal.lane is None else self.plan.depths[literal.lane]

    def _lane(self, formula: Formula, depth: int) -> str:
        """Make a lane, named by what it holds; where that is too long, by its beginning and a number."""
        text = str(formula)
        name = text if text.isprintable() and len(text) <= MAX_NAME // 4 else f"{cut(text, 40)} #{len(self.plan.texts)}"
        name = name if name.isprintable() else f"#{len(self.plan.texts)}"
        self.plan.texts[name], self.plan.depths[name] = text, depth
        return name
