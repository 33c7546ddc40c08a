"""The sentences of a page of the documentation."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*`\[])")


def sentences_of(page: str) -> list[str]:
    """Return the sentences of a page in order: those of paragraphs and lists, and each row of a table as one.

    Code, titles and the first rows of tables are left out. A colon ends a sentence if a capital letter follows.
    """
    text = re.sub(r"```.*?```", "", (DOCS / page).read_text(), flags=re.DOTALL)
    found = list[str]()
    for paragraph in re.split(r"\n\s*\n|\n(?=- |\d+\. |\| )", text):
        plain = " ".join(re.sub(r"^(- |\d+\. )", "", paragraph.strip()).split())
        if plain.startswith("|"):
            found += [plain] if re.match(r"\| (?!-)", plain) else []
        elif plain and not plain.startswith("#"):
            found += END.split(plain)
    return [sentence for sentence in found if not re.fullmatch(r"\| (code|field|weighting) \|.*", sentence)]
