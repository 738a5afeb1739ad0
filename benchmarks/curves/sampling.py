"""Sampling method 1, against what there is to draw from and against what is drawn."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.curves.laws import ONE, Law
from benchmarks.curves.measure import Curve, Work
from benchmarks.texts import trained_punkt, wikipedia_articles
from contrapose.corpus.article_file import ArticleFile
from contrapose.corpus.draw import CorpusDraws, drawn_sentences
from contrapose.corpus.punkt_parameters import parameter_table, splitter
from contrapose.tables import ARTICLES, PUNKT, TableWriter, read_table, write_table

REAL = 1000  # articles; a larger file repeats them
PUNKT_ARTICLES = 200  # that Punkt is trained on
ARTICLES_DRAWN, DRAWS = 1000, 1000  # while the other grows


def write_articles(folder: Path, count: int) -> Path:
    """Write an ARTICLES table of `count` articles, as many as there are and then those again."""
    path = folder / f"articles{count}.parquet"
    if not path.exists():
        texts = [text for _, text in wikipedia_articles(folder, REAL)[0]]
        with TableWriter(path, ARTICLES) as writer:
            for first in range(0, count, REAL):
                numbers = range(first, min(first + REAL, count))
                rows = [(str(number), "", texts[number % len(texts)]) for number in numbers]
                writer.write(pd.DataFrame(rows, columns=ARTICLES.columns))
    return path


def write_punkt(folder: Path) -> Path:
    """Write a PUNKT table trained on the first articles."""
    path = folder / "punkt.parquet"
    if not path.exists():
        trained = trained_punkt(wikipedia_articles(folder, PUNKT_ARTICLES)[0])
        write_table(parameter_table(trained), path, PUNKT)
    return path


def sampling(folder: Path, articles: int, draws: int) -> Work:
    """Return the making of `draws` draws from a file of `articles` articles."""
    path, punkt = write_articles(folder, articles), write_punkt(folder)
    spec = CorpusDraws(method=1, seed=1, draws=draws)
    return lambda: drawn_sentences(ArticleFile(path), splitter(read_table(punkt, PUNKT)), spec)


def distinct(articles: np.ndarray | int, draws: np.ndarray | int) -> np.ndarray:
    """Return how many of `articles` are drawn at least once, on average."""
    return articles * -np.expm1(-np.asarray(draws) / articles)


def _by_articles(x: int, folder: Path) -> Work:
    return sampling(folder, x, DRAWS)


def _by_draws(x: int, folder: Path) -> Work:
    return sampling(folder, ARTICLES_DRAWN, x)


def _law(drawn: Callable[[int], float]) -> dict[str, Law]:
    return {"cpu": Law("{} + {} x + {} articles drawn", [ONE, lambda x: x, drawn])}


CURVES = {
    "sample_by_articles": Curve(
        work=f"{DRAWS} draws of method 1",
        x="articles in the file",
        steps=(250, 1000, 4000, 16_000, 64_000),
        prepare=_by_articles,
        laws=_law(lambda x: distinct(x, DRAWS)),
    ),
    "sample_by_draws": Curve(
        work=f"draws of method 1 from {ARTICLES_DRAWN} articles",
        x="draws",
        steps=(250, 1000, 4000, 16_000, 64_000),
        prepare=_by_draws,
        laws=_law(lambda x: distinct(ARTICLES_DRAWN, x)),
    ),
}
