from pathlib import Path

import pandas as pd
import pytest
from contrapose.jobs import STSTableJob

from contrapose.report.about import Candidate, TableRow
from contrapose.report.sources import completed, cuts, missing_sets
from contrapose.tables import HISTORY, SCORES, empty, write_table

JOB = STSTableJob(
    table="table9",
    caption="A caption.",
    source="A paper, 2023",
    world="tiny",
    world_description="one task",
    generated=False,
    notes=["first"],
    columns=[("STS12", "sts12", "spearman")],
    seeds=[42],
    rows=[
        TableRow(
            model="bert",
            candidates=[Candidate(setting="x=1", runs=["a"]), Candidate(setting="x=2", runs=["b"])],
        )
    ],
)


@pytest.fixture
def file(tmp_path: Path):
    """Return a function that writes a table without rows and gives its path."""

    def write(name: str, table=SCORES, **made_from) -> str:
        write_table(empty(table), tmp_path / name, table, made_from)
        return str(tmp_path / name)

    return write


def test_what_several_sets_lack_is_put_together(file):
    sets = [
        file("a", missing={"sts12/raw/test": "STS12"}),
        file("b"),
        file("c", missing={"mr/raw/all": "MR"}),
    ]
    assert missing_sets(sets) == {"sts12/raw/test": "STS12", "mr/raw/all": "MR"}


def test_a_table_says_what_its_files_say_each_thing_once_and_takes_the_best_runs(file):
    dev = {"task": "stsb", "form": "senteval", "split": "dev", "metric": "spearman", "aggregation": "all"}
    dev |= {"n": 9, "low": 0.0, "high": 1.0}
    scores = pd.DataFrame([{**dev, "run": "a", "value": 0.1}, {**dev, "run": "b", "value": 0.2}])
    scored = [file("a", lacking="no GPU"), file("b", lacking="no GPU"), file("c")]
    told = completed(JOB, scores, scored, [file("sets", notes=["translated"])])
    assert told.notes == ["first", "translated", "Left out: no GPU."]
    assert told.rows[0].runs == ["b"]


def test_what_was_cut_goes_by_the_run_of_the_log(file):
    made = {"texts": 4, "cut": 1, "settings": {"recipe": {"max_length": 32}}}
    log = file("h", HISTORY, **made, wildcards={"pairs": "p", "recipe": "r", "seed": "1"})
    assert cuts([log]) == {"p/r/seed1": "25.0 % of the training texts are cut after 32 word pieces"}
