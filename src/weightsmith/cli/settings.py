"""Training settings as options of a command; meanings and defaults come from `train.settings`."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, fields
from typing import Annotated, Any, TypeVar, get_args

import typer

from weightsmith.train.settings import Course, Preset, Shape, about

Command = TypeVar("Command", bound=Callable[..., None])


def takes_settings(presets: Mapping[str, Preset], names: Collection[str] = ()) -> Callable[[Command], Command]:
    """Return a decorator that turns a command's **settings into options, in front of --json.

    `presets` are by what is learnt, as a help text calls it. `names` are the settings that are offered: all that have a
    help text, unless given. A setting that is left to its preset comes as None, or with its value.
    """
    offered = [each for each in (*fields(Shape), *fields(Course)) if about(each).help]
    options = [option(each, presets) for each in offered if not names or each.name in names]

    def decorated(command: Command) -> Command:
        own = list(inspect.signature(command).parameters.values())[:-1]  # without the **settings
        by_name = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        command.__signature__ = inspect.Signature([*by_name[:-1], *options, by_name[-1]])  # type: ignore[attr-defined]
        return command

    return decorated


def option(setting: "Field[Any]", presets: Mapping[str, Preset]) -> inspect.Parameter:
    """Return a setting as a parameter of a command; where the presets differ, its default is None and both are said."""
    said, choices = about(setting), get_args(setting.type)
    values = {learnt: _value(preset, setting.name) for learnt, preset in presets.items()}
    kind: Any = str if choices else setting.type  # other texts are refused by the setting itself
    text = f"{said.help}: {', '.join(choices[:-1])} or {choices[-1]}" if choices else said.help
    default = next(iter(values.values()))
    if said.unless_given or len(set(values.values())) > 1:
        kind, default = kind | None, None
        text += "; " + (said.unless_given or ", ".join(f"{_text(value)} for {of}" for of, value in values.items()))
    annotation = Annotated[kind, typer.Option(help=f"{text}.")]
    return inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def chosen(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that are not left to the preset."""
    return {name: value for name, value in settings.items() if value is not None}


def _value(preset: Preset, name: str) -> Any:
    return getattr(preset.shape if hasattr(preset.shape, name) else preset.course, name)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
