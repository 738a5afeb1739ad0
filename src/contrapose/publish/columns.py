"""What the columns of a table mean, for people who have nothing but the files."""

import ast
import io
import tokenize
from functools import cache
from pathlib import Path

import pandas as pd
import pyarrow as pa

from contrapose import tables
from contrapose.tables import Table

# Columns of words in the printed tables; the others are as the paper prints them.
PRINTED = {
    "world": "Where everything came from: config/world.yaml",
    "group": "Heading over some rows",
    "model": "Label of the row",
    "label": "Label of the row",
    "note": "What a reader of the row has to know",
    "claim": "What the paper says, in one sentence",
    "claim_id": "Name of the claim",
    "verdict": "holds, same direction, no difference or opposite; empty: something is missing",
    "difference": "Mean over seeds, in units of the tables; positive is as claimed",
    "error": "Standard error of the difference over seeds",
    "detail": "The differences one by one",
    "missing": "Why there is no verdict",
}
TYPES = {"string": "string", "bool": "boolean", "int": "integer", "float": "number", "double": "number"}


@cache
def column_comments() -> dict[str, dict[str, str]]:
    """Return table: {column: comment} as they stand in tables.py, beside a column or right above it.

    The comments there are the only description of the columns, so they are what is published.
    """
    source = Path(tables.__file__).read_text(encoding="utf-8")
    found = {
        token.start[0]: (token.string.removeprefix("#").strip(), not token.line[: token.start[1]].strip())
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    return {
        table: {name: _comment(node, found) for name, node in columns.items()}
        for table, columns in _column_nodes(ast.parse(source)).items()
    }


def _column_nodes(tree: ast.Module) -> dict[str, dict[str, ast.Tuple]]:
    """Map table: {column: its place}, of every `NAME = Table("name", pa.schema([...]), ...)`."""
    calls = (node.value for node in tree.body if isinstance(node, ast.Assign))
    return {
        ast.literal_eval(call.args[0]): {
            ast.literal_eval(node.elts[0]): node
            for node in ast.walk(call.args[1])
            if isinstance(node, ast.Tuple)
        }
        for call in calls
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == Table.__name__
    }


def _comment(node: ast.Tuple, comments: dict[int, tuple[str, bool]]) -> str:
    beside = comments.get(node.end_lineno or node.lineno)
    if beside:
        return beside[0]
    lines: list[str] = []
    above = node.lineno - 1
    while above in comments and comments[above][1]:
        lines.insert(0, comments[above][0])
        above -= 1
    return " ".join(lines)


def table_schema(table: Table) -> dict[str, object]:
    """Return the Table Schema of a Parquet table."""
    comments = column_comments()[table.name]
    fields = [
        {"name": field.name, "type": _type_of(field.type), "description": comments[field.name]}
        for field in table.schema
    ]
    key = {} if set(table.key) & set(table.nullable) else {"primaryKey": list(table.key)}
    return {"fields": fields, **key}


def csv_schema(path: Path, tidy: str) -> dict[str, object]:
    """Return the Table Schema of a printed CSV file; `tidy` is the Parquet file with its numbers in full."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    printed = f"As printed in the paper; with n, interval and spread in {tidy}"
    fields = [
        {"name": name, "type": _type_of_texts(frame[name]), "description": PRINTED.get(name, printed)}
        for name in frame.columns
    ]
    return {"fields": fields, "missingValues": [""]}


def _type_of(kind: pa.DataType) -> str:
    return next(name for prefix, name in TYPES.items() if str(kind).startswith(prefix))


def _type_of_texts(texts: pd.Series) -> str:
    filled = texts[texts != ""]
    numbers = pd.to_numeric(filled, errors="coerce")
    return "number" if len(filled) and numbers.notna().all() else "string"
