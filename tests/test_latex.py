"""LaTeX output: every library model, automata, tables and verdicts are accepted by a parser; texts stay texts."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexWalker

import weightsmith as ws
from tests.cli.commands import good
from weightsmith.library.entries import CHAINS, ENTRIES, EXAMPLES
from weightsmith.tables import Page, Table
from weightsmith.tables.latex import escaped, number

BUILT = {
    **{entry.name: entry for entry in ENTRIES},
    **{example.builder.__name__: example for example in EXAMPLES},
}


def build(name: str) -> ws.Transformer:
    T = BUILT[name].build()
    assert isinstance(T, ws.Transformer)
    return T


def parse(text: str) -> list[object]:
    """Parse strictly: every brace and environment is closed by its own end."""
    nodes, _, length = LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    assert length == len(text)
    return list(nodes)


def environments(nodes: list[object]) -> list[str]:
    names: list[str] = []
    for node in nodes:
        if isinstance(node, LatexEnvironmentNode):
            names.append(node.environmentname)
        names += environments(list(getattr(node, "nodelist", None) or []))
    return names


@pytest.mark.parametrize("name", BUILT)
def test_the_parser_accepts_every_library_model(name: str) -> None:
    T = build(name)
    nodes = parse(T.latex())
    assert "array" in environments(nodes)
    assert environments(parse(T.latex(document=True)))[0] == "document"


def test_entries_rows_and_infinity_are_those_of_the_model() -> None:
    A = ws.Fixed(2, 2)
    output = np.array([[0.0, -A.infinity, 0.0], [0.25, 0.0, 0.0]])
    embedding = np.array([[1.0, 0.0, 0.0], [0.0, A.infinity, 0.0]])
    T = ws.Transformer(A, ("a", "b"), ("is_a", "b%", "unused"), embedding, output=output)
    text = T.latex()
    arrays = re.findall(r"(\w) = \\begin\{array\}\{.*?\}\n(.*?)\\end\{array\}", text, re.S)
    assert [(symbol, body.split("\n")[:-1]) for symbol, body in arrays] == [
        ("E", [r" & \text{is\_a} & \text{b\%} \\ \hline", r"\text{a} & 1 &  \\", r"\text{b} &  & \infty \\"]),
        ("U", [r" & \text{is\_a} & \text{b\%} \\ \hline", r"\text{NO} &  & -\infty \\", r"\text{YES} & 0.25 &  \\"]),
    ]
    assert "unused" not in "".join(body for _, body in arrays)


def test_each_kind_of_part_is_written() -> None:
    lanes = ("x", "y")
    eye = np.eye(2)
    head = ws.Head(eye, eye, eye, eye, ws.AverageHard(), b_Q=np.ones(2), positions=ws.Relative(np.ones((3, 2))))
    block = ws.Block(
        ws.Attention((head,), b_O=np.array([0.5, 0])),
        ws.FeedForward(eye, W_2=eye, activation="swiglu", W_3=eye, names=("n_1", "n_2")),
        attention_norm=ws.LayerNorm(1.0, gain=np.ones(2), bias=np.ones(2)),
        feed_forward_norm=ws.RMSNorm(1.0, gain=np.ones(2)),
    )
    T = ws.Transformer(
        ws.Fixed(4, 4), ("a", "b"), lanes, eye, positions=ws.PositionTable(np.ones((3, 2))), blocks=(block,),
        output=eye, output_bias=np.ones(2), final_norm=ws.LayerNorm(1.0),
    )  # fmt: skip
    text = T.latex()
    parse(text)
    for symbol in [
        "W_Q",
        "W_K",
        "W_V",
        "W_O",
        "b_Q",
        "b_O",
        "W_1",
        "W_2",
        "W_3",
        "R_K",
        "P",
        "E",
        "U",
        "b_U",
        "g",
        "b",
    ]:
        assert f"{symbol} = \\begin{{array}}" in text, symbol
    assert "b_1 = 0_{2}" in text
    assert text.count("\\varepsilon") == 3
    assert r"\text{n\_1}" in text


def test_chains_say_how_they_run() -> None:
    for entry in CHAINS:
        text = entry.build().latex(document=True)
        assert environments(parse(text))[0] == "document"
        assert "\\paragraph{Chain}\ninputs: 0, 1" in text


def test_large_matrices_are_described_by_their_size() -> None:
    lanes = [f"lane {i}" for i in range(25)]
    T = ws.Transformer(ws.Fixed(4, 4), ("a", "b"), lanes, np.ones((2, 25)), output=np.zeros((2, 25)))
    text = T.latex()
    parse(text)
    assert r"a $2 \times 25$ matrix, 50 entries not $0$" in text
    assert r"U = 0_{2 \times 25}" in text
    fewer = np.ones((2, 25))
    fewer[:, 24] = 0  # 24 columns are left, which is the most that is written out
    T = ws.Transformer(ws.Fixed(4, 4), ("a", "b"), lanes, fewer, output=np.zeros((2, 25)))
    assert T.latex().count(r"\rotatebox{90}") == 24


def test_a_readout_is_a_table() -> None:
    readout = ws.Readout(("x",), {0: "no & never", 1: 7})
    T = ws.Transformer(ws.Fixed(4, 4), ("a", "b"), ("x",), np.array([[0.0], [1.0]]), readout=readout)
    text = T.latex()
    assert "tabular" in environments(parse(text))
    assert r"$0$ & no \& never \\" in text


def test_no_text_becomes_a_command() -> None:
    hostile = r"\input{/etc/passwd} $x^2$ %{ ~|<>`'\"-@#&_}" + "é語∞\u202e"
    text = escaped(hostile)
    assert "\\input" not in text
    assert text.isascii()
    assert "U+202E" in text
    nodes = parse(text)
    assert nodes
    T = ws.Transformer(ws.Fixed(4, 4), ("a{", "b\\"), ("x", "\\def"), np.eye(2), output=np.eye(2))
    parse(T.latex(document=True))
    assert "\\def" not in T.latex()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0625, "-0.0625"),
        (1e-07, r"1 \cdot 10^{-7}"),
        (-2.5e30, r"-2.5 \cdot 10^{30}"),
        (3.75, "\\infty"),
    ],
)
def test_numbers_have_all_their_digits(value: float, text: str) -> None:
    assert number(value, infinity=3.75) == text


def test_automata_are_tikz_pictures() -> None:
    A = ws.automaton(ws.library.contains("1"))
    text = A.latex()
    assert environments(parse(text)) == ["tikzpicture"]
    assert text.count("\\node[state") == len(A.table)
    assert re.findall(r"\\node\[state, initial.*?\(q(\d+)\)", text) == [str(A.start)]
    assert text.count(", accepting") == int(A.accepting.sum())
    arrows = {(here, int(there)) for here in range(len(A.table)) for there in A.table[here]}
    assert set(re.findall(r"\(q(\d+)\) edge.*\(q(\d+)\)", text)) == {(str(a), str(b)) for a, b in arrows}
    large = ws.check.Automaton(np.array([[(i + 1) % 61] for i in range(61)]), np.zeros(61, bool))
    with pytest.raises(ws.InputError, match="61 states, and a picture shows up to 60"):
        large.latex()


def test_tables_have_the_rules_of_booktabs() -> None:
    table = Table("a & b", "n", right=[1], title="50 %", notes=["so_so"])
    table.add("x", "1", ends=True)
    table.add("∞", "2")
    text = table.latex()
    assert environments(parse(text)) == ["tabular"]
    assert [line for line in text.split("\n") if "rule" in line or "space" in line] == [
        "\\toprule", "\\midrule", "\\addlinespace", "\\bottomrule",
    ]  # fmt: skip
    assert r"a \& b & n \\" in text
    assert r"\ensuremath{\infty} & 2 \\" in text
    parse(Page("a line_", table).latex())
    parse(ws.run(ws.library.contains("1"), "01").table().latex())
    bars = ws.attribute(ws.run(ws.library.eiffel(), "The Eiffel Tower is in"), "Paris").latex()
    parse(bars)
    assert "U+25" not in bars
    parse(ws.laws(ws.Fixed(2, 2)).latex())


def test_verdicts_are_sentences_with_their_subject() -> None:
    T = ws.library.contains("1")
    assert ws.check.recognizes(T, "0*1.*").latex() == (
        "\\noindent A transformer recognizes as YES the inputs that match 0*1.*: proved for all lengths.\n"
    )
    assert ws.check.same_decisions(T, ws.zero_one_form(T), up_to=3).latex() == (
        "\\noindent Two transformers with the same decisions: exhaustive up to length 3, all 14 inputs.\n"
    )


def test_the_command_writes_models_and_automata(tmp_path: Path) -> None:
    T = ws.library.contains("1")
    ws.save(T, tmp_path / "m.safetensors")
    assert good("latex", "m.safetensors", folder=tmp_path) == T.latex()
    good("latex", "m.safetensors", "--automaton", "--document", "-o", "a.tex", folder=tmp_path)
    assert (tmp_path / "a.tex").read_text() == ws.automaton(T).latex(document=True)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex: apt-get install texlive-latex-extra")
@pytest.mark.parametrize("name", BUILT)
def test_pdflatex_compiles_every_library_model(name: str, tmp_path: Path) -> None:
    (tmp_path / "m.tex").write_text(build(name).latex(document=True))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "m.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
