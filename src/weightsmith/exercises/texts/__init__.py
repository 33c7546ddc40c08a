"""The texts of the exercises: one Markdown file each, with a statement, a template and hints."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SECTION = re.compile(r"^## (Template|Hint)\n", re.MULTILINE)


@dataclass(frozen=True)
class Text:
    """The text of one exercise."""

    title: str
    statement: str
    template: str
    hints: tuple[str, ...]


@cache
def text_of(number: int, name: str) -> Text:
    """Read the text of an exercise."""
    whole = Path(__file__).with_name(f"{number:02}-{name}.md").read_text(encoding="utf-8")
    begin, *rest = SECTION.split(whole)
    title, _, statement = begin.partition("\n")
    sections = [(kind, text.strip()) for kind, text in zip(rest[::2], rest[1::2], strict=True)]
    (template,) = (text for kind, text in sections if kind == "Template")
    hints = tuple(text for kind, text in sections if kind == "Hint")
    code = template.removeprefix("```python\n").removesuffix("```")
    return Text(title.removeprefix("# "), statement.strip(), code, hints)
