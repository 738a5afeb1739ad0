"""Who scores the texts of a pair set, and what asking a language model for that takes."""

from contrapose.project import steps
from contrapose.project.costs import table_costs
from contrapose.tools import plan as plans
from contrapose.tools.dry_run import Job
from contrapose.tools.needs import Need, needs_of
from contrapose.tools.workload import Call
from tests.unit.project.conftest import sts

OF = "dropout"  # 960 sentences
JUDGED = (OF, "vicuna", "similarity")
WILDCARDS = dict(zip(("pairs", "llm", "prompt"), JUDGED, strict=True))
PAIRS = {
    "pairs.curated": {"kind": "curated", "pairs": OF, "llm": "vicuna"},
    "pairs.mined": {"kind": "mined", "pairs": "curated", "encoder": "bert-base"},
    "pairs.by_encoder": {"kind": "curated", "pairs": OF, "cross_encoder": "roberta-base"},
}


def test_a_language_model_that_scores_counts_in_plan_costs_and_journals(build, job):
    project = build({"one": sts("mined/simcse", costs=True)}, recipes=PAIRS)
    requests, rule = project.llm_requests, "generate_judgements"
    assert requests.judged == [JUDGED]  # asked for what the mined pairs are made from
    assert (requests.llm_roles, requests.corpora(), requests.all()) == (["vicuna"], [], [])
    assert requests.completions() == [
        "<results>/generate/judgements/dropout/vicuna-promptsimilarity/completions.parquet"
    ]
    assert [(each.corpus, each.requests.llm) for each in requests.scores()] == [("pairs/dropout", "vicuna")]
    spec = job(project, rule, **WILDCARDS)
    assert (spec.parsed_as, spec.llm) == ("score", "vicuna")
    assert project.rules.of(rule).used(project, WILDCARDS) == Need("llms", "vicuna")
    (run,) = table_costs(project, "own_one").runs.values()
    assert run.questions == [JUDGED]
    assert any("generate/judgements/dropout/vicuna-promptsimilarity.took" in file for file in run.jobs)
    assert steps.code(project, rule, WILDCARDS) in steps.request_codes(project)
    asked = [Job(rule, WILDCARDS)]
    (estimate,) = plans.llm_estimates(Call(project, asked))
    assert estimate.labels["corpus"] == "pairs/dropout"
    assert estimate.amounts["requests"] == 960
    assert {one.labels["files"] for one in plans.disk_files(Call(project, asked))} == {"journals, answers"}
    assert needs_of(project, asked) == [Need("llms", "vicuna")]


def test_rows_whose_answers_are_not_recorded_are_left_out(build):
    catalog = {"llms.vicuna": {"kind": "recorded", "path": "a.jsonl", "answers": {"1": "paraphrases"}}}
    project = build({"one": sts("curated/simcse")}, None, catalog, PAIRS)
    reason = "the entry 'vicuna' under `llms` has no recorded answers to prompt 'similarity'"
    assert project.lacking(project.pairs("curated")) == reason


def test_rows_whose_texts_by_label_are_not_recorded_are_left_out(build):
    catalog = {"llms.vicuna": {"kind": "recorded", "path": "a.jsonl", "answers": {"1": "paraphrases"}}}
    texts = {"kind": "llm_generated", "corpus": "wiki-1-1-small", "llm": "vicuna", "entries": 1}
    recipes = {"synthetic.chat": texts, "pairs.chat": {"kind": "dino", "texts": "chat"}}
    project = build({"one": sts("chat/simcse")}, None, catalog, recipes)
    reason = "the entry 'vicuna' under `llms` has no recorded answers to prompt 'dino-sentences-1-0'"
    assert project.lacking(project.pairs("chat")) == reason


def test_a_cross_encoder_asks_nobody(build):
    project = build({"one": sts("by_encoder/simcse")}, recipes=PAIRS)
    assert project.llm_requests.judged == []
    files = project.pairs("by_encoder").inputs(project.paths)
    assert files["relevance"] == "<results>/score/relevance/dropout/roberta-base.parquet"
