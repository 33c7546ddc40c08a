"""What an exporter needs and Weightsmith does without: refused by name where it is not installed."""

from importlib.util import find_spec

from weightsmith.errors import ExportError


def installed(package: str) -> bool:
    """Say whether a package can be imported."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # it is hidden, as in `sys.modules[package] = None`
        return False


def needed(package: str, what: str) -> None:
    """Refuse to make something without the package that it needs."""
    if not installed(package):
        raise ExportError(f"{what} needs {package}: write pip install 'weightsmith[export]'")
