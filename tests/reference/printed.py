"""A paper's claims and its printed tables, as they stand below config/studies/."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import yaml

from contrapose.report.claims.cells import Cells, printed_cells
from contrapose.settings.deviations import Claim
from contrapose.settings.rows import PrintedLayout
from tests.checkout import HOME


def folder(study: str) -> Path:
    return HOME / "config" / "studies" / study


def claims_of(study: str) -> list[Claim]:
    with (folder(study) / "claims.csv").open(newline="") as file:
        return [Claim.model_validate(row) for row in csv.DictReader(file)]


def layout_of(study: str, table: str) -> PrintedLayout:
    tables = yaml.safe_load((folder(study) / "study.yaml").read_text())["tables"]
    return PrintedLayout.model_validate(tables.get(table, {}).get("layout", {}))


def printed_tables(study: str) -> dict[str, Cells]:
    """Return those printed tables that the claims need, read as the study says."""
    files = {path.stem: path for path in (folder(study) / "published").glob("*.csv")}
    needed = {name for claim in claims_of(study) for name in claim.needs}
    return {
        name: printed_cells(name, pd.read_csv(files[name]), layout_of(study, name))
        for name in sorted(needed & files.keys())
    }


def exchanged(tables: Mapping[str, Cells], table: str, one: str, other: str) -> dict[str, Cells]:
    """Return the tables with the numbers of two rows exchanged in one of them."""
    names = {one: other, other: one}
    values = {(names.get(row, row), column): value for (row, column), value in tables[table].values.items()}
    return {**tables, table: Cells(table, values)}
