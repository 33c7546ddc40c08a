"""The text model that is shipped: small, reproducible in what it says, with the facts of its fables."""

import json
from pathlib import Path

from benchmarks import shipped

import weightsmith as ws
from tests.studio.engine import Cases
from weightsmith.cli.info import weights_by_part
from weightsmith.train.fable_texts import EATS, LIVES_IN, TEXTS

STORY = (Path(shipped.__file__).parents[1] / "docs" / "lecture" / "story.md").read_text()
LOST = (
    "A young {} lost its way in the forest . It asked a quiet owl : where is my home ? The owl asked : what do you "
    "eat ? I eat"
)


def test_it_knows_what_every_animal_eats_and_where_it_lives() -> None:
    T = ws.library.storyteller()
    asked = [LOST.format(animal) for animal in EATS]
    assert ws.decisions(T, asked) == list(EATS.values())
    then = " {} , said the young {} . Then your home is the"
    further = [text + then.format(EATS[one], one) for one, text in zip(EATS, asked, strict=True)]
    assert ws.decisions(T, further) == list(LIVES_IN.values())


def test_it_tells_the_fable_of_the_page() -> None:
    T = ws.library.storyteller()
    told = " ".join(ws.generate(T, "Once a", 61, temperature=0.8, top_k=8, seed=2))
    assert told in " ".join(STORY.split())


def test_the_figures_of_the_page_are_those_of_the_training() -> None:
    found = json.loads(shipped.DATA.read_text())
    T = ws.library.storyteller()
    assert (T.weights, len(T.vocabulary)) == (found["weights"], found["different"])
    assert T.provenance[1] == found["how"]
    page = " ".join(STORY.split())
    for said in (f"{T.weights:,} weights", f"{found['loss']} nats per word", f"{found['bytes'] // 1000} kB"):
        assert said in page, said
    steps, _, validated = zip(*found["losses"], strict=True)
    assert steps[-1] == shipped.LEARNING.steps
    assert validated[-1] < 0.25 < 1.5 < validated[0]


def test_most_weights_of_its_blocks_are_in_the_feed_forward_layers() -> None:
    parts = weights_by_part(ws.library.storyteller())
    assert parts["feed-forward"] > 1.9 * parts["attention"]
    small = weights_by_part(ws.library.eiffel())
    assert small["feed-forward"] < small["attention"]


def test_the_files_that_are_shipped_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in shipped.MODELS.glob("*")}
    assert set(sizes) == {f"{example.name}.safetensors.gz" for example in ws.library.TRAINED}
    assert sum(sizes.values()) < 300_000


def test_the_texts_that_it_learnt_from_are_here_and_the_same_with_every_seed() -> None:
    assert ws.train.fables(2000, seed=5) == ws.train.fables(2000, seed=5)
    text = ws.train.fables(50_000)
    assert set(ws.library.storyteller().vocabulary) >= set(text.split())
    assert all(known in text for known in TEXTS)
    for line in text.splitlines()[:300]:
        for animal in EATS:
            if f"A young {animal} lost" in line:
                assert f"I eat {EATS[animal]} ," in line


def test_the_page_runs_it_bit_for_bit(tmp_path: Path) -> None:
    cases = Cases(tmp_path)
    cases.add_model(ws.library.storyteller(), [["Once", "a", "clever", "hen", "lived", "in"], ["?"]])
    cases.assert_equal()
