"""A page in one file: the models, the component that runs and shows them, and a policy that lets nothing else in."""

import base64
import hashlib
import html
import json
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

from weightsmith.errors import InputError, ModelError, brief
from weightsmith.files import model_bytes
from weightsmith.inspect import ChainRun, Run
from weightsmith.model import Chain, Transformer, named_arrays
from weightsmith.storage import refusals, write_whole
from weightsmith.studio import large, patterns
from weightsmith.studio.changes import page_changes
from weightsmith.studio.circuit import Given, circuit_data

PAGE_FORMAT = 1
MAX_PARAMETERS = 1 << 24  # that a browser holds and runs easily
LARGE = 1 << 20  # bytes
GZIP = 31  # zlib's number for a stream with the header of gzip
COMPONENT = ("weightsmith.js", "weightsmith.css")  # built from web/ by `make web`
ONE_RUN = "show a single run of it, ws.run(T, text).save_html(path)"
LENGTHS = 64  # of inputs, for which a page has the number of steps of a chain that says it by a Python function
Model: TypeAlias = Transformer | Chain
Shown: TypeAlias = Model | Run | ChainRun
Progress: TypeAlias = Callable[[int, int], None]
POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Weightsmith">
<title>{title}</title>
{head}
</head>
<body>
<script type="application/json" id="weightsmith-model">{data}</script>
{body}
</body>
</html>
"""
_NO_SCRIPT = "This page runs a transformer, and needs JavaScript for it. It loads nothing from anywhere."


def silent(done: int, total: int) -> None:
    """Report nothing."""


def save_html(
    shown: Shown,
    path: str | os.PathLike[str],
    *,
    beside: Shown | None = None,
    circuit: Given | None = None,
    progress: Progress = silent,
) -> None:
    """Write a page that shows a model or a run, and another one beside it: one file, which needs no network.

    The page contains the models, so its readers can type other inputs. A chain is played token by token. A run of
    `ablate` or `patch` stands beside the run as it is, with a list of its changes. A large model takes seconds:
    progress(done, total) is called with the numbers of bytes that are compressed.

    With a circuit of `export.circuit(T, up_to=…)` the page shows the heads and layers of the model and the edges
    between them; a number is the length up to which the circuit is to be found.
    """
    text = page(shown, beside=beside, circuit=circuit, progress=progress)
    with refusals("cannot write", path):
        write_whole(Path(path), text.encode())


def page(
    shown: Shown,
    *,
    beside: Shown | None = None,
    names: Sequence[str] = (),
    circuit: Given | None = None,
    progress: Progress = silent,
) -> str:
    """Return such a page as a text. The names are those of the models, "model" and "model beside" unless given.

    A run of a model that does not fit a page is shown without it: what mattered for its answer, as tables.
    """
    run = shown.run if isinstance(shown, ChainRun) and not_in_a_page(shown.chain) else shown
    if isinstance(run, Run) and beside is None and circuit is None and not_in_a_page(run.transformer):
        return _large_page(run, names[0] if names else "model")
    data = page_data(shown, beside, names, progress)
    if circuit is not None:
        data["circuit"] = circuit_data(_with_edges(model_of(shown)), circuit)
    return written(data)


def _with_edges(model: Model) -> Transformer:
    """Return a transformer whose circuit a page shows."""
    if isinstance(model, Chain):
        raise InputError("the circuit of a chain is not shown: write save_html(C.transformer, path, circuit=3)")
    return model


def _large_page(run: Run, name: str) -> str:
    data = {"format": PAGE_FORMAT, "title": f"{name} · Weightsmith", "models": [], "input": list(run.tokens)}
    facts = large.facts(run)
    shown = large.tables(facts, not_in_a_page(run.transformer))._repr_html_() + patterns.pictures(run, facts.heads)
    body = f'<main data-weightsmith="run">{shown}</main>'
    data = {**data, "beside": None, "run": facts.data()}
    return html_page(data, large.POLICY, head=f"<style>{large.STYLE}{patterns.STYLE}</style>", body=body)


def collection(shown: Mapping[str, Shown], title: str = "") -> str:
    """Return a page with several models to choose from, by their names; a run brings the input to begin with.

    Into it, as into every page, a model file can be dropped.
    """
    for one in shown.values():
        if isinstance(one, Run) and one.changed:
            raise InputError("a page with several models shows runs that were not changed: show this one by itself")
    models = [{"name": name, "gzip": as_float64(model_of(one)), "input": _tokens(one)} for name, one in shown.items()]
    first = models[0]["input"] if models else None
    data = {"format": PAGE_FORMAT, "title": title or "Weightsmith", "models": models, "input": first, "beside": None}
    return written(data)


def written(data: dict[str, Any]) -> str:
    """Return the page that carries this data, with the component in it."""
    script, style = (inline(component(name)) for name in COMPONENT)
    body = f'<noscript>{_NO_SCRIPT}</noscript>\n<script type="module">{script}</script>'
    return html_page(data, policy([script], [style]), head=f"<style>{style}</style>", body=body)


def html_page(data: dict[str, Any], allowed: str, *, head: str = "", body: str) -> str:
    """Return a page with data, a content security policy, and HTML for its head and body."""
    title = html.escape(data["title"])
    return _PAGE.format(policy=html.escape(allowed), title=title, data=as_script(data), head=head, body=body)


def page_data(
    shown: Shown, beside: Shown | None = None, names: Sequence[str] = (), progress: Progress = silent
) -> dict[str, Any]:
    """Return the data of a page: compressed model files, inputs, and the view to open with."""
    changes, shown, beside = _changes(shown, beside)
    models = [model_of(shown)]
    if beside is not None and model_of(beside) != models[0]:
        models.append(model_of(beside))
    named = [*names, *("model", "model beside")[len(names) :]]
    tokens = _tokens(shown)
    files = [file_of(T) for T in models]
    total, before = sum(map(len, files)), 0
    packs = []
    for file in files:
        packs.append(packed(file, partial(_further, progress, before, total)))
        before += len(file)
    return {
        "format": PAGE_FORMAT,
        "title": f"{named[0]} · Weightsmith",
        "models": [{"name": name, "gzip": text} for name, text in zip(named, packs, strict=False)],
        "input": tokens,
        "beside": None if beside is None else {"model": len(models) - 1, "input": _tokens(beside) or tokens},
        **({"changes": changes} if changes else {}),
    }


def _changes(shown: Shown, beside: Shown | None) -> tuple[list[dict[str, Any]], Shown, Shown | None]:
    """Return the changes of the run that was changed, if one was, and what to show beside nothing else."""
    changed = [side for side in (shown, beside) if isinstance(side, Run) and side.changed]
    if not changed:
        return [], shown, beside
    changes = page_changes(changed[0])
    sides = [side for side in (shown, beside) if isinstance(side, Run)]
    alike = all(side.tokens == changed[0].tokens and model_of(side) == model_of(changed[0]) for side in sides)
    if beside is not None and not (len(changed) == 1 and len(sides) == 2 and alike):
        raise InputError(
            "a page shows a changed run beside the run as it is, of the same model and input: leave beside out"
        )
    return changes, changed[0], None


def model_of(shown: Shown) -> Model:
    """Return the model of a run, or the model itself; refuse models that do not fit a page."""
    model = shown
    if isinstance(shown, Run | ChainRun):
        model = shown.transformer if isinstance(shown, Run) else shown.chain
    if not isinstance(model, Transformer | Chain):
        raise ModelError(
            f"a page shows a transformer, a chain or a run, and this is {brief(model)}: write ws.run(T, tokens), or T"
        )
    if is_large(model):
        raise ModelError(
            f"the model has {parameters(model):,} parameters, and a page carries at most {MAX_PARAMETERS:,}: {ONE_RUN}"
        )
    return _with_numbers(model) if isinstance(model, Chain) else model


def _with_numbers(C: Chain) -> Chain:
    """Return a chain whose steps a file can hold: numbers for a Python function, up to a length."""
    if not callable(C.steps):
        return C
    longest = LENGTHS if C.max_length is None else min(LENGTHS, C.max_length)
    return replace(C, steps=[C.declared_steps(n) if n else 1 for n in range(longest + 1)])


def transformer_of(model: Model) -> Transformer:
    """Return the transformer of a chain, or the transformer itself."""
    return model.transformer if isinstance(model, Chain) else model


def parameters(model: Model) -> int:
    """Return how many numbers a page would carry."""
    return sum(array.size for _, array in named_arrays(transformer_of(model)))


def is_large(model: Model) -> bool:
    """Return whether a model has more numbers than a page carries."""
    return parameters(model) > MAX_PARAMETERS


def not_in_a_page(model: Model) -> str:
    """Return why a page can show a run of a model, and not the model itself; "" if it can show the model."""
    if is_large(model):
        return f"its {transformer_of(model).weights:,} weights are more than the {MAX_PARAMETERS:,} that a page holds"
    return ""


def _further(progress: Progress, before: int, total: int, done: int) -> None:
    progress(before + done, total)


def as_float64(model: Model) -> str:
    """Return a model as a page carries it."""
    return packed(file_of(model))


def file_of(model: Model) -> bytes:
    """Return the file of a model for a page: without a tokenizer, which only Python can use."""
    T = transformer_of(model)
    if T.tokenizer:
        T = replace(T, tokenizer="").story(T.told)
        model = replace(model, transformer=T) if isinstance(model, Chain) else T
    return model_bytes(model)


def _tokens(shown: Shown) -> list[str] | None:
    return list(shown.tokens) if isinstance(shown, Run | ChainRun) else None


def packed(content: bytes, progress: Callable[[int], None] = lambda done: None) -> str:
    """Return bytes as a page carries them: compressed, then as letters. `progress` hears how many are compressed.

    Large contents are compressed less: they take up to a sixth more, and a seventeenth of the time.
    """
    squeeze = zlib.compressobj(9 if len(content) < LARGE else 6, wbits=GZIP)
    parts = []
    for begin in range(0, len(content), LARGE):
        parts.append(squeeze.compress(content[begin : begin + LARGE]))
        progress(min(len(content), begin + LARGE))
    return base64.b64encode(b"".join([*parts, squeeze.flush()])).decode()


def component(name: str) -> str:
    """Return a file of the component that runs and shows models."""
    return resources.files("weightsmith.studio").joinpath("page", name).read_text(encoding="utf-8")


def as_script(data: dict[str, Any]) -> str:
    """Return data as JSON that can stand in a script element: no name in it can end the element, or begin another."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def inline(text: str) -> str:
    """Return code or styles with escapes for whatever would end their element."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Return the content security policy: these scripts and style sheets, pictures made here, and no connection."""
    script, style = (" ".join(map(_hash, texts)) for texts in (scripts, styles))
    return POLICY.format(script=script, style=style)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
