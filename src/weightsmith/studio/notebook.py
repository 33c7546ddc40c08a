"""In a notebook: a model, a run or a counterexample shows itself, in a frame that nothing in it can leave.

A notebook keeps what it shows, so each frame is kept small: the component stands in it compressed.
"""

import html
import json
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from weightsmith.errors import cut
from weightsmith.inspect import ChainRun, Run
from weightsmith.model import Chain, Transformer
from weightsmith.studio import brief
from weightsmith.studio.document import (
    COMPONENT,
    Shown,
    component,
    html_page,
    inline,
    packed,
    page_data,
    policy,
)

MOST_WEIGHTS = 1 << 17  # numbers of a model: a megabyte in the notebook, at most
MOST_VALUES = 1 << 20  # of a run's stream: a browser draws them at once
HIGHEST = 960  # pixels
LETTERS = 40  # of a model's name

# The component is unpacked and put into elements whose content the policy knows by its hash. A frame scrolls only while
# somebody works in it: else the wheel, on its way down the notebook, would be caught in it.
_LOADER = """\
const root = document.documentElement;
const roll = () => { root.style.overflow = document.hasFocus() ? "auto" : "hidden"; };
for (const event of ["focus", "blur"]) addEventListener(event, roll);
roll();
const packed = JSON.parse(document.getElementById("weightsmith-component").textContent);
for (const [element, text] of [["style", packed.style], ["script", packed.script]]) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const made = document.createElement(element);
  if (element === "script") made.type = "module";
  made.textContent = await new Response(stream).text();
  document.head.append(made);
}
"""
_BODY = """<script type="application/json" id="weightsmith-component">{component}</script>
<script type="module">{loader}</script>"""
_FRAME = (
    '<iframe class="weightsmith" title="{title}" sandbox="allow-scripts allow-downloads" srcdoc="{page}" '
    'style="display:block;width:100%;height:{height}px;border:1px solid #8884;border-radius:6px;resize:vertical">'
    "</iframe>"
)


def in_notebook(shown: Shown, plain: str | None, *, beside: Run | None = None, names: Sequence[str] = ()) -> str:
    """Return HTML that shows a model or a run in a frame, and folded below it the plain HTML.

    Only the plain HTML is returned where a page would not show the same, or would be large: for a run that a function
    changed on its way, and for what has many weights or values. It is also what stays where a notebook is not trusted.
    With None, a run is summarised.
    """
    if plain is None:
        plain = brief.summary(shown)._repr_html_() if isinstance(shown, Run) else ""
    sides = [side for side in (shown, beside) if side is not None]
    if not all(_is_light(side) for side in sides):
        return plain
    data = page_data(shown, beside, [*names, *map(name_of, sides[len(names) :])])
    title = html.escape(data["title"], quote=True)
    script, style, packed_component = _component()
    body = _BODY.format(component=packed_component, loader=_LOADER)
    page = html_page(data, policy([_LOADER, script], [style]), body=body)
    frame = _FRAME.format(title=title, page=html.escape(page, quote=True), height=_height(sides))
    return f"{frame}<details><summary>as text</summary>{plain}</details>" if plain else frame


def name_of(shown: Shown) -> str:
    """Return what a model is called: by its variable in the notebook, or else by the last step of its provenance."""
    model = shown
    if isinstance(shown, Run | ChainRun):
        model = shown.transformer if isinstance(shown, Run) else shown.chain
    for name, value in _variables().items():
        if value is model and not name.startswith("_"):
            return name
    T = model.transformer if isinstance(model, Chain) else model
    steps = T.provenance if isinstance(T, Transformer) else ()
    return cut(steps[-1].removeprefix("library."), LETTERS) if steps else "model"


def _variables() -> dict[str, Any]:
    """Return the variables of the notebook; none where there is no notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    found: dict[str, Any] = dict(getattr(shell, "user_ns", {}))
    return found


def _is_light(shown: Shown) -> bool:
    """Return whether a frame can show it, and be small."""
    if isinstance(shown, ChainRun):
        values = len(shown.text) * len(shown.chain.transformer.lanes) * (1 + 2 * len(shown.chain.transformer.blocks))
        return values <= MOST_VALUES and _is_light(shown.chain)
    if isinstance(shown, Run):
        told = not shown.changed or bool(shown.swaps)
        return told and shown.stream.size <= MOST_VALUES and _is_light(shown.transformer)
    return shown.weights <= MOST_WEIGHTS


def _height(sides: Sequence[Shown]) -> int:
    """Return the approximate height in pixels of a page down to the end of its stream; the rest scrolls."""
    models = [side.chain if isinstance(side, ChainRun) else side for side in sides]
    lanes = max(len((side.transformer if isinstance(side, Run | Chain) else side).lanes) for side in models)
    chain = 220 if any(isinstance(side, Chain) for side in models) else 0
    return min(HIGHEST, 480 + chain + 110 * len(sides) + 23 * lanes)


@cache
def _component() -> tuple[str, str, str]:
    """Return the component's script, its style, and both compressed."""
    script, style = (inline(component(name)) for name in COMPONENT)
    return script, style, json.dumps({"script": packed(script.encode()), "style": packed(style.encode())})
