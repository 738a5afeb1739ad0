"""What kinds make of small tables: for the tests of strategies, tables and figures."""

from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd

from contrapose.pairs.kinds import STRATEGIES
from contrapose.report.about import About
from contrapose.report.kinds.base import Drawing, Report
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.report.published import printed_rows
from contrapose.steps import settings_class
from contrapose.tables import PAIRS, POINTS, checked_arrays


def pairs(kind: str, *tables: pd.DataFrame | list[Path], **settings: object) -> pd.DataFrame:
    """Return the pairs that a strategy makes of the tables that its `build` reads, checked."""
    module = STRATEGIES[kind]
    found = module.build(settings_class(module)(kind=kind, **settings), *tables)
    checked_arrays(found, "pairs", PAIRS)
    return found


def about(kind: type[About] = About, **changes: Any) -> Any:
    """Return what a table or figure is told about itself."""
    told = {"name": "t", "source": "A paper", "world": "w", "world_description": "d", "generated": False}
    return kind(**{**told, "seeds": [42], **changes})


def report(kind: str, settings: dict, told: About, *inputs: Any, **named: Any) -> Report | Drawing:
    """Return what a kind of tables or figures makes of what its `build` reads, its tidy table checked."""
    module = (TABLES | FIGURES)[kind]
    spec = settings_class(module)(**{"kind": kind, "caption": "A caption.", **settings})
    lists = [each for each in inputs if isinstance(each, list)]
    told, gone = told.told_by(str(file) for each in lists for file in each)
    given = signature(module.build).bind(spec, told, *(_without(each, gone) for each in inputs), **named)
    if hasattr(spec, "layout") and kind != "machine" and "published" in given.arguments:
        given.arguments["published"] = printed_rows(told.name, given.arguments["published"], spec.layout)
    found = module.build(*given.args, **given.kwargs)
    checked_arrays(found.tidy, "tidy", POINTS if isinstance(found, Drawing) else found.schema)
    return found


def _without(given: Any, gone: set[str]) -> Any:
    return [file for file in given if file not in gone] if isinstance(given, list) else given


def drawn(made: Drawing | Report, folder: Path) -> None:
    """Draw a figure or the plot of a table twice, in every format: the files have the same bytes."""
    paths = [folder / f"figure.{kind}" for kind in ("pdf", "png", "svg")]
    draw = made.draw if isinstance(made, Drawing) else made.plot
    draw(paths)
    before = [path.read_bytes() for path in paths]
    draw(paths)
    assert [path.read_bytes() for path in paths] == before
    assert [each[:4] for each in before] == [b"%PDF", b"\x89PNG", b"<?xm"]
