"""The command line as a person meets it: real processes, their output, their exit codes."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from tests.command_line import run_command
from weightsmith.library import ENTRIES, EXAMPLES

WIDE = {**os.environ, "COLUMNS": "120", "PYTHONWARNINGS": "error", "NO_COLOR": "1"}


def weightsmith(*arguments: str, folder: Path | None = None, before: str = "") -> subprocess.CompletedProcess[str]:
    return run_command(*arguments, folder=folder, environment=WIDE, before=before)


def good(*arguments: str, folder: Path | None = None) -> str:
    result = weightsmith(*arguments, folder=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_help_imports_neither_numpy_nor_torch_nor_numba() -> None:
    program = """
import sys
sys.argv = ["weightsmith", "--help"]
from weightsmith.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
heavy = {"numpy", "torch", "numba", "safetensors", "flint"} & set(sys.modules)
assert not heavy, heavy
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=WIDE)
    assert result.returncode == 0, result.stderr
    assert all(verb in result.stdout for verb in ("demo", "laws", "new", "info", "run"))


def test_importing_weightsmith_and_running_a_model_loads_neither_torch_nor_numba() -> None:
    program = """
import sys, weightsmith as ws
ws.run(ws.library.contains("1"), "01")
heavy = {"torch", "numba", "dask", "typer", "rich"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_public_name_exists_and_is_listed() -> None:
    for name in ws.__all__:
        assert getattr(ws, name) is not None
    assert set(ws.__all__) <= set(dir(ws))
    assert ws.__version__


def test_the_demo_composes_normalises_and_checks() -> None:
    shown = good("demo")
    assert "same decisions: exhaustive up to 10, all 88,572 inputs" in shown
    assert "recognizes: refuted by ca, the shortest" in shown
    assert "10 of 10 laws hold" in shown


def test_laws_prints_the_table_and_json() -> None:
    shown = good("laws", "float(3,3)")
    assert "3 multiplications by ∞ take every x > 0 to ∞" in shown
    assert "fails" not in shown
    assert "exp(−∞) = exp(-3.75) = 0.03125" in good("laws", "float(2,4)")
    rows = json.loads(good("laws", "fixed(4,4)", "--json"))
    assert rows["infinity"] == 15.9375
    assert all(law["holds"] for law in rows["laws"])
    assert "x = -16.0: (x ⊕ ∞) ⊕ ∞ = 15.875" in good("laws", "twos(4,4)")


def test_new_writes_what_python_would_build(folder: Path) -> None:
    assert ws.load(folder / "random.safetensors") == ws.random_transformer(seed=3)
    assert ws.load(folder / "contains.safetensors") == ws.library.contains("1")
    good("new", "contains", "--symbol", "cat", "--vocabulary", "the cat sat", "-o", "words.safetensors", folder=folder)
    assert "decision: YES" in good("run", "words.safetensors", "the cat", folder=folder)
    assert "decision: NO" in good("run", "words.safetensors", "the", folder=folder)


def test_rewrite_applies_its_steps_in_the_order_given(folder: Path) -> None:
    good(
        "rewrite",
        "random.safetensors",
        "--flag",
        "here=3",
        "--zero",
        "here",
        "--form=infinity",
        "-o",
        "out",
        folder=folder,
    )
    T = ws.random_transformer(seed=3)
    assert ws.load(folder / "out") == ws.infinity_form(ws.zero_vector(ws.flag(T, "here", [3]), at="here"))
    steps = ("--to", "fixed(2,2)", "--flag", "here=0,1", "--add", "here:x0=1.5,x1=-2", "--cancel", "here")
    more = ("--widen", "p,q", "--ignore", "x0", "--pad", "2", "--form", "signed@3")
    good("rewrite", "random.safetensors", *steps, *more, "-o", "all", folder=folder)
    U = ws.flag(ws.to_arithmetic(T, ws.Fixed(2, 2)), "here", [0, 1])
    U = ws.zero_vector(ws.add_vector(U, {"x0": 1.5, "x1": -2.0}, at="here"), at="here", method="cancel")
    U = ws.pad_blocks(ws.ignore_lanes(ws.widen(U, ["p", "q"], where="front"), ["x0"]), 2)
    assert ws.load(folder / "all") == ws.signed_infinity_form(U, lowering="attention", length=3)


def test_compose_reads_formulas_with_pythons_precedence(folder: Path) -> None:
    lets = ("--let", "S=contains.safetensors", "--let", "T=random.safetensors")
    S, T = ws.library.contains("1"), ws.random_transformer(seed=3)
    inputs = ["".join(tokens) for n in range(1, 6) for tokens in product("01", repeat=n)]
    for formula, meant in (("S & ~T", S & ~T), ("~(S|T) ^ S & T", ~(S | T) ^ S & T), ("S | T & S", S | T & S)):
        good("compose", formula, *lets, "-o", "composed", folder=folder)
        found = ws.load(folder / "composed")
        assert found == ws.compose(formula, S=S, T=T)
        assert ws.decisions(found, inputs) == ws.decisions(meant, inputs)


def test_every_entry_of_the_library_can_be_written_by_name(folder: Path) -> None:
    options = {"contains_word": ("--word", "101"), "starts_with": ("--word", "01"), "ends_with": ("--word", "01"),
               "matches": ("--pattern", "0?1"), "exact_length": ("--n", "4"), "length_modulo": ("--m", "3"),
               "contains": ("--symbol", "1"), "majority": ("--symbol", "1"), "balanced": ("--depth", "2"),
               "parity_chain": ("--max-length", "8")}  # fmt: skip
    for entry in ENTRIES:
        good("new", entry.name, *options.get(entry.name, ()), "-o", "entry.safetensors", folder=folder)
        assert ws.load(folder / "entry.safetensors") == entry.build()


def test_library_prints_the_table(folder: Path) -> None:
    rows = {row["name"]: row for row in json.loads(good("library", "--up-to", "4", "--json"))}
    assert len(rows) == len(ENTRIES) + len(EXAMPLES)
    right = {"up_to": 4, "wrong": None, "known_wrong": None}
    assert rows["contains('1')"]["checked"] == dict.fromkeys(("fixed(2,2)", "fixed(4,4)", "float(4,3)"), right)
    assert rows["parity()"]["checked"]["fixed(2,2)"] == {**right, "wrong": "1111"}
    assert rows["majority('1')"]["checked"]["float(4,3)"] == {**right, "known_wrong": "1^9 0^8"}


def test_info_describes_the_file_and_its_history(folder: Path) -> None:
    shown = good("info", "contains.safetensors", folder=folder)
    assert "block 0     1 head (LeftmostHard) · look for 1" in shown
    assert "made by     library.contains('1')" in shown
    facts = json.loads(good("info", "contains.safetensors", "--json", folder=folder))
    assert facts["arithmetic"] == "fixed(4,4)"
    assert facts["tensors"]["blocks.0.attention.heads.0.W_Q"] == [1, 2]


def test_run_prints_decision_logits_and_trace(folder: Path) -> None:
    assert "decision: YES" in good("run", "contains.safetensors", "0010", folder=folder)
    shown = good("run", "contains.safetensors", "0010", "--trace", folder=folder)
    assert "block 0 attention" in shown
    assert "feed-forward" not in shown, "an absent sublayer is no stage to look at"
    assert "found" not in good("run", "contains.safetensors", "00", "--trace", "--lane", "symbol", folder=folder)


def test_run_as_json_has_every_bit(folder: Path) -> None:
    found = json.loads(good("run", "random.safetensors", "0110", "--json", "--trace", folder=folder))
    r = ws.run(ws.random_transformer(seed=3), "0110")
    assert found["decision"] == r.decision
    assert found["logits"] == dict(zip(("NO", "YES"), r.logits.tolist(), strict=True))
    assert np.array_equal(found["stream"], r.stream)
    assert found["outputs"] == list(r.outputs)
    assert found["empty_softmax"] == r.empty_softmax


def test_a_trace_wider_than_the_terminal_puts_lanes_below_each_other(folder: Path) -> None:
    good("new", "random", "--lanes", "64", "-o", "wide.safetensors", folder=folder)
    shown = good("run", "wide.safetensors", "01", "--trace", folder=folder)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 120
    embedding = lines.index(next(line for line in lines if line.strip() == "embedding"))
    assert [line.split()[0] for line in lines[embedding + 1 : embedding + 65]] == [f"x{j}" for j in range(64)]
    assert "left out: lanes that a sublayer does not change" in shown


def test_a_trace_shows_what_the_heads_looked_at_as_python_does(folder: Path) -> None:
    shown = good("run", "contains.safetensors", "0010", "--trace", folder=folder)
    r = ws.run(ws.load(folder / "contains.safetensors"), "0010")
    printed, wanted = ([line.split() for line in text.splitlines() if line.strip()] for text in (shown, str(r)))
    assert printed == wanted
    data = json.loads(good("run", "random.safetensors", "011", "--json", "--trace", folder=folder))
    r = ws.run(ws.random_transformer(seed=3), "011")
    for b, heads in enumerate(data["attention"]):
        for h, head in enumerate(heads):
            assert head == {"scores": r.scores[b][h].tolist(), "weights": r.attention[b][h].tolist()}
    assert data["activations"] == [active.tolist() for active in r.activations]


def test_a_trace_of_chosen_positions_has_no_others(folder: Path) -> None:
    chosen = ("--trace", "--position", "3", "--position", "-3")
    data = json.loads(good("run", "random.safetensors", "0110", "--json", *chosen, folder=folder))
    assert data["positions"] == [3, 1]
    assert np.array_equal(data["stream"], ws.run(ws.random_transformer(seed=3), "0110").stream[:, [3, 1]])


WRONG = {
    "unknown token": (
        ("run", "contains.safetensors", "012"),
        "error: token 2 of the input, 2, is not in the vocabulary",
    ),
    "empty input": (("run", "contains.safetensors", ""), "error: the input is empty"),
    "too long": (
        ("run", "random.safetensors", "0" * 9),
        "error: the input has 9 tokens and the position table holds 8",
    ),
    "no file": (("run", "none.safetensors", "0"), "error: cannot read 'none.safetensors': No such file or directory"),
    "no model": (("info", __file__), "cannot read"),
    "arithmetic": (("laws", "fixed(4)"), "error: 'fixed(4)' is not an arithmetic: write fixed(4,4), float(4,3)"),
    "too wide": (("laws", "fixed(20,20)"), "error: fixed(20,20) has 40 bits besides the sign"),
    "no name": (("new", "contain", "-o", "x"), "error: there is no 'contain': did you mean contains, contains_word?"),
    "no symbol": (("new", "contains", "-o", "x"), "error: contains needs --symbol"),
    "other option": (
        ("new", "contains", "--symbol", "1", "--lanes", "3", "-o", "x"),
        "error: contains takes no --lanes: leave it out",
    ),
    "library": (("library", "--up-to", "99"), "error: --up-to 99: write a length from 1 to 16"),
    "symbol": (("new", "contains", "--symbol", "2", "-o", "x"), "error: the symbol 2 is not in the vocabulary 0, 1"),
    "lanes": (("new", "random", "--lanes", "0", "-o", "x"), "error: lanes=0: write a whole number from 1 on"),
    "lane": (("run", "random.safetensors", "0", "--trace", "--lane", "x"), "error: there is no lane x: did you mean x"),
    "position": (
        ("run", "random.safetensors", "01", "--trace", "--position", "2"),
        "error: there is no position 2: write 0 to 1",
    ),
    "position alone": (("run", "random.safetensors", "01", "--position", "0"), "--position chooses what --trace shows"),
    "lane alone": (("run", "random.safetensors", "0", "--lane", "x0"), "write --trace too"),
    "folder": (("new", "random", "-o", "no/where"), "error: cannot write 'no/where': No such file or directory"),
    "step": (
        ("rewrite", "random.safetensors", "--fly", "1", "-o", "x"),
        "error: there is no step '--fly': write MODEL first",
    ),
    "step value": (("rewrite", "random.safetensors", "-o", "x", "--zero"), "error: --zero needs a value"),
    "step order": (
        ("rewrite", "random.safetensors", "--zero", "here", "--flag", "here=1", "-o", "x"),
        "error: there is no flag here",
    ),
    "step flag": (
        ("rewrite", "random.safetensors", "--flag", "here", "-o", "x"),
        "error: --flag here: write NAME=POSITION",
    ),
    "step number": (
        ("rewrite", "random.safetensors", "--flag", "here=x", "-o", "x"),
        "error: --flag here=x: 'x' is not a whole number",
    ),
    "step form": (
        ("rewrite", "random.safetensors", "--form", "loud", "-o", "x"),
        "error: --form loud: write one of zero-one, infinity, signed",
    ),
    "step add": (
        ("rewrite", "random.safetensors", "--add", "here", "-o", "x"),
        "error: --add here: write FLAG:LANE=VALUE",
    ),
    "formula end": (
        ("compose", "S &", "--let", "S=random.safetensors", "-o", "x"),
        "error: the formula 'S &' ends too early",
    ),
    "formula name": (
        ("compose", "S & T", "--let", "S=random.safetensors", "-o", "x"),
        "error: the formula 'S & T' has 'T', and the parts are S: write --let T=FILE",
    ),
    "formula code": (
        ("compose", "S.__class__", "--let", "S=random.safetensors", "-o", "x"),
        "error: the formula 'S.__class__' has '.'",
    ),
    "formula more": (
        ("compose", "S S", "--let", "S=random.safetensors", "-o", "x"),
        "goes on after it is complete, with 'S'",
    ),
    "formula bracket": (
        ("compose", "(S", "--let", "S=random.safetensors", "-o", "x"),
        "has a bracket that is not closed",
    ),
    "formula long": (("compose", "~" * 600 + "S", "--let", "S=random.safetensors", "-o", "x"), "at most 500 are read"),
    "let": (("compose", "S", "--let", "S", "-o", "x"), "error: --let S: write NAME=MODEL"),
    "verb": (("fly",), "No such command 'fly'"),
    "option": (("laws",), "Missing argument 'ARITHMETIC'"),
    "markup": (("run", "contains.safetensors", "[/red]"), "error: token 0 of the input, [, is not in the vocabulary"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_ends_with_2_a_message_and_no_traceback(folder: Path, name: str) -> None:
    arguments, message = WRONG[name]
    result = weightsmith(*arguments, folder=folder)
    assert result.returncode == 2
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_hostile_names_are_shown_escaped(folder: Path) -> None:
    tokens = ["[red]", "\x1b[2J", "\n"]
    ws.save(ws.random_transformer(tokens, classes=tokens), folder / "hostile.safetensors")
    assert ws.load(folder / "hostile.safetensors").vocabulary == tuple(tokens)
    for shown in (
        good("info", "hostile.safetensors", folder=folder),
        good("run", "hostile.safetensors", "[red]", "--trace", folder=folder),
    ):
        assert "\x1b" not in shown
        assert "[red]" in shown


def test_emoji_codes_in_names_stay_as_they_are_and_json_is_ascii(folder: Path) -> None:
    good("new", "contains", "--vocabulary", ":x: é b", "--symbol", ":x:", "-o", "emoji.safetensors", folder=folder)
    assert ":x:" in good("info", "emoji.safetensors", folder=folder)
    shown = good("info", "emoji.safetensors", "--json", folder=folder)
    assert shown.isascii()
    assert json.loads(shown)["vocabulary"] == [":x:", "é", "b"]


def test_numbers_that_are_cut_are_marked(folder: Path) -> None:
    good("new", "random", "--arithmetic", "fixed(8,17)", "-o", "fine.safetensors", folder=folder)
    assert "~" in good("run", "fine.safetensors", "01", "--trace", folder=folder)
    assert "~" not in good("run", "random.safetensors", "01", "--trace", folder=folder)


def test_a_full_disk_under_the_output_is_said(folder: Path) -> None:
    with open("/dev/full", "w") as full:
        program = [sys.executable, "-m", "weightsmith", "info", "random.safetensors", "--json"]
        result = subprocess.run(
            program, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=folder, env=WIDE
        )
    assert "Traceback" not in result.stderr


def test_a_terminal_without_unicode_gets_escapes(folder: Path) -> None:
    program = [sys.executable, "-m", "weightsmith", "laws", "fixed(4,4)"]
    result = subprocess.run(program, capture_output=True, check=False, env={**WIDE, "PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0, result.stderr
    assert b"\\u221e" in result.stdout


def test_output_that_nobody_reads_is_no_error() -> None:
    program = f"{sys.executable} -m weightsmith demo | head -c 1"
    result = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=False, env=WIDE)
    assert (result.stdout, result.stderr) == ("1", "")


def test_run_shows_what_is_said_at_each_position(folder: Path) -> None:
    lines = [line.split() for line in good("run", "contains.safetensors", "0010", folder=folder).splitlines()]
    assert ["at", "0", "0", "1", "0", "2", "1", "3", "0"] in lines
    assert ["output", "NO", "NO", "YES", "YES"] in lines


def test_run_gives_the_decision_also_where_an_earlier_position_has_no_output(folder: Path) -> None:
    norm = ws.LayerNorm(eps=0.001)  # which is 0 in Fixed(4, 4)
    E = np.array([[1.0, 1], [1, 0]])
    T = ws.Transformer(ws.Fixed(4, 4), "ab", ("x", "y"), E, output=np.eye(2), final_norm=norm)
    ws.save(T, folder / "norm.safetensors")
    done = weightsmith("run", "norm.safetensors", "ab", "--json", folder=folder)
    found = json.loads(done.stdout)
    assert (found["decision"], found["outputs"]) == ("NO", None)
    assert "no outputs, because of another position: final norm: the square root is 0 at position 0" in done.stderr
