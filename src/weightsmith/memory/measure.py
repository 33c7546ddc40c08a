"""How well an edit of facts does: efficacy, paraphrases, neighbourhood, probabilities, and drift on held-out text.

The measures are those by which editing methods such as ROME are compared on prompts with an old and a new answer.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, shown
from weightsmith.inspect.output import read_numbers
from weightsmith.inspect.run import batches, logits
from weightsmith.memory.read import Tokens, read_inputs
from weightsmith.model import Transformer, needs_classes
from weightsmith.model.names import place_of
from weightsmith.model.transformer import checked
from weightsmith.tables import Printed

Kind: TypeAlias = Literal["prompt", "paraphrase", "neighbour"]
SHOWN = 20  # prompts that a printed measurement lists


@dataclass(frozen=True)
class Question:
    """A prompt whose answer an edit should change from `old` to `new`; None for `old` is what the model decides now.

    Paraphrases ask the same in other words, and should change too. Neighbours ask for something else of which `old`
    is true, and should not change.
    """

    prompt: Tokens
    new: str
    old: str | None = None
    paraphrases: Sequence[Tokens] = ()
    neighbours: Sequence[Tokens] = ()


@dataclass(frozen=True)
class Asked:
    """One prompt: the probabilities of both answers and the decision, before the edit and after it."""

    kind: Kind
    tokens: tuple[str, ...]
    old: str
    new: str
    old_before: float
    old_after: float
    new_before: float
    new_after: float
    before: str  # the decisions
    after: str

    @property
    def prefers_new(self) -> bool:
        """Whether the new answer is more likely than the old one after the edit."""
        return self.new_after > self.old_after

    @property
    def good(self) -> bool:
        """Whether it came out as an edit should: the new answer ahead, at a neighbour the old one; a tie is neither."""
        return self.old_after > self.new_after if self.kind == "neighbour" else self.prefers_new


class Share(NamedTuple):
    """How many of how many."""

    good: int
    of: int

    def __str__(self) -> str:
        """Return "3 of 4"."""
        return f"{self.good} of {self.of}"


@dataclass(frozen=True)
class Measurement(Printed):
    """What `measure` returns: every prompt, and the divergence on held-out text."""

    asked: tuple[Asked, ...]
    divergence: float | None  # Kullback-Leibler, in nats, the mean over the positions of the texts; None without texts
    largest_divergence: float | None
    positions: int  # of the texts

    @property
    def efficacy(self) -> Share:
        """At how many prompts the new answer is more likely than the old one, after the edit."""
        return self._share("prompt", lambda one: one.good)

    @property
    def paraphrases(self) -> Share:
        """At how many paraphrases the new answer is more likely than the old one, after the edit."""
        return self._share("paraphrase", lambda one: one.good)

    @property
    def neighbourhood(self) -> Share:
        """At how many neighbours the old answer is more likely than the new one, after the edit."""
        return self._share("neighbour", lambda one: one.good)

    @property
    def kept(self) -> Share:
        """At how many neighbours the decision is what it was."""
        return self._share("neighbour", lambda one: one.before == one.after)

    def _share(self, kind: Kind, good: Callable[[Asked], bool]) -> Share:
        some = [one for one in self.asked if one.kind == kind]
        return Share(sum(map(good, some)), len(some))

    def __str__(self) -> str:
        """Return the measurement as a few lines."""
        lines = [f"efficacy: {self.efficacy} prompts have P(new) > P(old)"]
        if self.paraphrases.of:
            lines.append(f"paraphrases: {self.paraphrases} have P(new) > P(old)")
        if self.neighbourhood.of:
            lines.append(f"neighbourhood: {self.neighbourhood} have P(old) > P(new); {self.kept} keep their decision")
        for kind in ("prompt", "paraphrase", "neighbour"):
            some = [one for one in self.asked if one.kind == kind]
            for name in ("new", "old") if some else ():
                before, after = (np.mean([getattr(one, f"{name}_{when}") for one in some]) for when in BEFORE_AND_AFTER)
                lines.append(f"  mean P({name}) at a {kind}: {before:.4f} → {after:.4f}")
        if self.divergence is not None:
            lines.append(
                f"held-out text: KL {self.divergence:.6f} nats a position, at most {self.largest_divergence:.6f}, over "
                f"{self.positions} positions"
            )
        wrong = [one for one in self.asked if not one.good]
        lines += [f"  not {one.kind} {shown(' '.join(one.tokens)[:200])}: {shown(one.after)}" for one in wrong[:SHOWN]]
        return "\n".join([*lines, f"  … {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else lines)


BEFORE_AND_AFTER = ("before", "after")


def measure(
    T: Transformer, edited: Transformer, questions: Sequence[Question], texts: Sequence[Tokens] = ()
) -> Measurement:
    """Compare a model with an edited one, prompt by prompt, and by the divergence of what they say on held-out texts.

    Probabilities are the softmax of the logits, computed in float64. The divergence at a position is Σ p log(p / q)
    over the classes, with p before the edit and q after it.
    """
    for each in (T, edited):
        needs_classes(checked(each), "measure")
    for name in ("vocabulary", "classes"):
        if getattr(T, name) != getattr(edited, name):
            raise InputError(f"the two models differ in their {name}: measure compares a model with an edit of it")
    if isinstance(questions, str | Question) or not isinstance(questions, Sequence):
        raise InputError(f"questions={brief(questions)}: write a list of memory.Question(prompt, new, old)")
    asked = tuple(one for n, question in enumerate(questions) for one in _asked(T, edited, question, n))
    divergences = _divergences(T, edited, texts)
    some = divergences.size > 0
    mean, largest = (float(divergences.mean()), float(divergences.max())) if some else (None, None)
    return Measurement(asked, mean, largest, divergences.size)


def _asked(T: Transformer, edited: Transformer, question: Question, n: int) -> Iterator[Asked]:
    if not isinstance(question, Question):
        raise InputError(f"question {n} is {brief(question)}: write memory.Question(prompt, new, old)")
    kinds: list[Kind] = ["prompt"]
    kinds += ["paraphrase"] * len(_several(question.paraphrases, "paraphrases"))
    kinds += ["neighbour"] * len(_several(question.neighbours, "neighbours"))
    read = read_inputs(T, [question.prompt, *question.paraphrases, *question.neighbours])
    before, after = (np.exp(_log_chances(logits(model, read))) for model in (T, edited))
    old = int(np.argmax(before[0])) if question.old is None else place_of(question.old, T.classes, "class")
    new = place_of(question.new, T.classes, "class")
    if new == old:
        raise InputError(f"question {n} has new={brief(question.new)}, which is the old answer too: write another one")
    for kind, tokens, p, q in zip(kinds, read, before, after, strict=True):
        decided = (T.classes[int(np.argmax(chances))] for chances in (p, q))
        chances = (float(p[old]), float(q[old]), float(p[new]), float(q[new]))
        yield Asked(kind, tokens, T.classes[old], T.classes[new], *chances, *decided)


def _several(prompts: Sequence[Tokens], name: str) -> Sequence[Tokens]:
    if isinstance(prompts, str) or not isinstance(prompts, Sequence):
        raise InputError(f"{name}={brief(prompts)}: write a list of inputs")
    return prompts


def _log_chances(numbers: Array) -> Array:
    """Return the logarithms of the softmax along the last axis."""
    x = numbers - numbers.max(axis=-1, keepdims=True)
    result: Array = x - np.log(np.exp(x).sum(axis=-1, keepdims=True))
    return result


def _divergences(T: Transformer, edited: Transformer, texts: Sequence[Tokens]) -> Array:
    """Return the divergence at every position of the texts."""
    read = read_inputs(T, texts)
    found = [np.zeros(0)]
    for members, run in batches(T, read):
        same = batches(edited, [read[n] for n in members])  # of one length, in their order
        streams = zip(run.stream[-1], np.concatenate([other.stream[-1] for _, other in same]), strict=True)
        for before, after in streams:
            p, q = _log_chances(read_numbers(T, before)), _log_chances(read_numbers(edited, after))
            found.append((np.exp(p) * (p - q)).sum(axis=-1))
    return np.maximum(np.concatenate(found), 0.0)  # rounding may leave less than 0 where nothing changed
