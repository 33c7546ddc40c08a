"""A story: captions at places of a run, in the order in which they are told.

A story is no part of a model's numbers: no run, comparison, digest or proof reads it. `T.story([…])` attaches one,
`T.told` returns it, and a file holds it. Every rewrite returns a model without one, because its captions describe the
weights that they were written for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias, cast

from weightsmith.errors import InputError, ModelError, brief, is_whole, listed
from weightsmith.model.names import checked_text
from weightsmith.model.story_places import MAX_TOKENS, StoryPlaces
from weightsmith.model.transformer import Transformer, checked

MAX_STEPS = 64
MAX_CAPTION = 90  # characters: two lines of a projector
MAX_POINTED = 16  # lanes that a step points at, parts that it switches off, cells that it sets
PANELS = ("stream", "heads", "neuron", "answer", "weights", "norm")
Input: TypeAlias = str | Sequence[str]


@dataclass(frozen=True)
class StoryStep:
    """A step of a story: a caption, the place that it is about, and what it points at there.

    `position` counts from 0, negative numbers from the end. A head needs the stage of its attention, a neuron (its
    name or number) that of its feed-forward layer. `panels` are those that presenter mode shows. A step may have an
    `input` of its own, and a second one `beside` it. `off` switches off parts ("0.head.1", "0.neuron.2847"), `set`
    replaces cells of the stream ("0.attention:2:compound:1"). Tokens in the text stand between backquotes.
    """

    text: str
    stage: str = "embedding"
    position: int | None = None  # None: where most happens
    head: int | None = None
    neuron: int | str | None = None
    lanes: Sequence[str] = ()
    panels: Sequence[str] = ()
    input: Input | None = None  # None: that of the story
    beside: Input | None = None
    off: Sequence[str] = ()
    set: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it: without what it leaves out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        order = sorted(values.items(), key=lambda item: item[0] == "text")  # the caption last
        return {name: _plain(value) for name, value in order if value is not None and value != ()}


@dataclass(frozen=True)
class Story:
    """A story of a model: its steps, a title, and the input of the steps that have none of their own."""

    steps: Sequence[StoryStep]
    title: str = ""
    input: Input | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as files and `weightsmith story` have it: {"title": …, "input": …, "steps": […]}."""
        found: dict[str, Any] = {"title": self.title} if self.title else {}
        found |= {} if self.input is None else {"input": _plain(self.input)}
        return found | {"steps": [step.to_json() for step in self.steps]}

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.steps)

    def __iter__(self) -> Iterator[StoryStep]:
        """Yield the steps in order."""
        return iter(self.steps)

    def __str__(self) -> str:
        """Return the title and the captions, with their places."""
        width = max(len(step.stage) for step in self.steps)
        lines = [f"{n:>3}  {step.stage:<{width}}  {step.text}" for n, step in enumerate(self.steps, 1)]
        return "\n".join([*([self.title] if self.title else []), *lines])


Given: TypeAlias = Story | Mapping[str, Any] | Sequence[StoryStep | Mapping[str, Any]]


def attached(
    T: Transformer, steps: Given | None, input: Input | None = None, title: str = "", by_vocabulary: bool = False
) -> Transformer:
    """Return the transformer with a story, or with None without one; refuse a story that does not fit it.

    With `by_vocabulary`, texts are read without the model's tokenizer, as in files.
    """
    story = None if steps is None else fitting(T, _given(steps, input, title), by_vocabulary)
    told = object.__new__(type(checked(T)))
    told.__dict__.update({name: value for name, value in T.__dict__.items() if name != "_story"})
    if story is not None:
        told.__dict__["_story"] = story
    return told


def fitting(T: Transformer, story: Story, by_vocabulary: bool = False) -> Story:
    """Return a story whose every place exists in the transformer, in the form that files hold; refuse others."""
    if not 1 <= len(story.steps) <= MAX_STEPS:
        raise ModelError(f"the story has {len(story.steps)} steps: write 1 to {MAX_STEPS}")
    checked_text(story.title, "the title of the story", most=MAX_CAPTION)
    places = StoryPlaces(T, by_vocabulary)
    try:
        given = None if story.input is None else places.tokens(story.input)
    except InputError as error:
        raise ModelError(f"the input of the story: {error}") from None
    steps = [_fitting(places, step, given, f"step {n} of the story") for n, step in enumerate(story.steps, 1)]
    return Story(tuple(steps), story.title, None if given is None else places.written(given))


def _fitting(places: StoryPlaces, step: StoryStep, given: tuple[str, ...] | None, name: str) -> StoryStep:
    _check_caption(step.text, name)
    lists = {key: _texts(getattr(step, key), f"{key} of {name}") for key in ("lanes", "panels", "off", "set")}
    unknown = [panel for panel in lists["panels"] if panel not in PANELS]
    if unknown or len(set(lists["panels"])) < len(lists["panels"]):
        raise ModelError(f"panels of {name} are {brief(lists['panels'])}: write some of {', '.join(PANELS)}, each once")
    try:
        own, beside = (None if text is None else places.tokens(text) for text in (step.input, step.beside))
        tokens = given if own is None else own
        if tokens is None:
            raise InputError("it has no input: write input='…', for this step or for the whole story")
        stage = places.stage(step.stage)
        head = None if step.head is None else places.head(stage, step.head)
        neuron = None if step.neuron is None else places.neuron(stage, step.neuron)
        for lane in lists["lanes"]:
            places.lane(lane)
        for part in lists["off"]:
            places.part(part)
        for cell in lists["set"]:
            places.cell(cell, len(tokens))
        position = None if step.position is None else places.position(step.position, len(tokens))
    except InputError as error:
        raise ModelError(f"{name}: {error}") from None
    own_text, second = (None if found is None else places.written(found) for found in (own, beside))
    return StoryStep(step.text, step.stage, position, head, neuron, input=own_text, beside=second, **lists)


def _check_caption(text: object, name: str) -> None:
    if not isinstance(text, str) or not text.strip():
        raise ModelError(f"{name} has no caption, and its text is {brief(text)}: write text='…'")
    if len(text) > MAX_CAPTION:
        whole = text[: MAX_CAPTION + 1].rpartition(" ")[0] or text[:MAX_CAPTION]
        raise ModelError(
            f"{name} has a text of {len(text)} characters, and at most {MAX_CAPTION} fit a screen: write "
            f"text={brief(whole, MAX_CAPTION + 10)}, and the rest in a step of its own"
        )
    checked_text(text, f"the text of {name}", most=MAX_CAPTION)


def _texts(given: object, name: str) -> tuple[str, ...]:
    """Return a short list of texts."""
    if not isinstance(given, list | tuple) or not all(isinstance(text, str) for text in given):
        raise ModelError(f"{name} are {brief(given)}: write a list of texts")
    if len(given) > MAX_POINTED:
        raise ModelError(f"{name} are {len(given)}: write at most {MAX_POINTED}")
    return tuple(given)


def _given(steps: object, input: Input | None, title: str) -> Story:
    """Return a story as it was given: as such, as JSON, or as a list of steps."""
    if isinstance(steps, Mapping):
        values = _known(steps, Story, "the story")
        if "steps" not in values:
            raise ModelError("the story has no steps: write {'steps': [{'stage': …, 'text': …}, …]}")
        steps, input = values["steps"], values.get("input") if input is None else input
        title = title or values.get("title", "")
    elif isinstance(steps, Story):
        whole = steps
        steps, input, title = whole.steps, whole.input if input is None else input, title or whole.title
    if not isinstance(steps, list | tuple):
        raise ModelError(f"the steps of the story are {brief(steps)}: write a list of steps")
    if len(steps) > MAX_STEPS:
        raise ModelError(f"the story has {len(steps)} steps: write 1 to {MAX_STEPS}")
    return Story([_given_step(step, f"step {n} of the story") for n, step in enumerate(steps, 1)], title, input)


def _given_step(step: object, name: str) -> StoryStep:
    if isinstance(step, StoryStep):
        return step
    if not isinstance(step, Mapping):
        raise ModelError(f"{name} is {brief(step)}: write {{'stage': 'embedding', 'position': 0, 'text': '…'}}")
    return StoryStep(**{"text": ""} | _known(step, StoryStep, name))


def _known(given: Mapping[Any, Any], kind: type[Any], name: str) -> dict[str, Any]:
    """Return the entries of an object whose keys are all known; null stands for a key that is left out."""
    known = [field.name for field in fields(kind)]
    for key in given:
        if key not in known:
            raise ModelError(f"{name} has the unknown key {brief(key)}: the keys are {listed(known)}")
    return {cast(str, key): value for key, value in given.items() if value is not None}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else int(value) if is_whole(value) else value


__all__ = ["MAX_CAPTION", "MAX_STEPS", "MAX_TOKENS", "PANELS", "Story", "StoryStep", "attached", "fitting"]
