"""The command line as a person meets it: real processes, their output, their exit codes."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import weightsmith as ws
from tests.cli.commands import WIDE, good
from weightsmith.library import CHAINS, ENTRIES, EXAMPLES, LECTURE


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
    assert len(rows) == len(ENTRIES) + len(CHAINS) + len(EXAMPLES) + len(LECTURE)
    right = {"scope": "up to 4", "wrong": None}
    assert rows["contains('1')"]["checked"] == dict.fromkeys(("fixed(2,2)", "fixed(4,4)", "float(4,3)"), right)
    assert rows["parity()"]["checked"]["fixed(2,2)"] == {**right, "wrong": "1111"}
    assert rows["majority('1')"]["checked"]["float(4,3)"] == right


def test_info_describes_the_file_and_its_history(folder: Path) -> None:
    shown = good("info", "contains.safetensors", folder=folder)
    assert "block 0     1 head (LeftmostHard) · look for 1" in shown
    assert "made by     library.contains('1')" in shown
    facts = json.loads(good("info", "contains.safetensors", "--json", folder=folder))
    assert facts["arithmetic"] == "fixed(4,4)"
    assert facts["tensors"]["blocks.0.attention.heads.0.W_Q"] == [1, 2]


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
