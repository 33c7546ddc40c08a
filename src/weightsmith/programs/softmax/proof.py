"""The proof of the softmax back end: the margins that machine types leave, as lemmas."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from weightsmith.arithmetic import Arithmetic, Float, Native
from weightsmith.errors import InputError, brief
from weightsmith.model import Transformer
from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.assembly import Lanes
from weightsmith.programs.circuit.circuit import Circuit
from weightsmith.programs.places import Place, refusal
from weightsmith.programs.proof.certificate import InType
from weightsmith.programs.proof.lemmas import Lemma
from weightsmith.programs.softmax.lowering import transformer
from weightsmith.programs.softmax.margins import Margin, Margins
from weightsmith.programs.softmax.rounding import types_for
from weightsmith.programs.values import Value, presented
from weightsmith.rewrites import to_arithmetic


@dataclass
class SoftmaxProof:
    """A transformer without saturation, the value of each of its classes, and the error bounds in machine types."""

    T: Transformer = field(repr=False)
    classes: dict[str, Value]
    bounds: dict[str, Margins] = field(repr=False)

    def data(self) -> None:
        """Return nothing: margins are not derived again."""

    @property
    def types(self) -> tuple[InType, ...]:
        """The margins in machine types."""
        return tuple(_in_type(name, bounds.least) for name, bounds in self.bounds.items())

    @property
    def sharpness(self) -> float | None:
        """By how much selected positions score more, where gradients pass; None of models that are not made for it."""
        found = next(iter(self.bounds.values())).circuit.sharpness
        return None if found is None else float(found)

    @property
    def margins(self) -> dict[str, float]:
        """The margin in every machine type: 1 is half the distance between two codes; below 0 nothing is promised."""
        return {name: bounds.least.left for name, bounds in self.bounds.items()}

    @property
    def lemmas(self) -> list[Lemma]:
        """One lemma for every place at which errors end, with the smallest margin that is found there."""
        first = next(iter(self.bounds.values()))
        found: dict[str, list[int]] = {}
        for number, one in enumerate(first.found):
            found.setdefault(one.where, []).append(number)
        lemmas = []
        for where, numbers in found.items():
            worst = min(numbers, key=lambda n: first.found[n].left)
            one = first.found[worst]
            rest = ", ".join(
                f"{name} {_shown(min(bounds.found[n].left for n in numbers))}" for name, bounds in self.bounds.items()
            )
            cases = sum(first.found[n].cases for n in numbers)
            line = None if one.place is None else one.place.line
            lemmas.append(Lemma(where, f"{one.statement} ({rest})", cases, round(one.left, 6), line))
        return lemmas


def require_floats(arithmetic: Arithmetic | None) -> None:
    """Refuse an arithmetic that is no Float."""
    if arithmetic is not None and (isinstance(arithmetic, Native) or not isinstance(arithmetic, Float)):
        raise InputError(
            f"arithmetic={brief(arithmetic)}: the softmax backend computes in floats: write Float.like('float16', "
            "ties='even'), or None for those of float32"
        )


def prove(
    circuit: Circuit,
    lanes: Lanes,
    names: Sequence[str],
    provenance: Sequence[str],
    arithmetic: Arithmetic | None,
    place: Place | None,
) -> SoftmaxProof:
    """Return the transformer of a circuit with its margins; refuse one whose decisions rounding may change."""
    values = [value for _, value in circuit.table]
    classes = _class_names(values)
    meant = transformer(circuit, lanes, names, classes, provenance)
    types = types_for(arithmetic)
    T = to_arithmetic(meant, next(iter(types.values())).A)
    bounds: dict[str, Margins] = {}
    for name, R in types.items():
        in_force().at(f"the margins in {name}", place)
        bounds[name] = Margins(to_arithmetic(T, R.A), meant, circuit, lanes, R)
    least = next(iter(bounds.values())).least
    if not least.left > 0:
        raise refusal(
            least.place or place,
            f"{least.where}: in {next(iter(types))} it cannot be shown that {least.statement}; rounding may change a "
            'decision: write a smaller max_length, or leave out backend="softmax"',
        )
    T = replace(T, provenance=tuple(provenance))
    return SoftmaxProof(T, dict(zip(classes, values, strict=True)), bounds)


def _class_names(values: Sequence[Value]) -> list[str]:
    """Return answers as texts, different ones for different answers."""
    names: list[str] = []
    for value in values:
        name = str(presented(value)) or "''"
        while name in names:
            name = f"{name}'"
        names.append(name)
    return names


def _in_type(name: str, least: Margin) -> InType:
    if least.left > 0:
        return InType(name, least.left, f"every decision stays; least is left at {least.where}")
    why = f"at {least.where} it may not hold that {least.statement}"
    return InType(name, None, f"NOT shown to be right: {why}; write a smaller max_length for {name}")


def _shown(left: float) -> str:
    return f"{left:.3g}" if isfinite(left) and left > 0 else "none"
