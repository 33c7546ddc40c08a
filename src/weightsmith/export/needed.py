"""What an exporter needs and Weightsmith does without: refused by name where it is not installed."""

from importlib.util import find_spec

from weightsmith.errors import ExportError, listed
from weightsmith.model import Transformer
from weightsmith.model.places import checked


def installed(package: str) -> bool:
    """Say whether a package can be imported."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # it is hidden, as in `sys.modules[package] = None`
        return False


def readable(T: Transformer, what: str) -> None:
    """Refuse a transformer with a readout, whose codes no target reads yet: they all give logits."""
    if checked(T).readout is not None:
        raise ExportError(
            f"{what} needs classes, and this transformer has a readout of {listed(T.readout.lanes)}: "  # type: ignore[union-attr]
            "write replace(T, readout=None, classes=(…), output=…) for logits, or run(T, …).outputs for what it says"
        )


def needed(package: str, what: str) -> None:
    """Refuse to make something without the package that it needs."""
    if not installed(package):
        raise ExportError(f"{what} needs {package}: write pip install 'weightsmith[export]'")
