"""What planned tables could tell apart, against another program and against the tables themselves."""

import math
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from contrapose.evaluate.evaluation import RunSettings
from contrapose.evaluate.suite import sts_scores
from contrapose.project import Project
from contrapose.report.about import TableRow
from contrapose.report.resampling import Resamples, scored_pairs
from contrapose.report.scores import ScoreTable, score_cells
from contrapose.retrieve.benchmarks import BenchmarkFiles, read_benchmarks
from contrapose.settings.cli_config import given_config
from contrapose.tables import BENCHMARK, CELLS, SCORES, write_table
from contrapose.tools import workload
from contrapose.tools.dry_run import Job
from contrapose.tools.power import BEFORE, Compared, few_pairs, power
from contrapose.tools.variation import Variation
from contrapose.tools.workload import Call
from tests.checkout import HOME

STSB = Variation(0.10 * 1379**0.5, 0.15)  # typical of examples/wiki
WIKI = HOME / "examples/wiki"
NONE = TableRow(model="none", runs=["released/e/auto"], trained=False)
TRAINED = TableRow(model="m", runs=["p/r/seed42"])


def least(rows: int, seeds: int, pairs: int = 1379, trained: int | None = None) -> float:
    return Compared("t", NONE, [TRAINED] * rows, seeds, trained or rows).least(STSB, pairs, pairs)


# Nine rows against an untrained one, with one variance over seeds, by a reviewer's own program.
@pytest.mark.parametrize(("seeds", "found"), [(3, 0.50), (5, 0.44), (10, 0.40)])
def test_the_least_difference_is_that_of_another_program(seeds, found):
    assert least(9, seeds) == pytest.approx(found, abs=0.02)


def test_fewer_pairs_and_fewer_rows_that_share_a_spread_need_larger_differences():
    assert least(9, 5) < least(9, 5, pairs=100)
    assert least(5, 5) < least(4, 5)  # four trained rows pool nothing
    assert least(4, 5, trained=5) < least(4, 5)  # another one is compared with nothing
    assert math.isnan(least(4, 3))


def planned(table: str = "table4_1", **config: object) -> str:
    project = Project({"catalog": "hub", "studies": ["thesis", "prdsimcse"], **config}, HOME)
    return power(Call(project, [Job("report_sts_table", {"table": table})]))


def test_each_column_has_a_line_and_one_training_tests_nothing(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = [line.split()[1] for line in planned(seeds=5).splitlines()[2:16:2]]
    assert columns == ["STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R"]
    assert planned(seeds=1).splitlines()[1].startswith("none, because every method is trained once")
    assert planned(seeds=3).splitlines()[2].split()[-4:] == ["?", "too", "few", "seeds"]
    assert planned("prdsimcse_table7", seeds=5) == ""  # on dev pairs
    assert planned(seeds=5, catalog="mini") == ""  # its spreads and sizes are its own
    project = Project({"catalog": "hub", "studies": ["thesis"]}, HOME)
    assert power(Call(project, [])) == ""


@pytest.fixture(scope="module")
def pairs() -> pd.DataFrame:
    sets = {"similarity": BenchmarkFiles(kind="stsb", task="own", path="test_pairs", splits=["test"])}
    return read_benchmarks(WIKI / "data", sets)[0]


@pytest.fixture(scope="module")
def scores(pairs) -> dict[str, pd.DataFrame]:
    """The scores of the shipped encoders, by run."""
    cosines = pd.read_parquet(WIKI / "reference/cosines.parquet").pivot_table("cosine", "row", "run")
    return {
        run: sts_scores(pairs, cosines[run].loc[pairs.row].to_numpy(float), RunSettings(run=run))
        for run in cosines
    }


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch) -> Project:
    """The example without results."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(WIKI / "config", "config")
    Path("data").symlink_to(WIKI / "data")
    return Project(given_config(["seeds=5"]), HOME)


def put(scores: dict[str, pd.DataFrame], runs: list[str]) -> None:
    for run in runs:
        write_table(scores[run], f"results/evaluate/own/{run}.parquet", SCORES)


def line(project: Project, *jobs: Job) -> tuple[str, str]:
    """Return the least difference of the only column of the example, and where it is from.

    Before there are scores, it is the one of an encoder that is good at similarity.
    """
    table = Job("report_sts_table", {"table": "compare_pairs"})
    text = power(Call(project, [table, *jobs])).splitlines()[2]
    found = re.fullmatch(
        r" *compare_pairs Test pairs 1,379 +850 +17 +5 +(\S.*?) {1,}(already .*|table.*|\d+ training.*)",
        text,
    )
    assert found, text
    return found[1], found[2]


def test_before_a_training_there_are_two_ranges(wiki):
    found, source = line(wiki)
    assert source == BEFORE[0]
    low, high = map(float, found.split(" to "))
    assert low < 0.48 < high  # the median of the shipped table
    text = power(Call(wiki, [Job("report_sts_table", {"table": "compare_pairs"})])).splitlines()
    assert text[3].endswith(BEFORE[1])
    raw = re.search(r"(\S+) to \S+ +a raw encoder", text[3])
    assert float(raw[1]) > high
    assert text[4].startswith("A smaller gain over the baseline will probably not be significant. ")
    assert text[5] == "Test pairs that share sentences count as fewer independent pairs."
    assert len(text) == 6


def test_too_few_independent_pairs_test_no_difference(wiki, monkeypatch):
    monkeypatch.setattr(Call, "scored_pairs", lambda *_: 29)
    monkeypatch.setattr(Call, "sharing", lambda *_: None)
    call = Call(wiki, [Job("report_sts_table", {"table": "compare_pairs"})])
    *_, found = power(call).splitlines()
    assert found.endswith(" not tested fewer than 30 independent pairs")
    says = "29 pairs. With fewer than 30, the table tests no difference on them and recommends no method by "
    assert [*few_pairs(call)] == [("Test pairs", f"{says}them.")]
    monkeypatch.setattr(Call, "scored_pairs", lambda *_: 30)
    assert [*few_pairs(Call(wiki, call.jobs))] == []


def test_once_trainings_have_scores_the_number_is_from_them_and_then_from_the_table(wiki, scores, pairs):
    put(scores, ["dropout/compare/seed42"])
    assert line(wiki)[1] == BEFORE[0]  # the encoder without training has no scores
    put(scores, ["released/mine/auto"])
    first, source = line(wiki)
    assert source == "1 training so far"
    put(scores, [*scores])
    every, source = line(wiki)
    assert source == "80 trainings so far"
    spec = wiki.shown("compare_pairs", "sts").spec
    write_table(pairs, "own.parquet", BENCHMARK)
    cells = score_cells(
        pd.concat(scores.values()),
        ScoreTable(columns=spec.score_columns, form=spec.form, baseline=spec.baseline),
        wiki.about("compare_pairs"),
        Resamples(1000, scored_pairs(["own.parquet"], ["own"], spec.form, "test")),
    )
    printed = cells[(cells.baseline == "No training") & (cells.variant == "")].mde.median()
    assert float(first) == pytest.approx(printed, rel=0.25)
    assert float(every) == pytest.approx(printed, rel=0.1)
    write_table(cells, "results/tables/compare_pairs.parquet", CELLS)
    found, source = line(wiki)
    assert source == "table compare_pairs"
    assert float(found) == pytest.approx(printed, rel=0.1)
    write_table(cells.assign(catalog="another"), "results/tables/compare_pairs.parquet", CELLS)
    assert line(wiki) == (every, "80 trainings so far")


def test_trainings_may_have_had_other_steps_but_the_scores_of_the_baseline_are_up_to_date(wiki, scores):
    dropout, none = (
        f"results/evaluate/own/{run}.parquet" for run in ("dropout/compare/seed42", "released/mine/auto")
    )
    put(scores, ["dropout/compare/seed42", "released/mine/auto"])
    assert line(wiki, Job("evaluate_suite", {}, outputs=[dropout]))[1] == "1 training so far"
    assert line(wiki, Job("evaluate_suite", {}, outputs=[none]))[1] == BEFORE[0]


def test_a_test_file_is_read_once_for_all_jobs_and_all_numbers_of_steps(wiki, monkeypatch):
    """A budget asks for its pairs for each evaluation of each choice: of 7,500 pairs that took minutes."""
    read = []
    monkeypatch.setattr(
        workload, "read_benchmarks", lambda *given: read.append(given) or read_benchmarks(*given)
    )
    call = Call(wiki, [])
    own = next(iter(wiki.catalog.benchmarks.values()))
    for each in (call, replace(call, project=Project(given_config(["seeds=5"]), HOME))):
        assert each.scored_pairs(own.task, own.form, "test") == 1379
        assert each.scored_pairs(own.task, own.form, "dev")
        assert each.sharing(own.task, own.form, "test")
    assert len(read) == 1
