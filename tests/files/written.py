"""Files of any tensors and any metadata text, for tests."""

from pathlib import Path

from weightsmith.files.container import Tensors, container_bytes


def write_container(path: Path, tensors: Tensors, metadata: str) -> None:
    """Write tensors and one metadata text."""
    path.write_bytes(container_bytes(tensors, metadata))
