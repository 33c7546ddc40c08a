"""weightsmith memory: facts written, read and taken back on the command line."""

import json
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith


@pytest.fixture(scope="module")
def towers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a model that reads its last token, and the same with two facts."""
    folder = tmp_path_factory.mktemp("towers")
    lanes = ("eiffel", "big ben", "paris", "london")
    T = ws.Transformer(
        arithmetic=ws.Fixed(4, 4),
        vocabulary=("eiffel", "ben"),
        lanes=lanes,
        embedding=ws.matrix(("eiffel", "ben"), lanes, {("eiffel", "eiffel"): 1.0, ("ben", "big ben"): 1.0}),
        positions=None,
        blocks=(ws.Block(),),
        output=ws.matrix(("?", "paris", "london"), lanes, {("paris", "paris"): 1.0, ("london", "london"): 1.0}),
        classes=("?", "paris", "london"),
    )
    ws.save(T, folder / "blank.safetensors")
    one = ("memory", "write", "blank.safetensors", "-b", "0", "--key", "eiffel=1", "--value", "paris=2")
    good(*one, "--name", "[red]france[/red]", "-o", "one.safetensors", folder=folder)
    two = ("memory", "write", "one.safetensors", "--key", "big ben=1", "--value", "london=1")
    good(*two, "--against", "eiffel", "--margin", "2", "-o", "two.safetensors", folder=folder)
    return folder


def test_facts_are_written_and_listed_with_names_as_they_are(towers: Path) -> None:
    assert [ws.run(ws.load(towers / "two.safetensors"), x).decision for x in ("eiffel", "ben")] == ["paris", "london"]
    text = good("memory", "facts", "two.safetensors", folder=towers)
    assert "[red]france[/red]" in text
    assert "big ben=1" in text
    found = json.loads(good("memory", "facts", "two.safetensors", "--json", folder=towers))
    assert found == [
        {"name": "[red]france[/red]", "key": {"eiffel": 1.0}, "value": {"paris": 2.0}, "block": 0, "neuron": 0,
         "response": 1.0, "margin": 1.0},
        {"name": "", "key": {"big ben": 1.0}, "value": {"london": 1.0}, "block": 0, "neuron": 1,
         "response": 1.0, "margin": 2.0},
    ]  # fmt: skip
    assert "no facts" in good("memory", "facts", "blank.safetensors", folder=towers)


def test_what_fired_is_shown(towers: Path) -> None:
    text = good("memory", "read", "two.safetensors", "eiffel ben", folder=towers)
    assert "0 [red]france[/red]" in text
    assert "london=1" in text
    found = json.loads(good("memory", "read", "two.safetensors", "eiffel ben", "--json", folder=towers))
    assert [(f["block"], f["position"], f["neuron"], f["added"]) for f in found] == [
        (0, 0, 0, {"paris": 2.0}),
        (0, 1, 1, {"london": 1.0}),
    ]
    every = json.loads(good("memory", "read", "two.safetensors", "ben", "--all", "-b", "0", "--json", folder=towers))
    assert [f["response"] for f in every] == [-1.0, 1.0]
    assert "no neuron fired" in good("memory", "read", "blank.safetensors", "ben", folder=towers)


def test_promoted_classes_are_shown_by_name_or_number(towers: Path) -> None:
    for neuron in ("0", "[red]france[/red]"):
        found = json.loads(good("memory", "promoted", "two.safetensors", neuron, "--json", folder=towers))
        which = {"block": 0, "neuron": 0, "name": "[red]france[/red]"}
        assert found == {**which, "raised": {"paris": 2.0}, "lowered": {}}
    shown = good("memory", "promoted", "two.safetensors", "0", folder=towers)
    assert shown.startswith("block 0, neuron 0, called [red]france[/red]\n")
    assert "+2" in shown
    assert good("memory", "promoted", "two.safetensors", "1", folder=towers).startswith("block 0, neuron 1\n")


def test_a_neuron_called_2847_is_found_by_its_name(towers: Path) -> None:
    good("new", "eiffel", "-o", "eiffel.safetensors", folder=towers)
    T = ws.library.eiffel()
    for n, name in enumerate(("2847", "5432")):
        for text in (name, str(n)):
            shown = good("memory", "promoted", "eiffel.safetensors", text, "--json", folder=towers)
            found = json.loads(shown)
            assert (found["neuron"], found["name"]) == (n, name)
            assert found["raised"] == dict(ws.memory.promoted(T, 0, name).raised)


@pytest.fixture(scope="module")
def numbered(towers: Path) -> Path:
    """Give the folder with a model whose neuron 0 is called 1, and whose neuron 1 is called 01."""
    facts = [("1", {"eiffel": 1.0}, {"paris": 1.0}), ("01", {"big ben": 1.0}, {"london": 1.0})]
    T = ws.memory.write_many(ws.load(towers / "blank.safetensors"), 0, facts)
    ws.save(T, towers / "numbered.safetensors")
    return towers


@pytest.mark.parametrize(
    ("text", "neuron", "said"),
    [("1", 0, "1 is the name of neuron 0: for neuron 1 write 01\n"), ("01", 1, ""), ("0", 0, ""), ("001", 1, "")],
)
def test_a_name_of_digits_wins_over_a_number_and_that_is_said(
    numbered: Path, text: str, neuron: int, said: str
) -> None:
    result = weightsmith("memory", "promoted", "numbered.safetensors", text, folder=numbered)
    assert (result.returncode, result.stderr) == (0, said)
    assert result.stdout.startswith(f"block 0, neuron {neuron}, called {('1', '01')[neuron]}\n")
    assert ("paris", "london")[neuron] in result.stdout


@pytest.mark.parametrize("digits", ["2", "9" * 20, "9" * 5000, "²", "-1", ""])
def test_digits_that_are_neither_a_name_nor_a_number_end_with_two(numbered: Path, digits: str) -> None:
    result = weightsmith("memory", "promoted", "numbered.safetensors", "--", digits, folder=numbered)
    assert result.returncode == 2
    by_number = "error: there is no neuron 2 in block 0: the neurons are 0 to 1"
    assert result.stderr.startswith(by_number if digits == "2" else "error: block 0 has no neuron called")


def test_undo_gives_the_file_before(towers: Path) -> None:
    text = good("memory", "undo", "two.safetensors", "-o", "undone.safetensors", folder=towers)
    assert text.startswith("undone: memory.write(block=0, key={'big ben': 1.0}")
    assert (towers / "undone.safetensors").read_bytes() == (towers / "one.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("write", "one.safetensors", "--key", "eiffel", "--value", "paris=1"), "--key 'eiffel': write LANE=NUMBER"),
        (("write", "one.safetensors", "--key", "eiffel=1,eiffel=1", "--value", "paris=1"), "'eiffel' twice"),
        (("write", "one.safetensors", "--key", "eiffel=1", "--value", "paris=1"), "responds to the key"),
        (("undo", "blank.safetensors"), "there is no edit to undo"),
    ],
)
def test_bad_input_ends_with_two_and_writes_nothing(towers: Path, arguments: tuple[str, ...], message: str) -> None:
    result = weightsmith("memory", *arguments, "-o", "never.safetensors", folder=towers)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (towers / "never.safetensors").exists()


def test_an_unknown_neuron_ends_with_two(towers: Path) -> None:
    result = weightsmith("memory", "promoted", "two.safetensors", "nobody", folder=towers)
    assert (result.returncode, "no neuron called nobody" in result.stderr) == (2, True)
