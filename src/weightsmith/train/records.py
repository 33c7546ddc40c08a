"""Records of a training, and its files: a log of JSON lines, and what a picture needs too."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from weightsmith.errors import MAX_ECHO, FileError, InputError, named, reason
from weightsmith.storage import write_whole

FORMATS = {"svg": ("Date",), "png": (), "pdf": ("CreationDate",)}  # and what of each would differ from day to day


@dataclass(frozen=True)
class Record:
    """The losses and counts after some steps."""

    step: int
    train_loss: float  # of a fixed sample of what is learnt from
    validation_loss: float  # measured in the same way, of what is held back
    rate: float
    seconds: float  # since training began, over all its runs
    tokens: int  # learnt from so far


def write_log(path: Path, history: Sequence[Record]) -> None:
    """Write all records so far; a training that goes on from a checkpoint writes those of before again."""
    lines = [json.dumps(asdict(record)) + "\n" for record in history]
    write_file(path, "".join(lines).encode())


def picture_format(path: Path) -> str:
    """Return the format of a picture, which its name ends with; refuse others."""
    path = Path(path)
    name = path.suffix.lower().removeprefix(".")
    if name not in FORMATS:
        ends = f"ends in {named(path.suffix)}" if path.suffix else "has no ending"
        raise InputError(
            f"{named(str(path), MAX_ECHO)} {ends}, and a picture can be {', '.join(FORMATS)}: "
            f"write {named(f'{path.parent / path.stem}.png', MAX_ECHO)}"
        )
    return name


def write_file(path: Path, data: bytes) -> None:
    """Write a file, or say why it cannot be written."""
    with refusals(path):
        write_whole(path, data)


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """Name the file in errors."""
    try:
        yield
    except (FileError, OSError) as error:
        raise FileError(f"cannot write {named(str(path), MAX_ECHO)}: {reason(error)}") from None
