"""The folder that the user named: the model files in it, and nothing above or behind it."""

import os
import stat
from pathlib import Path

from weightsmith.errors import FileError, brief
from weightsmith.storage import refusals
from weightsmith.studio.refusal import StudioError

ENDING = ".safetensors"


class Folder:
    """A folder that stays open, so that a link put in its place later leads nowhere."""

    def __init__(self, path: str | os.PathLike[str], listed: int) -> None:
        """Open a folder; at most `listed` files are listed."""
        self.listed = listed
        with refusals("cannot open the folder", path):
            self.place = os.open(Path(path), os.O_RDONLY | os.O_DIRECTORY)

    def names(self) -> list[str]:
        """Return the names of the model files, in order, without links, folders and hidden files."""
        try:
            with os.scandir(self.place) as entries:
                found = [entry.name for entry in entries if _is_model(entry)]
        except OSError:
            return []
        return sorted(found)[: self.listed]

    def read(self, name: str, most: int) -> bytes:
        """Return the bytes of a listed file; a path, a link or `..` is refused."""
        if name not in self.names():
            raise StudioError(404, f"there is no model file {brief(name)} in the folder")
        try:
            with refusals("cannot read", name):
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # it may have become a link or a pipe meanwhile
                with open(os.open(name, flags, dir_fd=self.place), "rb") as file:
                    status = os.fstat(file.fileno())
                    if not stat.S_ISREG(status.st_mode):
                        raise FileError("it is not a regular file")
                    if status.st_size > most:
                        raise FileError(f"it has {status.st_size:,} bytes, at most {most:,} are read")
                    return file.read(most)
        except FileError as error:
            raise StudioError(422, str(error)) from None

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self.place)


def _is_model(entry: os.DirEntry[str]) -> bool:
    named = entry.name.endswith(ENDING) and not entry.name.startswith(".") and entry.name.isprintable()
    return named and entry.is_file(follow_symlinks=False)
