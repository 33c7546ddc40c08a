"""A page in one file that shows an LSTM over an input, takes other inputs, and shows a residual stream beside it."""

import html
import os
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, ModelError, brief, shown
from weightsmith.inspect import LSTMRun, Run
from weightsmith.inspect.recurrent.drawing import short_stage
from weightsmith.model import separator
from weightsmith.model.sites import present_stages, stage_site
from weightsmith.storage import refusals, write_whole
from weightsmith.studio.document import as_script, inline, policy

MOST_WEIGHTS = 1 << 18  # that a page carries as text
MOST_TOKENS = 200  # of an input
MOST_ROWS = 24  # cells, and lanes: those that vary most

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Weightsmith">
<title>{title} · Weightsmith</title>
<style>{style}</style>
</head>
<body>
<script type="application/json" id="weightsmith-lstm">{data}</script>
<main>
<h1>{title}: <output id="now"></output></h1>
<div class="controls">
<input id="input" aria-label="Input (runs as you type)" spellcheck="false" autocomplete="off">
<button type="button" id="back" aria-label="Previous token">◀</button>
<input type="range" id="step" min="0" aria-label="Token">
<button type="button" id="forth" aria-label="Next token">▶</button>
</div>
<p id="problem" role="alert"></p>
<div class="sides">
<section aria-label="LSTM"><h2>LSTM: one memory, rewritten token by token</h2>
<table id="cells"></table>
<h2>Gates of the chosen cell</h2>
<table id="gates"></table>
<pre id="sum" aria-live="polite"></pre></section>
<section id="beside" aria-label="Residual stream" hidden>
<h2>Transformer: the residual stream of <span id="token"></span>, block by block</h2>
<table id="stream"></table>
<p class="note" id="other" hidden>The stream is that of the input with which the page was made.</p></section>
</div>
</main>
<noscript>This page runs an LSTM, and needs JavaScript for it. It loads nothing from anywhere.</noscript>
<script>{script}</script>
</body>
</html>
"""


def save_html(r: LSTMRun, path: str | os.PathLike[str], *, beside: Run | None = None) -> None:
    """Write the page of a run: one file, which needs no network."""
    text = page(r, beside=beside)
    with refusals("cannot write", path):
        write_whole(Path(path), text.encode())


def page(r: LSTMRun, *, beside: Run | None = None) -> str:
    """Return the page of a run as a text, with a run of a transformer beside it."""
    if not isinstance(r, LSTMRun):
        raise ModelError(f"this page shows a run of an LSTM, and this is {brief(r)}: write lstm.run(tokens)")
    if beside is not None and not isinstance(beside, Run):
        raise ModelError(f"beside={brief(beside)}: write a run of a transformer, ws.run(T, tokens)")
    if r.lstm.weights > MOST_WEIGHTS:
        raise ModelError(
            f"the LSTM has {r.lstm.weights:,} weights, and a page carries at most {MOST_WEIGHTS:,}: r.svg() draws a run"
        )
    if len(r.tokens) > MOST_TOKENS:
        raise InputError(f"a page shows up to {MOST_TOKENS} tokens, and the input has {len(r.tokens)}: run a part")
    script, style = (inline(_file(name)) for name in ("view.js", "view.css"))
    return _PAGE.format(
        policy=html.escape(policy([script], [style])),
        title=html.escape(r.lstm.name),
        style=style,
        data=as_script(_data(r, beside)),
        script=script,
    )


def _data(r: LSTMRun, beside: Run | None) -> dict[str, Any]:
    """Return the weights, the input, and the stream beside them."""
    L = r.lstm
    arrays = {name: getattr(L, name).tolist() for name in ("embedding", "W_x", "W_h", "b", "output", "output_bias")}
    names = {"vocabulary": list(L.vocabulary), "classes": [shown(c) for c in L.classes], "cells": list(L.cells)}
    cells = _liveliest(r.part("cell"))
    view: dict[str, Any] = {"input": list(r.tokens), "separator": separator(L.vocabulary), "longest": MOST_TOKENS}
    first = max(cells, key=lambda n: float(r.part("cell")[:, n].std()))
    view |= {"shown": cells, "first": first, "beside": None if beside is None else _stream(beside)}
    return arrays | names | view


def _stream(run: Run) -> dict[str, Any]:
    """Return the stream of a run at every stage and position, in the lanes that vary most."""
    sites = [stage_site(name) for name in present_stages(run.transformer)]
    stream = np.array([run.stream[site.stage] for site in sites])
    lanes = _liveliest(stream.reshape(-1, stream.shape[-1]))
    return {
        "tokens": list(run.tokens),
        "stages": [short_stage(site) for site in sites],
        "lanes": [run.transformer.lanes[lane] for lane in lanes],
        "stream": stream[..., lanes].tolist(),
    }


def _liveliest(values: Array) -> list[int]:
    """Return the columns that vary most, in their own order."""
    found: list[int] = np.sort(np.argsort(-values.std(axis=0), kind="stable")[:MOST_ROWS]).tolist()
    return found


def _file(name: str) -> str:
    return resources.files("weightsmith.studio.recurrent").joinpath(name).read_text(encoding="utf-8")
