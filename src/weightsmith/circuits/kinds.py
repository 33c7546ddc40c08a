"""The kinds of models in the benchmark: the same programs, exact or disguised. A kind is a class and a name here."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from weightsmith import train
from weightsmith.arithmetic import Fixed, Native
from weightsmith.circuits.tasks import Task
from weightsmith.circuits.tasks.distractors import distractors_of
from weightsmith.circuits.truth import GroundTruth, trained_circuit, true_circuit
from weightsmith.composition.streams import restricted
from weightsmith.disguises import Disguised, beside, compress, rotate
from weightsmith.disguises.features import as_features
from weightsmith.errors import InputError
from weightsmith.model import Transformer
from weightsmith.rewrites import to_arithmetic
from weightsmith.train import Alike, Course, Shape

SEED = 1
MOST_COMPRESSED = 11  # features of a model that is compressed: larger ones take many minutes
MOST_TRAINED = 3  # blocks of a program that is learnt part by part: deeper ones take many minutes


@dataclass(frozen=True, eq=False)
class Made:
    """A model of the benchmark, and the original whose lanes say which edges are connected."""

    transformer: Transformer
    original: Transformer
    disguised: Disguised | None = None

    def truth(self, up_to: int) -> GroundTruth:
        """Return its circuit: what exact ablation says about every edge, on every input up to a length."""
        return true_circuit(self.transformer, self.original, up_to)

    def save_more(self, folder: Path) -> None:
        """Write what the folder has besides: the original and the true directions of a disguised model."""
        if self.disguised is not None:
            self.disguised.save(folder)


@dataclass(frozen=True, eq=False)
class MadeByTraining(Made):
    """A model of the benchmark that was trained part by part, with what was measured."""

    alike: Alike | None = None

    def truth(self, up_to: int) -> GroundTruth:
        """Return the circuit that it was trained to have."""
        assert self.alike is not None
        return trained_circuit(self.alike, up_to)

    def save_more(self, folder: Path) -> None:
        """Write the program, and the interchanges that were measured."""
        assert self.alike is not None
        self.alike.save_measures(folder)


class Kind(Protocol):
    """A kind of models."""

    @property
    def description(self) -> str:
        """Return what it is, in a sentence."""
        ...

    def make(self, task: Task) -> Made:
        """Return the model of a task, or raise a WeightsmithError that says why there is none."""
        ...


class Exact:
    """The compiled program, in the smallest fixed-point arithmetic."""

    description = "compiled exactly, in a fixed-point arithmetic"

    def make(self, task: Task) -> Made:
        """Return the compiled program."""
        T = task.compiled().transformer
        return Made(T, T)


class OfSoftmax:
    """The compiled program in floats, with classes for answers."""

    description = "compiled with softmax heads, in floats: nothing saturates"

    def make(self, task: Task) -> Made:
        """Return the program compiled with backend="softmax"."""
        T = task.compiled("softmax").transformer
        return Made(T, T)


class WithGradients:
    """The softmax model whose gradients reach every part."""

    description = "compiled with softer heads, so that gradients reach every query, key, value and neuron"

    def make(self, task: Task) -> Made:
        """Return the program compiled with gradients=True."""
        T = task.compiled("softmax", gradients=True).transformer
        return Made(T, T)


class Rotated:
    """The softmax model in another basis of its stream."""

    description = "the softmax model with a random rotation of its residual stream"

    def make(self, task: Task) -> Made:
        """Rotate it."""
        P = task.compiled("softmax")
        R = rotate(to_arithmetic(P.transformer, Native("float64")), SEED, up_to=task.max_length)
        return Made(R.transformer, R.original, R)


class Compressed:
    """The softmax model in fewer directions than it has features."""

    description = "the softmax model trained into fewer directions of the stream than it has features"

    def make(self, task: Task) -> Made:
        """Compress it."""
        P = task.compiled("softmax")
        T = P.transformer
        features = len(as_features(restricted(T, T.vocabulary, task.max_length)).lanes)
        if features > MOST_COMPRESSED:
            raise InputError(f"it has {features} features, and models of at most {MOST_COMPRESSED} are compressed")
        C = compress(P, features // 2 + 1, seed=SEED, up_to=task.max_length)
        return Made(C.transformer, C.original, C)


class Distracted:
    """The exact model with two other programs in the same stream, which never reach the answer."""

    description = "the exact model and two other programs in the same stream, which never reach its answer"

    def make(self, task: Task) -> Made:
        """Put two programs beside it."""
        causal = task.compiled().transformer.mask == "causal"
        programs = [task, *distractors_of(task, causal)]
        found = [one.compiled().transformer.arithmetic for one in programs]
        fixed = [A for A in found if isinstance(A, Fixed)]
        if len(fixed) != len(found):
            raise InputError("its arithmetic is not fixed point, and programs beside each other need the same one")
        A = Fixed(max(A.integer_bits for A in fixed), max(A.fraction_bits for A in fixed))
        parts = [one.compiled(arithmetic=A) for one in programs]
        T = beside(*parts, names=[one.name for one in programs[1:]])
        return Made(T, T)


class Trained:
    """A dense transformer that was trained to do what the parts of the program do."""

    description = "a dense transformer, trained so that its heads and layers take the parts of the program"

    def __init__(self, shape: Shape | None = None, course: Course | None = None) -> None:
        """Take another shape and course than those of `train.like`."""
        self.shape, self.course = shape, course

    def make(self, task: Task) -> Made:
        """Train it; a program that is not learnt well enough is refused."""
        P = task.compiled("softmax")
        blocks = len(P.transformer.blocks)
        if blocks > MOST_TRAINED:
            raise InputError(f"it has {blocks} blocks, and programs of at most {MOST_TRAINED} are learnt part by part")
        seed = SEED if self.course is None else 0  # a course has its own
        R = train.like(P, seed=seed, up_to=task.max_length, shape=self.shape, course=self.course)
        return MadeByTraining(R.transformer, R.original, alike=R)


KINDS: Mapping[str, Kind] = {
    "exact": Exact(),
    "softmax": OfSoftmax(),
    "gradients": WithGradients(),
    "rotated": Rotated(),
    "compressed": Compressed(),
    "distracted": Distracted(),
    "trained": Trained(),
}
NEED_TORCH = frozenset(["compressed", "trained"])  # kinds that are trained
