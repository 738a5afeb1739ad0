"""Scores of an encoder on tasks of mteb, its own and tasks in files, by mteb's evaluator, with intervals."""

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import mteb
import numpy as np
import pandas as pd
import pytrec_eval
import torch
from datasets import Dataset, DatasetDict
from mteb.abstasks import AbsTask, AbsTaskClustering, AbsTaskPairClassification, AbsTaskRetrieval, AbsTaskSTS
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.cache import ResultCache
from mteb.models import ModelMeta
from mteb.types import Array, PromptType
from torch.nn.functional import normalize

from contrapose.base.errors import BackendError, ConfigError, TableError, are_missing
from contrapose.evaluate.influence import Measured, average_precision, mean, scored, spearman
from contrapose.evaluate.mteb_files import MtebFiles
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import SentenceEncoder
from contrapose.tables import SCORES

logger = logging.getLogger(__name__)

PREDICTIONS = "predictions"  # folder beside the results
MAIN_SCORE = "main_score"  # the metric of a task that mteb reports
# Predictions of a pair classification, and the sign with which higher means more alike.  mteb's `similarity`
# is our cosine.
ALIKE = {"cosine_scores": 1, "dot_scores": 1, "manhattan_distances": -1, "euclidean_distances": -1}
ROUNDED = 1e-4  # mteb rounds to five decimals
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


class MtebEncoder:
    """An encoder as mteb asks for it, filed by name and revision; pairs, too, get the queries' prompt."""

    def __init__(self, encoder: SentenceEncoder, name: str, revision: str) -> None:
        self.encoder = encoder
        about = {"max_tokens": encoder.max_length, "framework": ["PyTorch"]}
        self.mteb_model_meta = ModelMeta.create_empty({"name": name, "revision": revision, **about})

    def encode(
        self,
        inputs: Iterable[Mapping[str, Sequence[str]]],
        *,
        prompt_type: PromptType | None = None,
        **others: object,
    ) -> np.ndarray:
        """Return the vectors of batches with `text`, (n, D) in their order."""
        prompts = self.encoder.prompts
        prompt = prompts.document if prompt_type == PromptType.document else prompts.query
        texts = [text for batch in inputs for text in batch["text"]]
        return embeddings(self.encoder, texts, prompt)

    def similarity(self, one: Array, two: Array) -> torch.Tensor:
        """Return the cosines of all pairs of vectors, (n, m)."""
        return _unit(one) @ _unit(two).T

    def similarity_pairwise(self, one: Array, two: Array) -> torch.Tensor:
        """Return the cosines of vectors in pairs, (n,)."""
        return (_unit(one) * _unit(two)).sum(dim=1)


def _unit(vectors: Array) -> torch.Tensor:
    return normalize(torch.as_tensor(vectors).float(), dim=-1)


def revision_of(folder: Path) -> str:
    """Return a digest of an encoder folder: of its configuration and weights, by name and content."""
    kinds = (".json", ".safetensors", ".txt", ".model")
    return digest_of(path for path in sorted(folder.rglob("*")) if path.suffix in kinds)


def digest_of(files: Iterable[Path]) -> str:
    """Return the first 40 hex digits of the SHA-256 of files, by name and content."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.name}\0{content}\0".encode())
    return digest.hexdigest()[:40]


def mteb_scores(
    encoder: SentenceEncoder, tasks: list[AbsTask], run: str, revision: str, folder: Path
) -> pd.DataFrame:
    """Score an encoder on tasks of mteb, from `mteb_tasks`.

    `folder` gets mteb's JSON files, as in its `ResultCache`, and `predictions/`; tasks that it has are not
    scored again.  `revision` is a commit of the hub, or `revision_of` the encoder's folder.

    Returns SCORES: a row for each task, the mean of its splits and subsets (`test` and `all`), and one for
    each of several.  The metric is mteb's `main_score` of the task.  With 95 % intervals: of pairs over
    pairs, of retrieval by nDCG@10 over queries, of clustering over mteb's own samples of the texts; other
    types have none.  Raises BackendError if the data of a task cannot be fetched.
    """
    name = f"contrapose/{run.replace('/', '__')}"
    model = MtebEncoder(encoder, name, revision)
    rows: list[dict[str, Any]] = []
    for number, task in enumerate(tasks, 1):
        logger.info("mteb task %d of %d: %s", number, len(tasks), task.metadata.name)
        _load(task)
        results = mteb.evaluate(
            model,
            task,
            cache=ResultCache(folder),
            prediction_folder=folder / PREDICTIONS,
            co2_tracker=False,
            show_progress_bar=False,
        )
        for result in results.task_results:
            rows += _rows(task, result.scores, folder, run)
    return pd.DataFrame(rows, columns=SCORES.columns)


def _load(task: AbsTask) -> None:
    if task.data_loaded:
        return
    try:
        task.load_data()
    except Exception as error:  # a lost connection raises an error of the HTTP library
        raise BackendError(
            f"mteb task {task.metadata.name}: its data ({task.metadata.dataset['path']}) are not "
            f"cached and could not be downloaded: {error}. Download them once on a machine with "
            "internet and set HF_HOME, or give the task as files."
        ) from error


def _rows(
    task: Any, scores: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path, run: str
) -> Iterator[dict[str, Any]]:
    file = folder / PREDICTIONS / task.prediction_file_name
    predictions = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    name = task.metadata.name
    about = {"run": run, "task": name, "form": "mteb", "metric": MAIN_SCORE}
    parts = {}
    for split, score in ((name, each) for name, subsets in scores.items() for each in subsets):
        subset = score["hf_subset"]
        data = task.dataset[split] if subset not in task.dataset else task.dataset[subset][split]
        predicted = predictions.get(subset, {}).get(split)
        parts[split, subset] = score[MAIN_SCORE], *_influence(task, data, predicted, score)
    values, sizes, influences = zip(*parts.values(), strict=True)
    # That of a mean over subsets: each part's pairs count for their share of all.
    shares = [sum(map(len, influences)) / len(parts) / max(len(each), 1) for each in influences]
    whole = np.concatenate([share * each for share, each in zip(shares, influences, strict=True)])
    known = all(map(len, influences))
    mean_of_parts = float(np.mean(values)), sum(sizes), whole if known else np.empty(0)
    shown = [(("test", "all"), mean_of_parts), *(parts.items() if len(parts) > 1 else ())]
    for (split, subset), (value, n, influence) in shown:
        measured = scored(Measured(value, influence))
        yield {**about, "split": split, "aggregation": subset, **measured, "n": n}


def _influence(task: Any, data: Any, predicted: Any, score: Mapping[str, Any]) -> tuple[int, np.ndarray]:
    """Return the number of pairs, queries or texts, and the influence of each; none for other types."""
    kind, metric = task.metadata.type, task.metadata.main_score
    if kind == "STS" and metric == "cosine_spearman":
        gold = np.asarray(data["score"], float)
        return len(gold), spearman(np.asarray(predicted["cosine_scores"]), gold).influence
    if kind == "PairClassification" and metric in ("max_ap", "cosine_ap"):
        labels = np.ravel(data[task.label_column_name])  # older data sets hold all pairs in one row
        names = ALIKE if metric == "max_ap" else ["cosine_scores"]
        alike = [average_precision(ALIKE[name] * np.asarray(predicted[name]), labels) for name in names]
        return len(labels), max(alike, key=lambda each: each.value).influence
    if kind == "Retrieval" and metric == "ndcg_at_10":
        of_queries = _ndcg(data["relevant_docs"], predicted, task.ignore_identical_ids)
        if abs(of_queries.mean() - score[metric]) < ROUNDED:
            return len(of_queries), mean(of_queries).influence
        logger.warning(
            "%s: the score has no interval, because the mean nDCG@10 of its queries is %.4f, but the "
            "score of mteb is %.4f",
            task.metadata.name,
            of_queries.mean(),
            score[metric],
        )
    if kind == "Clustering" and "v_measures" in score:  # of its own samples of the texts
        return len(data), mean(np.array(list(chain(*score["v_measures"].values())))).influence
    return len(data["queries"] if isinstance(data, dict) else data), np.empty(0)


def _ndcg(relevant: dict, predicted: dict[str, dict[str, float]], ignore_identical: bool) -> np.ndarray:
    """Return nDCG@10 of each query that has a relevant text."""
    if ignore_identical:
        predicted = {
            query: {text: score for text, score in texts.items() if text != query}
            for query, texts in predicted.items()
        }
    wanted = {query: {text: int(grade) for text, grade in of.items()} for query, of in relevant.items()}
    by_query = pytrec_eval.RelevanceEvaluator(wanted, {"ndcg_cut.10"}).evaluate(predicted)
    return np.array([each["ndcg_cut_10"] for each in by_query.values()])


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
        raise ConfigError(f"mteb: {error.args[0]} For a task in files, give name, type and path.") from error


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
    task.dataset = _retrieval(parts, tables, folder) if spec.type == "Retrieval" else DatasetDict(tables)
    task.data_loaded = True
    return task


def _read(folder: Path, kind: str, name: str, columns: list[str]) -> pd.DataFrame:
    files = [path for path in sorted(folder.glob(f"{name}.*")) if path.suffix in READERS]
    if len(files) != 1:
        wanted = ", ".join(f"{name}{suffix}" for suffix in READERS)
        raise TableError(
            f"{folder}: an mteb task needs one file for {name}, but there are {len(files)}. The file can "
            f"be {wanted}."
        )
    numbers = {"score", "labels"}
    table = READERS[files[0].suffix](files[0], dtype={each: str for each in columns if each not in numbers})
    if missing := sorted(set(columns) - set(table.columns)):
        raise TableError(
            f"{files[0]}: {are_missing('column', missing)}. An mteb task of type {kind} needs the columns "
            f"{', '.join(columns)}."
        )
    if table[columns].isna().to_numpy().any() or table.empty:
        raise TableError(
            f"{files[0]}: the file has no rows, or empty cells in {', '.join(columns)} ({len(table)} "
            "rows). Fill in or remove these rows."
        )
    return table


def _retrieval(
    parts: Mapping[str, pd.DataFrame], tables: Mapping[str, Dataset], folder: Path
) -> dict[str, Any]:
    relevant = {
        str(query): dict(zip(rows["corpus-id"], rows["score"].astype(int), strict=True))
        for query, rows in parts["qrels"].groupby("query-id", sort=False)
    }
    known = {name: set(parts[name]["id"]) for name in ("corpus", "queries")}
    wrong = [query for query in relevant if query not in known["queries"]]
    wrong += [text for texts_of in relevant.values() for text in texts_of if text not in known["corpus"]]
    if wrong:
        raise TableError(
            f"{folder}: the file qrels has the id '{wrong[0]}', which is neither in queries nor in corpus. "
            "Correct it, or add the text."
        )
    texts = {name: tables[name] for name in known}
    return {"default": {"test": {**texts, "relevant_docs": relevant, "top_ranked": None}}}
