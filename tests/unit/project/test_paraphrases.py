import pytest

from contrapose.generate.merge import pool as files_in_place
from contrapose.project import Project
from tests.unit.project.conftest import HOME, sts, write_text

FILE = {"kind": "recorded", "path": "./answers.jsonl", "answers": {"2": "five", "negative": "other"}}
PAIRS = {
    "pairs.own": {"kind": "paraphrase", "corpus": "simcse", "llm": "file"},
    "pairs.hard": {"kind": "paraphrase", "corpus": "simcse", "llm": "file", "negative_prompt": "negative"},
    "pairs.asked": {"kind": "paraphrase", "corpus": "simcse", "negative_prompt": "negative"},
}


def study(build):
    """Return a project with a table of trainings on published sentences."""
    table = sts("own/simcse", "hard/simcse", "own+prompt=1/simcse", "asked/simcse")
    return build({"one": table}, catalog={"llms.file": FILE}, recipes=PAIRS)


@pytest.fixture
def there(tmp_path):
    (tmp_path / "answers.jsonl").write_text('{"sentence": "a", "five": "b", "other": null}\n')


def test_nothing_is_estimated_planned_or_paid_for_recorded_answers(build, there):
    project = study(build)
    requests = project.llm_requests
    assert requests.questions == [("simcse", "chatgpt", "2"), ("simcse", "chatgpt", "negative")]
    assert requests.llm_roles == ["chatgpt"]
    assert project.llm("file").recorded(project, "file") == ["<results>/retrieve/recorded/file.parquet"]


def test_sentences_are_replaced_only_where_paraphrases_are_wanted_and_articles_are_there(build, there, job):
    project = study(build)
    asked = {"llm": "chatgpt", "prompt": "2"}
    merges = {
        (corpus, prompt): job(project, "generate_merge", corpus=corpus, **{**asked, "prompt": prompt})
        for corpus in ("wiki-1-1-small", "simcse")
        for prompt in ("2", "negative")
    }
    assert {key for key, merge in merges.items() if merge.corpus} == {("wiki-1-1-small", "2")}
    assert {key for key in merges if files_in_place(project, *key)} == {("wiki-1-1-small", "2")}
    assert {prompt: merge.parsed_as for (_, prompt), merge in merges.items()} == {
        "2": "paraphrases",
        "negative": "negative",
    }


def test_five_may_be_a_word_and_is_no_part_of_one(here):
    for name, text in (("a", "Five of {sentence}"), ("b", "fivefold {sentence}"), ("c", "15 {sentence}")):
        write_text(f"prompts/{name}.txt", text)
    project = Project({}, HOME)
    assert [project.entry("prompts", name).asked_for for name in ("1", "4", "a", "b", "c", "translate")] == [
        *["paraphrases"] * 3,
        *["negative"] * 3,
    ]


def test_a_pool_that_asks_for_one_paraphrase_has_one_slot_and_is_asked_of_every_sentence(build, job):
    pool = {
        "kind": "paraphrase",
        "corpus": "wiki-1-1",
        "prompt": "entailment",
        "negative_prompt": "contradiction",
    }
    project = build({"one": sts("pool/simcse")}, recipes={"pairs.pool": pool})
    pairs = project.pairs("pool")
    assert (pairs.slot_count(project), pairs.sides(project)) == (1, 3)
    assert pairs.rows(project) == project.sentences("wiki-1-1")
    asked = [
        (each.corpus, each.requests.prompt, each.requests.parsed_as) for each in project.llm_requests.all()
    ]
    assert asked == [("wiki-1-1", "contradiction", "negative"), ("wiki-1-1", "entailment", "paraphrase")]
    merge = job(project, "generate_merge", corpus="wiki-1-1", llm="chatgpt", prompt="entailment")
    assert merge.corpus
    assert len(merge.template) == 4
    assert [each.sentence[:9] for each in merge.examples] == ["The ferry", "Two boys "]
