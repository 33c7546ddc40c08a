"""weightsmith export, as a person meets it."""

import json
from pathlib import Path

import pytest
import safetensors.torch

import weightsmith as ws
from tests.cli.commands import good, python, weightsmith
from tests.command_line import run_command

WITHOUT_TORCH = "import sys; sys.modules['torch'] = None"


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with models that take inputs of at most four tokens: few of them are run."""
    path = tmp_path_factory.mktemp("short")
    ws.save(ws.flag(ws.library.contains("1"), "start", [0], max_length=4), path / "one.safetensors")
    ws.save(ws.random_transformer(lanes=4, max_length=4), path / "random.safetensors")
    return path


def test_weights_are_written_and_the_report_is_said(short: Path) -> None:
    out = good("export", "one.safetensors", "--to", "torch", "-o", "weights.safetensors", folder=short)
    assert "PyTorch, float32: 30 inputs run (all up to length 4)" in out
    assert "decisions: as in the original on all inputs up to 4; proved: no sum saturates or rounds" in out
    assert "decisions survive on these inputs in: float32 yes, bfloat16 yes, float16 yes" in out
    tensors = safetensors.torch.load_file(short / "weights.safetensors")
    assert {"embedding", "output", "positions.values", "blocks.0.attention.heads.0.W_Q"} <= tensors.keys()


def test_a_program_is_written_and_its_outputs_are_counted_at_every_position(short: Path) -> None:
    P = ws.programs.compile_rasp("hist = selector_width(select(tokens, tokens, ==));", vocabulary="abc", max_length=4)
    ws.save(P.transformer, short / "hist.safetensors")
    out = good("export", "hist.safetensors", "--to", "onnx", "-o", "hist.onnx", folder=short)
    assert out.startswith("ONNX, float32: 120 inputs run (all up to length 4)\noutputs: all 426 as in the original on")


def test_the_exact_module_agrees_where_the_plain_one_is_refused(short: Path) -> None:
    words = ("export", "random.safetensors", "--to", "torch", "-o", "r.safetensors", "--json")
    refused = weightsmith(*words, folder=short)
    assert refused.returncode == 2
    assert "It does not round as the original does: to_torch(T, exact=True) does." in refused.stderr
    assert "(--allow-differences on the command line)" in refused.stderr
    assert not (short / "r.safetensors").exists()
    report = json.loads(good(*words, "--exact", folder=short))
    assert report["agrees"]
    assert report["logit_difference"] == report["stream_difference"] == 0
    assert report["path"] == "r.safetensors"
    report = json.loads(good(*words, "--allow-differences", "--dtype", "float64", folder=short))
    assert report["different_decisions"] > 0
    assert report["dtype"] == "float64"


def test_what_saturates_midway_is_written_where_that_is_allowed_and_says_so(short: Path) -> None:
    ws.save(ws.library.majority("1", arithmetic=ws.Fixed(3, 0)), short / "majority.safetensors")
    words = ("export", "majority.safetensors", "--to", "onnx", "-o", "majority.onnx", "--json")
    report = json.loads(good(*words, "--allow-saturation", folder=short))
    assert report["difference"].startswith(
        "On 1×8 0×7 ONNX says YES, and the original NO: sums saturate or round midway"
    )
    assert (short / "majority.onnx").exists()


@pytest.mark.parametrize(
    ("target", "output", "shown"),
    [
        ("transformer-lens", "lens.safetensors", "TransformerLens"),
        ("hugging-face", "directory", "Hugging Face"),
        ("onnx", "one.onnx", "ONNX"),
    ],
)
def test_every_target_is_written_and_measured(short: Path, target: str, output: str, shown: str) -> None:
    report = json.loads(good("export", "one.safetensors", "--to", target, "-o", output, "--json", folder=short))
    assert shown in report["target"]
    assert report["agrees"]
    assert (short / output).exists()
    if target == "transformer-lens":
        bridge = ws.export.load_transformer_lens(short / output)
        assert bridge.transformer == ws.load(short / "one.safetensors")
        assert bridge.agreement.agrees


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--to jax -o x", "--to 'jax': write one of torch, transformer-lens, hugging-face, onnx"),
        ("--to onnx -o x --exact", "--exact is for --to torch"),
        ("--to torch -o x --stock gpt2", "--stock is for --to hugging-face"),
        ("--to torch -o x.pt", "write a name that ends with .pt2 for a program"),
        ("--to torch -o x.pt2 --exact", "write a name that ends with .safetensors for its weights"),
        ("--to torch -o one.safetensors", "the same command reads it"),
        ("--to torch -o x.pt2 --dtype int8", "dtype='int8': write one of float32, float64, bfloat16, float16"),
    ],
)
def test_what_cannot_be_written_is_refused(short: Path, words: str, message: str) -> None:
    result = weightsmith("export", "one.safetensors", *words.split(), folder=short)
    assert result.returncode == 2
    assert message in result.stderr
    assert not (short / words.split()[3]).exists() or "one" in words


def test_export_loads_torch_only_when_it_is_used() -> None:
    program = "import sys; from weightsmith import export; export.agreement, export.to_torch, export.portable; "
    result = python("-c", program + "assert 'torch' not in sys.modules; assert callable(export.agreement)")
    assert result.returncode == 0, result.stderr


def test_without_torch_it_is_said_what_to_install(short: Path) -> None:
    words = ("export", "one.safetensors", "--to", "torch", "-o", "y.safetensors")
    result = run_command(*words, folder=short, environment={}, before=WITHOUT_TORCH)
    assert result.returncode == 2
    assert result.stderr == "error: a PyTorch module needs torch: write pip install 'weightsmith[export]'\n"


def test_a_chain_is_exported_whole_and_read_back(tmp_path: Path) -> None:
    C = ws.library.parity_chain(max_length=3)
    ws.save(C, tmp_path / "chain.safetensors")
    for target, name in (("hugging-face", "folder"), ("torch", "chain.pt2"), ("onnx", "chain.onnx")):
        out = good("export", "chain.safetensors", "--to", target, "-o", name, folder=tmp_path)
        assert "whole chains on 14 inputs (all up to length 3)" in out
        assert "tokens and answers: all as in the chain on these inputs" in out
    assert good("run", "folder", "011", folder=tmp_path) == "011=010\nanswer: NO\n"
    assert good("import", "folder", "-o", "back.safetensors", folder=tmp_path).startswith("Chain\n")
    assert ws.load(tmp_path / "back.safetensors") == C
    ended = weightsmith("next", "folder", "01", folder=tmp_path)
    assert ended.returncode == 2
    assert "holds a chain, and a transformer is needed here" in ended.stderr
