"""Sphinx configuration."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

from weightsmith import __version__

sys.path.insert(0, str(Path(__file__).parent))  # for live_figures

project = "Weightsmith"
author = "the Weightsmith developers"
copyright = author
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "live_figures"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_title = f"Weightsmith {version}"
exclude_patterns = ["_build"]
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"  # numpy's aliases would fill half a page
autodoc_preserve_defaults = True
autodoc_mock_imports = [name for name in ("torch", "matplotlib") if find_spec(name) is None]
nitpicky = False
default_role = "code"  # single backticks in docstrings are code


def setup(app):  # type: ignore[no-untyped-def]
    """Turn docstrings into reStructuredText: escape |x|, and make the lines of a contract a list."""

    def rewrite(app, what, name, thing, options, lines):  # type: ignore[no-untyped-def]
        escaped = [line.replace("|", "\\|") for line in lines]
        lines[:] = [re.sub("^(Requires|Ensures|Exact in|Because)([^:]*):", r"* **\1\2:**", line) for line in escaped]

    app.connect("autodoc-process-docstring", rewrite)
    app.connect("build-finished", further_pages)


MOVED = {"lecture": "index", **{f"lecture-{name}": name for name in ("eiffel", "facts", "mood", "output")}}
LSTM_SENTENCE = "she walks sunny and then not fine the dog not sad"


def further_pages(app, error):  # type: ignore[no-untyped-def]
    """Write the page of the LSTM, and pages at former addresses that lead to the new ones."""
    if error is not None or app.builder.format != "html":
        return
    import weightsmith as ws
    from weightsmith.studio.recurrent import page

    out = Path(app.outdir)
    T = ws.load(Path(__file__).parent / "_static" / "moods.safetensors")
    lstm = page(ws.library.mood_lstm().run(LSTM_SENTENCE), beside=ws.run(T, LSTM_SENTENCE))
    (out / "_static" / "mood-lstm.html").write_text(lstm, encoding="utf-8")
    for old, new in MOVED.items():
        to = f"lecture/{new}.html"
        lead = f'<meta http-equiv="refresh" content="0; url={to}"><a href="{to}">{to}</a>'
        moved = f"<!doctype html><title>moved</title>{lead}"
        (out / f"{old}.html").write_text(moved, encoding="utf-8")
