"""The page of Parquet tables, from their schemas."""

import importlib
import pkgutil

import contrapose.tables
from contrapose.tables import TABLES, Table
from contrapose.tools.reference.markdown import begun, rows

STAGES = ("retrieve", "corpus", "generate", "score", "pairs", "train", "evaluate", "report")
INTRODUCTION = """# Tables

The jobs of a stage write Parquet tables, and the next stages read them. Contrapose checks each table when it
writes and reads it: the columns, their types, the key and missing values. Every file keeps the descriptions
of its columns, and the settings and inputs that it was made from.

Read a table with pandas, for example:

```python
import pandas as pd

scores = pd.read_parquet("results/pairs/dropout.parquet")
```

The key names the columns that are unique together. A column marked with `?` may have missing values.
"""


def page() -> str:
    """Return the page, with a section for each stage in the order of the workflow."""
    parts = [INTRODUCTION]
    modules = {name for _, name, _ in pkgutil.iter_modules(contrapose.tables.__path__)}
    for stage in STAGES:
        assert stage in modules, f"contrapose.tables has no module {stage}"
        module = importlib.import_module(f"contrapose.tables.{stage}")
        own = [table for table in vars(module).values() if isinstance(table, Table)]
        parts += [f"\n## Stage {stage}\n", *(_section(table) for table in own if table.name in TABLES)]
    return "\n".join(parts).rstrip() + "\n"


def _section(table: Table) -> str:
    """Return the columns of a table; a row of the page for each."""
    lines = [f"### {table.name}\n", f"{table.description} Key: {_names(table.key)}.\n"]
    columns = []
    for field in table.schema:
        about = (field.metadata or {}).get(b"description", b"").decode()
        optional = "?" if field.name in table.nullable else ""
        kind = str(field.type).replace("<item: ", "<").replace("<element: ", "<")
        columns.append([f"`{field.name}`", f"`{kind}{optional}`", begun(about)])
    return "\n".join(lines) + "\n" + rows(["column", "type", "content"], columns)


def _names(key: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in key)
