import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from contrapose.base.errors import TableError
from contrapose.tables import (
    PAIRS,
    PARAPHRASES,
    SENTENCES,
    TABLES,
    TableWriter,
    count_rows,
    read_provenance,
    read_table,
    read_tables,
    write_table,
    written,
)

ROWS = pd.DataFrame({"sentence_id": ["1:0", "1:0"], "slot": [0, 1], "text": ["a b", "c d"]})


def test_a_table_comes_back_as_it_was_written_and_equal_rows_give_equal_bytes(tmp_path: Path):
    for name in "ab":
        write_table(ROWS, tmp_path / name, PARAPHRASES, {"rule": "r", "a": [1, 2]})
    assert read_table(tmp_path / "a", PARAPHRASES).to_dict("list") == ROWS.to_dict("list")
    expected = {"table": "paraphrases", "version": 1, "rule": "r", "a": [1, 2]}
    assert read_provenance(tmp_path / "a") == expected
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_rows_are_counted_and_columns_put_together_without_reading_the_rest(tmp_path: Path):
    for name in "ab":
        write_table(ROWS, tmp_path / name, PARAPHRASES)
    assert count_rows(tmp_path / "a", PARAPHRASES) == 2
    both = read_tables([tmp_path / "a", tmp_path / "b"], PARAPHRASES, ["slot"])
    assert both.to_dict("list") == {"slot": [0, 1, 0, 1]}
    assert list(read_tables([], PARAPHRASES, ["slot"])) == ["slot"]
    with pytest.raises(TableError, match="the file has table 'paraphrases'"):
        count_rows(tmp_path / "a", PAIRS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"slot": ["x", "y"]}, "the column slot has the type str, but int16 is expected ("),
        ({"text": ["a", None]}, "the column text has no value in row 1. This is a fault of Contrapose"),
        ({"slot": [3, 3]}, "the rows must differ in sentence_id or slot, but one occurs twice: sentence_id "),
        ({"extra": [1, 2]}, "extra is no column of the table 'paraphrases'. This is a fault of"),
    ],
)
def test_a_wrong_table_is_refused_and_leaves_nothing_behind(tmp_path: Path, change, message):
    with pytest.raises(TableError) as raised:
        write_table(ROWS.assign(**change), tmp_path / "t.parquet", PARAPHRASES)
    assert message in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def written_in_pieces(path: Path, pieces: list[pd.DataFrame]) -> None:
    with TableWriter(path, PARAPHRASES) as writer:
        for piece in pieces:
            writer.write(piece)


def test_a_failed_rewrite_keeps_the_old_file(tmp_path: Path):
    path = tmp_path / "t.parquet"
    write_table(ROWS, path, PARAPHRASES)
    with pytest.raises(TableError):
        written_in_pieces(path, [ROWS, ROWS.drop(columns="text")])
    assert len(read_table(path, PARAPHRASES)) == 2


def test_a_file_of_another_table_of_somebody_else_or_none_is_refused(tmp_path: Path):
    path = tmp_path / "t.parquet"
    with pytest.raises(TableError, match=r"the file does not exist, but table 'sentences' is expected"):
        read_table(path, SENTENCES)
    write_table(ROWS, path, PARAPHRASES)
    again = f"but 'sentences' version 1 is expected. Build it again: contrapose run --force -- {path}"
    with pytest.raises(TableError, match=f"the file has table 'paraphrases' version 1, {re.escape(again)}"):
        read_table(path, SENTENCES)
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(TableError, match="the file has table 'None'"):
        read_table(path, SENTENCES)
    path.write_text("not parquet")
    with pytest.raises(TableError, match="the file cannot be read as Parquet"):
        read_table(path, SENTENCES)


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_every_table_has_a_key_of_columns_that_always_have_values_and_describes_each(table):
    assert set(table.key) | set(table.nullable) <= set(table.columns)
    assert all(len((field.metadata or {}).get(b"description", b"")) > 3 for field in table.schema)


@pytest.mark.parametrize(
    "save",
    [
        lambda draft: save_file({"a": np.zeros(2)}, draft / "file"),
        lambda draft: Tokenizer(WordLevel({"a": 0}, "a")).save(str(draft / "file")),
    ],
    ids=["safetensors", "tokenizers"],
)
def test_what_a_writer_in_rust_says_of_the_disk_is_an_error_of_the_system(tmp_path: Path, save):
    told = pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*encoder'")
    with told, written(tmp_path / "encoder") as draft:  # a folder that nobody makes
        save(draft)
