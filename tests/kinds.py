"""What kinds make of small tables: for the tests of strategies, tables and figures."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from contrapose.jobs.status import Status
from contrapose.jobs.step import settings_class
from contrapose.pairs.kinds import STRATEGIES
from contrapose.pairs.pair_rows import whole
from contrapose.report.about import About
from contrapose.report.cells import TYPES
from contrapose.report.found import found_in
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.report.output import Drawing, Report
from contrapose.report.published import printed_rows
from contrapose.tables import CELLS, PAIRS, POINTS, Table, checked_arrays, write_table

FOLDER, NUMBERS = TemporaryDirectory(prefix="tables-"), count()  # of files that tables are built from


def file(rows: pd.DataFrame, table: Table, **made_from: Any) -> str:
    """Write a table, with its status and what it is made from; return the path."""
    path = Path(FOLDER.name) / f"{next(NUMBERS)}.parquet"
    fields = {name: made_from.pop(name) for name in Status.model_fields if name in made_from}
    write_table(rows, path, table, {**made_from, **Status(**fields).metadata()})
    return str(path)


def pairs(kind: str, *tables: pd.DataFrame | list[Path], **settings: object) -> pd.DataFrame:
    """Return the pairs that a strategy makes of the tables that its `build` reads, checked."""
    module = STRATEGIES[kind]
    found = whole(module.build(settings_class(module)(kind=kind, **settings), *tables))
    checked_arrays(found, "pairs", PAIRS)
    return found


def about(kind: type[About] = About, **changes: Any) -> Any:
    """Return what a table or figure is told about itself."""
    facts = {"name": "t", "source": "A paper", "catalog": "w", "catalog_description": "d", "generated": False}
    return kind(**{**facts, "seeds": [42], **changes})


def cells(*rows: dict) -> pd.DataFrame:
    """Return rows of CELLS; what they do not say is missing, empty, or the only one."""
    fixed = {
        "table": "t",
        "catalog": "w",
        "row": 0,
        "group": "",
        "model": "m",
        "run": "",
        "column": "A",
        "n": 9,
    }
    fixed |= {"variant": "", "published_row": "", "baseline": "", "fair_for": ""}
    return pd.DataFrame([fixed | row for row in rows], columns=CELLS.columns).astype(TYPES)


def report(
    kind: str,
    settings: dict,
    facts: About,
    *inputs: Any,
    published: pd.DataFrame | None = None,
    histories: Sequence[str] = (),
    **named: Any,
) -> Report | Drawing:
    """Return what a kind of tables or figures makes of what its `build` reads, its tidy table checked."""
    module = (TABLES | FIGURES)[kind]
    spec = settings_class(module)(**{"kind": kind, "caption": "A caption.", **settings})
    lists = [each for each in inputs if isinstance(each, list)]
    files = (str(file) for each in lists for file in each)
    found = found_in(files, {*facts.runs, *facts.ids}, facts.name)
    found = replace(found, histories=list(histories))
    if published is not None:
        found = replace(found, published=printed_rows(facts.name, published, spec.layout))
    read = (_without(each, found.empty) for each in inputs)
    made = module.build(spec, facts.with_found(found), *read, **named)
    checked_arrays(made.tidy, "tidy", POINTS if isinstance(made, Drawing) else made.schema)
    return made


def _without(given: Any, unavailable: set[str]) -> Any:
    return [file for file in given if file not in unavailable] if isinstance(given, list) else given


def drawn(made: Drawing | Report, folder: Path, again: Sequence[str] = ("pdf",)) -> None:
    """Draw a figure or the plot of a table in every format, and `again`: the files have the same bytes."""
    paths = {kind: folder / f"figure.{kind}" for kind in ("pdf", "png", "svg")}
    draw = made.draw if isinstance(made, Drawing) else made.plot
    draw([*paths.values()])
    before = [path.read_bytes() for path in paths.values()]
    draw([paths[kind] for kind in again])
    assert [path.read_bytes() for path in paths.values()] == before
    assert [each[:4] for each in before] == [b"%PDF", b"\x89PNG", b"<?xm"]
