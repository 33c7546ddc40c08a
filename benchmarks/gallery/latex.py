"""The models of the gallery as LaTeX, where transformers can write themselves: docs/gallery/latex/PAGE.tex."""

from collections.abc import Callable
from pathlib import Path

import weightsmith as ws
from weightsmith.library import papers

MODELS: dict[str, Callable[[], ws.Transformer]] = {  # page → a small model of it
    "log-depth": lambda: papers.automaton_in_log_depth(papers.permutations([(1, 0)]), 4),
    "induction-head": lambda: papers.induction_head("ab"),
    "k-hop": lambda: papers.k_hop(2, 4, "ab"),
    "n-gram": lambda: papers.ngram(papers.count_ngrams(["ab"], 2), 2),
    "memories": lambda: papers.outer_product_memory(2, 4, 2),
    "addition": lambda: papers.addition(2).transformer,
    "explosion": lambda: papers.symbol_back(4),
}


def write_latex(folder: Path) -> list[str]:
    """Write the models of all pages; return the names of the files, none while transformers have no `latex()`."""
    latex = getattr(ws.Transformer, "latex", None)
    if latex is None:
        return []
    folder.mkdir(exist_ok=True)
    for page, build in MODELS.items():
        (folder / f"{page}.tex").write_text(str(latex(build())), encoding="utf-8")
    return [f"{page}.tex" for page in MODELS]
