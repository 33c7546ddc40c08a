"""What the pages of the documentation promise about themselves."""

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_each_of_the_answers_has_at_most_five_lines() -> None:
    setup, *answers = BLOCK.findall((DOCS / "five-lines.md").read_text())
    assert len(answers) == 12
    for answer in (setup, *answers):
        assert len([line for line in answer.splitlines() if line.strip()]) <= 5, answer


def test_the_tutorial_is_written_by_lane_names() -> None:
    code = "\n".join(BLOCK.findall((DOCS / "tutorial.md").read_text()))
    assert "lanes.index" not in code
    assert "None" not in code
    assert "W_Q" not in code


def test_no_page_reads_the_stream_by_the_place_of_a_lane() -> None:
    for page in DOCS.glob("*.md"):
        assert "lanes.index" not in page.read_text(), page.name
