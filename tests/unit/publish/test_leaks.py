import hashlib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from contrapose.plan import Plan

from contrapose.errors import ConfigError
from contrapose.publish.leaks import check_no_leak, machine_paths, secrets
from contrapose.tables import MACHINE, write_table

HOME = Path(__file__).parents[3]
VALUE = "sk-not-to-be-seen"


def test_a_variable_named_like_a_secret_or_by_a_language_model_is_one(monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", VALUE)
    monkeypatch.setenv("LONG_KEY", "short")  # below eight letters
    monkeypatch.setenv("SHELL", "/bin/a-long-name")
    found = secrets(Plan({}, HOME))
    assert found["the value of SOME_TOKEN"] == VALUE
    assert not any("LONG_KEY" in what or "SHELL" in what for what in found)


@pytest.mark.parametrize(
    "name", ["API_KEY_2", "hf_token", "MY_SECRETS", "PGPASSWORD", "PASSWD", "CLOUD_CREDENTIALS"]
)
def test_a_secret_is_known_by_its_name_from_eight_letters_on(name, monkeypatch):
    monkeypatch.setenv(name, "8letters")
    assert secrets()[f"the value of {name}"] == "8letters"
    monkeypatch.setenv(name, "letters")
    assert f"the value of {name}" not in secrets()


def test_the_variable_of_a_language_model_holds_a_secret_whatever_its_name(monkeypatch):
    plan = Plan({}, HOME)
    (role, llm), *_ = plan.world.llms.items()
    monkeypatch.setitem(plan.world.llms, role, llm.model_copy(update={"key": "MY_ACCESS"}))
    monkeypatch.setenv("MY_ACCESS", VALUE)
    assert secrets(plan)["the value of MY_ACCESS"] == VALUE
    assert "the value of MY_ACCESS" not in secrets()


def test_a_secret_in_a_compressed_column_is_found_and_not_printed(tmp_path):
    rows = [["t", "mini", hashlib.sha256(b"%d" % each).hexdigest(), f"{each:x}"] for each in range(2000)]
    rows[1000][2] = f"9 {VALUE}"  # in the middle: the least and the greatest are not compressed
    write_table(pd.DataFrame(rows, columns=MACHINE.columns), tmp_path / "m.parquet", MACHINE)
    assert VALUE.encode() not in (tmp_path / "m.parquet").read_bytes()
    with pytest.raises(ConfigError, match=r"m\.parquet: the value of X") as error:
        check_no_leak(tmp_path, {"the value of X": VALUE, "the value of Y": "not there"})
    assert VALUE not in str(error.value)
    assert "the value of Y" not in str(error.value)


def test_a_secret_in_what_describes_a_table_is_found(tmp_path):
    rows = pd.DataFrame([["t", "mini", "x", "y"]], columns=MACHINE.columns)
    write_table(rows, tmp_path / "m.parquet", MACHINE, {"settings": {"key": VALUE}})
    pq.write_table(pa.table({"number": [1]}).replace_schema_metadata({"key": VALUE}), tmp_path / "n.parquet")
    with pytest.raises(ConfigError, match=r"m\.parquet: the value of X; n\.parquet: the value of X"):
        check_no_leak(tmp_path, {"the value of X": VALUE})


def test_all_that_a_file_holds_is_named(tmp_path):
    (tmp_path / "a.txt").write_text("one two")
    with pytest.raises(ConfigError, match=r"a\.txt: first; a\.txt: second"):
        check_no_leak(tmp_path, {"second": "two", "first": "one"})


def test_folders_of_a_machine_are_forbidden_as_they_are_written_and_as_they_are(tmp_path, monkeypatch):
    for name in ("study", "home", "data"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    monkeypatch.chdir(tmp_path / "study")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert machine_paths(Plan({"world": "files", "data": str(tmp_path / "link")}, HOME)) == {
        "the project's folder": f"{tmp_path}/study/",
        "the repository's folder": f"{HOME}/",
        "the home folder": f"{tmp_path}/home/",
        "the data folder": f"{tmp_path}/link/",
        "the data folder without links": f"{tmp_path}/data/",
    }


def test_the_root_of_a_container_says_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/")
    assert "the home folder" not in machine_paths(Plan({}, HOME))


def test_every_file_with_a_path_of_this_machine_is_named(tmp_path):
    (tmp_path / "below").mkdir()
    for name in ("one.yaml", "below/two.bin"):
        (tmp_path / name).write_bytes(b"\x00 path: " + str(HOME).encode() + b"/x")
    (tmp_path / "empty").touch()
    with pytest.raises(
        ConfigError, match=r"below/two\.bin: the repository's folder; one\.yaml: the repository"
    ):
        check_no_leak(
            tmp_path, {"the repository's folder": machine_paths(Plan({}, HOME))["the repository's folder"]}
        )


def test_a_folder_without_any_passes(tmp_path):
    (tmp_path / "one.yaml").write_text("path: ./x\n")
    check_no_leak(tmp_path, machine_paths(Plan({}, HOME)))
