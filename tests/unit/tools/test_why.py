"""What is behind a row of a comparison: before anything is built, and after."""

import json

import pandas as pd
import pytest

from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.jobs.status import Status
from contrapose.pairs.pair_rows import as_pairs
from contrapose.tables import CELLS, HISTORY, PAIRS, empty, write_table
from contrapose.tools.command_line import project_of
from contrapose.tools.new import write
from contrapose.tools.why import found, main
from tests.kinds import cells

SCORED = "sentence1,sentence2,score\nA man sings.,Someone sings.,4.2\nA,B,1\nC,D,2\n"
MORE = """tables:
  more:
    kind: sts
    caption: C.
    columns: {X: own}
    rows: [{model: Dropout, pairs: dropout, recipe: compare}]
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder to compare sources of pairs in, as the working directory."""
    given = {name: tmp_path / f"{name}.csv" for name in ("sentences", "test", "dev")}
    for name, file in given.items():
        file.write_text(SCORED.replace("A,", "X,").replace("C,", "Y,") if name == "dev" else SCORED)
    encoder = HOME / "resources/mini/encoders/bert-base"
    write(tmp_path / "own", str(encoder), given, column="sentence1")
    monkeypatch.chdir(tmp_path / "own")
    return tmp_path / "own"


def said(capsys, *arguments: str) -> dict[str, list[str]]:
    """Return the lines that `contrapose explain` prints, by their titles."""
    main([*arguments, "--config", "seeds=2", "steps=8"])
    whole, title = dict[str, list[str]](), ""
    for line in capsys.readouterr().out.splitlines():
        if line.startswith("    "):
            whole[title].append(line.strip())
        elif line:
            title = line
            whole[title] = []
    return whole


def built(folder, log):
    """Write what a training of Dropout leaves."""
    row = {
        "row": 1,
        "model": "Dropout",
        "column": "Test pairs",
        "value": 82.356,
        "in_best_set": True,
        "flops": 2.5e12,
    }
    above = {"baseline": "No training", "difference": 0.97, "difference_low": 0.42, "difference_high": 1.52}
    (folder / "results/tables").mkdir(parents=True)
    runs = [{**row, "seed": seed, "run": f"dropout/compare/seed{seed}"} for seed in (42, 43)]
    write_table(
        cells(*runs, {**row, **above, "flops": 2.5e12, "cpu_seconds": 5.35, "usd": 0.125}),
        folder / "results/tables/compare_pairs.parquet",
        CELLS,
    )
    texts = pd.Series(["A dog runs.", "A cat sleeps."])
    (folder / "results/pairs").mkdir()
    write_table(as_pairs(texts, texts, texts), folder / "results/pairs/dropout.parquet", PAIRS)
    made = {"settings": {"recipe": {"max_length": 64}}, **Status(counts={"texts": 8, "cut": 2}).metadata()}
    (folder / "results/train/dropout/compare/seed42").mkdir(parents=True)
    write_table(
        empty(HISTORY), folder / "results/train/dropout/compare/seed42/history.parquet", HISTORY, made
    )
    log.parent.mkdir(parents=True)
    log.touch()
    took = {"wall_seconds": 99.5, "cpu_seconds": 180.0, "gpu_seconds": 0.0, "flops": 1.0}
    log.with_name("seed42.took.json").write_text(json.dumps({"work": "", "finished": True, **took}))


def test_a_row_that_is_built_has_score_costs_logs_and_pairs(own, capsys):
    built(own, own / "logs/train/dropout/compare/seed42.log")
    whole = said(capsys, "dropout")
    assert whole["Score and costs"] == [
        *("Test pairs: 82.36 †, +0.97 [+0.42, +1.52] vs. No training", "2.5e+12 operations of models"),
        *("5.35 seconds of CPU time", "0.125 USD"),
    ]
    assert whole["Logs"] == [
        "logs/train/dropout/compare/seed42.log  99.5 s, 180.0 s of CPUs",
        "dropout/compare/seed42: 25.0 % of the training texts are cut after 64 word pieces",
    ]
    assert whole["Some of its pairs"][0] == "2 pairs, 2 with the same text twice"
    assert sorted(whole["Some of its pairs"][1:]) == [
        *("anchor    A cat sleeps.", "anchor    A dog runs."),
        *("positive  A cat sleeps.", "positive  A dog runs."),
    ]


def test_a_row_has_the_scores_of_its_own_trainings_only(own, capsys):
    built(own, own / "logs/train/dropout/compare/seed42.log")
    project = project_of(["seeds=2", "steps=8"])
    deleted = found(project, "Word deletion")
    file = own / "results/tables/compare_pairs.parquet"
    row = {"row": deleted.number, "model": "Dropout", "column": "Test pairs", "value": 82.356}
    write_table(cells({**row, "seed": 42, "run": "dropout/compare/seed42"}, row), file, CELLS)  # of --methods
    says = "Build it again, or give the --config of the run that built it, such as its seeds."
    runs = ", ".join(sorted(deleted.row.runs))
    for name, missing in (("Word deletion", runs), ("Dropout", "dropout/compare/seed43")):
        shown = f"results/tables/compare_pairs.parquet has no scores of {missing}. {says}"
        assert said(capsys, name)["Score and costs"] == [shown]


def test_a_row_says_its_settings_what_differs_from_each_baseline_and_what_builds_it_alone(own, capsys):
    whole = said(capsys, "Punctuation")
    lacking = {"Settings that differ: No training -> Punctuation", "Some of its pairs", "Logs"}
    assert not lacking & whole.keys()
    assert {'pairs.kind: "dropout" -> "punctuation"', "recipe.view_weight: 1.0 -> 0.6"} <= {
        *whole["Settings that differ: Dropout -> Punctuation"]
    }
    assert {'kind: "punctuation"', "slots: 5"} <= {*whole["Pairs punctuation"]}
    assert "steps: 8" in whole["Recipe compare+view_weight=0.6"]
    assert whole["Score and costs"] == ["results/tables/compare_pairs.parquet is not built yet."]
    trained = ("punctuation", 42), ("punctuation+seed=2", 43)
    runs = [f"{pairs}/compare+view_weight=0.6/seed{seed}" for pairs, seed in trained]
    builds = "contrapose run --config seeds=2 steps=8 --methods Punctuation -- compare"
    others = "The table then has only this method and the baselines. To keep others, name them, too."
    assert whole["Build only this method"] == [builds, others]
    history = own / "results/train" / runs[0] / "history.parquet"
    history.parent.mkdir(parents=True)
    write_table(empty(HISTORY), history, HISTORY)
    command, update = said(capsys, "Punctuation")["Build only this method again"]
    assert update == "Then the table: contrapose run --config seeds=2 steps=8 -- compare"
    assert command.split() == [
        *("contrapose", "run", "--config", "seeds=2", "steps=8", "--forcerun"),
        *(f"results/train/{run}/history.parquet" for run in runs),
        *("--", *(f"results/evaluate/own/{run}.parquet" for run in runs)),
    ]
    encoder = said(capsys, "No training")
    assert encoder["Build only this method again"][0].endswith(
        "-- results/evaluate/own/released/mine/auto.parquet"
    )
    assert "Logs" not in encoder
    lacking = said(capsys, "LLM paraphrases")
    assert [line for lines in lacking.values() for line in lines] == [
        "skipped: answers.jsonl is missing. docs/how-to/connect-a-model.md says how to connect a language "
        "model."
    ]


def test_a_row_shows_what_its_recipe_writes_though_it_is_the_default(own, capsys):
    assert said(capsys, "Punctuation")["Recipe compare+view_weight=0.6"] == [
        "These settings are in config/recipes.yaml, under recipes:",
        *('kind: "contrastive"', 'encoder: "mine"', "batch_size: 64", "learning_rate: 3e-05", "steps: 8"),
        *("max_length: 64", 'equal_texts: "removed"', 'pooling: "own"', 'dev: "own"', "dev_every: 8"),
        "view_weight: 0.6",
    ]


def test_a_row_that_is_not_there_or_there_twice_is_asked_for_again(own):
    for label, table, says in (
        ("Dropuot", None, r"No method is called 'Dropuot'\. Similar names are 'Dropout'"),
        ("compare", None, r"'compare' is a study\. The first column of each of its tables"),
        ("Dropout", "compare_samples", "--table compare_samples: there is no such table of scores"),
    ):
        with pytest.raises(ConfigError, match=says):
            found(project_of([]), label, table)
    study = own / "config/studies/compare/study.yaml"
    study.write_text(study.read_text().replace("tables:\n", MORE, 1))
    with pytest.raises(
        ConfigError,
        match=r"2 methods are called 'Dropout'\. Name the table of one, for example: contrapose",
    ):
        found(project_of([]), "Dropout")
    with pytest.raises(ConfigError, match="explain Dropout --table compare_more --config seeds=2"):
        found(project_of([]), "Dropout", config=["seeds=2"])
    assert found(project_of([]), "Dropout", "compare_more").number == 0


@pytest.mark.parametrize(
    ("label", "near"),
    [
        ("ConSERT", "'Feature cutoff + token shuffling (ConSERT)'"),
        ("consert", "'Feature cutoff + token shuffling (ConSERT)'"),
        ("Dropout (SimCSE)", "'Dropout'"),
        ("DINO", "'DINO texts', 'Reweighted DINO texts (RISE)'"),
    ],
)
def test_a_part_of_a_name_suggests_the_methods_that_have_it(own, label, near):
    with pytest.raises(ConfigError) as raised:
        found(project_of([]), label)
    said = f"No method is called '{label}'. Similar names are {near}. "
    assert str(raised.value) == f"{said}The first column of each table has the names of its methods."


def test_a_row_is_explained_though_the_link_to_its_encoder_is_dead(own, capsys):
    link = own / "encoders" / "bert-base"
    link.unlink()
    link.symlink_to("/nowhere/bert-base")
    built(own, own / "logs/train/dropout/compare/seed42.log")
    assert said(capsys, "dropout")["Score and costs"][0].startswith("Test pairs: 82.36")
    with pytest.raises(
        ConfigError, match="'encoders/bert-base' is a link to '/nowhere/bert-base', which does not exist"
    ):
        _ = project_of([]).encoder("mine").files  # as a job would read them
