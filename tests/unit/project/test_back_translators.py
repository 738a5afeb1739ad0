import pytest

from contrapose.project import steps
from contrapose.project.costs import table_costs
from contrapose.tools import plan as plans
from contrapose.tools.check_files import check_files
from contrapose.tools.dry_run import Job
from contrapose.tools.needs import Need, needs_of
from contrapose.tools.workload import Call
from tests.unit.project.conftest import sts

WILDCARDS = {"corpus": "wiki-1-1-small", "translator": "german"}
PAIRS = {"kind": "backtranslation", "corpus": "wiki-1-1-small", "translator": "german"}
SOURCE = {"kind": "seq2seq", "there": "en-de", "back": "de-en"}
LLM = {"kind": "llm", "llm": "chatgpt"}
QUESTIONS = [("wiki-1-1-small", "chatgpt", prompt) for prompt in ("into_german", "from_german")]


@pytest.fixture
def plan(build, tmp_path):
    """Give a function (back-translator, folders that are there, entries of the catalog) -> project."""

    def project(source, *folders, **given):
        for name in folders:
            (tmp_path / name).mkdir()
            (tmp_path / name / "config.json").write_text("{}")
            (tmp_path / name / "model.safetensors").touch()
        catalog = {"back_translators": {"german": source}, **given}
        return build({"one": sts("german/simcse", costs=True)}, None, catalog, {"pairs.german": PAIRS})

    return project


def test_both_folders_are_what_a_job_depends_on(plan):
    project = plan(SOURCE, "en-de", "de-en")
    assert project.source("back_translators", "german").both(project, "german") == {
        way: [f"{folder}/config.json", f"{folder}/model.safetensors"]
        for way, folder in (("there", "en-de"), ("back", "de-en"))
    }
    made = "<results>/generate/backtranslation/wiki-1-1-small/german/backtranslations.parquet"
    assert project.pairs("german").inputs(project.paths)["backtranslations"] == made
    notes = project.about("own_one").notes
    assert any("sentences and their back-translations by en-de and de-en" in note for note in notes)
    (finding,) = check_files(project, Need("back_translators", "german"))
    assert (finding.level, finding.what) == ("missing", "back_translators.german")  # the weights are empty


def test_a_language_model_is_asked_both_ways_and_counts_in_estimate_plan_and_costs(plan, job):
    project, rule = plan(LLM), "generate_llm_backtranslation"
    requests, asked = project.llm_requests, Job(rule, WILDCARDS)
    assert (requests.llm_roles, requests.corpora()) == (["chatgpt"], ["wiki-1-1-small"])
    folder = "<results>/generate/backtranslation/wiki-1-1-small/german"
    assert requests.completions() == [f"{folder}/completions.parquet"]
    there, back = requests.all()
    assert [there.requests.prompt, back.requests.prompt, back.source] == [
        "into_german",
        "from_german",
        there.requests,
    ]
    assert job(project, rule, **WILDCARDS).model_dump() == {
        "there": there.requests.model_dump(),
        "back": back.requests.model_dump(),
    }
    code = steps.code(project, rule, WILDCARDS)
    assert code in job(project, "generate_estimate").codes
    (run,) = table_costs(project, "own_one").runs.values()
    assert run.questions == QUESTIONS
    assert [file.removeprefix("<logs>/generate/") for file in run.jobs[1:]] == [
        "backtranslation/wiki-1-1-small/german/backtranslations.took.json"
    ]
    both = plans.llm_estimates(Call(project, [asked]))
    assert [(one.labels["corpus"], one.labels["llm"], one.labels["prompt"]) for one in both] == QUESTIONS
    assert [one.amounts["requests"] for one in both] == [960, 960]
    assert needs_of(project, [asked]) == [Need("llms", "chatgpt")]
    assert check_files(project, Need("back_translators", "german")) == []
    notes = project.about("own_one").notes
    assert any("their back-translations by divergent, a rule-based rewriter" in note for note in notes)


def test_hard_negatives_mined_for_back_translations_are_asked_for_too(build):
    pairs = {
        "pairs.german": PAIRS,
        "pairs.mined": {"kind": "mined", "pairs": "german", "encoder": "bert-base"},
    }
    project = build({"one": sts("mined/simcse")}, None, {"back_translators": {"german": LLM}}, pairs)
    assert project.llm_requests.back_translated == [("wiki-1-1-small", "german")]
