"""Which shards a set has: those that it is made in, or as many as the config says."""

import json
import os
from pathlib import Path

import pytest

from contrapose.project import Project, staleness, steps
from contrapose.tables import COMPLETIONS, PARAPHRASES, SENTENCES, empty, write_table

HOME = Path(__file__).parents[3]
CORPUS = {"corpus": "wiki-1-1-small"}
ASKED = {**CORPUS, "llm": "chatgpt", "prompt": "1"}
TWO, THREE = ["0-of-2", "1-of-2"], ["0-of-3", "1-of-3", "2-of-3"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of three shards whose paraphrases are made in two."""
    found = Project({"shards": {"generate": 3}}, HOME, str(tmp_path))
    make(found, 2)
    return found


def make(project: Project, shards: int) -> None:
    """Write a corpus and its shards, as the workflow would."""
    provenance = made(project, "corpus_sample", CORPUS)
    write_table(empty(SENTENCES), corpus(project), SENTENCES, provenance)
    for shard in range(shards):
        wildcards = {**ASKED, "shard": str(shard), "shards": str(shards)}
        provenance = made(project, "generate_paraphrase", wildcards)
        for table in (PARAPHRASES, COMPLETIONS):
            path = project.paths.generated(*ASKED.values(), f"{shard}-of-{shards}/{table.name}")
            write_table(empty(table), place(project, path), table, provenance)


def made(project: Project, rule: str, wildcards: dict[str, str]) -> dict:
    settings = json.loads(steps.settings(project, rule, wildcards))
    code = steps.code(project, rule, wildcards)
    return {"rule": rule, "wildcards": wildcards, "settings": settings, "code": code}


def place(project: Project, path: str) -> Path:
    return Path(path.replace("<results>", project.results))


def corpus(project: Project) -> Path:
    return place(project, project.paths.corpus("wiki-1-1-small"))


def last_shard(project: Project) -> Path:
    return place(project, project.paths.generated(*ASKED.values(), "1-of-2/completions"))


def shards(project: Project) -> list[str]:
    """Name the shards of the paraphrases as the next call would find them."""
    found = Project(project.files.config.model_dump(), HOME, project.results)
    return [Path(path).parent.name for path in found.paths.answered(**ASKED, table="paraphrases")]


def test_a_whole_set_of_today_keeps_its_shards_and_another_set_has_those_of_the_config(project):
    assert shards(project) == TWO
    other = project.paths.answered(**{**ASKED, "prompt": "2"}, table="completions")
    assert [Path(path).parent.name for path in other] == THREE


def test_a_set_with_an_unreadable_file_or_somebody_elses_is_made_as_the_config_says(project):
    last_shard(project).write_text("torn")
    assert shards(project) == THREE
    write_table(empty(COMPLETIONS), last_shard(project), COMPLETIONS)
    assert shards(project) == THREE


@pytest.mark.parametrize("rule", ["corpus_sample", "generate_paraphrase"])
@pytest.mark.parametrize("what", ["settings", "code"])
def test_other_settings_or_code_of_a_set_or_its_corpus_count(project, monkeypatch, rule, what):
    today = getattr(staleness, what)

    def changed(project: Project, of: str, wildcards: dict[str, str]) -> str:
        return '"changed"' if of == rule else today(project, of, wildcards)

    monkeypatch.setattr(staleness, what, changed)
    assert shards(project) == THREE


def test_a_set_that_is_older_than_its_corpus_is_made_as_the_config_says(project):
    later = last_shard(project).stat().st_mtime + 1
    os.utime(corpus(project), (later, later))
    assert shards(project) == THREE


def test_a_call_that_makes_a_set_again_sees_one_number_all_along(project):
    assert len(project.paths.answered(**ASKED, table="paraphrases")) == 2
    last_shard(project).unlink()
    assert len(project.paths.answered(**ASKED, table="completions")) == 2
