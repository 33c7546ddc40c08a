"""Training of a dense transformer whose heads and layers implement the parts of a program (strict IIT)."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from weightsmith.errors import InputError, ModelError, brief
from weightsmith.inspect.comparison import Compared, Compiled, compare, length_of, model_of
from weightsmith.inspect.components import Node
from weightsmith.inspect.edges import live_edges
from weightsmith.model import Transformer
from weightsmith.train.convert import to_transformer
from weightsmith.train.interchange.alike import Alike
from weightsmith.train.interchange.correspondence import mapping_for, mapping_given, shape_for
from weightsmith.train.interchange.dense import Dense, new_dense
from weightsmith.train.interchange.measured import Interchange, measure
from weightsmith.train.interchange.pairs import Drawn, draw
from weightsmith.train.interchange.parts import class_names, nodes_of, values_of
from weightsmith.train.interchange.task import Interchanges
from weightsmith.train.loop import Report, Stop, learn, threads
from weightsmith.train.records import Record
from weightsmith.train.settings import Course, Shape
from weightsmith.train.training import how, identity

COURSE = Course(steps=4000, batch=96, rate=2e-3, warmup=100, least_rate=0.02, decay=0.0, evaluate_every=250)
MOST_STRICTNESS = 1000
FULL_POSITIONS = ("table", "sinusoidal", "rotary", "none")  # of a model that is not causal


def like(
    P: Transformer | Compiled,
    *,
    seed: int = 0,
    steps: int = COURSE.steps,
    up_to: int | None = None,
    shape: Shape | None = None,
    mapping: Mapping[str, str] | None = None,
    course: Course | None = None,
    strictness: float = 0.5,
    goal: float = 0.98,
    below_goal: Literal["raise", "return"] = "raise",
    checkpoint: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    record: Callable[[tuple[Record, ...]], None] | None = None,
    stop: Stop | None = None,
) -> Alike:
    """Train a dense transformer whose heads and layers do what the parts of a program do (strict IIT).

    Requires: a compiled program or its transformer. `up_to` is the length of the longest inputs, by default the longest
      with at most 2,000 inputs; `shape` is that of the new transformer, by default of at least 2 blocks and 4 heads,
      with norms and gelu; `mapping` has the name of its node for each part, by default the same block, the head drawn.
    Ensures: `interchange` says how often an answer is that of P when a node takes its value on another input, and
      `compared` on how many inputs up to that length the answers are those of P. If an accuracy is below `goal`, or an
      answer is wrong, an error says so; with `below_goal="return"` what there is comes back.
    Because: three losses are added: of the answers; of the answers when a mapped node takes its value on another input,
      where P with the same interchange says what is right; and, times `strictness`, when another node does so, which
      must not matter.

    Training ends before `steps` once every accuracy is halfway from `goal` to 1 and no answer is wrong, asked at every
    record. `course` has the other settings. With a checkpoint file it resumes: see `fit`; the same arguments and seed
    give the same weights on the same machine. When `stop` ended it, nothing is raised.
    """
    T = model_of(P)
    course = _course(course, seed, steps)
    _check_wishes(strictness, goal, below_goal)
    file = _file(checkpoint)
    plan = _plan(T, length_of(T, up_to), shape, mapping, course.seed, float(strictness))

    def enough(step: int) -> bool:
        return _reached(*plan.figures(plan.transformer("")), (1 + goal) / 2)

    with threads(course.threads):
        same = identity(plan.task, plan.shape, course) | {"goal": goal}
        fitted = learn(plan.module, plan.task, course, same, file, report, record, stop, enough)
    S = plan.transformer(f"trained like a program: {how(fitted, course)}")
    interchange, compared = plan.figures(S)
    stopped = fitted.steps < course.steps
    if below_goal == "raise" and not stopped and not _reached(interchange, compared, goal):
        raise ModelError(
            f"after {fitted.steps:,} steps: {interchange}; {compared}. The goal is {goal:g} and no other answer: write "
            f"more steps than {course.steps:,}, another seed, a smaller up_to than {compared.up_to}, or "
            "below_goal='return'"
        )
    return Alike(
        T, S, plan.names, interchange, compared, values_of(P, T), fitted.history, fitted.resumed_at, fitted.steps, P
    )


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is learnt, the module that learns it, and what it is measured with."""

    drawn: Drawn
    shape: Shape
    mapping: Mapping[Node, Node]
    task: Interchanges
    module: Dense

    @property
    def names(self) -> Mapping[str, str]:
        """The name of the node for each part."""
        return MappingProxyType({str(part): str(node) for part, node in self.mapping.items()})

    def transformer(self, made: str) -> Transformer:
        """Return the transformer with the weights as they are now."""
        S = to_transformer(self.module, self.task.vocabulary, self.task.classes, made)
        return replace(S, mask=self.drawn.T.mask)

    def figures(self, S: Transformer) -> tuple[Interchange, Compared]:
        """Measure a transformer: under interchanges, and on all inputs."""
        T = self.drawn.T
        return measure(S, self.drawn, self.mapping), compare(T, S, self.task.longest, tuple(T.answers))


def _plan(T: Transformer, length: int, shape: object, mapping: object, seed: int, strictness: float) -> _Plan:
    """Draw the interchanges, and choose the shape and the mapping if they are not given."""
    drawn = draw(T, length, seed)
    if not drawn.parts:
        raise ModelError("no interchange of a head or layer of this program changes an answer: it has no circuit")
    chosen = _shape(T, drawn, shape, length)
    if mapping is None:
        found = mapping_for(drawn.parts, chosen, seed)
    else:
        live, _ = live_edges(T, length)
        found = mapping_given(T, mapping, drawn.parts, [one.edge for one in live], chosen)
    nodes, part_of = nodes_of(chosen.blocks, chosen.heads), {node: part for part, node in found.items()}
    parts = [part_of.get(node) for node in nodes]
    task = Interchanges(drawn, tuple(T.vocabulary), class_names(T), nodes, parts, strictness)
    module = new_dense(chosen, len(task.vocabulary), len(task.classes), T.mask == "causal", seed)
    return _Plan(drawn, chosen, found, task, module)


def _reached(interchange: Interchange, compared: Compared, goal: float) -> bool:
    return compared.wrong == 0 and min(interchange.least, interchange.least_outside) >= goal


def _check_wishes(strictness: object, goal: object, below_goal: object) -> None:
    if type(strictness) not in (int, float) or not 0 < strictness <= MOST_STRICTNESS:  # type: ignore[operator]
        raise InputError(f"strictness={brief(strictness)}: write a number above 0, up to {MOST_STRICTNESS}")
    if type(goal) not in (int, float) or not 0 <= goal <= 1:  # type: ignore[operator]
        raise InputError(f"goal={brief(goal)}: write an accuracy from 0 to 1")
    if below_goal not in ("raise", "return"):
        raise InputError(f"below_goal={brief(below_goal)}: write 'raise' or 'return'")


def _file(checkpoint: object) -> Path | None:
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, str | os.PathLike):
        raise InputError(f"checkpoint={brief(checkpoint)}: write a file, checkpoint='like.checkpoint'")
    return Path(checkpoint)


def _course(course: object, seed: int, steps: int) -> Course:
    if course is None:
        return replace(COURSE, seed=seed, steps=steps)
    if not isinstance(course, Course):
        raise InputError(f"course={brief(course)}: write Course(steps=2000, rate=2e-3)")
    if (seed, steps) != (0, COURSE.steps):
        raise InputError("seed and steps are in the course: write Course(steps=2000, seed=1), and neither beside it")
    return course


def _shape(T: Transformer, drawn: Drawn, shape: object, length: int) -> Shape:
    """Return the shape, with as many positions as there are in what is learnt."""
    if shape is None:
        return shape_for(T, drawn.parts, length)
    if not isinstance(shape, Shape):
        raise InputError(f"shape={brief(shape)}: write Shape(lanes=64, blocks=2, heads=4, neurons=256)")
    if T.mask != "causal" and shape.positions not in FULL_POSITIONS:
        raise InputError(
            f"positions={shape.positions!r} are for causal programs, and in this one a position sees later ones: write "
            f"one of {', '.join(FULL_POSITIONS)}"
        )
    return replace(shape, context=length)
