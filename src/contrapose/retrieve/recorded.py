"""Recorded answers of a language model, from a file."""

import logging
from pathlib import Path
from typing import Annotated

import pandas as pd

from contrapose.base.errors import TableError, shown, unknown
from contrapose.jobs.step import DataFolder, Rows, planned
from contrapose.retrieve.data_files import below
from contrapose.retrieve.lines import is_text, json_rows, spaced
from contrapose.settings.catalogs import RecordedLLM
from contrapose.settings.plan import Plan
from contrapose.tables import RECORDED_ANSWERS

logger = logging.getLogger(__name__)


@planned
def plan(project: Plan, llm: str) -> RecordedLLM:
    """Return the files of a language model's recorded answers."""
    return project.source("llms", llm, "recorded")


def build(spec: RecordedLLM, data: DataFolder) -> Annotated[pd.DataFrame, Rows(RECORDED_ANSWERS)]:
    """Read recorded answers of a language model."""
    return recorded_answers(spec, data)


def recorded_answers(source: RecordedLLM, data: Path | None) -> pd.DataFrame:
    """Read the answers of a JSON Lines file: one object a line, with a sentence and its answers.

    A list of texts becomes the numbered list that a prompt asks for; a list of one, the text.  `null` means
    no answer.  Of several answers to one prompt about one sentence, the first counts.

    Rows are in the order of the file.  A file below the project needs no data folder.  Raises TableError if
    it cannot be read, or a line is not valid JSON, lacks a key, or holds something other than text.
    """
    path = below(source.path, data)
    answers: dict[tuple[str, str], str] = {}
    repeated = 0
    for where, row in json_rows(path):
        [sentence] = _texts(row, source.sentence, where)
        for prompt, key in source.answers.items():
            if texts := _texts(row, key, where, several=True):
                question = (prompt, spaced(sentence))
                repeated += question in answers
                answers.setdefault(question, _as_answer(texts))
    if repeated:
        logger.warning(
            "%s: %d answers are repetitions for a sentence, and only the first counts", path, repeated
        )
    if not answers:
        raise TableError(f"{path}: the file contains no answer. One JSON object per line is expected.")
    rows = [(*question, answer) for question, answer in answers.items()]
    logger.info("%s: %d answers", path, len(rows))
    return pd.DataFrame(rows, columns=RECORDED_ANSWERS.columns)


def _texts(row: dict, key: str, where: str, several: bool = False) -> list[str]:
    """Return the text of a key, or the texts of its list; an empty list for null."""
    if key not in row:
        raise TableError(f"{where}: {unknown('the line', key, row)}")
    value = row[key]
    texts = value if several and isinstance(value, list) else [value]
    if several and value is None:
        return []
    if not texts or not all(map(is_text, texts)):
        allowed = "a text, a list of texts or null" if several else "a text"
        raise TableError(f"{where}: {key} is {shown(value)}, but {allowed} is expected. Correct the line.")
    return texts


def _as_answer(texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return "\n".join(f"{number}. {spaced(text)}" for number, text in enumerate(texts, start=1))
