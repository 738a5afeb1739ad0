"""The small project from articles to its table, and what a second call does."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from contrapose.pairs.dino import levels
from contrapose.project import Project
from contrapose.settings.cli_config import given_config
from contrapose.tables import (
    CELLS,
    DETECTIONS,
    PAIRS,
    POINTS,
    read_provenance,
    read_table,
)
from contrapose.tools.verify import findings
from tests.checkout import OTHERS, PROMPTS, TARGET, Checkout, checked, environment

BUDGET = ["training_pairs", "steps", "fraction_seen"]
COLUMNS = ["STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R", "Avg."]


def test_verify_finds_nothing_right_after_a_complete_run(finished: Checkout, monkeypatch):
    monkeypatch.chdir(finished.folder)
    assert [*findings(Path("results"), Project(given_config([]), finished.folder))] == []


def test_the_table_has_a_row_for_each_run_and_names_its_catalog(finished: Checkout):
    table = pd.read_csv(finished.folder / TARGET)
    assert table.group.tolist() == ["SimCSE", "ChatGPT", "Vicuna"]
    assert set(table.catalog) == {"tiny"}
    assert list(table.columns) == ["catalog", "group", "model", *COLUMNS, *BUDGET, "note"]
    assert table[COLUMNS].notna().all().all()
    assert table[COLUMNS].abs().max().max() <= 100


def test_reports_of_pairs_lengths_and_the_machine_are_there(finished: Checkout):
    tables = finished.folder / "results/tables"
    lengths = pd.read_csv(tables / "smoke_lengths.csv")
    assert list(lengths.columns) == ["catalog", "group", "model", "all", "long", *BUDGET, "note"]
    assert lengths[["all", "long"]].notna().all(axis=None)
    words = pd.read_csv(tables / "smoke_words.csv")
    assert words.sentences.sum() == 64
    assert words.prefix_words.between(1, 4).all()
    examples = pd.read_csv(tables / "smoke_examples.csv")
    assert (examples.positive.str.len() > examples.anchor.str.len()).tolist() == [True, True]
    assert "torch" in set(pd.read_csv(tables / "smoke_machine.csv").attribute)
    points = read_table(finished.folder / "results/figures/smoke_fig3.parquet", POINTS)
    assert points.x.tolist() == [1.0, 2.0]


def test_the_published_numbers_are_in_the_tidy_table_alone(finished: Checkout):
    assert "61.00" not in (finished.folder / TARGET).read_text()
    tidy = read_table(finished.folder / "results/tables/smoke_table1.parquet", CELLS)
    cell = tidy[(tidy["row"] == 1) & (tidy.column == "STS-B") & tidy.seed.notna()].iloc[0]
    assert (cell.published, cell.published_row) == (61.0, "ChatGPT: bert")
    assert cell.ci_low <= cell.value <= cell.ci_high
    assert cell.n > 0
    assert tidy[(tidy["row"] == 2)].published.isna().all()


def test_a_table_of_prompts_has_a_value_for_each_slot(finished: Checkout):
    table = pd.read_csv(finished.folder / PROMPTS)
    assert table.label.tolist() == ["Prompt 1"]
    assert table.sentences.tolist() == [64]
    assert table.Total[0] == pytest.approx((table.Sim[0] + 1 - table.BLEU[0]) / 2, abs=1e-3)
    assert 0 < table.ParaScore[0] < 1 + 0.05 * 0.35
    tidy = read_table(finished.folder / PROMPTS.replace("csv", "parquet"), CELLS)
    assert tidy[tidy.column == "Sim"].slot.fillna(-1).tolist() == [-1, 0, 1, 2, 3, 4]
    assert tidy[tidy.published.notna()].published.tolist() == [0.123, 0.234, 0.345]
    shown = [(finished.folder / PROMPTS).with_suffix(suffix).read_text() for suffix in (".csv", ".md")]
    assert not any("0.123" in text for text in shown)


def test_encoders_as_they_are_have_a_row_and_those_that_are_not_there_too(finished: Checkout):
    table = pd.read_csv(finished.folder / "results/tables/smoke_table4.csv")
    assert table.model.tolist() == ["bert", "scorer", "nobody's"]
    assert table["STS-B"].notna().tolist() == [True, True, False]
    # The scorer is the same folder, and the catalog says its pooling.
    assert table["STS-B"][0] == table["STS-B"][1]
    assert "this catalog has no encoder 'released'" in table.note[2]
    assert table["best in"].fillna("").tolist() == ["Avg. and STS-B dev", "", ""]


def test_statistics_and_figures_are_made_too(finished: Checkout):
    table = pd.read_csv(finished.folder / "results/tables/smoke_table5.csv")
    assert table.sentences[0] == 64
    assert table.words_per_sentence.between(5, 50).all()
    figures = {path.suffix for path in (finished.folder / "results/figures").glob("[!.]*")}
    assert figures == {".pdf", ".png", ".svg", ".parquet"}
    pictures = {path.stem for path in (finished.folder / "results/figures").glob("*.png")}
    assert pictures == {f"smoke_fig{number}" for number in range(1, 7)}


def test_alignment_and_uniformity_have_a_table_behind_their_figure(finished: Checkout):
    table = pd.read_csv(finished.folder / "results/tables/smoke_table6.csv")
    assert table.alignment.between(0, 4).all()
    assert table.uniformity.between(-8, 0).all()
    tidy = read_table(finished.folder / "results/tables/smoke_table6.parquet", CELLS)
    assert {("alignment", ""), ("uniformity", "test"), ("alignment", "all")} <= {
        *zip(tidy.column, tidy.variant, strict=True)
    }
    points = read_table(finished.folder / "results/figures/smoke_fig2.parquet", POINTS)
    assert points[points.seed.isna()].value.tolist() == pytest.approx(table.alignment.tolist(), abs=5e-5)
    assert set(points.source) == {"ours"}  # the catalog makes its own text
    assert "0.1111" not in (finished.folder / "results/tables/smoke_table6.md").read_text()


def test_synthetic_pairs_are_written_judged_weighted_and_trained_on(finished: Checkout):
    results = finished.folder / "results"
    table = pd.read_csv(results / "tables/smoke_synthetic.csv")
    assert list(table.columns) == ["catalog", "group", "model", "r", "rho", "accuracy", "F1", *BUDGET, "note"]
    assert table[["r", "rho", "accuracy", "F1"]].notna().all(axis=None)
    pairs = {name: read_table(results / f"pairs/{name}.parquet", PAIRS) for name in ("dino", "rise")}
    assert set(levels(pairs["dino"].id)) == {"0", "0.5", "1", "random"}
    judged = read_table(results / "score/identification/dino/sdi.parquet", DETECTIONS).set_index("id")
    p = 1 / (1 + np.exp(-judged.logit[pairs["rise"].id] / 0.5))
    assert pairs["rise"].weight.tolist() == pytest.approx(p.tolist(), rel=1e-6)
    sizes = pd.read_csv(results / "tables/smoke_sizes.csv")
    assert int(sizes.synthetic[0]) == len(pairs["dino"])
    assert pd.read_csv(results / "tables/smoke_temperatures.csv").tau.tolist() == [0.5]
    shown = pd.read_csv(results / "tables/smoke_weighted.csv")
    ends = pairs["rise"].weight.agg(["max", "min"]).tolist()
    assert shown.weight.iloc[[0, -1]].tolist() == pytest.approx(ends, abs=5e-4)


def test_transfer_tasks_have_a_table_and_their_questions_one_by_length(finished: Checkout):
    path = finished.folder / "results/tables/smoke_transfer"
    table = pd.read_csv(path.with_suffix(".csv"))
    assert table.loc[0, ["MR", "SST-2", "TREC", "MRPC", "Avg. of 4"]].astype(float).between(0, 100).all()
    assert table["CR"].isna().all()  # the catalog does not name its files
    assert "this catalog has no encoder 'released'" in table.note[1]
    tidy = read_table(path.with_suffix(".parquet"), CELLS)
    assert tidy[tidy.column == "TREC"].published.fillna(0).tolist() == [64, 0]
    assert "64.00" not in path.with_suffix(".md").read_text()
    questions = pd.read_csv(finished.folder / "results/tables/smoke_questions.csv")
    assert questions["all"][0] == table["TREC"][0]
    counts = r"not trained for similarity; all: 18 questions; eight: \d+ questions"
    assert re.fullmatch(counts, questions.note[0])


def test_a_search_trains_what_is_new_and_adds_the_row_that_is_best_on_dev(finished: Checkout, tmp_path):
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    targets = (TARGET, OTHERS[0], "--config", "search=true")
    assert copy.plan(*targets) == {
        **{"train_encoder": 1, "evaluate_suite": 1},  # the setting with 2 epochs is the row's own
        **{"report_sts_table": 1, "report_settings_table": 1},
    }
    copy.run(*targets)
    table = pd.read_csv(copy.folder / TARGET)
    assert table.model.tolist() == ["bert", "bert", "bert, selected", "roberta"]
    best = re.search(r"; epochs=([12]), best of 2 settings on STS-B dev \(-?\d+\.\d\d\)$", table.note[2])
    assert best
    settings = pd.read_csv(copy.folder / OTHERS[0])
    assert settings.epochs.tolist() == [2, int(best.group(1)), 2]
    if best.group(1) == "2":
        assert table.loc[2, COLUMNS].tolist() == table.loc[1, COLUMNS].tolist()


def test_every_parquet_file_says_what_it_is_made_from(finished: Checkout):
    files = [p for p in (finished.folder / "results").rglob("*.parquet") if "retrieve/data" not in str(p)]
    assert len(files) > 15
    for path in files:
        made = read_provenance(path)
        assert {"table", "version", "rule", "wildcards", "settings", "code", "packages"} <= made.keys(), path
        assert str(finished.folder) not in str(made), path


def test_a_copy_runs_its_own_code_and_not_what_is_installed(finished: Checkout, tmp_path):
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    with copy.edited("src/contrapose/report/files.py", "to_csv(", "head(1).to_csv("):
        copy.run(TARGET)
    assert len(pd.read_csv(copy.folder / TARGET)) == 1


CLAIMS = """claim_id,claim,tables,how_to_check,holds_in_published
smoke_1,ChatGPT is above SimCSE,table1,,
smoke_2,The prompt has a similarity above 0 in another table too,table2; table9,,
"""
FUNCTIONS = '''"""Claims of the small project."""

from contrapose.report.claims.verdict import verdict

def smoke_1_chatgpt_is_above_simcse(tables):
    table = tables["table1"]
    return verdict({"ChatGPT": table("ChatGPT: bert", "Avg.") - table("SimCSE: bert", "Avg.")})


def smoke_2_vicuna_keeps_the_meaning(tables):
    return verdict({"Sim": tables["table9"]("Vicuna: Prompt 1", "Sim")})
'''


def test_claims_are_judged_on_the_tables_that_are_there(finished: Checkout, tmp_path):
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    assert not (copy.folder / "results/claims").exists()
    study = copy.folder / "config/studies/smoke"
    (study / "claims.csv").write_text(CLAIMS)
    target = "results/claims/smoke.csv"
    output = copy.run("--dry-run", target, check=False).stdout
    assert "needs the module src/contrapose/report/claims/smoke.py, which checks each claim" in output
    (copy.folder / "src/contrapose/report/claims/smoke.py").write_text(FUNCTIONS)
    shutil.copy(study / "published/table2.csv", study / "published/table9.csv")

    assert copy.plan(target) == {"report_claims_table": 1}
    copy.run(target)
    table = pd.read_csv(copy.folder / target)
    assert table.missing.fillna("").tolist() == ["", "not built: table9"]
    average = pd.read_csv(copy.folder / TARGET)["Avg."]
    assert table.difference[0] == pytest.approx(average[1] - average[0], abs=0.011)
    sign = "holds" if table.difference[0] > 0 else "opposite"
    assert (table.verdict[0], table.detail[0].startswith(f"{sign}, if chance")) == ("one seed", True)
    assert pd.isna(table.verdict[1])
    rules = "a rule-based rewriter in place of a language model"
    about = (
        "about the generated text of catalog tiny, not the text of the paper; "
        f"chatgpt is divergent, {rules}; "
        f"vicuna is close, {rules}; scorer: not trained for similarity"
    )
    assert set(table.note) == {about}
    assert "published_verdict" not in table

    assert copy.plan(target) == {}
    with copy.edited("src/contrapose/report/claims/smoke.py", '"Sim")}', '"BLEU")}'):
        assert copy.plan(target) == {"report_claims_table": 1}


def contrapose(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Call the command of the package that is in a folder."""
    own = environment() | {"PYTHONPATH": str(folder / "src")}
    command = [sys.executable, "-m", "contrapose", *arguments]
    return checked(subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False))


def test_a_dry_run_says_in_a_line_for_each_rule_what_would_run_and_why(finished: Checkout):
    with finished.edited("config/recipes.yaml", "epochs: 2", "epochs: 2, temperature: 0.1"):
        said = contrapose(finished.folder, "run", "-n", "--", TARGET).stdout.splitlines()
        forced = contrapose(finished.folder, "run", "-n", "--until", "train_encoder", "--", TARGET).stdout
        whole = contrapose(finished.folder, "run", "-n", "--verbose", "--", TARGET)
        jobs = finished.plan(TARGET)
    assert re.fullmatch(
        "   2 x training, about .*: settings have changed: temperature from 0.05 to 0.1", said[0]
    )
    assert re.fullmatch("   2 x evaluating, about .*: the input is rebuilt", said[1])
    assert said[2] == "   1 x making table smoke_table1: the input is rebuilt"
    assert said[3].startswith(f"{sum(jobs.values())} jobs would run. All take about ")
    assert forced.splitlines()[:1] == said[:1]
    assert "2 jobs would run" in forced
    assert "Params have changed since last execution" in whole.stdout + whole.stderr


def test_a_call_with_nothing_to_do_says_so_and_what_the_table_says(finished: Checkout):
    done = contrapose(finished.folder, "run", "--", TARGET)
    assert done.stderr.startswith("Nothing to be done")
    assert f"The whole page: {TARGET.replace('.csv', '.md')}" in done.stdout
    dry = contrapose(finished.folder, "run", "-n", "--", TARGET)
    assert (dry.stdout, dry.stderr.count("\n")) == ("", 1)
