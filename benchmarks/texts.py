"""Texts for the items: real ones if CONTRAPOSE_DATA names a folder of them, else those of the mini world."""

import os
from itertools import islice
from pathlib import Path

import pandas as pd
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, PunktTrainer

from contrapose.settings.catalogs import MiniWorld
from contrapose_mini.files import write_mini_world


def mini_articles(folder: Path, n: int) -> list[tuple[str, str]]:
    """Return id and text of the articles of a mini world with `n` of them, written below `folder`."""
    write_mini_world(folder, MiniWorld(articles=n, pairs=2))
    table = pd.read_parquet(folder / "wikipedia" / "train-00000-of-00001.parquet")
    return list(zip(table.id, table.text, strict=True))


def trained_punkt(articles: list[tuple[str, str]]) -> PunktParameters:
    """Train NLTK's sentence splitter on articles."""
    return PunktTrainer("\n\n".join(text for _, text in articles)).get_params()


def mini_sentences(folder: Path, n: int) -> list[str]:
    """Return `n` distinct sentences of a mini world, from headings of one word to more than 50 words."""
    articles = mini_articles(folder, 10 + n // 8)  # an article has some 24 sentences
    split = PunktSentenceTokenizer(trained_punkt(articles)).tokenize
    found = dict.fromkeys(
        sentence for _, text in articles for line in text.splitlines() for sentence in split(line)
    )
    if len(found) < n:
        raise ValueError(f"the mini world's articles hold {len(found)} distinct sentences, wanted are {n}")
    return list(found)[:n]


def wikipedia_articles(folder: Path, n: int) -> tuple[list[tuple[str, str]], str]:
    """Return id and text of `n` articles, and where they are from: Wikipedia or the mini world."""
    data = os.environ.get("CONTRAPOSE_DATA")
    if not data:
        return mini_articles(folder, n), "the mini world"
    (path,) = Path(data).glob("wikipedia_en_20231101_sample/*.jsonl")
    texts = pd.read_json(path, lines=True, nrows=n).iloc[:, 0]
    return [(str(number), text) for number, text in enumerate(texts)], "Wikipedia"


def wikipedia_sentences(folder: Path, n: int) -> tuple[list[str], str]:
    """Return `n` distinct sentences, and where they are from: SimCSE's corpus or the mini world."""
    data = os.environ.get("CONTRAPOSE_DATA")
    if not data:
        return mini_sentences(folder, n), "the mini world"
    (path,) = Path(data).glob("wiki1m_head/*.txt")
    with path.open(encoding="utf-8") as lines:
        return list(islice(dict.fromkeys(filter(None, map(str.strip, lines))), n)), "Wikipedia"
