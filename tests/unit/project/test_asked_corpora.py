from contrapose.tools.batch import requests_of
from contrapose.tools.dry_run import Job
from contrapose.tools.plan import llm_estimates
from contrapose.tools.workload import Call
from tests.unit.project.conftest import sts

CORPUS = {"kind": "llm_generated", "size": 95, "choices": {"topic": ["banks", "cards"]}}
RECIPES = {
    "corpora.invented": CORPUS,
    "pairs.invented": {"kind": "paraphrase", "corpus": "invented", "prompt": "entailment"},
}


def study(build):
    return build({"one": sts("invented/simcse")}, recipes=RECIPES)


def test_both_steps_are_asked_and_only_the_first_needs_no_table(build, job):
    project = study(build)
    asked = {each.requests.prompt: each for each in project.llm_requests.all()}
    assert {name: each.count for name, each in asked.items()} == {"invented": 10, "entailment": 95}
    assert project.llm_requests.corpora() == []
    assert project.llm_requests.llm_roles == ["chatgpt"]
    spec = job(project, "generate_sentences", corpus="invented")
    assert (spec.count, spec.size, spec.answer_tokens) == (10, 95, 390)
    assert spec.choices["topic"] == ["banks", "cards"]
    assert spec.choices["number"] == ["10"]
    assert len(spec.choices["genre"]) == 16
    assert "sentences written by divergent" in project.pairs("invented").material(project).note


def test_a_plan_and_a_batch_know_the_requests(build, tmp_path):
    project = study(build)
    jobs = [Job("generate_sentences", {"corpus": "invented"})]
    [one] = llm_estimates(Call(project, jobs))
    assert (one.labels["corpus"], one.amounts["requests"]) == ("invented", 10)
    [(asked, texts)] = requests_of(project, "chatgpt", str(tmp_path))
    assert (asked.requests.prompt, len(texts)) == ("invented", 10)  # its sentences are not there yet


def test_recorded_answers_without_the_prompt_leave_the_row_out(build, tmp_path):
    (tmp_path / "answers.jsonl").write_text('{"sentence": "a", "five": "b"}\n')
    recorded = {"kind": "recorded", "path": "./answers.jsonl", "answers": {"2": "five"}}
    project = build(
        {"one": sts("own/simcse")},
        catalog={"llms.file": recorded},
        recipes={
            "corpora.invented": {**CORPUS, "llm": "file"},
            "pairs.own": {"kind": "dropout", "corpus": "invented"},
        },
    )
    assert (
        "the entry 'file' under `llms` has no recorded answers to prompt 'invented'"
        in project.lacking_entry("pairs", "own")
    )
    assert project.llm_requests.all() == []


def test_pairs_that_state_no_language_have_that_of_their_corpus(build, job):
    cut = {"pairs.cut": {"kind": "deletion", "corpus": "invented"}}
    japanese = {**RECIPES, "corpora.invented": {**CORPUS, "language": "japanese"}}
    project = build({"one": sts("cut/simcse")}, recipes={**japanese, **cut})
    assert project.pairs("cut").language is None
    assert job(project, "score_paraphrase_quality_of_pairs", pairs="cut").language == "japanese"
