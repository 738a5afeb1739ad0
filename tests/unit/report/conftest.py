"""Files that tables are built from."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pandas as pd
import pytest

from contrapose.status import Status
from contrapose.tables import Table, write_table


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Give a function that writes a table, with its status and what it is made from; returns the path."""
    folder, numbers = tmp_path_factory.mktemp("tables"), count()

    def write(rows: pd.DataFrame, table: Table, **made_from: Any) -> str:
        path = folder / f"{next(numbers)}.parquet"
        fields = {name: made_from.pop(name) for name in Status.model_fields if name in made_from}
        write_table(rows, path, table, {**made_from, **Status(**fields).metadata()})
        return str(path)

    return write
