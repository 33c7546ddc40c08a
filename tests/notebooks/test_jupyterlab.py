"""A notebook in JupyterLab, in a real browser: the figures run, as wide as the notebook, with the name of the model."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from tests.notebooks.test_notebooks import FOLDER, jupyter_environment
from tests.studio.conftest import browser as browser

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(find_spec("jupyterlab") is None, reason="JupyterLab is not here: pip install --group notebooks"),
]
SECONDS = 90 * 1000.0  # for a kernel that starts, and compiles; Playwright counts milliseconds


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start JupyterLab on this machine, and return its address; the token is part of it."""
    folder = tmp_path_factory.mktemp("lab")
    for name in ("tutorial", "exercises"):
        (folder / f"{name}.ipynb").write_bytes((FOLDER / f"{name}.ipynb").read_bytes())
    environment = jupyter_environment(folder)
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", f"--ServerApp.root_dir={folder}"]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, "--LabApp.news_url=None", "--LabApp.check_for_updates_class="
         "jupyterlab.NeverCheckForUpdate"],
        env=environment, cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        yield _address(Path(environment["JUPYTER_RUNTIME_DIR"]), server)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


def _address(folder: Path, server: "subprocess.Popen[bytes]") -> str:
    for _ in range(600):
        assert server.poll() is None, "JupyterLab has ended"
        for file in folder.glob("jpserver-*.json"):
            data = json.loads(file.read_text())
            address = f"{data['url']}lab/tree/{{name}}?reset&token={data['token']}"
            with urlopen(f"{data['url']}api/status?token={data['token']}"):
                return address
        time.sleep(0.1)
    raise AssertionError("JupyterLab does not start")


@pytest.mark.parametrize(("name", "frames", "title"), [("tutorial", 4, ""), ("exercises", 10, "your answer")])
def test_the_figures_of_a_notebook_run_in_jupyterlab(
    name: str, frames: int, title: str, lab: str, browser: Browser, tmp_path: Path
) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 1600}).new_page()
    page.set_default_timeout(SECONDS)
    page.goto(lab.format(name=f"{name}.ipynb"))
    idle = page.get_by_text("Python 3 (ipykernel) | Idle")
    idle.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    figures = page.locator("iframe.weightsmith")
    expect(figures).to_have_count(frames, timeout=SECONDS)
    idle.wait_for()
    shown = figures.first
    shown.scroll_into_view_if_needed()
    box = shown.bounding_box()
    assert box is not None
    assert box["width"] > 500
    assert box["height"] > 300
    inside = page.frame_locator("iframe.weightsmith").first
    expect(inside.locator("[data-weightsmith] [role=grid]").first).to_be_visible()
    assert title in str(shown.get_attribute("title"))  # for screen readers
    assert shown.get_attribute("title")
    page.screenshot(path=tmp_path / f"{name}.png")
    assert (
        page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr'] >> text=Traceback").count() == 0
    )
    page.context.close()
