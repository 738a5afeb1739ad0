"""Which files and settings the classifiers of machine and human texts have."""

from pathlib import Path

import pytest
import yaml
from contrapose.plan import Plan

from contrapose.errors import ConfigError

HOME = Path(__file__).parents[2]
STUDY = {"title": "t", "source": "s", "prefix": "own_"}
TABLE = {"kind": "identification", "caption": "c", "rows": [{"model": "STSb", "pairs": "dino-stsb"}]}
PANELS = [{"label": "STSb", "pairs": "dino-stsb", "temperature": 0.5}]
PANELS.append({"label": "same", "pairs": "dino-stsb+seed=42"})
FIGURES = {"reliability": {"kind": "calibration", "caption": "c", "panels": PANELS}}
GLUE = {"kind": "stsb", "task": "stsb_glue", "path": "STS/STSBenchmark"}


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Build a plan of a study with one table and one figure, in an edited mini world with edited recipes."""
    monkeypatch.chdir(tmp_path)

    def build(table=TABLE, **changed) -> Plan:
        world = yaml.safe_load((HOME / "config/worlds/mini.yaml").read_text())
        world["benchmarks"]["stsb_glue"] = GLUE
        world["language_models"] |= changed.pop("language_models", {})
        recipes = yaml.safe_load((HOME / "config/recipes.yaml").read_text())
        for section, entries in changed.items():
            recipes[section] |= entries
        study = {**STUDY, "tables": {"sdi": table}, "figures": FIGURES}
        files = {"worlds/mini": world, "recipes": recipes, "studies/own/study": study}
        for name, content in files.items():
            path = tmp_path / "config" / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(yaml.safe_dump(content))
        return Plan({"studies": ["own"]}, HOME)

    return build


def test_human_texts_are_those_of_the_splits_that_the_pairs_and_their_dev_pairs_are_made_of(plan):
    project = plan()
    job = project.score_identification("dino-stsb", "sdi")
    assert [(which.tasks, which.split) for which in job.human] == [
        (["stsb_glue"], "train"),
        (["stsb_glue"], "dev"),
    ]
    assert project.human_texts_inputs("dino-stsb") == ["<results>/retrieve/benchmarks/paraphrase.parquet"] * 2
    assert project.dev_pairs_inputs("dino-stsb") == ["<results>/pairs/dino-stsb-dev.parquet"]
    # The mini world's encoders take larger steps.
    assert job.identifier.learning_rate == 10 * project.recipes.identifiers["sdi"].learning_rate


def test_pairs_of_another_corpus_have_its_sentences_and_no_dev_pairs_if_they_name_none(plan):
    project = plan(
        synthetic={"dino-wiki": {"corpus": "simcse"}}, pairs={"wiki": {"kind": "dino", "texts": "dino-wiki"}}
    )
    job = project.score_identification("wiki", "sdi")
    assert [which.tasks for which in job.human] == [[]]
    assert project.human_texts_inputs("wiki") == ["<results>/corpus/simcse.parquet"]
    assert project.dev_pairs_inputs("wiki") == []


def test_tables_and_figures_read_each_classifier_once(plan):
    project = plan()
    files = ["<results>/score/identification/dino-stsb/sdi-held_out.parquet"]
    assert project.identification_inputs("own_sdi") == files
    assert project.calibration_inputs("own_reliability") == files
    assert [panel.temperature for panel in project.report_calibration("own_reliability").panels] == [0.5, 1.0]


def test_a_world_without_the_language_model_has_rows_without_numbers(plan):
    project = plan(language_models={"gpt2-xl": None})
    (row,) = project.report_identification_table("own_sdi").rows
    assert (row.identified, row.note) == (None, "left out: this world has no language model 'gpt2-xl'")
    assert project.identification_inputs("own_sdi") == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"pairs": "dropout"}, "pairs 'dropout' are of kind dropout, and have no machine texts"),
        ({"identifier": "sdu"}, "identifiers has no entry 'sdu'. Did you mean 'sdi'"),
        ({"pairs": "dino-stsv"}, "Did you mean 'dino-stsb'"),
    ],
)
def test_a_row_about_anything_else_stops(row, message, plan):
    with pytest.raises(ConfigError, match=message):
        plan({**TABLE, "rows": [{**TABLE["rows"][0], **row}]})
