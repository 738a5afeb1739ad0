"""Corpora that somebody published: a file with one sentence a line."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from contrapose.corpus.jobs import PublishedLines
from contrapose.corpus.languages import word_counter
from contrapose.corpus.punkt import Splitter
from contrapose.errors import TableError
from contrapose.refs import as_number
from contrapose.retrieve.hub import check_rows, hub_file
from contrapose.retrieve.lines import text_lines
from contrapose.seeds import generator
from contrapose.settings.worlds import HubFile, SentenceSource
from contrapose.tables import SENTENCES

logger = logging.getLogger(__name__)


def published_lines(source: SentenceSource, data: Path | None) -> list[str]:
    """Read every line of a published corpus, as it is: repeated ones stay, as SimCSE trained on them.

    Memory: about 200 bytes per line.

    Parameters
    ----------
    source : SentenceFile or HubFile
    data : Path, optional
        The data folder; not needed for a file of the hub.

    Raises
    ------
    TableError, BackendError
        The file cannot be read or fetched, holds nothing, or has another number of lines than its entry says.
    """
    if isinstance(source, HubFile):
        path = hub_file(source.dataset, source.file, source.revision)
    else:
        assert data is not None
        path = data / source.path
    lines = ["\t".join(line.fields) for line in text_lines(path)]
    if not any(map(str.strip, lines)):
        raise TableError(f"{path}: holds no sentence. Expected a text file with one sentence a line.")
    if blank := sum(not line.strip() for line in lines):
        logger.warning("%s: %d lines are blank, and stay as sentences without words", path, blank)
    if isinstance(source, HubFile):
        check_rows(len(lines), source.rows, source.file)
    return lines


def published_sentences(lines: Sequence[str], split: Splitter, spec: PublishedLines) -> pd.DataFrame:
    """Make a corpus of the lines of a file: every one, or a random sample of them.

    Neighbouring lines of SimCSE's file are from one article, so the head of the file would be about a few
    things only.  A sample is drawn without replacement.

    Parameters
    ----------
    split : callable, text -> list of sentences
        Of English, which `words` then counts as `nltk.word_tokenize` does; lines hold more than one now and
        then.  Of another language: see `word_counter`.

    Returns
    -------
    SENTENCES table
        Every line in the order of the file, or a sample in the order of the draw: a small one is the head
        of a larger one with the same seed.  `article_id` is the name of the file, `position` the line.

    Raises
    ------
    TableError
        There are fewer lines than sentences wanted.
    """
    chosen: Sequence[int] = range(len(lines))
    if (wanted := as_number(spec.size)) is not None:
        if len(lines) < wanted:
            raise TableError(
                f"sentence_files.{spec.file}: has {len(lines)} sentences, the corpus wants {wanted}. "
                "Give the corpus a smaller size, or none for every line."
            )
        order = generator("corpus", "published", spec.file, spec.seed).permutation(len(lines))
        chosen = order[:wanted].tolist()
    texts = [lines[number] for number in chosen]
    count = word_counter(spec.language, split)
    words = [count(text) for text in tqdm(texts, desc="words", unit=" lines", mininterval=5)]
    logger.info("%d of %d lines, %.1f words each", len(texts), len(lines), np.mean(words))
    table = {
        "id": [f"{spec.file}:{number}" for number in chosen],
        "text": texts,
        "article_id": spec.file,
        "position": chosen,
        "words": words,
    }
    return pd.DataFrame(table, columns=SENTENCES.columns).astype({"position": "int32", "words": "int32"})
