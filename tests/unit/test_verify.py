from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contrapose.plan import Plan
from contrapose.tables import PAIRS, write_table
from contrapose.verify import findings, main

HOME = Path(__file__).parents[2]
WILDCARDS = {"pairs": "dropout"}


@pytest.fixture
def plan() -> Plan:
    return Plan({}, HOME)


@pytest.fixture
def made(tmp_path: Path, plan: Plan):
    """Write a pairs table as the workflow would, with some of its provenance changed."""

    def write(**changes) -> Path:
        provenance = {
            "rule": "pairs_dropout",
            "wildcards": WILDCARDS,
            "settings": plan.pairs_dropout("dropout").model_dump(),
            "code": plan.code("pairs_dropout"),
        }
        frame = pd.DataFrame(columns=PAIRS.columns)
        write_table(frame, tmp_path / "pairs" / "dropout.parquet", PAIRS, provenance | changes)
        return tmp_path

    return write


def test_a_file_of_todays_settings_and_code_is_up_to_date(made, plan):
    assert list(findings(made(), plan)) == []


def test_a_file_of_other_settings_is_stale_and_says_which(made, plan):
    old = plan.pairs_dropout("dropout").model_dump() | {"corpus": "wiki-2-2"}
    (found,) = findings(made(settings=old), plan)
    assert found.kind == "stale"
    assert found.reason == 'settings: corpus: "wiki-2-2" -> "wiki-1-1-small"'


def test_a_file_of_other_code_is_stale(made, plan):
    (found,) = findings(made(code="0" * 16), plan)
    assert (found.kind, found.reason) == ("stale", "the code behind rule pairs_dropout has changed")


def test_a_file_that_todays_config_does_not_name_is_foreign(made, plan):
    (found,) = findings(made(wildcards={"pairs": "gone"}), plan)
    assert found.kind == "foreign"
    assert "no entry 'gone'" in found.reason


def test_a_file_of_somebody_else_is_foreign(tmp_path, plan):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "x.parquet")
    (tmp_path / "broken.parquet").write_text("no parquet")
    assert [found.kind for found in findings(tmp_path, plan)] == ["foreign", "foreign"]


def test_the_command_ends_with_1_if_anything_is_stale(made, capsys, monkeypatch):
    monkeypatch.chdir(HOME)
    assert main(["--results", str(made())]) == 0
    assert main(["--results", str(made(code="0" * 16))]) == 1
    assert "1 files, 1 stale or foreign." in capsys.readouterr().out
