from pathlib import Path

import pytest

from contrapose.retrieve import suites
from tests.unit.project.conftest import sts

ROWS = ("dropout/simcse", {"encoder": "bert-base", "pooling": "mean"})
TABLE = sts(*ROWS, columns={"BQ": "bq_en", "LCQMC": "lcqmc_en"})
SETS = {task: {"kind": "senteval_cn", "task": task, "path": task} for task in ("bq_en", "lcqmc_en")}
OWN = {f"benchmarks.own_{task}": each for task, each in SETS.items()}
LLM = {"kind": "llm", "llm": "translator"}


@pytest.fixture
def translated(build):
    """Give a function (translator, entries of the catalog) that builds a project of one table."""

    def project(translator, catalog=None, table=TABLE, **config):
        made = {f"benchmarks.{task}": ... for task in SETS}  # the mini world's own
        named = {"llms.translator": {"endpoint": "python:contrapose_mini.loopback", "model": "translator"}}
        own = {"translator": translator, **made, **named, **(catalog or {})}
        return build({"one": table}, None, own, **config)

    return project


def test_a_language_model_translates_in_shards_and_counts_in_estimate_and_costs(translated, job):
    project = translated(LLM, shards={"generate": 3})
    requests = project.llm_requests
    assert requests.llm_roles == ["translator"]
    assert requests.corpora() == ["untranslated"]
    shards = [Path(path).parent.name for path in requests.translations_files()]
    assert shards == ["0-of-3", "1-of-3", "2-of-3"]
    assert len(requests.completions()) == 3
    (question,) = job(project, "generate_estimate").requests
    assert (question.corpus, question.requests.parsed_as) == ("untranslated", "translation")
    notes = project.about("own_one").notes
    assert "Translated by translator, a rule-based rewriter in place of a language model." in notes
    # It is not asked for a study without translated sets.
    other = translated(LLM, table=sts(*ROWS)).llm_requests
    assert other.llm_roles == other.corpora() == []


def test_a_local_model_costs_nothing(translated, tmp_path):
    project = translated({"kind": "seq2seq", "path": str(tmp_path / "opus-mt-zh-en")})
    requests = project.llm_requests
    assert requests.translations_files() == ["<results>/generate/translation/seq2seq.parquet"]
    assert requests.llm_roles == requests.completions() == []
    assert "Translated by opus-mt-zh-en." in project.about("own_one").notes


def test_a_catalog_may_have_translated_files_of_its_own(translated, inputs):
    project = translated(None, OWN)
    assert inputs(project, "own_one")["sets"] == ["<results>/retrieve/benchmarks/translated.parquet"]
    assert set(suites.sets_of(project, "translated")) == {f"own_{task}" for task in SETS}
    assert project.llm_requests.llm_roles == []
    assert len(project.about("own_one").runs) == 2


def test_as_many_pairs_are_translated_as_a_size_says_at_the_catalogs_scale(translated, job):
    assert job(translated(LLM), "retrieve_translated").size is None
    found = job(translated({**LLM, "size": "prompts", "seed": 4}), "retrieve_translated")
    assert found.model_dump() == {"size": 100, "seed": 4}
