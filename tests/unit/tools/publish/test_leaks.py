import hashlib

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.tables import CELLS, EXAMPLES, MACHINE, write_table
from contrapose.tools.publish.leaks import check_no_leak, holds_sentences, machine_paths, secrets
from tests.checkout import HOME

VALUE = "sk-not-to-be-seen"


@pytest.fixture(scope="module")
def project() -> Project:
    return Project({}, HOME)


@pytest.mark.parametrize(
    "name", ["API_KEY_2", "hf_token", "MY_SECRETS", "PGPASSWORD", "PASSWD", "CLOUD_CREDENTIALS"]
)
def test_a_secret_is_known_by_its_name_from_eight_letters_on(name, project, monkeypatch):
    monkeypatch.setenv(name, "8letters")
    assert (f"the value of {name}", "8letters") in secrets(project)
    monkeypatch.setenv(name, "letters")
    monkeypatch.setenv("SHELL", "/bin/a-long-name")
    assert not {f"the value of {name}", "the value of SHELL"} & dict(secrets(project)).keys()


def test_the_variable_of_a_language_model_holds_a_secret_whatever_its_name(project, monkeypatch):
    monkeypatch.setenv("MY_ACCESS", VALUE)
    assert "the value of MY_ACCESS" not in dict(secrets(project))
    (role, llm), *_ = project.catalog.llms.items()
    monkeypatch.setitem(project.catalog.llms, role, llm.model_copy(update={"key": "MY_ACCESS"}))
    assert dict(secrets(project))["the value of MY_ACCESS"] == VALUE


def test_a_secret_in_a_compressed_column_is_found_and_not_printed(tmp_path):
    rows = [["t", "mini", hashlib.sha256(b"%d" % each).hexdigest(), f"{each:x}"] for each in range(2000)]
    rows[1000][2] = f"9 {VALUE}"  # in the middle: the least and the greatest are not compressed
    write_table(pd.DataFrame(rows, columns=MACHINE.columns), tmp_path / "m.parquet", MACHINE)
    assert VALUE.encode() not in (tmp_path / "m.parquet").read_bytes()
    with pytest.raises(ConfigError, match=r"m\.parquet: the value of X") as error:
        check_no_leak(tmp_path, [("the value of X", VALUE), ("the value of Y", "not there")])
    assert VALUE not in str(error.value)
    assert "the value of Y" not in str(error.value)


COLUMNS = {
    "list": pa.array([["x", VALUE]]),
    "struct": pa.array([{"a": VALUE}]),
    "large": pa.array([VALUE], pa.large_string()),
    "dictionary": pa.array([VALUE]).dictionary_encode(),
}
TABLES = {kind: pa.table({"c": column}) for kind, column in COLUMNS.items()}
TABLES["metadata"] = pa.table({"number": [1]}).replace_schema_metadata({"key": VALUE})


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_secret_in_a_column_of_any_type_or_in_metadata_is_found(table, tmp_path):
    pq.write_table(table, tmp_path / "c.parquet", compression="zstd")
    with pytest.raises(ConfigError, match=r"c\.parquet: it"):
        check_no_leak(tmp_path, [("it", VALUE)])


def test_folders_of_a_machine_are_forbidden_as_they_are_written_and_as_they_are(tmp_path, monkeypatch):
    for name in ("study", "home", "data"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    monkeypatch.chdir(tmp_path / "study")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    project = Project({"catalog": "files", "data": str(tmp_path / "link")}, HOME)
    assert set(machine_paths(project)) == {
        ("the project's folder", f"{tmp_path}/study/"),
        ("the repository's folder", f"{HOME}/"),
        ("the home folder", f"{tmp_path}/home/"),
        ("the data folder", f"{tmp_path}/link/"),
        ("the data folder", f"{tmp_path}/data/"),
    }


def test_the_root_of_a_container_says_nothing(project, monkeypatch):
    monkeypatch.setenv("HOME", "/")
    assert "the home folder" not in dict(machine_paths(project))


def test_a_table_that_prints_sentences_is_known_by_its_columns(tmp_path):
    for table in (EXAMPLES, MACHINE, CELLS):
        write_table(pd.DataFrame([], columns=table.columns), tmp_path / f"{table.name}.parquet", table)
    found = [path.stem for path in tmp_path.iterdir() if holds_sentences(path)]
    assert found == ["examples"]
    assert not holds_sentences(tmp_path / "examples.csv")
