"""Compute tables of the gallery: `python -m benchmarks.gallery [--write] [NAME…]`."""

import sys

from benchmarks.gallery.latex import write_latex
from benchmarks.gallery.pages import PAGES, TABLES, in_page, replaced

if __name__ == "__main__":
    names = [name for name in sys.argv[1:] if name != "--write"] or list(TABLES)
    if unknown := [name for name in names if name not in TABLES]:
        sys.exit(f"there is no table {unknown[0]}: write some of {', '.join(TABLES)}")
    differ = 0
    for name in names:
        text = TABLES[name].text()
        same = in_page(name) == text
        if "--write" in sys.argv:
            replaced(name, text)
        differ += not same
        print(f"{name}: {'as in the page' if same else 'written' if '--write' in sys.argv else 'differs'}")
        if not same:
            print(text)
    if "--write" in sys.argv:
        for file in write_latex(PAGES / "latex"):
            print(f"latex/{file}: written")
    sys.exit(0 if "--write" in sys.argv or not differ else 1)
