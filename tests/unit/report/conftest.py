"""Files that tables are built from."""

from collections.abc import Callable
from itertools import count

import pandas as pd
import pytest

from contrapose.tables import Table, write_table


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Give a function that writes a table, with its provenance, and returns the path."""
    folder, numbers = tmp_path_factory.mktemp("tables"), count()

    def write(rows: pd.DataFrame, table: Table, **made_from: object) -> str:
        path = folder / f"{next(numbers)}.parquet"
        write_table(rows, path, table, made_from)
        return str(path)

    return write
