"""Who translates in a world, and what is asked, scored and printed because of it."""

from pathlib import Path

import pytest
import yaml
from contrapose.plan import Plan

from contrapose.errors import ConfigError

HOME = Path(__file__).parents[2]
STUDY = {
    "title": "Translated sets",
    "source": "a test",
    "prefix": "",
    "tables": {
        "translated": {
            "kind": "sts",
            "caption": "Two sets.",
            "columns": {"BQ": "bq_en", "LCQMC": "lcqmc_en"},
            "rows": [
                {"model": "SimCSE", "pairs": "dropout+corpus=wiki-1-1-small", "recipe": "simcse"},
                {"model": "as it is", "encoder": "bert-base", "pooling": "avg"},
            ],
        }
    },
}
OWN = {f"own_{task}": {"kind": "senteval_cn", "task": task, "path": task} for task in ("bq_en", "lcqmc_en")}
LLM = {"kind": "llm", "llm": "translator"}


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """Build a plan of one table of translated sets in the mini world with another translator."""
    monkeypatch.chdir(tmp_path)

    def build(translator, benchmarks=None, studies=("translated",), **config):
        world = yaml.safe_load((HOME / "config/worlds/mini.yaml").read_text())
        world["translator"] = translator
        world["benchmarks"] |= benchmarks or {}
        files = {
            "worlds/own.yaml": {**world, "benchmarks": {k: v for k, v in world["benchmarks"].items() if v}},
            "studies/translated/study.yaml": STUDY,
        }
        for name, content in files.items():
            (tmp_path / "config" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "config" / name).write_text(yaml.safe_dump(content, allow_unicode=True))
        return Plan({"world": "own", "studies": list(studies), **config}, HOME)

    return build


def message(call) -> str:
    with pytest.raises(ConfigError) as raised:
        call()
    return str(raised.value)


def test_a_language_model_translates_in_shards_and_counts_in_estimate_and_costs(planned):
    plan = planned(LLM, shards={"generate": 3})
    assert plan.llm_roles == ["translator"]
    assert plan.asked_corpora() == ["untranslated"]
    assert [Path(path).parent.name for path in plan.translation_inputs()] == ["0-of-3", "1-of-3", "2-of-3"]
    assert len(plan.completion_inputs()) == 3
    (question,) = plan.generate_estimate().questions
    assert (question.corpus, question.job.wanted) == ("untranslated", "translation")
    assert "Translated by translator, a rewriter by rules that stands in." in (
        plan.report_sts_table("translated").notes
    )


def test_it_is_not_asked_for_a_study_without_translated_sets(planned):
    plan = planned(LLM, studies=["thesis"])
    assert "translator" not in plan.llm_roles
    assert "untranslated" not in plan.asked_corpora()


def test_a_local_model_costs_nothing(planned, tmp_path):
    plan = planned({"kind": "seq2seq", "path": str(tmp_path / "opus-mt-zh-en")})
    assert plan.translation_inputs() == ["<results>/generate/translation/seq2seq.parquet"]
    assert plan.llm_roles == plan.completion_inputs() == []
    assert "Translated by opus-mt-zh-en." in plan.report_sts_table("translated").notes
    assert "translator.path" in message(plan.translator_inputs)  # no folder is there


def test_a_world_may_have_translated_files_of_its_own(planned):
    plan = planned(None, OWN)
    assert plan.scored_sets_inputs("translated") == ["<results>/retrieve/benchmarks/translated.parquet"]
    assert set(plan.retrieve_benchmarks("translated")) == set(OWN)
    assert plan.llm_roles == []
    assert len(plan.runs_of("translated")) == 2


def test_a_world_without_translated_sets_keeps_the_rows_and_trains_nothing_for_them(planned):
    plan = planned(None)
    job = plan.report_sts_table("translated")
    assert [(row.model, row.trained) for row in job.rows] == [("SimCSE", True), ("as it is", False)]
    assert {row.note for row in job.rows} == {"left out: this world has none of the translated sets"}
    assert plan.runs_of("translated") == plan.trained_runs("translated") == []
    assert plan.scored_sets_inputs("translated") == []
    assert "names none" in message(plan.corpus_untranslated)
    assert "or name a translator" in message(lambda: plan.retrieve_benchmarks("translated"))


def test_as_many_pairs_are_translated_as_a_size_says_at_the_worlds_scale(planned):
    assert planned(LLM).retrieve_translated().pairs is None
    assert planned({**LLM, "size": "prompts", "seed": 4}).retrieve_translated().model_dump() == {
        "pairs": 100,
        "seed": 4,
    }


@pytest.mark.parametrize(
    ("translator", "benchmarks", "said"),
    [
        (LLM, OWN, "'own_bq_en' is a translated set, and the world has a translator"),
        (LLM, {"bq": None}, "no set of task bq to translate"),
        ({**LLM, "llm": "googel"}, {}, "llms of the world has no entry 'googel'"),
        ({**LLM, "size": "smal"}, {}, "sizes of the world has no entry 'smal'. Did you mean 'small'?"),
        ({**LLM, "prompt": "interpret"}, {}, "config/prompts/interpret.txt"),
    ],
)
def test_what_does_not_fit_together_stops_before_the_first_job(planned, translator, benchmarks, said):
    assert said in message(lambda: planned(translator, benchmarks))


def test_another_language_model_than_the_translator_is_not_asked_to_translate(planned):
    assert "llms.vicuna is not the translator" in message(lambda: planned(LLM).generate_translate("vicuna"))
