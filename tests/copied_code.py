"""Code that stands beside a model of Hugging Face, which its library copies and imports as `transformers_modules`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PACKAGE = "transformers_modules"
LIBRARY = "transformers.dynamic_module_utils"


@contextmanager
def copied_code(folder: Path) -> Iterator[Path]:
    """Keep what is copied in a folder, not in that of whoever runs the tests; what came from another is imported anew.

    The library reads its settings once, when it is imported, and another test may have done that. Its package is in
    one folder: where tests of one process use several, the second would be looked for in the first.
    """
    path = list(sys.path)
    package = sys.modules.get(PACKAGE)
    if package is not None and not any(Path(place).is_relative_to(folder) for place in package.__path__):
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_MODULES_CACHE", str(folder))
        if LIBRARY in sys.modules:
            patch.setattr(f"{LIBRARY}.HF_MODULES_CACHE", str(folder))
        yield folder
    sys.path[:] = path
