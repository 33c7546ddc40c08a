"""The models of the gallery as LaTeX: docs/gallery/latex/PAGE.tex."""

from collections.abc import Callable
from pathlib import Path

import weightsmith as ws
from weightsmith.library import papers

MODELS: dict[str, Callable[[], "ws.Transformer | ws.Chain"]] = {  # page → a small model of it
    "addition": lambda: papers.addition(2),
    "circuits": lambda: ws.library.parity_chain(max_length=4),
    "dyck": lambda: papers.find("dyck-1").family(4, ws.Fixed(4, 4)),
    "explosion": lambda: papers.symbol_back(4),
    "first-parity": lambda: papers.find("first").family(4, ws.Fixed(4, 4)),
    "induction-head": lambda: papers.induction_head("ab"),
    "k-hop": lambda: papers.k_hop(2, 4, "ab"),
    "log-depth": lambda: papers.automaton_in_log_depth(papers.permutations([(1, 0)]), 4),
    "machines": lambda: papers.palindromes_by_machine(2),
    "majority": lambda: papers.find("majority-soft").family(4, ws.Fixed(4, 4)),
    "memories": lambda: papers.outer_product_memory(2, 4, 2),
    "n-gram": lambda: papers.ngram(papers.count_ngrams(["ab"], 2), 2),
    "notes": lambda: ws.infinity_form(ws.library.contains("1")),
    "star-free": lambda: ws.programs.compile_regex("(a|b)*ab", vocabulary="ab").transformer,
}


def latex_of(page: str) -> str:
    """Return the model of a page as a fragment of LaTeX."""
    return MODELS[page]().latex()


def write_latex(folder: Path) -> list[str]:
    """Write the models of all pages; return the names of the files."""
    folder.mkdir(exist_ok=True)
    for page in MODELS:
        (folder / f"{page}.tex").write_text(latex_of(page), encoding="utf-8")
    return [f"{page}.tex" for page in MODELS]
