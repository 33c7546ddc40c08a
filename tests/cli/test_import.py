"""import, and the other commands on a checkpoint."""

import json
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith
from tests.export.checkpoints import GPT2, drawn_arrays, gpt2_shapes, trained_tokenizer, write
from weightsmith.cli.output import token_text
from weightsmith.export import from_hugging_face
from weightsmith.model import readable_text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    write(folder / "tiny", GPT2, drawn_arrays(gpt2_shapes()))
    trained_tokenizer().save(str(folder / "tiny" / "tokenizer.json"))
    return folder


def test_import_writes_the_model_and_says_what_it_is(folder: Path) -> None:
    out = good("import", "tiny", "-o", "tiny.safetensors", folder=folder)
    assert "Transformer in float32" in out
    assert "made by     from_hugging_face: GPT-2, tiny" in out
    loaded, read = ws.load(folder / "tiny.safetensors"), from_hugging_face(folder / "tiny")
    assert loaded == read
    assert loaded.tokenizer == read.tokenizer


def test_import_as_json_says_what_was_written(folder: Path) -> None:
    out = good("import", "tiny", "-o", "wide.safetensors", "--numbers", "float64", "--json", folder=folder)
    said = json.loads(out)
    T = ws.load(folder / "wide.safetensors")
    assert T.arithmetic == ws.Native("float64")
    assert (said["arithmetic"], said["weights"], said["tokenizer"]) == ("float64", T.weights, True)


def test_commands_take_the_directory_itself_and_texts(folder: Path) -> None:
    T = from_hugging_face(folder / "tiny")
    said = json.loads(good("run", "tiny", "The Tower", "--json", folder=folder))
    assert said["decision"] == ws.run(T, "The Tower").decision
    further = list(ws.generate(T, "The Tower", 4))
    shown = readable_text(T, [*ws.run(T, "The Tower").tokens, *further])
    assert shown.startswith("The Tower")
    out = good("generate", "tiny", "The Tower", "--steps", "4", folder=folder)
    assert out == "".join(map(token_text, shown.rstrip("\ufffd"))) + "\n"
    data = json.loads(good("generate", "tiny", "The Tower", "--steps", "4", "--json", folder=folder))
    assert data["tokens"] == further
    assert "Transformer in float32" in good("info", "tiny", folder=folder)
    assert "tokenizer" not in json.loads(good("info", "tiny", "--json", folder=folder))


def test_what_cannot_be_read_is_refused(folder: Path) -> None:
    (folder / "empty").mkdir(exist_ok=True)
    refused = weightsmith("import", "empty", "-o", "x.safetensors", folder=folder)
    assert refused.returncode == 2
    assert "cannot read 'empty': it has no config.json, so it is not a checkpoint of Hugging Face" in refused.stderr
    refused = weightsmith("import", "tiny", "-o", "x.safetensors", "--numbers", "half", folder=folder)
    assert refused.returncode == 2
    assert "numbers='half': write 'float32', 'float64' or None" in refused.stderr
    assert not (folder / "x.safetensors").exists()


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_read(folder: Path) -> None:
    (folder / "empty").mkdir(exist_ok=True)
    refused = weightsmith("import", "empty", "-o", "nowhere/x.safetensors", folder=folder)
    assert refused.returncode == 2
    assert "cannot write 'nowhere/x.safetensors'" in refused.stderr
