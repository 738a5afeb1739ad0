from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from contrapose.publish.columns import column_comments, csv_schema, table_schema
from contrapose.tables import (
    CALIBRATION,
    CLAIMS,
    CURVE,
    DIFFERENCES,
    EXAMPLES,
    HISTOGRAM,
    LEVELS,
    MACHINE,
    PAIRS,
    PROMPT_TABLE,
    PUBLISHABLE,
    SCATTER,
    SCORES,
    STATISTICS,
    TABLES,
    write_table,
)

PUBLISHED = [
    *(CALIBRATION, CLAIMS, CURVE, DIFFERENCES, EXAMPLES, HISTOGRAM, LEVELS, MACHINE, PAIRS),
    *(PROMPT_TABLE, PUBLISHABLE, SCATTER, SCORES, STATISTICS),
]


@pytest.mark.parametrize("table", PUBLISHED, ids=lambda table: table.name)
def test_every_column_that_is_published_is_described(table):
    fields = table_schema(table)["fields"]
    assert [field["name"] for field in fields] == table.columns
    assert all(len(field["description"]) > 3 for field in fields)


def test_the_comments_of_every_table_and_column_are_found_where_they_stand():
    comments = column_comments()
    assert {name: list(found) for name, found in comments.items()} == {
        name: table.columns for name, table in TABLES.items()
    }
    assert comments["articles"]["text"] == "line breaks kept"  # beside it
    assert comments["scores"]["metric"].startswith("spearman | pearson; of labels")  # above, two lines
    assert comments["scores"]["task"] == ""  # none: not that of its neighbour


def test_types_and_key_are_those_of_the_parquet_schema():
    schema = table_schema(SCORES)
    types = {field["name"]: field["type"] for field in schema["fields"]}
    assert (types["run"], types["n"], types["value"]) == ("string", "integer", "number")
    assert schema["primaryKey"] == list(SCORES.key)
    assert "primaryKey" not in table_schema(PUBLISHABLE)  # its seed may be missing


def test_a_printed_file_is_described_by_what_is_in_it(tmp_path: Path):
    file = tmp_path / "t.csv"
    file.write_text("world,STS12,Avg.,note\nmini,61.2,54 ± 1,\nmini,,,left out\n")
    fields = {field["name"]: field for field in csv_schema(file)["fields"]}
    assert [field["type"] for field in fields.values()] == ["string", "number", "string", "string"]
    assert fields["STS12"]["description"].endswith("in t.parquet")


def test_a_file_with_the_columns_of_its_parquet_file_has_its_description(tmp_path: Path):
    frame = pd.DataFrame(
        {
            name: pa.array([], kind).to_pandas()
            for name, kind in zip(SCORES.columns, SCORES.schema.types, strict=True)
        }
    )
    write_table(frame, tmp_path / "s.parquet", SCORES)
    frame.to_csv(tmp_path / "s.csv", index=False)
    assert csv_schema(tmp_path / "s.csv") == {**table_schema(SCORES), "missingValues": [""]}
