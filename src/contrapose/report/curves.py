"""The points of a figure that shows a column of tables against a number that their rows stand for."""

from collections.abc import Mapping

import pandas as pd

from contrapose.errors import TableError
from contrapose.jobs import SELECTED, CurveJob
from contrapose.tables import CURVE


def curve_points(tables: Mapping[str, pd.DataFrame], job: CurveJob) -> pd.DataFrame:
    """Return the points of a figure: a line per group of rows.

    Parameters
    ----------
    tables : mapping of table name: PUBLISHABLE table
    job : CurveJob
        `points` says which number each row stands for; other rows are no points.  What a search selects for
        a row is on a line of its own.

    Returns
    -------
    CURVE table
        Means over seeds with the standard deviation, or with the bootstrap interval of one seed; the paper's
        numbers unless the world makes its own text.

    Raises
    ------
    TableError
        No row of a table is a point.
    """
    known = dict(job.points)
    rows = []
    for name, tidy in tables.items():
        # The average of fewer columns than the paper's has a longer name.
        names = [each for each in dict.fromkeys(tidy.column) if each.partition(" of ")[0] == job.column]
        labels = tidy.model.str.removesuffix(SELECTED)
        cells = tidy[tidy.seed.isna() & tidy.column.isin(names[:1]) & labels.isin(list(known))]
        if cells.empty:
            raise TableError(f"{job.table}: no row of {name} is one of {', '.join(known)}.")
        for cell in cells.to_dict("records"):
            label = cell["model"].removesuffix(SELECTED)
            line = (cell["group"] or name) + cell["model"].removeprefix(label)
            about = {"figure": job.table, "world": job.world, "line": line, "x": known[label]}
            ours = {each: cell[each] for each in ("value", "low", "high", "spread")}
            rows.append({**about, "source": "ours", **ours})
            if pd.notna(cell["published"]) and not job.generated:
                rows.append({**about, "source": "published", "value": cell["published"]})
    numbers = dict.fromkeys(("x", "value", "low", "high", "spread"), float)
    table = pd.DataFrame(rows, columns=CURVE.columns).astype(numbers)
    return table.sort_values(["source", "line", "x"], kind="stable", ignore_index=True)
