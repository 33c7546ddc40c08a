"""Live figures: the directive `{run}` embeds a running transformer in a page of the documentation.

    ```{run} eiffel()
    :input: The Eiffel Tower is in
    :stage: block 0 attention
    :position: 2

    The caption.
    ```

The argument is Python for a transformer or a chain, in which `ws`, the functions of the library and whatever the page's
own code has made before are known; `file("moods")` is the model of a file in `_static/`. `:beside:` is another one, or
the same on `:beside-input:`. `:wrote:` is how many of the last tokens the model wrote; of a chain, how many are shown.
`:panel:` shows one panel with two buttons that step, instead of the whole page; `:height:` is the height of the figure
in pixels, into which the panel fits itself; `:story:` plays the story of the model, from a step on.
Each model, or pair of models, becomes one file in `figures/`; all files share one script and one style sheet, under a
policy that lets in nothing else. They are classic scripts, because a browser loads no modules from a disk.

`models.html` is the static page: every model of the library, and a place to drop a file into.
"""

import hashlib
import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

import weightsmith as ws
from weightsmith.studio import collection
from weightsmith.studio.document import POLICY, component, html_page, page_data

FOLDER = "figures"
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
KNOWN = {
    "ws": ws,
    "np": np,
    "file": lambda name: ws.load(Path(__file__).parent / "_static" / f"{name}.safetensors"),
} | {name: getattr(ws.library, name) for name in ws.library.__all__ if name.islower()}
WAITING = 640  # pixels: the height of a figure until it reports its own
PANELS = ("stream", "heads", "neuron", "answer", "weights", "lens")
LOWEST, HIGHEST = 160, 2000  # pixels
BORDER = 1  # of a frame, in figures.css
OURS = "'self' file:"  # files beside the page, also on a disk

log = getLogger(__name__)

_HEAD = '<link rel="stylesheet" href="../_static/weightsmith.css">'
_BODY = '<script src="../_static/weightsmith.js"></script>\n<script src="../_static/figure.js"></script>'
_FRAME = (
    '<iframe class="live-figure" src="{address}" title="{title}" loading="lazy" height="{height}" {fixed}></iframe>'
    '<p class="live-figure-alone"><a href="{whole}" target="_blank" rel="noopener">on a page of its own</a></p>'
)


class RunDirective(SphinxDirective):
    """Embeds a running transformer."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {  # noqa: RUF012
        "input": directives.unchanged_required,
        "beside": directives.unchanged_required,
        "beside-input": directives.unchanged_required,
        "names": directives.unchanged_required,  # of the first and the second model, separated by |
        "stage": directives.unchanged_required,
        "step": directives.nonnegative_int,
        "position": directives.nonnegative_int,
        "wrote": directives.nonnegative_int,  # tokens of a chain
        "differences": directives.flag,  # only differences
        "panel": directives.unchanged_required,
        "height": directives.nonnegative_int,  # pixels
        "story": directives.unchanged,  # its first step, from 1 on
    }

    def run(self) -> list[nodes.Node]:
        """Return the figure, and register its file."""
        try:
            data, sight = self.figure()
            alone = self.alone()
        except Exception as error:
            raise self.error(f"{{run}} {self.arguments[0]}: {type(error).__name__}: {error}") from error
        text = figure_page(data)
        name = f"{_slug(data['models'][0]['name'])}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.html"
        figures(self.env).setdefault(self.env.docname, {})[name] = text
        file = f"{'../' * self.env.docname.count('/')}{FOLDER}/{name}"
        caption = self.parse_content_to_nodes()
        spoken = " ".join(node.astext() for node in caption) or data["title"]
        frame = _FRAME.format(
            address=html.escape(f"{file}#{urlencode(sight | alone)}"),
            whole=html.escape(f"{file}#{urlencode(sight)}"),
            title=html.escape(spoken, quote=True),
            height=self.options.get("height", WAITING),
            fixed="data-fixed" if "height" in self.options else "",
        )
        box = nodes.container("", nodes.raw("", frame, format="html"), classes=["live"])
        box += nodes.container("", *caption, classes=["live-caption"])
        return [box]

    def figure(self) -> tuple[dict[str, Any], dict[str, str | int]]:
        """Return the data of the file, and the view for the URL: input, step, position."""
        T = self.model(self.arguments[0])
        r = run_of(T, self.options["input"]) if "input" in self.options else None
        beside = self.options.get("beside")
        names = [name.strip() for name in self.options.get("names", "").split("|") if name.strip()]
        names += [_plain(self.arguments[0]), _plain(beside or "")][len(names) :]
        S = None if beside is None else self.model(beside)
        data = page_data(T, S, names[: 1 if S is None else 2]) | {"title": names[0]}
        sight: dict[str, str | int] = {"model": 0}
        if r is not None:
            sight["input"] = self.options["input"]
        if "beside-input" in self.options:
            run_of(T if S is None else S, self.options["beside-input"])  # raises an error for a bad input
            sight |= {"beside": len(data["models"]) - 1, "beside-input": self.options["beside-input"]}
        elif S is not None:
            sight["beside"] = 1
        if "stage" in self.options:
            sight["step"] = step_of(T.transformer if isinstance(T, ws.Chain) else T, self.options["stage"])
        sight |= {key: self.options[key] for key in ("step", "position", "wrote") if key in self.options}
        if "differences" in self.options:
            sight["only"] = "differences"
        if "story" in self.options:
            sight["story"] = story_step(T, self.options["story"])
        data["beside"] = None  # the URL has it
        return data, sight

    def alone(self) -> dict[str, str | int]:
        """Return what the URL says of a figure that is one panel, or that has a height."""
        panel = self.options.get("panel")
        if panel is not None and panel not in PANELS:
            raise ValueError(f"panel: {panel} is not there: write {', '.join(PANELS)}")
        height = self.options.get("height")
        if height is not None and not LOWEST <= height <= HIGHEST:
            raise ValueError(f"height: {height} is not from {LOWEST} to {HIGHEST} pixels")
        if panel is None and "story" in self.options:
            panel = "story"
        if height is not None and panel is None:
            raise ValueError(f"height: a whole page has its own height: write :panel: too, one of {', '.join(PANELS)}")
        return ({} if panel is None else {"panel": panel}) | ({} if height is None else {"height": height - 2 * BORDER})

    def model(self, expression: str) -> ws.Transformer | ws.Chain:
        """Evaluate an expression to a transformer or a chain."""
        try:
            T = eval(expression, dict(KNOWN))
        except NameError:
            T = eval(expression, self.made_before())
        if not isinstance(T, ws.Transformer | ws.Chain):
            raise TypeError(f"{expression} is no transformer, and no chain")
        return T

    def made_before(self) -> dict[str, Any]:
        """Return the variables of the page's Python blocks above this place."""
        name, line = self.get_source_info()
        above = "\n".join(Path(name).read_text(encoding="utf-8").split("\n")[:line])
        blocks = CODE.findall(above)
        done, names = self.env.temp_data.get("weightsmith code", [0, {**KNOWN, "print": lambda *words: None}])
        for block in blocks[done:]:
            exec(compile(block, name, "exec"), names)
        self.env.temp_data["weightsmith code"] = [len(blocks), names]
        return names


def run_of(model: ws.Transformer | ws.Chain, tokens: str) -> Any:
    """Run a model on an input."""
    return model.run(tokens) if isinstance(model, ws.Chain) else ws.run(model, tokens)


def step_of(T: ws.Transformer, stage: str) -> int:
    """Return the step of a stage on the page, which has a step for each sublayer that is present."""
    there = ["embedding"]
    for b, block in enumerate(T.blocks):
        there += [f"block {b} attention"] if block.attention is not None else []
        there += [f"block {b} feed-forward"] if block.feed_forward is not None else []
    if stage not in there:
        raise ValueError(f"stage: {stage} is not there: write {', '.join(there)}")
    return there.index(stage)


def story_step(T: ws.Transformer | ws.Chain, text: str) -> int:
    """Return the step of a model's story at which a figure begins, from 1 on; without a text, the first."""
    steps = len(getattr(T, "told", None) or ())
    if steps == 0:
        raise ValueError("story: the model has no story: write T.story([…])")
    step = 1 if not text.strip() else int(text) if text.strip().isdecimal() else 0
    if not 1 <= step <= steps:
        raise ValueError(f"story: {text.strip()} is no step: write a number from 1 to {steps}")
    return step


def figure_page(data: dict[str, Any]) -> str:
    """Return a page that contains models and loads the component from a file beside it."""
    return html_page(data, POLICY.format(script=OURS, style=OURS), head=_HEAD, body=_BODY)


def classic_script() -> str:
    """Return the component as a classic script, without its exports."""
    script, count = re.subn(r"\bexport\s*\{[^{}]*\};?\s*$", "", component("weightsmith.js"))
    if count != 1:
        raise ValueError("weightsmith.js does not end with its exports: build it with make web")
    return f"(() => {{\n{script}\n}})();\n"


def library_page() -> str:
    """Return the static page: the models of the library, each with an example input."""
    shown = {
        entry.call: ws.run(entry.build(), next(iter(entry.decides)))
        for entry in (*ws.library.EXAMPLES, *ws.library.LECTURE)
    }
    entries = [*ws.library.ENTRIES, *ws.library.CHAINS]
    shown |= {entry.call: run_of(entry.build(), entry.yes) for entry in entries}
    return collection(shown, "Weightsmith")


def figures(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """Return the files of the figures: by page, then by name."""
    if not hasattr(env, "weightsmith_figures"):
        env.weightsmith_figures = {}  # type: ignore[attr-defined]
    found: dict[str, dict[str, str]] = env.weightsmith_figures  # type: ignore[attr-defined]
    return found


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Drop the figures of a page that is read again."""
    figures(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment) -> None:
    """Merge the figures of pages that another process has read."""
    figures(env).update({name: those for name, those in figures(other).items() if name in docnames})


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the files of the figures."""
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    (out / FOLDER).mkdir(exist_ok=True)
    wanted = {name: text for those in figures(app.env).values() for name, text in those.items()}
    for old in (out / FOLDER).glob("*.html"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (out / FOLDER / name).write_text(text, encoding="utf-8")
    (out / "_static" / "weightsmith.js").write_text(classic_script(), encoding="utf-8")
    (out / "_static" / "weightsmith.css").write_text(component("weightsmith.css"), encoding="utf-8")
    (out / "models.html").write_text(library_page(), encoding="utf-8")
    log.info("%d live figures, and the page models.html", len(wanted))


def _plain(expression: str) -> str:
    """Return the name of a model for an expression: without empty brackets and `ws.library.`."""
    return expression.replace("ws.library.", "").replace("ws.", "").removesuffix("()")


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "model"


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    app.add_directive("run", RunDirective)
    app.add_js_file("figures.js")
    app.add_css_file("figures.css")
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
