"""The page's code outside a browser: run by Node, on the component that the package carries."""

import shutil
import subprocess
from pathlib import Path

COMPONENT = Path(__file__).parents[2] / "src/weightsmith/studio/page/weightsmith.js"
SECONDS = 600  # nobody waits so long, but a machine may be loaded
NO_NODE = "the page's code is tested with Node, which is not here: install Node 20 or newer"


def run_node(script: str, *arguments: Path) -> str:
    """Run a script of this folder, which gets the component first; return what it prints. Without Node it fails."""
    program = shutil.which("node")
    assert program is not None, NO_NODE
    assert COMPONENT.exists(), "the page is not built: write make web"
    command = [program, *map(str, (Path(__file__).with_name(script), COMPONENT, *arguments))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
