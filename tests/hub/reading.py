"""The project's own readers of hub data, in a process of their own.

The clients of the hub read `HF_ENDPOINT` and `HF_HOME` once, when they are imported: whoever sets them needs
a new process.
"""

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from contrapose.base.tasks import TASKS, ScoredPairs, Task
from contrapose.corpus.published_lines import HubSentences
from contrapose.retrieve.articles import HubTable
from contrapose.settings.spec import PoolingName
from tests.hub.server import Hub

PROXIES = [f"{kind}_proxy" for kind in ("http", "https", "all", "ftp")]
Read = Callable[..., Any]


def set_hub(patch: pytest.MonkeyPatch, hub: Hub, home: Path) -> None:
    """Have every new process of this one read from a hub, and keep what it fetches in `home`."""
    patch.setenv("HF_ENDPOINT", hub.url)
    patch.setenv("HF_HOME", str(home))
    for name in ("HF_HUB_OFFLINE", "HF_TOKEN", "HF_HUB_CACHE", "HF_DATASETS_CACHE"):
        patch.delenv(name, raising=False)
    for name in (*PROXIES, *map(str.upper, PROXIES)):
        patch.delenv(name, raising=False)


def renamed(hub: Hub, kind: str, name: str, new: str) -> str:
    """Give a repository a second name, by which no client has anything of it yet."""
    place = hub.folder / kind / new
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(hub.folder / kind / name)
    return new


@contextmanager
def reading(**environment: str) -> Iterator[Read]:
    """Give a function that calls another one, by reference, in a new process."""
    spawn = multiprocessing.get_context("spawn")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        pool = ProcessPoolExecutor(1, spawn, _know, (dict(TASKS),))
        pool.submit(int).result()  # the process starts here, with this environment
    with pool:
        yield lambda function, *arguments: pool.submit(function, *arguments).result()


def _know(tasks: dict[Task, ScoredPairs]) -> None:
    """Have the published numbers of pairs that the caller has."""
    TASKS.update(tasks)


def called(arguments: list[str]) -> tuple[int, str]:
    """Call the command; return its exit code, and what it says on standard error."""
    from contrapose.command import main

    with redirect_stderr(StringIO()) as said, pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0), said.getvalue()


def articles(source: HubTable) -> pd.DataFrame:
    """Return all articles of a source."""
    from contrapose.retrieve.articles import hub_articles

    return pd.concat(hub_articles(source), ignore_index=True)


def published_lines(source: HubSentences) -> pd.DataFrame:
    """Return the first lines of a published corpus, all of which are read."""

    from contrapose.corpus.published_lines import published_lines

    return published_lines(source, None)[:3]


def vectors(source: str, revision: str | None, pooling: PoolingName, texts: list[str]) -> np.ndarray:
    """Return the vectors of texts, one row each; `source` is a folder if there is no revision."""
    from contrapose.models.embeddings import embeddings
    from contrapose.models.sentence_encoder import load_encoder

    return embeddings(load_encoder(source, revision, pooling), texts)


def drawn(source: str, revision: str | None, texts: list[str]) -> list[str]:
    """Return a text that an encoder-decoder draws for each text, likewise."""
    from contrapose.generate.encoder_decoders import Seq2SeqModel

    return Seq2SeqModel(source, "cpu", revision).drawn(texts, 1, 50, 0.9, 8, seed=1)


def surprises(source: str, revision: str | None, texts: list[str]) -> np.ndarray:
    """Return the perplexities of texts by a language model, likewise."""
    from contrapose.models.perplexity import load_causal_lm, perplexities

    return perplexities(load_causal_lm(source, revision, "cpu"), texts)
