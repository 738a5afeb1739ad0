from pathlib import Path

import pandas as pd
import pytest

from contrapose.errors import ConfigError
from contrapose.plan import Plan
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


def test_a_secret_in_a_compressed_column_is_found_and_not_printed(tmp_path):
    rows = [["t", "mini", str(number), VALUE * 20] for number in range(100)]
    write_table(pd.DataFrame(rows, columns=MACHINE.columns), tmp_path / "m.parquet", MACHINE)
    assert VALUE.encode() not in (tmp_path / "m.parquet").read_bytes()[:64]
    with pytest.raises(ConfigError, match=r"m\.parquet: the value of X") as error:
        check_no_leak(tmp_path, {"the value of X": VALUE})
    assert VALUE not in str(error.value)


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
