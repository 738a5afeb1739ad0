"""Small tables that tests of several stages read, and what their samples are held against."""

from collections import Counter
from collections.abc import Iterable, Sequence

import pandas as pd
from scipy.stats import chisquare

from contrapose.pairs.pair_rows import as_pairs
from contrapose.tables import BENCHMARK


def sentences(*texts: str, ids: Iterable[str] | None = None) -> pd.DataFrame:
    """Return the SENTENCES of one article."""
    names = [f"f:{number}" for number in range(len(texts))] if ids is None else list(ids)
    about = {"article_id": "f", "position": range(len(texts)), "words": [len(text.split()) for text in texts]}
    return pd.DataFrame({"id": names, "text": list(texts), **about})


def benchmark(pairs: Iterable[tuple], task: str = "stsb", split: str = "test", **about: str) -> pd.DataFrame:
    """Return a BENCHMARK table of (sentence 1, sentence 2, score)."""
    table = pd.DataFrame(pairs, columns=["sentence1", "sentence2", "score"])
    about = {"form": "senteval", "subset": task, **about}
    return table.assign(task=task, split=split, row=range(len(table)), **about)[BENCHMARK.columns]


def scored(gold: Sequence[float], task: str, **about: str) -> pd.DataFrame:
    """Return a BENCHMARK table of pairs with these scores."""
    return benchmark([(f"a{at}", f"b{at}", float(score)) for at, score in enumerate(gold)], task, **about)


def paired(anchors: Iterable[str], positives: Iterable[str], **columns: Iterable) -> pd.DataFrame:
    """Return a PAIRS table; ids are numbers if there are none among the columns."""
    texts = pd.Series(list(anchors)), pd.Series(list(positives))
    others = {name: pd.Series(list(values)) for name, values in columns.items()}
    return as_pairs(others.pop("id", texts[0].index.astype(str).to_series()), *texts, **others)


def is_uniform(values: Iterable, among: Iterable) -> bool:
    """Tell whether all of some values, and no others, are about equally frequent."""
    counts = Counter(values)
    chance = chisquare(list(counts.values())).pvalue if len(counts) > 1 else 1
    return set(counts) == set(among) and chance > 0.001
