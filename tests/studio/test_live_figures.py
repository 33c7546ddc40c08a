"""The documentation's live figures and its static page: built, opened from disk and from a server, given files."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page, expect

import weightsmith as ws
from tests.check.processes import environment
from tests.studio.conftest import Windows
from tests.studio.dropping import drop
from tests.studio.folder_server import served
from tests.studio.pages import BREAKING, HOSTILE, carried, elements, hostile_model
from weightsmith.studio import collection

VIEWS = ("stream", "attention", "memory", "answer", "weights", "program", "circuit", "two")
DOCS = Path(__file__).parents[2] / "docs"
CONF = """
import sys
sys.path.insert(0, {docs!r})
extensions = ["myst_parser", "live_figures"]
html_theme = "basic"
html_static_path = [{static!r}]
"""
INDEX = """# Figures

```python
T = ws.library.contains("1")  # what a page has made can be shown in it
print("this is not printed while the page is built")
S = ~T
```

```{run} T
:input: 0010
:names: made here
:stage: block 0 attention
:position: 3

It *looks* for a 1.
```

```{run} eiffel()
:input: The Eiffel Tower is in
:beside-input: The London Tower is in
:differences:
```

```{run} T
:input: 0010
:beside: S
```

```{run} eiffel()
:input: The Tower is in
```

```{run} parity_chain(max_length=4)
:input: 0111
:wrote: 2
```

```{run} eiffel()
:input: The Eiffel Tower is in
:panel: heads
:stage: block 1 attention
```

```{run} eiffel()
:input: The Eiffel Tower is in
:panel: lens
:height: 420
```
"""


def built(folder: Path, text: str) -> "subprocess.CompletedProcess[str]":
    """Build a documentation of one page."""
    (folder / "source").mkdir(parents=True)
    conf = CONF.format(docs=str(DOCS), static=str(DOCS / "_static"))
    (folder / "source/conf.py").write_text(conf, encoding="utf-8")
    (folder / "source/index.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "source", "html"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = built(folder, INDEX)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return folder / "html"


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture
def page(windows: Windows) -> Iterator[Page]:
    yield windows.empty(viewport={"width": 1000, "height": 3000})
    complaints, _ = windows.leave()
    assert not [text for text in complaints if "favicon" not in text and "404" not in text]


def figures(page: Page) -> list[Frame]:
    frames = page.main_frame.child_frames
    for frame in frames:
        frame.wait_for_selector("[data-weightsmith] main, [data-weightsmith] .figure")
    return frames


def test_figures_of_one_model_share_a_file_and_all_share_one_script(site: Path) -> None:
    names = sorted(path.name.rpartition("-")[0] for path in (site / "figures").iterdir())
    assert names == ["eiffel", "made-here", "parity-chain-max-length-4", "t"]
    for path in (site / "figures").iterdir():
        text = path.read_text(encoding="utf-8")
        assert len(text) < 5000
        assert text.count("<script src=") == 2
        assert "script-src &#x27;self&#x27; file:; style-src" in text
        assert "unsafe" not in text
    index = (site / "index.html").read_text(encoding="utf-8")
    assert len(re.findall('<iframe class="live-figure"[^>]* loading="lazy"', index)) == 7
    assert 'title="It looks for a 1."' in index
    assert "It <em>looks</em> for a 1." in index


@pytest.mark.parametrize("from_disk", [True, False])
def test_figures_run_from_disk_and_from_a_server_and_are_light_or_dark_as_their_page_is(
    from_disk: bool, site: Path, server: str, page: Page
) -> None:
    page.goto((site / "index.html").as_uri() if from_disk else f"{server}/index.html")
    made, two, pair, tower, chain, heads, lens = figures(page)
    assert (
        made.evaluate("window.weightsmith.run('0010').stream")
        == ws.run(ws.library.contains("1"), "0010").stream.tolist()
    )
    assert "attention" in made.inner_text("[aria-current=step]")
    assert "different decisions" in two.inner_text("header")
    assert two.is_checked("text=only differences")
    assert "different decisions" in pair.inner_text("header")
    assert "London" in tower.inner_text("header")
    tower.fill("[data-input]", "The Eiffel Tower is in")
    expect(tower.locator("header")).to_contain_text("→ Paris")
    assert "Step 3 of 4" in chain.inner_text("section[aria-label='the chain']")
    heights = page.locator("iframe.live-figure").evaluate_all("frames => frames.map(frame => frame.clientHeight)")
    assert heights[5] == pytest.approx(heads.evaluate("document.querySelector('.figure').clientHeight"), abs=8)
    assert lens.evaluate("document.querySelector('.figure').clientHeight") == 418
    assert 418 <= heights[6] <= 420  # with a frame, or without
    ends = [
        frame.evaluate("document.querySelector('main .panel').getBoundingClientRect().bottom")
        for frame in (made, two, pair, tower, chain)
    ]
    assert all(end <= height <= 1100 for end, height in zip(ends, heights[:5], strict=True)), (ends, heights)
    for theme in ("dark", "light", "dark"):
        page.evaluate("theme => { document.body.dataset.theme = theme }", theme)
        for frame in (made, heads):
            frame.wait_for_selector(f"[data-weightsmith][data-theme={theme}]")


@pytest.mark.parametrize(
    ("directive", "words"),
    [
        ("```{run} nothing\n```", "{run} nothing: NameError: name 'nothing' is not defined"),
        ("```{run} eiffel()\n:input: The Big Ben\n```", "is not in the vocabulary"),
        ("```{run} contains('1')\n:stage: block 1 attention\n```", "write embedding, block 0 attention"),
        ("```{run} 3\n```", "TypeError: 3 is no transformer"),
        ("```{run} eiffel()\n:panel: haeds\n```", "panel: haeds is not there: write stream, heads, neuron"),
        ("```{run} eiffel()\n:panel: heads\n:height: 3\n```", "height: 3 is not from 160 to 2000 pixels"),
        ("```{run} eiffel()\n:height: 300\n```", "write :panel: too"),
        ("```{run} ~contains('1')\n:story:\n```", "the model has no story: write T.story([…])"),
    ],
)
@pytest.mark.one_in(4)
def test_a_figure_that_cannot_be_made_stops_the_build(directive: str, words: str, tmp_path: Path) -> None:
    done = built(tmp_path, f"# Page\n\n{directive}\n")
    assert done.returncode != 0
    assert words in " ".join(done.stderr.split())


def test_each_entry_of_the_library_and_each_page_that_should_has_its_live_figure() -> None:
    library = (DOCS / "library.md").read_text(encoding="utf-8")
    for entry in (*ws.library.ENTRIES, *ws.library.EXAMPLES, *ws.library.LECTURE):
        assert f"```{{run}} {entry.call}\n" in library, f"docs/library.md has no live figure of {entry.call}"
    for name in ("index", "tutorial", "lecture/index", "claims", "page", "chains"):
        assert "```{run} " in (DOCS / f"{name}.md").read_text(encoding="utf-8"), name
    first = (DOCS / "index.md").read_text(encoding="utf-8")
    assert first.index("```{run} ") < first.index("{toctree}")


def test_every_view_has_its_pictures_small_and_in_the_documentation() -> None:
    page = (DOCS / "page.md").read_text(encoding="utf-8")
    names = {f"{view}-{width}.png" for view in VIEWS for width in (1280, 400)}
    assert names == {path.name for path in (DOCS / "pictures").iterdir()}
    for name in names:
        content = (DOCS / "pictures" / name).read_bytes()
        assert len(content) < 150_000, name
        width = int.from_bytes(content[16:20], "big")
        assert width <= int(name.rpartition("-")[2].removesuffix(".png")), name
        assert f"{{image}} pictures/{name}\n" in page
    assert "](docs/pictures/stream-1280.png)" in (DOCS.parent / "README.md").read_text(encoding="utf-8")


def test_names_cannot_break_out_of_a_page_of_several_models() -> None:
    T = hostile_model()
    usual = collection({"a": ws.library.contains("1"), "b": T})
    odd = collection({name: ws.run(T, HOSTILE) for name in HOSTILE[:2]}, BREAKING)
    assert [tag for tag, *_ in elements(odd)] == [tag for tag, *_ in elements(usual)]
    found = carried(odd)
    assert [model["name"] for model in found["models"]] == HOSTILE[:2]
    assert [model["input"] for model in found["models"]] == [HOSTILE, HOSTILE]
    assert found["title"] == BREAKING
    assert carried(collection({}))["models"] == []


def test_the_static_page_has_every_model_of_the_library_under_the_strict_policy(site: Path) -> None:
    text = (site / "models.html").read_text(encoding="utf-8")
    found = carried(text)
    entries = (*ws.library.EXAMPLES, *ws.library.LECTURE, *ws.library.ENTRIES, *ws.library.CHAINS)
    assert [model["name"] for model in found["models"]] == [entry.call for entry in entries]
    assert "script-src &#x27;sha256-" in text
    assert "'self'" not in text.split("</head>")[0].split("<style>")[0]


def test_the_static_page_runs_the_model_that_is_chosen_on_an_input_that_shows_it(site: Path, page: Page) -> None:
    page.goto((site / "models.html").as_uri())
    page.wait_for_selector("[data-weightsmith] main")
    assert "Paris" in page.inner_text("header")
    page.select_option("[aria-label=Model]", label="balanced(2)")
    expect(page.locator("header")).to_contain_text("→ YES")
    assert page.input_value("[data-input]") == "(()())"


def test_a_file_that_is_dropped_on_the_static_page_runs_there_and_goes_nowhere(
    site: Path, server: str, page: Page, tmp_path: Path
) -> None:
    T = ws.random_transformer(vocabulary="xyz", lanes=3, blocks=2, seed=3)
    ws.save(T, tmp_path / "mine.safetensors")
    page.goto(f"{server}/models.html")
    page.wait_for_selector("[data-weightsmith] main")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    drop(page, "mine.safetensors", (tmp_path / "mine.safetensors").read_bytes())
    expect(page.locator("[aria-label=Model] option:checked")).to_have_text("mine")
    page.fill("[data-input]", "zyx")
    r = ws.run(T, "zyx")
    assert page.evaluate("window.weightsmith.run('zyx').stream") == r.stream.tolist()
    expect(page.locator("header")).to_contain_text(f"→ {r.decision}")
    assert not asked


def malformed(tmp_path: Path) -> dict[str, bytes]:
    ws.save(ws.library.contains("1"), tmp_path / "m.safetensors")
    good = (tmp_path / "m.safetensors").read_bytes()
    length = int.from_bytes(good[:8], "little")
    header = json.loads(good[8 : 8 + length])
    header.pop(next(name for name in header if name != "__metadata__"))
    text = json.dumps(header).encode()
    return {
        "nothing": b"",
        "a text": b"this is no model at all",
        "cut off": good[:-9],
        "a huge header": (1 << 60).to_bytes(8, "little") + good[8:],
        "a tensor missing": len(text).to_bytes(8, "little") + text + good[8 + length :],
    }


def test_a_malformed_file_is_named_with_what_is_wrong_and_leaves_everything_as_it_was(
    site: Path, page: Page, tmp_path: Path
) -> None:
    page.goto((site / "models.html").as_uri())
    page.wait_for_selector("[data-weightsmith] main")
    for name, content in malformed(tmp_path).items():
        drop(page, f"{name}.safetensors", content)
        expect(page.locator(".problem")).to_contain_text(f"{name}.safetensors cannot be opened")
        assert page.input_value("[aria-label=Model]") == "0"
        assert "Paris" in page.inner_text("header")
