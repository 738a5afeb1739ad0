"""Pairs from texts of models on this machine: their files, jobs and needs, and what is said about them."""

import pytest

from tests.unit.project.conftest import sts

CORPUS = "wiki-1-1-small"  # 960 sentences
T5 = {"kind": "hub", "model": "a/t5", "revision": "a" * 40}
ENTRIES = {
    "queries": {"kind": "queries", "corpus": CORPUS, "writer": "t5"},
    "entailed": {"kind": "entailments", "corpus": CORPUS, "writer": "t5"},
    "masked": {"kind": "masked_words", "corpus": CORPUS, "filler": "bert-base", "slots": 2},
}


@pytest.fixture
def plan(build):
    """Give a function (row of a table, source of the encoder-decoder) -> project."""

    def project(row="entailed/simcse", t5=T5):
        recipes = {f"pairs.{name}": each for name, each in ENTRIES.items()}
        return build({"one": sts(row, costs=True)}, None, {"language_models.t5": t5}, recipes)

    return project


@pytest.mark.parametrize(
    ("given", "name", "count"), [("", "3", 3), ("+queries=5", "5", 5), ("+queries=auto", "auto", 261)]
)
def test_the_number_of_queries_or_auto_is_in_their_file(plan, job, given, name, count):
    project = plan()
    pairs = project.pairs(project.pairs_id(f"queries{given}"))
    made = f"<results>/generate/queries/{CORPUS}/t5/{name}.parquet"
    assert pairs.inputs(project.paths)["paraphrases"] == made
    assert (pairs.slot_count(project), pairs.rows(project)) == (count, 960 * count)  # 250,000 / 960 = 260.4
    written = job(project, "generate_queries", corpus=CORPUS, writer="t5", queries=name)
    assert str(written.queries) == name
    assert written.hub.model == "a/t5"


def test_a_sentence_has_an_entailment_and_a_contradiction_that_cost_a_job(plan):
    project = plan()
    pairs = project.pairs("entailed")
    assert pairs.sides(project) == 3
    assert pairs.jobs(project.paths) == [f"<results>/generate/entailments/{CORPUS}/t5"]
    notes = project.about("own_one").notes
    assert any("960 sentences, an entailment and a contradiction of each" in note for note in notes)
    lacking = plan(t5=None)
    assert lacking.lacking_entry("pairs", "entailed") == "this catalog has no model at language_models.t5"


def test_a_job_fills_masks_as_its_file_says(plan, job):
    project = plan("masked+rate=0.3+choice=drawn/simcse")
    pairs = project.pairs(project.pairs_id("masked+rate=0.3+choice=drawn"))
    made = f"<results>/generate/masked_words/{CORPUS}/bert-base/0.3-drawn-draw1-slots2.parquet"
    assert pairs.inputs(project.paths)["paraphrases"] == made
    names = {"corpus": CORPUS, "filler": "bert-base"}
    names |= {"rate": "0.3", "choice": "drawn", "draw": "1", "slots": "2"}
    filling = job(project, "generate_masked_words", **names)
    assert {key: getattr(filling, key) for key in ("rate", "choice", "seed", "slots")} == {
        key: getattr(pairs, key) for key in ("rate", "choice", "seed", "slots")
    }
