"""What the columns of a table mean, for people who have nothing but the files."""

import ast
import io
import tokenize
from functools import cache
from pathlib import Path

import pandas as pd
import pyarrow as pa

from contrapose import tables
from contrapose.tables import TABLES, Table, read_provenance

# What means the same in every table.
COMMON = {
    "world": "Where everything came from: config/world.yaml",
    "study": "Folder under config/studies/",
    "table": "Name of the table",
    "figure": "Name of the figure",
    "row": "Place in the table, from 0",
    "group": "Heading over some rows",
    "model": "Label of the row",
    "label": "Label of the row",
    "corpus": "Sentences that were used, a name under corpora in config/recipes.yaml",
    "task": "Evaluation set",
    "form": "Text of the set: senteval (Moses-tokenised) or raw",
    "split": "train, dev or test",
    "low": "Lower end of the 95 % interval",
    "high": "Upper end: see low",
    "n": "How many are behind the value",
    "seeds": "Trainings behind it",
    "note": "What a reader of the row has to know",
    "claim": "What the paper says, in one sentence",
    "claim_id": "Name of the claim",
    "tables": "Tables behind the claim",
    "verdict": "holds, same direction, no difference or opposite; empty: something is missing",
    "difference": "Mean over seeds, in units of the tables; positive is as claimed",
    "error": "Standard error of the difference over seeds",
    "detail": "The differences one by one",
    "missing": "Why there is no verdict",
    "published_difference": "The same of the paper's printed tables",
    "id": "Of the pair",
    "anchor": "Sentence of the pair",
    "positive": "Text that is to be near it",
    "negative": "Text that is to be far from it; missing where there is none",
    "weight": "Importance of the pair",
    "kind": "Kind of source",
    "name": "In the world file",
    "where": "Data set or model of the hub, or place below the data folder",
    "revision": "Commit on the hub",
    "licence": "Identifier as the hub writes it; other: see terms; unknown: we found none",
    "terms": "In words, as far as known",
    "see": "Page that says so",
}
TYPES = {"string": "string", "bool": "boolean", "int": "integer", "float": "number", "double": "number"}


@cache
def column_comments() -> dict[str, dict[str, str]]:
    """Return table: {column: comment} as they stand in `tables/`, beside a column or right above it.

    A column without one has a name that says it, or means in every table what COMMON says.
    """
    sources = (path.read_text(encoding="utf-8") for path in Path(tables.__file__).parent.glob("*.py"))
    return {table: columns for source in sources for table, columns in _comments_of(source).items()}


def _comments_of(source: str) -> dict[str, dict[str, str]]:
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
        {
            "name": field.name,
            "type": _type_of(field.type),
            "description": comments[field.name] or COMMON[field.name],
        }
        for field in table.schema
    ]
    key = {} if set(table.key) & set(table.nullable) else {"primaryKey": list(table.key)}
    return {"fields": fields, **key}


def csv_schema(path: Path) -> dict[str, object]:
    """Return the Table Schema of a CSV file; the Parquet file of the same name has its numbers in full."""
    tidy = path.with_suffix(".parquet")
    if tidy.is_file() and (schema := parquet_schema(tidy)) and _names(schema) == list(_texts(path).columns):
        return {**schema, "missingValues": [""]}
    printed = f"As printed in the paper; with n, interval and spread in {tidy.name}"
    fields = [
        {"name": name, "type": _type_of_texts(texts), "description": COMMON.get(str(name), printed)}
        for name, texts in _texts(path).items()
    ]
    return {"fields": fields, "missingValues": [""]}


def parquet_schema(path: Path) -> dict[str, object]:
    """Return the Table Schema of a Parquet file of ours."""
    return table_schema(TABLES[read_provenance(path)["table"]])


def _names(schema: dict) -> list[str]:
    return [field["name"] for field in schema["fields"]]


def _texts(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _type_of(kind: pa.DataType) -> str:
    return next(name for prefix, name in TYPES.items() if str(kind).startswith(prefix))


def _type_of_texts(texts: pd.Series) -> str:
    filled = texts[texts != ""]
    numbers = pd.to_numeric(filled, errors="coerce")
    return "number" if len(filled) and numbers.notna().all() else "string"
