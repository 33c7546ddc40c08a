"""Tables of families: in which arithmetics each is right, and every n at which it fails in the others."""

import weightsmith as ws
from benchmarks.gallery.table import ARITHMETICS, Rows, Table, arithmetic, word
from weightsmith.library import papers

PAGES = {  # entry → page, and how far its lengths are decided
    "majority-soft": ("majority", 12),
    "majority-average-hard": ("majority", 12),
    "first": ("first-parity", 12),
    "parity": ("first-parity", 10),
    "parity-layer-norm": ("first-parity", 10),
    "dyck-1": ("dyck", 10),
    "dyck-2-depth-3": ("dyck", 6),
    "star-free": ("star-free", 8),
    "past": ("star-free", 8),
    "parity-chain": ("circuits", 8),
    "symbol-back": ("explosion", 8),
}
LONG_ENOUGH = 3600.0  # seconds: the table must not depend on the machine that computes it
MOST_STATES = 20_000  # of a machine; beyond that the verdict is unknown
SLOW = {("first", "float16")}  # its automaton takes minutes
LONG = {"first", "dyck-1", "dyck-2-depth-3", "majority-soft", "majority-average-hard", "symbol-back"}


def family_limits(name: str, up_to: int) -> Rows:
    """Return a row for each arithmetic: where the family is right, and the shortest failure."""
    entry = papers.find(name)
    rows: Rows = []
    for text in ARITHMETICS:
        if (name, text) in SLOW:
            continue
        (row,) = ws.limits(
            entry.family, entry.language, [arithmetic(text)], up_to, seconds=LONG_ENOUGH, states=MOST_STATES
        ).rows
        failure = "" if row.shortest is None else word(row.shortest)
        reason = next(iter(row.reasons.values()), "").split(": write ")[0]
        rows.append((text, row.summary(), failure or reason))
    return rows


def _table(name: str) -> Table:
    page, up_to = PAGES[name]
    columns = ("arithmetic", "right", "shortest failure")
    return Table(page, columns, lambda: family_limits(name, up_to), long=name in LONG)


TABLES = {f"limits-{name}": _table(name) for name in PAGES}
