"""Who translates sentences there and back, and what is left out where nobody does."""

import pytest

from contrapose.errors import ConfigError
from contrapose.project import models
from contrapose.tools.check.files import check_files
from contrapose.tools.check.needs import Need
from contrapose.tools.jobs import Job
from contrapose.tools.publish.sources import sources

TABLE = {
    **{"kind": "sts", "caption": "c", "columns": {"STS-B": "stsb"}},
    "rows": [{"model": "m", "pairs": "german", "recipe": "simcse"}],
}
PAIRS = {"kind": "backtranslation", "corpus": "wiki-1-1-small", "translator": "german"}
SOURCE = {"kind": "seq2seq", "there": "en-de", "back": "de-en"}


@pytest.fixture
def plan(build, tmp_path):
    """Give a function (back-translator, folders that are there) that builds a project with these pairs."""

    def project(source, *folders):
        for name in folders:
            (tmp_path / name).mkdir()
            (tmp_path / name / "config.json").write_text("{}")
            (tmp_path / name / "model.safetensors").touch()
        world = {"back_translators": {"german": source}}
        return build({"one": TABLE}, None, world, {"pairs.german": PAIRS})

    return project


def missing(project):
    return project.runs.missing(project.tables["own_one"][1].rows[0])


@pytest.mark.parametrize(("source", "folders"), [(None, []), (SOURCE, []), (SOURCE, ["en-de"])])
def test_without_both_folders_the_row_is_left_out(plan, source, folders):
    project = plan(source, *folders)
    assert missing(project) == "this world has no back-translator 'german'"
    project.reports.about_of("own_one")  # notes are made of rows without numbers, too
    with pytest.raises(ConfigError, match=r"back_translators\.german"):
        models.back_translator_files(project, "german")


def test_both_folders_are_what_a_job_depends_on(plan):
    project = plan(SOURCE, "en-de", "de-en")
    assert missing(project) == ""
    assert models.back_translator_files(project, "german") == {
        way: [f"{folder}/config.json", f"{folder}/model.safetensors"]
        for way, folder in (("there", "en-de"), ("back", "de-en"))
    }
    made = "<results>/generate/backtranslation/wiki-1-1-small/german/backtranslations.parquet"
    assert project.pairs("german").inputs(project.places)["backtranslations"] == made
    notes = project.reports.about_of("own_one").notes
    assert any("sentences and their back-translations by en-de and de-en" in note for note in notes)
    (finding,) = check_files(project, Need("back_translators", "german"))
    assert (finding.level, finding.what) == ("missing", "back_translators.german")  # the weights are empty


def test_a_published_pair_set_names_both_models(plan):
    project = plan(SOURCE, "en-de", "de-en")
    job = Job("generate_backtranslation", {"corpus": "wiki-1-1-small", "translator": "german"})
    found = {each["title"]: each for each in sources(project, [job])}
    assert found["back translators: german"]["where"] == "en-de, de-en"


def test_a_back_translator_that_the_world_does_not_name_is_an_error(build):
    with pytest.raises(ConfigError, match="back_translators of the world"):
        build({"one": TABLE}, None, None, {"pairs.german": PAIRS})
