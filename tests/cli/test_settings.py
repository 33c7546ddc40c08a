"""Settings of training as options: each is offered once, with its help, its default and its kind."""

import inspect
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from weightsmith.cli.compare import SETTINGS
from weightsmith.cli.compare import compare as compare_command
from weightsmith.cli.settings import chosen, option, takes_settings
from weightsmith.cli.train import train as train_command
from weightsmith.train.settings import COMPARISON, LABELLED, TEXT, Course, Preset, Shape, about, says

PRESETS = {"a text": TEXT, "labelled strings": LABELLED}
NOT_OFFERED = {"max_distance", "biases", "numbers", "least_rate"}
BY_NAME = {each.name: each for each in (*fields(Shape), *fields(Course))}


def help_of(parameter: inspect.Parameter) -> str:
    return str(get_args(parameter.annotation)[1].help)


def test_train_offers_every_setting_that_has_a_help_text_and_json_last() -> None:
    names = list(inspect.signature(train_command).parameters)
    assert [name for name in names if name in BY_NAME] == [name for name in BY_NAME if name not in NOT_OFFERED]
    assert {name for name, each in BY_NAME.items() if not about(each).help} == NOT_OFFERED
    assert names[-1] == "as_json"


def test_compare_offers_some_of_them() -> None:
    parameters = inspect.signature(compare_command).parameters
    assert [name for name in parameters if name in BY_NAME] == list(SETTINGS)
    assert (parameters["lanes"].default, parameters["rate"].default) == (64, 0.002)


@pytest.mark.parametrize(
    ("name", "default", "kind", "text"),
    [
        ("lanes", None, int | None, "How many lanes; 128 for a text, 16 for labelled strings."),
        ("decay", None, float | None, "Weight decay, of matrices; 0.1 for a text, 0 for labelled strings."),
        ("neurons", None, int | None, "Neurons per block; four times the lanes."),
        ("warmup", 100, int, "Steps until it is reached."),
        ("tied", True, bool, "Of a text: the output is the embedding."),
        ("norm", None, str | None, "Which norm: layer, rms or none; layer for a text, none for labelled strings."),
        ("placement", "pre", str, "Whether the norm comes before or after a sublayer: pre or post."),
    ],
)
def test_an_option_says_what_its_setting_says(name: str, default: Any, kind: Any, text: str) -> None:
    found = option(BY_NAME[name], PRESETS)
    assert (found.name, found.default, get_args(found.annotation)[0], help_of(found)) == (name, default, kind, text)


def test_what_a_setting_is_unless_given_is_said_also_where_the_presets_agree() -> None:
    found = option(BY_NAME["neurons"], {"both": COMPARISON})
    assert (found.default, help_of(found)) == (None, "Neurons per block; four times the lanes.")


def test_a_setting_that_is_added_to_a_shape_becomes_an_option_and_reaches_the_command() -> None:
    @dataclass(frozen=True)
    class Wider(Shape):
        registers: int = field(default=3, metadata=says("How many registers", 0))

    presets = {"a text": Preset(Wider(), Course()), "labelled strings": Preset(Wider(registers=5), Course())}
    registers = next(each for each in fields(Wider) if each.name == "registers")
    assert help_of(option(registers, presets)) == "How many registers; 3 for a text, 5 for labelled strings."


def test_what_is_not_given_comes_as_none_where_the_presets_differ() -> None:
    seen: list[dict[str, Any]] = []

    @takes_settings(PRESETS, ("lanes", "seed"))
    def command(as_json: Annotated[bool, typer.Option("--json")] = False, **settings: Any) -> None:
        seen.append(settings)

    app = typer.Typer()
    app.command()(command)
    assert CliRunner().invoke(app, []).exit_code == 0
    assert CliRunner().invoke(app, ["--lanes", "8", "--seed", "2"]).exit_code == 0
    assert seen == [{"lanes": None, "seed": 0}, {"lanes": 8, "seed": 2}]
    assert [chosen(each) for each in seen] == [{"seed": 0}, {"lanes": 8, "seed": 2}]
