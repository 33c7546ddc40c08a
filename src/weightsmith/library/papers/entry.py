"""What an entry of the gallery is: a theorem, a family of models that it is about, and the language."""

from dataclasses import dataclass

from weightsmith.automata.languages import Describing
from weightsmith.errors import InputError, listed, named, nearest_names
from weightsmith.model import Family


@dataclass(frozen=True)
class Paper:
    """A publication, as one cites it."""

    key: str  # "chiang-cholak-2022"
    authors: str
    title: str
    venue: str
    year: int
    doi: str = ""

    def __str__(self) -> str:
        """Return the citation as a line."""
        link = f", doi:{self.doi}" if self.doi else ""
        return f"{self.authors}. {self.title}. {self.venue}, {self.year}{link}"


@dataclass(frozen=True)
class Entry:
    """A published construction that runs: the family recognizes the language, and `claim` says where."""

    name: str  # "first", as on the command line
    paper: Paper
    theorem: str  # where the paper has it
    statement: str  # the theorem, in our words
    family: Family
    language: Describing  # of the inputs, without the suffix of the family
    claim: str  # where the construction is right, and where not: each part is tested
    note: str = ""  # where our construction departs from the paper's


def entry(name: str, entries: tuple[Entry, ...]) -> Entry:
    """Return the entry of a name."""
    for one in entries:
        if one.name == name:
            return one
    names = [one.name for one in entries]
    hint = nearest_names(name, names) if isinstance(name, str) else ""
    raise InputError(f"there is no construction {named(name)}: {hint}write one of {listed(names)}")
