"""The open models of a studio, each with its steps, which can be undone and redone."""

import itertools
from dataclasses import dataclass, field
from typing import Any

from weightsmith.errors import cut
from weightsmith.studio.limits import Limits
from weightsmith.studio.refusal import StudioError

_versions = itertools.count(1)


@dataclass(frozen=True)
class State:
    """A model at one of its steps: the bytes of its file, and its summary for the panel."""

    text: str  # the step that led to it
    data: bytes = field(repr=False)
    summary: dict[str, Any] = field(repr=False)
    version: int = field(default_factory=lambda: next(_versions))  # no two states have the same


@dataclass
class OpenModel:
    """An open model: its states, one of which is shown; later ones can be redone."""

    number: int
    name: str
    states: list[State]
    input: str | None = None  # one to begin with
    note: str = ""
    place: int = 0

    @property
    def state(self) -> State:
        """The state that is shown."""
        return self.states[self.place]

    def data(self) -> dict[str, Any]:
        """Return it for the page, without its bytes."""
        steps = [{"text": state.text, "version": state.version} for state in self.states]
        return {
            "id": self.number,
            "name": self.name,
            "input": self.input,
            "note": self.note,
            "steps": steps,
            "place": self.place,
            "version": self.state.version,
            "bytes": len(self.state.data),
            "summary": self.state.summary,
        }


class Session:
    """All that is open."""

    def __init__(self, limits: Limits) -> None:
        """Begin with nothing."""
        self.limits = limits
        self.models: dict[int, OpenModel] = {}
        self._numbers = itertools.count(1)

    def model(self, number: object) -> OpenModel:
        """Return a model by its number."""
        if type(number) is not int or number not in self.models:
            raise StudioError(404, "there is no such model any more: load the page again")
        return self.models[number]

    def state(self, number: object, version: object = None) -> State:
        """Return the state of a model that is shown, or one that it had, as long as it can be reached by its steps."""
        model = self.model(number)
        if version is None:
            return model.state
        for state in model.states:
            if state.version == version:
                return state
        raise StudioError(410, "the model has been changed since, and this step of it is gone")

    def add(self, name: str, state: State, model_input: str | None = None, note: str = "") -> OpenModel:
        """Open a model."""
        if len(self.models) >= self.limits.models:
            raise StudioError(409, f"{len(self.models)} models are open, which is as many as may be: close one first")
        self._check_bytes(len(state.data))
        model = OpenModel(next(self._numbers), self._fresh(name), [state], model_input, note)
        self.models[model.number] = model
        return model

    def step(self, model: OpenModel, before: State, after: State) -> None:
        """Add a step to a model and drop undone ones. Refuse if the model has changed meanwhile."""
        if self.models.get(model.number) is not model or model.state is not before:
            raise StudioError(409, "the model has changed meanwhile: look at it, and try again")
        if model.place + 1 >= self.limits.steps:
            raise StudioError(
                409, f"the model has {model.place} steps, which is as many as may be: save it and open it anew"
            )
        gone = sum(len(state.data) for state in model.states[model.place + 1 :])
        self._check_bytes(len(after.data) - gone)
        model.states[model.place + 1 :] = [after]
        model.place += 1

    def go(self, model: OpenModel, version: int) -> None:
        """Undo or do again, up to one of the model's states."""
        state = self.state(model.number, version)
        model.place = model.states.index(state)

    def close(self, model: OpenModel) -> None:
        """Close a model."""
        del self.models[model.number]

    def _check_bytes(self, more: int) -> None:
        held = sum(len(state.data) for model in self.models.values() for state in model.states)
        if held + more > self.limits.all_bytes:
            most = self.limits.all_bytes
            raise StudioError(409, f"all models and their steps would take more than {most:,} bytes: close one first")

    def _fresh(self, name: str) -> str:
        """Return a name that no other model has, in one line."""
        plain = cut("".join(letter if letter.isprintable() else " " for letter in name).strip(), 80) or "model"
        taken = {model.name for model in self.models.values()}
        if plain not in taken:
            return plain
        return next(new for n in itertools.count(2) if (new := f"{plain} ({n})") not in taken)
