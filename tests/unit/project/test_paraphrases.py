"""What is asked for paraphrases and hard negatives, of endpoints and of recorded answers."""

from pathlib import Path

import pytest

from contrapose.errors import ConfigError
from contrapose.project import Project
from contrapose.tools.check.llms import check_llm

HOME = Path(__file__).parents[3]
FILE = {"kind": "recorded", "path": "./answers.jsonl", "answers": {"2": "five", "negative": "other"}}
PAIRS = {
    "pairs.own": {"kind": "paraphrase", "corpus": "simcse", "llm": "file"},
    "pairs.hard": {"kind": "paraphrase", "corpus": "simcse", "llm": "file", "negative_prompt": "negative"},
    "pairs.asked": {"kind": "paraphrase", "corpus": "simcse", "negative_prompt": "negative"},
}
ROWS = {"own": "own", "hard": "hard", "other": "own+prompt=1", "asked": "asked"}


def study(build, rows=ROWS, file=FILE, **recipes):
    """Return a project with a table of trainings on published sentences."""
    made = [{"model": each, "pairs": pairs, "recipe": "simcse"} for each, pairs in rows.items()]
    table = {"kind": "sts", "caption": "c", "columns": {"B": "stsb"}, "rows": made}
    return build({"one": table}, world={"llms.file": file}, recipes={**PAIRS, **recipes})


@pytest.fixture
def there(tmp_path):
    (tmp_path / "answers.jsonl").write_text('{"sentence": "a", "five": "b", "other": null}\n')


def notes(project):
    return {row.model: row.note for row in project.reports.table_rows("own_one")}


def test_rows_without_the_file_or_the_prompt_are_left_out_and_say_why(build, there, tmp_path):
    project = study(build)
    found = notes(project)
    assert found["other"] == "left out: the recorded answers of 'file' have no answer to prompt '1'"
    assert not found["own"].startswith("left out")
    assert not found["hard"].startswith("left out")
    (tmp_path / "answers.jsonl").unlink()
    found = notes(study(build))
    assert found["own"] == found["hard"] == "left out: ./answers.jsonl is missing"
    assert not found["asked"].startswith("left out")


def test_nothing_is_estimated_planned_or_paid_for_recorded_answers(build, there):
    asking = study(build).asking
    assert asking.questions == [("simcse", "chatgpt", "2"), ("simcse", "chatgpt", "negative")]
    assert asking.llm_roles == ["chatgpt"]
    assert asking.recorded("file") == ["<results>/retrieve/recorded/file.parquet"]


def test_a_change_of_the_endpoint_leaves_recorded_answers(edited):
    project = edited("worlds/mini.yaml", {"llms.file": FILE}, endpoint="http://127.0.0.1:9/v1")
    assert project.asking.connection("file").endpoint == "recorded"


def test_sentences_are_replaced_only_where_paraphrases_are_wanted_and_articles_are_there(build, there, job):
    project = study(build)
    asked = {"llm": "chatgpt", "prompt": "2"}
    merges = {
        (corpus, prompt): job(project, "generate_merge", corpus=corpus, **{**asked, "prompt": prompt})
        for corpus in ("wiki-1-1-small", "simcse")
        for prompt in ("2", "negative")
    }
    assert {key for key, merge in merges.items() if merge.corpus} == {("wiki-1-1-small", "2")}
    assert {key for key in merges if project.asking.pool(*key)} == {("wiki-1-1-small", "2")}
    assert {prompt: merge.wanted for (_, prompt), merge in merges.items()} == {
        "2": "paraphrases",
        "negative": "negative",
    }


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({"prompt": "negative"}, "prompt 'negative' does not say 5 or five"),
        ({"negative_prompt": "1"}, "negative_prompt '1' says 5 or five"),
    ],
)
def test_a_prompt_in_the_wrong_place_is_refused(build, there, pairs, message):
    entry = {**PAIRS["pairs.hard"], "llm": "chatgpt", **pairs}
    with pytest.raises(ConfigError, match=message):
        study(build, **{"pairs.hard": entry})


def test_five_may_be_a_word_and_is_no_part_of_one(build, tmp_path):
    prompts = tmp_path / "config" / "prompts"
    prompts.mkdir(parents=True)
    for name, text in (("a", "Five of {sentence}"), ("b", "fivefold {sentence}"), ("c", "15 {sentence}")):
        (prompts / f"{name}.txt").write_text(text)
    asking = Project({}, HOME).asking
    assert [asking.wanted(name) for name in ("1", "4", "a", "b", "c", "translate")] == [
        *["paraphrases"] * 3,
        *["negative"] * 3,
    ]


def test_answers_to_a_prompt_that_a_file_lacks_are_an_error_where_no_row_can_be_left_out(build, there, job):
    project = study(build)
    with pytest.raises(ConfigError, match=r"llms\.file\.answers: .* no answer to prompt '1'\. Name the key"):
        job(project, "generate_paraphrase", corpus="simcse", llm="file", prompt="1")
    with pytest.raises(ConfigError, match=r"llms\.chatgpt: is an endpoint, not a file"):
        job(project, "retrieve_recorded", llm="chatgpt")


def test_a_check_reads_the_file(build, there, tmp_path):
    project = study(build)
    assert [*check_llm(project, "file")] == [("fine", "llms.file.path", "1 answers")]
    (tmp_path / "answers.jsonl").write_text("{\n")
    [found] = check_llm(project, "file")
    assert found.level == "missing"
    assert "answers.jsonl, line 1: is not valid JSON" in found.found
