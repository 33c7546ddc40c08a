"""--replay and --cite as a person meets them: which models they ask for, what they say, how they end."""

import json
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.cli.commands import checked, weightsmith
from weightsmith.model import digest

PAIR = ("--model", "one.safetensors", "--model", "loud.safetensors")
HASTY = "from weightsmith.check import replaying; replaying.PATIENCE = 0"
SMALL = "from weightsmith.check import claim; claim.shard_size = lambda weights: 64\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("certificates")
    S = ws.library.contains("1")
    ws.save(S, path / "one.safetensors")
    ws.save(ws.infinity_form(S), path / "loud.safetensors")
    ws.save(ws.library.contains("0"), path / "zero.safetensors")
    claim = ("same-decisions", "one.safetensors", "loud.safetensors", "--up-to", "9")
    checked(*claim, "--certificate", "c.json", folder=path, code=0)
    false = ("recognizes", "one.safetensors", "--regex", "0*1", "--up-to", "9", "--certificate", "r.json")
    checked(*false, folder=path, code=1)
    result = weightsmith("check", "same-decisions", "one.safetensors", "loud.safetensors", "--up-to", "9",
                         "--certificate", "many.json", folder=path, before=SMALL)  # fmt: skip
    assert result.returncode == 0, result.stderr
    return path


def forged(folder: Path, name: str, **changes: Any) -> str:
    """Write a certificate with some entries changed; return its name."""
    data = json.loads((folder / name).read_text())
    (folder / f"forged-{name}").write_text(json.dumps({**data, **changes}))
    return f"forged-{name}"


def test_without_models_the_error_says_which_and_the_whole_line_to_write(folder: Path) -> None:
    S = ws.load(folder / "one.safetensors")
    first, second = digest(S)[:12], digest(ws.load(folder / "loud.safetensors"))[:12]
    assert checked("--replay", "c.json", folder=folder, code=2) == (
        f"error: c.json is about 2 models with the digests {first} and {second} (its author called them "
        "one.safetensors and loud.safetensors), and opens no file unasked: write weightsmith check --replay c.json "
        "--model one.safetensors --model loud.safetensors\n"
    )
    assert checked("--replay", forged(folder, "r.json", files=None), folder=folder, code=2) == (
        f"error: forged-r.json is about a model with the digest {first}, and opens no file unasked: "
        "write weightsmith check --replay forged-r.json --model MODEL\n"
    )


@pytest.mark.parametrize("order", [PAIR, (*PAIR[2:], *PAIR[:2])])
def test_models_are_found_by_their_digests_in_any_order(folder: Path, order: tuple[str, ...]) -> None:
    assert "everything agrees" in checked("--replay", "c.json", *order, folder=folder, code=0)


def test_files_that_a_certificate_names_are_never_opened(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret that no error may show")
    name = forged(folder, "c.json", files=[str(secret), str(secret)])
    code = """
import builtins, os
real, real_os = builtins.open, os.open
def watched(open):
    def opening(path, *more, **options):
        assert "secret" not in str(path), "opened"
        return open(path, *more, **options)
    return opening
builtins.open, os.open = watched(real), watched(real_os)
"""
    for models, end in (((), 2), (PAIR, 0)):
        result = weightsmith("check", "--replay", name, *models, folder=folder, before=code)
        assert result.returncode == end, result.stderr
        assert "a secret" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    "hint",
    [["\x1b[2J", "b"], ["--all", "b"], ["x" * 101, "b"], ["", "b"], [1, 2], ["a"], {"a": 1}, "ab", ["a", "b", "c"]],
    ids=str,
)
def test_names_that_may_not_stand_in_a_line_to_copy_are_left_out(folder: Path, hint: object) -> None:
    error = checked("--replay", forged(folder, "c.json", files=hint), folder=folder, code=2)
    assert error.endswith("--replay forged-c.json --model MODEL --model MODEL\n")
    assert "\x1b" not in error


def test_names_with_signs_of_the_shell_are_quoted(folder: Path) -> None:
    name = forged(folder, "c.json", files=["a; rm -rf b", "$(c)"])
    error = checked("--replay", name, folder=folder, code=2)
    assert error.endswith("--model 'a; rm -rf b' --model '$(c)'\n")


def test_a_model_that_the_claim_is_not_about_is_refused(folder: Path) -> None:
    error = checked("--replay", "c.json", *PAIR, "--model", "zero.safetensors", folder=folder, code=2)
    assert error.startswith(f"error: zero.safetensors has the digest {digest(ws.library.contains('0'))[:12]}, and the")
    second = digest(ws.load(folder / "loud.safetensors"))[:12]
    error = checked("--replay", "c.json", *PAIR[:2], folder=folder, code=2)
    assert error == f"error: the claim is also about the model {second}: write one more --model MODEL\n"


def test_one_model_is_enough_for_a_claim_about_a_model_and_itself(folder: Path) -> None:
    claim = ("same-logits", "one.safetensors", "one.safetensors", "--up-to", "5", "--certificate", "self.json")
    checked(*claim, folder=folder, code=0)
    assert "everything agrees" in checked("--replay", "self.json", *PAIR[:2], folder=folder, code=0)


def test_a_sample_says_with_which_probability_it_would_find_a_false_shard(folder: Path) -> None:
    result = weightsmith("check", "--replay", "many.json", *PAIR, "--sample", "2", folder=folder, before=SMALL)
    assert result.returncode == 0, result.stderr
    first, second, third = result.stdout.splitlines()
    shards = int(first.split(" of ")[1].split()[0])
    assert shards > 4
    assert first.startswith("derived again with the reference semantics: 2 of ")
    assert second == f"a single false shard would have been found with probability {200 / shards:.2g} %"
    assert third == "what was derived again agrees with the certificate"


def test_what_takes_long_asks_for_all_or_a_sample_with_an_estimate(folder: Path) -> None:
    result = weightsmith("check", "--replay", "c.json", *PAIR, folder=folder, before=HASTY)
    assert (result.returncode, result.stdout) == (2, "")
    assert "takes about " in result.stderr
    assert result.stderr.endswith("say --all, or --sample 12 for some of them\n")
    for option in (("--all",), ("--sample", "1")):
        result = weightsmith("check", "--replay", "c.json", *PAIR, *option, folder=folder, before=HASTY)
        assert (result.returncode, result.stderr) == (0, "")


def test_a_replay_that_is_piped_shows_where_it_is_in_plain_lines(folder: Path) -> None:
    lines = SMALL + "from weightsmith.cli import progress; progress.LINE_SECONDS = 0"
    result = weightsmith("check", "--replay", "many.json", *PAIR, folder=folder, before=lines)
    assert result.returncode == 0, result.stderr
    last = result.stderr.splitlines()[-1]
    shards = last.split()[0]
    assert last.startswith(f"{shards} of {shards} shards, 100%, ")
    assert "shards/s" in last


FALSE: dict[str, Any] = {
    "inputs": {"inputs": 1021},
    "holds": {"holds": False},
    "verdict": {"verdict": "exhaustive up to 10"},
}


@pytest.mark.parametrize("name", FALSE)
def test_a_certificate_that_is_contradicted_is_refuted_and_ends_with_1(folder: Path, name: str) -> None:
    out = checked("--replay", forged(folder, "c.json", **FALSE[name]), *PAIR, folder=folder, code=1)
    assert out.endswith("the certificate is refuted\n")


DAMAGED: dict[str, Any] = {
    "another claim": {"claim": "same_logits_and_more"},
    "no models": {"models": []},
    "three models": {"models": ["0" * 64] * 3},
    "no digests": {"models": ["a", "b"]},
    "another format": {"format": "weightsmith certificate 1"},
    "shards": {"shards": []},
    "tiers": {"tiers": []},
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_certificate_that_is_damaged_ends_with_2(folder: Path, name: str) -> None:
    error = checked("--replay", forged(folder, "c.json", **DAMAGED[name]), *PAIR, folder=folder, code=2)
    assert error.startswith("error: ")
    assert len(error) < 700


USAGE = {
    ("--replay", "c.json", *PAIR, "--sample", "0"): "--sample 0: write how many shards to derive again, 1 or more",
    ("--replay", "c.json", *PAIR, "--sample", "-3"): "--sample -3: write how many",
    ("--replay", "c.json", *PAIR, "--sample", "2", "--all"): "--sample 2 is not --all: leave out one of them",
    ("--replay", "c.json", "--cite", "c.json"): "--replay and --cite are two things: write one of them",
    ("--model", "one.safetensors"): "--model belongs to --replay: write weightsmith check --replay FILE --model MODEL",
    ("--cite", "c.json", "--sample", "2"): "--sample belongs to --replay",
    ("--cite", "c.json", "--all"): "--all belongs to --replay",
    ("--cite", "none.json"): "cannot read 'none.json': No such file or directory",
    ("--cite", "one.safetensors"): "cannot read 'one.safetensors': ",
    ("--cite", "c.json", "same-logits", "a", "b", "--up-to", "2"): "--cite needs no claim",
    ("--replay", "c.json", "--model", "none.safetensors"): "cannot read 'none.safetensors'",
}


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_wrong_usage_is_answered_in_a_line_and_ends_with_2(folder: Path, arguments: tuple[str, ...]) -> None:
    error = checked(*arguments, folder=folder, code=2)
    assert error.startswith(f"error: {USAGE[arguments]}")
    assert len(error.splitlines()) == 1


def test_a_citation_is_printed_as_python_gives_it(folder: Path) -> None:
    for name in ("c.json", "r.json"):
        assert checked("--cite", name, folder=folder, code=0) == ws.check.cite(folder / name) + "\n"


def test_a_citation_of_a_damaged_certificate_is_refused(folder: Path) -> None:
    error = checked("--cite", forged(folder, "c.json", inputs="many"), folder=folder, code=2)
    assert error == "error: the certificate is damaged: its inputs is 'many'\n"
