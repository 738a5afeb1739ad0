"""The parts of Contrapose for a notebook: sentences to pairs, pairs to an encoder, an encoder to scores.

    from contrapose import api

    pairs = api.build("crop", sentences, rate=0.2)
    api.train(pairs, "sentence-transformers/all-MiniLM-L6-v2", dev, "trained", epochs=3)
    api.score("trained", test)

An encoder is a folder, or a name on the hub: ORG/NAME, or ORG/NAME@COMMIT for a certain commit of it.

The workflow calls the same functions.  It adds strategies that need more than sentences, several seeds,
intervals and tables, and runs nothing twice.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import pandas as pd

from contrapose.base.errors import ConfigError, TableError, shown, unknown
from contrapose.retrieve.user_pairs import USER_HEADER as HEADER
from contrapose.settings.spec import PoolingName, Precision, current_value, validated

if TYPE_CHECKING:
    import numpy as np

    from contrapose.models.sentence_encoder import SentenceEncoder

# Imports that take seconds are in the functions that need them.


def build(kind: str, sentences: Sequence[str], **settings: object) -> pd.DataFrame:
    """Build positive pairs from sentences.

    Parameters
    ----------
    kind : str
        A strategy that needs only sentences: dropout, deletion, crop, repetition, punctuation, prefix,
        shuffle, next_sentence.
    sentences : sequence of str
        Duplicates are used once.  next_sentence takes them for one document, in its order.
    settings : settings of the kind, see docs/reference/configuration/

    Returns
    -------
    DataFrame
        A PAIRS table: columns id, slot, view, anchor, positive, negatives, negative_scores, label, weight.

    Raises
    ------
    ConfigError, TableError
        The kind or a setting is not valid, or what is given is no list of texts.
    """
    from contrapose.jobs.step import settings_class
    from contrapose.pairs.kinds import STRATEGIES
    from contrapose.pairs.pair_rows import whole
    from contrapose.settings.ids import named

    given = _texts(sentences, "build: sentences")
    first = {text: place for place, text in reversed([*enumerate(given)])}
    texts = list(dict.fromkeys(given))
    known = {name: STRATEGIES[name] for name in _plain_kinds()}
    module = named(known, kind, "the list of kinds of pairs of sentences")
    spec = validated(settings_class(module), {"kind": kind, "corpus": "given", **settings}, f"pairs {kind}")
    sources = {"article_id": "given", "position": map(first.get, texts)}
    document = {"id": map(str, range(len(texts))), "text": texts, **sources}
    return whole(module.build(spec, pd.DataFrame(document)))


def own_pairs(
    anchors: Sequence[str], positives: Sequence[str], negatives: Sequence[str] = ()
) -> pd.DataFrame:
    """Return your own pairs in the form that `train` takes; `negatives` has one hard negative for each pair.

    Raises TableError if the lengths differ, or one of them is no list of texts.
    """
    from contrapose.pairs.pair_rows import as_pairs, in_lists

    if len(anchors) != len(positives) or (len(negatives) and len(negatives) != len(anchors)):
        lengths = f"{len(anchors)} anchors, {len(positives)} positives, {len(negatives)} negatives"
        raise TableError(
            f"own_pairs: there are {lengths}. Give as many positives as anchors, and either no negatives "
            "or one for each anchor."
        )
    ids = pd.Series([str(number) for number in range(len(anchors))], dtype=str)
    hard = in_lists(_texts(negatives, "own_pairs: negatives")) if len(negatives) else None
    both = {"anchors": anchors, "positives": positives}
    first, second = (pd.Series(_texts(each, f"own_pairs: {name}"), dtype=str) for name, each in both.items())
    return as_pairs(ids, first, second, negatives=hard)


def train(
    pairs: pd.DataFrame,
    encoder: str | Path,
    dev: pd.DataFrame | None,
    folder: str | Path,
    seed: int = 42,
    device: str = "auto",
    precision: Precision = "auto",
    **recipe: object,
) -> pd.DataFrame:
    """Train an encoder on pairs, and save the checkpoint with the best score on dev pairs.

    Parameters
    ----------
    pairs : DataFrame
        From `build` or `own_pairs`.
    encoder : folder of a pretrained encoder, or its name on the hub, perhaps with @COMMIT
    dev : DataFrame, optional
        Columns sentence1, sentence2 and score; a higher score means more similar, on any scale.  None: the
        last step is saved.
    folder : for the trained encoder, is overwritten; `SentenceTransformer` and `AutoModel` load it
    seed : int
        Seed of the order of pairs, dropout and new weights.
    device, precision : as in docs/reference/configuration/
    recipe : settings of a contrastive recipe, see docs/reference/configuration/
        Default: those of SimCSE for unsupervised BERT-base (Gao et al. 2021), but the encoder is pooled as
        its folder declares; `pooling="cls"` is SimCSE's.

    Returns
    -------
    DataFrame
        A HISTORY table: loss, dev score (Spearman's correlation, not x100) and learning rate of every step.
        With dev pairs the last step has a score even if there was no other to choose from.

    Raises
    ------
    ConfigError, TableError
        A setting, the encoder or a table is wrong, or there are fewer pairs than a batch needs.
    BackendError
        The hub does not give the encoder.
    """
    from contrapose.models.export import save_encoder
    from contrapose.models.folders import encoder_source
    from contrapose.models.sentence_encoder import new_encoder
    from contrapose.train.contrastive import train_encoder
    from contrapose.train.dev_scores import dev_scorer
    from contrapose.train.loop import RunOptions
    from contrapose.train.recipe import Recipe

    settings = validated(Recipe, {"pooling": "own", **recipe}, "recipe")
    if settings.dev in ("pairs", None) or settings.frozen_encoders:
        raise ConfigError(
            "recipe: the keys dev, teacher and guide work only in the workflow. Remove them. To "
            "select a checkpoint, pass dev pairs as the argument `dev`."
        )
    scored = None if dev is None else _scored(dev)
    source, commit = encoder_source(encoder)
    started = new_encoder(source, settings, seed, commit)
    history, _ = train_encoder(started, pairs, scored, settings, seed, RunOptions(device, precision))
    save_encoder(started, folder)
    if scored is not None and history.dev_score.isna().all():  # one score selects nothing: none was computed
        history.loc[history.index[-1], "dev_score"] = dev_scorer(started, scored)()
    return history


def encode(
    encoder: str | Path, sentences: Sequence[str], pooling: PoolingName = "auto", device: str = "auto"
) -> "np.ndarray":
    """Return the vectors of sentences, float32 of shape (sentences, dimensions), not normalised.

    The encoder is given as for `train`.  With `pooling` auto its folder decides.
    """
    from contrapose.models.embeddings import embeddings

    texts = _texts(sentences, "encode: sentences")
    return embeddings(_loaded(encoder, pooling, device), texts)


def score(
    encoder: str | Path, test: pd.DataFrame, pooling: PoolingName = "auto", device: str = "auto"
) -> float:
    """Return Spearman's correlation x100 of cosines with the scores of test pairs, with columns as for `dev`.

    Over all pairs together, which is SimCSE's setting "all".  NaN if all cosines or all scores are equal.
    """
    from contrapose.train.dev_scores import dev_scorer

    return 100 * dev_scorer(_loaded(encoder, pooling, device), _scored(test))()


def benchmark(kind: str, folder: str | Path, split: str = "test", task: str | None = None) -> pd.DataFrame:
    """Read an evaluation set from its distribution files, in the form that `score` takes.

    Parameters
    ----------
    kind : str
        File format: stsb, sick, sts (a year of STS12 to STS16, with `task`), pairs (your own dev.csv and
        test.csv), and others that docs/reference/configuration/ lists under `benchmarks`.
    folder : folder of the files
    split : str
        train, dev or test, if the set has it.
    task : str, optional
        Its name in `contrapose.base.tasks`, if it differs from the kind.

    Raises
    ------
    ConfigError, TableError
        The kind or task is unknown; the files or the split are missing, or a line is malformed.
    """
    from contrapose.retrieve.benchmarks import BenchmarkFiles, read_benchmark

    names = {"sick": "sickr", "pairs": "own"}
    settings = {"kind": kind, "task": task or names.get(kind, kind), "path": str(folder)}
    rows, _ = read_benchmark(Path(folder), validated(BenchmarkFiles, settings, "benchmark"))
    if split not in set(rows.split):
        raise TableError(
            f"{folder}: the data has no split '{split}'. Available splits: "
            f"{', '.join(sorted(set(rows.split)))}."
        )
    return rows[rows.split == split].reset_index(drop=True)


def read(path: str | Path) -> pd.DataFrame:
    """Read a Parquet table of the workflow; its `attrs` hold the rule, settings and code that made it."""
    from contrapose.tables import read_provenance

    table = pd.read_parquet(path)
    table.attrs = read_provenance(path)
    return table


def _loaded(encoder: str | Path, pooling: PoolingName, device: str) -> "SentenceEncoder":
    from contrapose.models.devices import chosen_device
    from contrapose.models.folders import encoder_source
    from contrapose.models.sentence_encoder import load_encoder

    source, commit = encoder_source(encoder)
    pooling = cast("PoolingName", current_value("pooling", pooling))
    if pooling not in get_args(PoolingName):
        raise unknown("poolings", str(pooling), get_args(PoolingName))
    return load_encoder(source, commit, pooling).to(chosen_device(device))


def _plain_kinds() -> list[str]:
    import inspect

    from contrapose.pairs.kinds import STRATEGIES

    needed = {name: [*inspect.signature(kind.build).parameters] for name, kind in STRATEGIES.items()}
    return [name for name, needs in needed.items() if needs == ["spec", "sentences"]]


def _texts(texts: Sequence[str], what: str) -> list[str]:
    """Return texts as a list; refuse a single text, none, and what is no text."""
    if texts is None or isinstance(texts, str):
        raise TableError(
            f"{what}: the value is {shown(texts)}, but a list of texts is expected. Put it in "
            "brackets: [...]."
        )
    items = list(texts)
    if not items:
        raise TableError(f"{what}: the list is empty. Give at least one text.")
    wrong = next((number for number, text in enumerate(items) if not isinstance(text, str)), None)
    if wrong is not None:
        raise TableError(
            f"{what}: item {wrong + 1} is {shown(items[wrong])}, but a text is expected. Correct or "
            "remove it."
        )
    return items


def _scored(pairs: pd.DataFrame) -> pd.DataFrame:
    missing = ", ".join(name for name in HEADER if name not in pairs)
    if missing:
        raise TableError(
            f"scored pairs: the column {missing} is missing. The table needs the columns {', '.join(HEADER)}."
        )
    return pairs
