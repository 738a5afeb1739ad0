"""Tasks of mteb: its own, by name, and tasks in files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mteb
import pandas as pd
from datasets import Dataset, DatasetDict
from mteb.abstasks import AbsTask, AbsTaskClustering, AbsTaskPairClassification, AbsTaskRetrieval, AbsTaskSTS
from mteb.abstasks.task_metadata import TaskMetadata

from contrapose.errors import ConfigError, TableError
from contrapose.evaluate.mteb import MtebFiles

PAIR = ["sentence1", "sentence2"]
RETRIEVAL = {"corpus": ["id", "text"], "queries": ["id", "text"], "qrels": ["query-id", "corpus-id", "score"]}
# Of a task in files: class and main score, those of most of mteb's own tasks of the type; files and columns.
TYPES: dict[str, tuple[type[AbsTask], str, dict[str, list[str]]]] = {
    "STS": (AbsTaskSTS, "cosine_spearman", {"test": [*PAIR, "score"]}),
    "PairClassification": (
        AbsTaskPairClassification,
        "max_ap",
        {"test": [*PAIR, "labels"]},
    ),
    "Clustering": (AbsTaskClustering, "v_measure", {"test": ["sentences", "labels"]}),
    "Retrieval": (AbsTaskRetrieval, "ndcg_at_10", RETRIEVAL),
}
READERS: dict[str, Any] = {
    ".csv": pd.read_csv,
    ".jsonl": lambda path, **kinds: pd.read_json(path, lines=True, **kinds),
    ".parquet": lambda path, **kinds: pd.read_parquet(path).astype(kinds.get("dtype", {})),
}


def mteb_tasks(named: Sequence[str | MtebFiles], folders: Mapping[str, str]) -> list[AbsTask]:
    """Return tasks in their order; `folders` has those of the tasks in files, by name.

    Raises ConfigError if mteb has no task of a name, and TableError if a file or column is missing.
    """
    return [
        _in_files(each, Path(folders[each.name])) if isinstance(each, MtebFiles) else _of_mteb(each)
        for each in named
    ]


def _of_mteb(name: str) -> AbsTask:
    try:
        return mteb.get_task(name)
    except KeyError as error:
        raise ConfigError(f"mteb: {error.args[0]} For a task in files give name, type and path.") from error


def _in_files(spec: MtebFiles, folder: Path) -> AbsTask:
    kind, main_score, files = TYPES[spec.type]
    parts = {name: _read(folder, spec.type, name, columns) for name, columns in files.items()}
    metadata = TaskMetadata(
        name=spec.name,
        description=f"Files of {folder.name}",
        type=spec.type,
        dataset={"path": str(folder), "revision": "files"},
        eval_langs=[spec.language],
        main_score=main_score,
    )
    task = type(spec.name, (kind,), {"metadata": metadata})()
    tables = {name: Dataset.from_pandas(table) for name, table in parts.items()}
    task.dataset = _retrieval(parts, tables) if spec.type == "Retrieval" else DatasetDict(tables)
    task.data_loaded = True
    return task


def _read(folder: Path, kind: str, name: str, columns: list[str]) -> pd.DataFrame:
    found = [path for path in sorted(folder.glob(f"{name}.*")) if path.suffix in READERS]
    if len(found) != 1:
        wanted = ", ".join(f"{name}{suffix}" for suffix in READERS)
        raise TableError(f"{folder}: {len(found)} files for {name} of an mteb task. Put one there: {wanted}.")
    numbers = {"score", "labels"}
    table = READERS[found[0].suffix](found[0], dtype={each: str for each in columns if each not in numbers})
    if lacking := sorted(set(columns) - set(table.columns)):
        raise TableError(
            f"{found[0]}: no column {', '.join(lacking)}. An mteb task of type {kind} needs "
            f"{', '.join(columns)}."
        )
    if table[columns].isna().to_numpy().any() or table.empty:
        raise TableError(f"{found[0]}: {len(table)} rows, and empty cells in {', '.join(columns)}.")
    return table


def _retrieval(parts: Mapping[str, pd.DataFrame], tables: Mapping[str, Dataset]) -> dict[str, Any]:
    relevant = {
        str(query): dict(zip(rows["corpus-id"], rows["score"].astype(int), strict=True))
        for query, rows in parts["qrels"].groupby("query-id", sort=False)
    }
    known = {name: set(parts[name]["id"]) for name in ("corpus", "queries")}
    wrong = [query for query in relevant if query not in known["queries"]]
    wrong += [text for texts_of in relevant.values() for text in texts_of if text not in known["corpus"]]
    if wrong:
        raise TableError(f"qrels: '{wrong[0]}' is neither a query nor a text of the corpus. Check the ids.")
    texts = {name: tables[name] for name in known}
    return {"default": {"test": {**texts, "relevant_docs": relevant, "top_ranked": None}}}
