"""LaTeX: texts, numbers, tables and whole documents. Texts are escaped, so that none is taken for a command."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weightsmith.tables import Page, Table

PACKAGES = ("amsmath", "amssymb", "booktabs", "graphicx", "tikz")
LIBRARIES = ("automata", "arrows.meta")
NEEDS = f"% packages: {', '.join(PACKAGES)}; TikZ libraries: {', '.join(LIBRARIES)}\n"
ESCAPES = {
    **{sign: f"\\{sign}" for sign in "#$%&_"},
    "\\": "\\textbackslash{}", "{": "\\textbraceleft{}", "}": "\\textbraceright{}", "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}", "|": "\\textbar{}", "<": "\\textless{}", ">": "\\textgreater{}",
    "`": "\\textasciigrave{}", "'": "\\textquotesingle{}", '"': "\\textquotedbl{}", "-": "{-}", "@": "{@}",
    "–": "\\textendash{}", "—": "\\textemdash{}", "„": "\\quotedblbase{}", "“": "\\textquotedblleft{}",
    "”": "\\textquotedblright{}", "’": "\\textquoteright{}", "‘": "\\textquoteleft{}", "␣": "\\textvisiblespace{}",
}  # fmt: skip  # BibTeX counts braces also behind a backslash, so \{ will not do
BARS = dict.fromkeys(range(0x2580, 0x25A0))  # characters that draw bars in a terminal, left out
SYMBOLS = {
    "∞": "\\infty", "⊕": "\\oplus", "⊗": "\\otimes", "⊘": "\\oslash", "×": "\\times", "·": "\\cdot", "÷": "\\div",
    "≤": "\\leq", "≥": "\\geq", "≠": "\\neq", "≈": "\\approx", "→": "\\to", "←": "\\leftarrow", "⇔": "\\Leftrightarrow",
    "−": "-", "±": "\\pm", "∈": "\\in", "⊆": "\\subseteq", "∅": "\\emptyset", "∧": "\\wedge", "∨": "\\vee",
    "¬": "\\neg", "…": "\\dots", "√": "\\surd", "Σ": "\\Sigma", "μ": "\\mu", "σ": "\\sigma", "ε": "\\varepsilon",
    "δ": "\\delta", "β": "\\beta", "α": "\\alpha", "π": "\\pi", "⌈": "\\lceil", "⌉": "\\rceil", "⌊": "\\lfloor",
    "⌋": "\\rfloor", "₀": "_0", "₁": "_1", "₂": "_2", "₃": "_3", "⁻": "^-", "¹": "^1", "²": "^2", "³": "^3", "ⁿ": "^n",
}  # fmt: skip


def escaped(text: str) -> str:
    """Escape a text for LaTeX and BibTeX: special characters by name, symbols of mathematics as such, others by number.

    >>> escaped("a_b{2} ∞ 語")
    'a\\\\_b\\\\textbraceleft{}2\\\\textbraceright{} \\\\ensuremath{\\\\infty} U+8A9E'
    """
    return "".join(_sign(sign) for sign in text)


def _sign(sign: str) -> str:
    if sign in SYMBOLS:
        return f"\\ensuremath{{{SYMBOLS[sign]}}}"
    return ESCAPES.get(sign, sign if " " <= sign <= "~" else f"U+{ord(sign):04X}")


def number(value: float, infinity: float | None = None) -> str:
    r"""Return a number for LaTeX's mathematics: all its digits, ∞ by name, powers of ten where they are shorter.

    >>> number(-15.9375, infinity=15.9375), number(2.0), number(1.5e-07)
    ('-\\infty', '2', '1.5 \\cdot 10^{-7}')
    """
    if abs(value) == infinity:
        return "-\\infty" if value < 0 else "\\infty"
    digits = repr(float(value)).removesuffix(".0")
    mantissa, e, exponent = digits.partition("e")
    return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if e else digits


def tabular(table: "Table") -> str:
    """Return a table with the rules of booktabs."""
    return "\n".join(_tabular_lines(table)) + "\n"


def _tabular_lines(table: "Table") -> Iterator[str]:
    if table.title:
        yield f"\\noindent {escaped(table.title)}\n"
    align = "".join("r" if c in table.right else "l" for c in range(len(table.columns)))
    yield f"\\begin{{tabular}}{{{align}}}"
    yield "\\toprule"
    yield " & ".join(map(escaped, table.columns)) + " \\\\"
    yield "\\midrule"
    for n, row in enumerate(table.rows):
        yield " & ".join(escaped(cell.text.translate(BARS).strip()) for cell in row.cells) + " \\\\"
        if row.ends and n + 1 < len(table.rows):
            yield "\\addlinespace"
    yield "\\bottomrule"
    yield "\\end{tabular}"
    for note in table.notes:
        yield f"\n\\noindent {escaped(note)}"


def parts(page: "Page") -> str:
    """Return the lines and tables of a page, one below the other."""
    return "\n\n".join(f"\\noindent {escaped(p)}" if isinstance(p, str) else p.latex() for p in page.parts) + "\n"


def document(body: str) -> str:
    """Return a document of its own around a fragment."""
    lines = [
        "\\documentclass{article}",
        "\\usepackage[T1]{fontenc}",
        "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}",
        "\\usepackage[margin=2cm]{geometry}",
        *(f"\\usepackage{{{package}}}" for package in PACKAGES),
        f"\\usetikzlibrary{{{','.join(LIBRARIES)}}}",
        "\\setcounter{MaxMatrixCols}{64}",
        "\\begin{document}",
        body.rstrip("\n"),
        "\\end{document}",
    ]
    return "\n".join(lines) + "\n"
