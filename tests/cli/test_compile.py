"""weightsmith compile: formulas become files, and what is wrong with one is said with its place."""

import json
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith


def test_a_formula_becomes_a_file_that_decides_it(tmp_path: Path) -> None:
    said = good("compile", "--ltl", "O(1 & Y 0)", "--arithmetic", "fixed(1,0)", "-o", "m", folder=tmp_path)
    assert said.startswith("O(1 & Y 0), in fixed(1,0): 2 blocks")
    assert "block 0, head 0" in said
    T = ws.load(tmp_path / "m")
    assert (T.vocabulary, T.arithmetic) == (("1", "0"), ws.Fixed(1, 0))
    assert ws.run(T, "1011").outputs == ("NO", "NO", "YES", "YES")


def test_the_vocabulary_is_given_or_that_of_the_formula(tmp_path: Path) -> None:
    good("compile", "--ltl", 'b S "a"', "--soft", "--vocabulary", "abc", "-o", "m", folder=tmp_path)
    assert ws.load(tmp_path / "m").vocabulary == ("a", "b", "c")
    good("compile", "--ltl", "cat S dog", "--vocabulary", "dog cat", "-o", "m", folder=tmp_path)
    assert ws.load(tmp_path / "m").vocabulary == ("dog", "cat")


def test_the_certificate_of_a_formula_is_derived_again(tmp_path: Path) -> None:
    made = ("compile", "--ltl", "O(a & Y b)", "--vocabulary", "ab")
    good(*made, "-o", "f.safetensors", "--certificate", "f.json", folder=tmp_path)
    said = good("check", "--replay", "f.json", "--model", "f.safetensors", folder=tmp_path)
    assert "proved: right at every position of every input, of any length" in said
    good("compile", "--ltl", "O(b & Y a)", "--vocabulary", "ab", "-o", "g.safetensors", folder=tmp_path)
    assert weightsmith("check", "--replay", "f.json", "--model", "g.safetensors", folder=tmp_path).returncode == 2
    assert "lemma" in good(*made, "-o", "h.safetensors", "--certificate", "-", folder=tmp_path)


def test_a_circuit_becomes_a_file_and_its_certificate_is_derived_again(tmp_path: Path) -> None:
    (tmp_path / "and.aag").write_text("aag 3 2 0 1 1\n2\n4\n7\n6 2 4\n")
    (tmp_path / "or.aag").write_text("aag 3 2 0 1 1\n2\n4\n7\n6 3 5\n")
    for name in ("and", "or"):
        made = ("compile", "--circuit", f"{name}.aag", "-o", f"{name}.m", "--certificate", f"{name}.json")
        said = good(*made, "--precision", "log", folder=tmp_path)
        assert said.startswith("<circuit: 2 inputs, 2 gates (1 ")
    said = good("check", "--replay", "and.json", "--model", "and.m", folder=tmp_path)
    assert said.startswith("a circuit of 2 inputs, 2 gates, 1 output in fixed(2,0): right on all 2^2 inputs")
    assert weightsmith("check", "--replay", "and.json", "--model", "or.m", folder=tmp_path).returncode == 2
    changed = (tmp_path / "and.json").read_text().replace('"and"', '"xor"')
    (tmp_path / "changed.json").write_text(changed)
    result = weightsmith("check", "--replay", "changed.json", "--model", "and.m", folder=tmp_path)
    assert (result.returncode, "refuted: wire 2: the claim says xor(0, 1)" in result.stdout) == (1, True)
    assert weightsmith("run", "and.m", "11", folder=tmp_path).stdout.startswith("1110\nanswer: ")


def test_a_machine_becomes_a_chain_and_its_certificate_is_derived_again(tmp_path: Path) -> None:
    rows = [["even", "0", "even"], ["even", "1", "odd"], ["odd", "0", "odd"], ["odd", "1", "even"]]
    for name, accept in (("odd", "odd"), ("even", "even")):
        data = {"kind": "finite", "start": "even", "accept": [accept], "rules": rows}
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
        made = ("compile", "--machine", f"{name}.json", "-o", f"{name}.m", "--certificate", f"{name}.proof")
        assert good(*made, "--max-length", "4", folder=tmp_path).startswith(
            "Chain\n  inputs      0, 1, at most 4 tokens"
        )
    assert good("run", "odd.m", "0111", folder=tmp_path).endswith("answer: YES\n")
    said = good("check", "--replay", "odd.proof", "--model", "odd.m", folder=tmp_path)
    assert "every step is right on every input up to 4 tokens" in said
    assert weightsmith("check", "--replay", "odd.proof", "--model", "even.m", folder=tmp_path).returncode == 2
    proof = json.loads((tmp_path / "odd.proof").read_text())
    proof["stated"] = json.loads((tmp_path / "even.proof").read_text())["stated"]
    (tmp_path / "changed.proof").write_text(json.dumps(proof))
    result = weightsmith("check", "--replay", "changed.proof", "--model", "odd.m", folder=tmp_path)
    assert result.returncode == 1
    assert "the certificate is refuted: " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--machine", "no.json"], "error: cannot read 'no.json': No such file"),
        (["--machine", "no.json", "--soft"], "error: --soft is not for a machine: leave it out"),
        (["--ltl", "a", "--max-steps", "3"], "error: --max-steps is not for a program or formula: leave it out"),
        (["--circuit", "no.aag"], "error: cannot read 'no.aag': No such file"),
        (["--circuit", "no.aag", "--soft"], "error: --soft is not for a circuit: leave it out"),
        (["--circuit", "no.aag", "--precision", "high"], "error: precision='high': write 'constant' or 'log'"),
        (["--ltl", "a", "--precision", "log"], "error: --precision is not for a program or formula: leave it out"),
        (["--ltl", "a", "--circuit", "no.aag"], "error: what is to be compiled? write a file"),
        (["--ltl", "O(a"], "error: line 1, column 4: the formula ends here, and ')' is missing\n    O(a\n       ^\n"),
        (["--ltl", "O true"], "error: the formula names no token: write --vocabulary abc, for example\n"),
        ([], "error: what is to be compiled? write a file, as in program.rasp, or --ltl 'O(a & Y b)', or"),
        (["--ltl", "O c", "--vocabulary", "ab"], "error: line 1, column 3: 'c' is no token: the vocabulary is a, b\n"),
        (["--ltl", "O a", "--arithmetic", "fixed(0,4)"], "error: a temporal formula needs the law '1 ⊗ x = x'"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(arguments: list[str], said: str, tmp_path: Path) -> None:
    result = weightsmith("compile", *arguments, "-o", "m", folder=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith(said)
    assert not (tmp_path / "m").exists()


def test_an_expression_becomes_a_file_with_a_proof_for_all_lengths(tmp_path: Path) -> None:
    made = ("compile", "--regex", "(a|b)*ab", "-o", "m.safetensors", "--certificate", "m.json")
    assert "recognizes: proved for all lengths" in good(*made, folder=tmp_path)
    T = ws.load(tmp_path / "m.safetensors")
    assert T.vocabulary == ("a", "b")
    assert [ws.run(T, word).decision for word in ("bab", "ba")] == ["YES", "NO"]
    said = good("check", "--replay", "m.json", "--model", "m.safetensors", folder=tmp_path)
    assert "its proof was accepted by weightsmith/verify.py" in said
    counting = ("compile", "--regex", "(aa)*", "--vocabulary", "ab", "-o", "n.safetensors")
    refused = weightsmith(*counting, folder=tmp_path)
    assert refused.returncode == 2
    assert "whether n times a belongs to it depends on n modulo 2" in refused.stderr
    assert "exhaustive up to 7" in good(*counting, "--up-to", "7", folder=tmp_path)
    good(*counting, "--up-to", "7", "--chain", "--certificate", "c.json", folder=tmp_path)
    assert isinstance(ws.load(tmp_path / "n.safetensors"), ws.Chain)
    for wrong, why in (
        (("--regex", "(a"), "missing )"),
        (("--regex", "a", "--ltl", "O a"), "what is to be compiled?"),
        (("--regex", "a", "--soft"), "--soft is not for an expression"),
        (("--ltl", "O a", "--up-to", "7"), "--up-to is not for a program, formula, circuit or machine"),
        (("--regex", "a", "--no-proof", "--certificate", "x.json"), "leave out one of the two"),
    ):
        said_wrong = weightsmith("compile", *wrong, "-o", "x.safetensors", folder=tmp_path)
        assert said_wrong.returncode == 2
        assert why in said_wrong.stderr
