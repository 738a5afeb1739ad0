"""Miniatures of the repositories that the hub catalog names: their files, splits, columns and types.

What files each has is as the hub showed them at the pinned commit; what stands in them is the mini world's.
Sets have as many pairs as are published (`contrapose.base.tasks`), the same few again and again, as readers
count.
"""

import gzip
import hashlib
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from itertools import chain, cycle, islice
from pathlib import Path

import pandas as pd
import yaml

from contrapose.base.tasks import ESCI_CLASSES, TASKS, TRANSFER_ITEMS, Task
from contrapose.project.documents import Catalog
from contrapose.retrieve.benchmarks import SUBSETS, BenchmarkFiles, read_benchmarks
from contrapose.settings.catalogs.model_sources import HASH
from tests.hub.models import write_model
from tests.hub.server import Hub

HOME = Path(__file__).parents[2]
WIKIPEDIA_SHARDS = 41
SPLITS = ("train", "validation", "test")
SIMCSE = "princeton-nlp/datasets-for-simcse"


def catalog_of(path: Path) -> Catalog:
    """Read a catalog file."""
    return Catalog.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


HUB_CATALOG = catalog_of(HOME / "config/catalogs/hub.yaml")


def write_repositories(folder: Path, made: Path, *, only: Callable[[str], bool] = lambda name: True) -> None:
    """Write every repository of the hub catalog whose name is `only` wanted, as `server.Hub` serves them.

    `folder` gets `{models,datasets}/{owner}/{name}/{commit}/`, and a branch `main` for each; `made` is a mini
    world.
    """
    for name, revision in sorted(pinned_data_sets().items()):
        if only(name):
            place = _commit(folder / "datasets" / name, revision)
            DATA_SETS[name](place, made)
    for name, (revision, role) in sorted(pinned_models().items()):
        if only(name):
            write_model(_commit(folder / "models" / name, revision), role)


def pinned_data_sets(catalog: Catalog = HUB_CATALOG) -> dict[str, str]:
    """Return the data sets of a catalog, each with its revision."""
    assert catalog.archive is not None
    named = (catalog.collections, catalog.sentence_files, catalog.triplet_files, catalog.benchmarks)
    sources = [catalog.archive, catalog.articles, *chain.from_iterable(each.values() for each in named)]
    return {each.dataset: each.revision for each in sources if hasattr(each, "dataset")}


def pinned_models(catalog: Catalog = HUB_CATALOG) -> dict[str, tuple[str, str]]:
    """Return the models of a catalog on the hub, each with its commit and the first role that it plays.

    A shortened commit goes on with zeros.
    """
    found: dict[str, tuple[str, str]] = {}
    for role, each in {**catalog.encoders, **catalog.language_models}.items():
        name = getattr(each, "model", None) or getattr(each, "released", None)
        commit = getattr(each, "revision", None) or getattr(each, "commit", None)
        if name and commit:
            found.setdefault(name, (commit.ljust(HASH, "0"), role))
    return found


def write_punkt(file: Path) -> str:
    """Write a small `punkt_tab.zip`, and return its SHA-256."""
    parts = {"abbrev_types.txt": "dr\nmr", "collocations.tab": "", "sent_starters.txt": "however"}
    file.parent.mkdir(parents=True)
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in {**parts, "ortho_context.tab": "however\t2"}.items():
            archive.writestr(f"punkt_tab/english/{name}", text)
    return hashlib.sha256(file.read_bytes()).hexdigest()


def with_stand_ins(path: Path, hub: Hub, scale: float) -> None:
    """Change a copy of the hub catalog's file: its scale, addresses on this machine, and no shapes."""
    catalog = yaml.safe_load(path.read_text(encoding="utf-8"))
    place = catalog["punkt"]["url"].removeprefix("https://")
    digest = write_punkt(hub.folder / "files" / place)
    catalog |= {
        "scale": scale,
        "punkt": {**catalog["punkt"], "url": f"{hub.url}/files/{place}", "sha256": digest},
    }
    for source in catalog["downloads"].values():
        source |= {"url": f"{hub.url}/files/{place_of(source['url'])}", "sha256": None}
    for model in filter(None, [*catalog["encoders"].values(), *catalog["language_models"].values()]):
        model.pop("shape", None)  # of the real ones
    path.write_text(yaml.safe_dump(catalog, sort_keys=False), encoding="utf-8")


def place_of(url: str) -> str:
    """Return where the hub on this machine has what is at another address; the query is left out."""
    return url.removeprefix("https://").partition("?")[0]


def _commit(repository: Path, revision: str) -> Path:
    place = repository / revision
    place.mkdir(parents=True)
    (place / ".gitattributes").write_text("*.parquet filter=lfs diff=lfs merge=lfs -text\n")
    for link in ("main", "pr1"):
        (repository / link).symlink_to(revision)
    return place


def _repeated(frame: pd.DataFrame, rows: int) -> pd.DataFrame:
    return frame.iloc[[at % len(frame) for at in range(rows)]].reset_index(drop=True)


def _pairs(made: Path, task: Task) -> dict[str, pd.DataFrame]:
    """Return the mini world's pairs of a set, as many as are published, by split."""
    mini = catalog_of(HOME / "config/catalogs/mini.yaml").benchmarks
    (source,) = (each for each in mini.values() if each.task == task)
    assert isinstance(source, BenchmarkFiles)
    found, _ = read_benchmarks(made, {task: source})
    columns = ["sentence1", "sentence2", "score"]
    sizes = TASKS[task].pairs.items()
    return {split: _repeated(found[found.split == split][columns], rows) for split, rows in sizes}


def _card(place: Path, configurations: dict[str, dict[str, str]]) -> None:
    """Write the head of a card: configuration, split and the pattern of its files."""
    listed = [
        {"config_name": name, "data_files": [{"split": split, "path": path} for split, path in files.items()]}
        for name, files in configurations.items()
    ]
    (place / "README.md").write_text(f"---\n{yaml.safe_dump({'configs': listed})}---\n", encoding="utf-8")


def _parquet(path: Path, frame: pd.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_parquet(path, index=False)


def _split_folders(place: Path, frames: dict[str, dict[str, pd.DataFrame]]) -> None:
    """Write configurations that are folders with a file a split."""
    for name, splits in frames.items():
        for split, frame in splits.items():
            _parquet(place / name / f"{split}-00000-of-00001.parquet", frame)
    _card(place, {name: {split: f"{name}/{split}-*" for split in splits} for name, splits in frames.items()})


def _wikipedia(place: Path, made: Path) -> None:
    articles = pd.read_parquet(made / "wikipedia")
    _card(place, {name: {"train": f"{name}/train-*"} for name in ("20231101.de", "20231101.en")})
    for shard in range(WIKIPEDIA_SHARDS):
        file = f"20231101.en/train-{shard:05d}-of-{WIKIPEDIA_SHARDS:05d}.parquet"
        _parquet(place / file, articles.iloc[shard::WIKIPEDIA_SHARDS])
    _parquet(place / "20231101.de/train-00000-of-00001.parquet", articles.head(1))


def _wiki40b(place: Path, made: Path) -> None:
    """Wiki-40B: the Japanese texts are what Python prints for their bytes, the English ones are plain."""
    columns = ["wikidata_id", "text", "version_id"]
    articles = {name: pd.read_parquet(made / "wiki40b" / name)[columns] for name in ("en", "ja")}
    articles["ja"]["text"] = [repr(text.encode()) for text in articles["ja"].text]
    _split_folders(place, {name: dict.fromkeys(SPLITS, frame) for name, frame in articles.items()})


def _pairs_of(*configurations: tuple[str, Task, str]) -> Callable[[Path, Path], None]:
    """Return what writes sets of pairs: configurations, each with its task and the names of its columns."""

    def write(place: Path, made: Path) -> None:
        _split_folders(
            place,
            {
                name: {
                    split: pairs.astype({"score": int}).set_axis(columns.split(), axis=1)
                    for split, pairs in _hub_splits(made, task).items()
                }
                for name, task, columns in configurations
            },
        )

    return write


def _hub_splits(made: Path, task: Task) -> dict[str, pd.DataFrame]:
    """Return pairs by the hub's names of splits, with those that are there in excess."""
    ours = _pairs(made, task)
    if task == "qqp":  # the labels of its test split are hidden
        train = pd.concat([ours["dev"], ours["train"]])
        return {"train": train, "validation": ours["test"], "test": ours["test"].assign(score=-1)}
    if task == "snli":  # pairs whose annotators did not agree
        unlabelled = ours["test"].head(3).assign(score=-1)
        ours = {split: pd.concat([unlabelled, pairs]) for split, pairs in ours.items()}
    return {"validation" if split == "dev" else split: pairs for split, pairs in ours.items()}


def _mteb_stsb(place: Path, made: Path) -> None:
    for split, pairs in _hub_splits(made, "stsb_glue").items():
        with gzip.open(place / f"{split}.jsonl.gz", "wt", encoding="utf-8") as file:
            pairs.assign(genre="main-news").to_json(file, orient="records", lines=True, force_ascii=False)


def _esci(place: Path, made: Path) -> None:
    """Queries and products joined, more rows than the larger version has, and no patterns in the card."""
    examples = pd.read_parquet(made / "esci/shopping_queries_dataset_examples.parquet")
    products = pd.read_parquet(made / "esci/shopping_queries_dataset_products.parquet")
    joined = examples.merge(products, on=["product_id", "product_locale"])
    joined = joined.replace({"esci_label": {name[0].upper(): name.title() for name in ESCI_CLASSES}})
    others = joined.head(2).assign(large_version=0), joined.head(2).assign(product_locale="es")
    for split in ("train", "test"):
        frames = [_locale(joined[joined.split == split], task, split) for task in ("esci_us", "esci_jp")]
        frame = pd.concat([*frames, *others]).drop(columns="split")
        _parquet(place / f"data/{split}-00000-of-00001-0123456789abcdef.parquet", frame)


def _locale(rows: pd.DataFrame, task: Task, split: str) -> pd.DataFrame:
    published = TASKS[task].pairs
    count = published["train"] + published["dev"] if split == "train" else published["test"]
    return _repeated(rows[rows.product_locale == task.removeprefix("esci_")], count)


def _simcse(place: Path, made: Path) -> None:
    """SimCSE's training files and its copy of the files that SentEval reads; no card."""
    for key, file in (
        (HUB_CATALOG.sentence_files["simcse"].rows, "wiki1m_for_simcse.txt"),
        (HUB_CATALOG.triplet_files["nli"].rows, "nli_for_simcse.csv"),
    ):
        lines = (made / file).read_text(encoding="utf-8").splitlines()
        head = 1 if file.endswith(".csv") else 0
        _write_lines(place / file, lines[:head], lines[head:], key or 0)
    senteval = place.parent / "senteval"
    shutil.copytree(made / "senteval", senteval)
    for file, head, count in _counted_files():
        lines = (senteval / file).read_bytes().decode("latin-1").split("\n")[:-1]
        _write_lines(senteval / file, lines[:head], lines[head:], count, "latin-1")
    for year, subsets in SUBSETS.items():
        for subset, count in subsets.items():
            _write_scored(senteval / f"STS/{year.upper()}-en-test", subset, count)
    with tarfile.open(place / "senteval.tar", "w") as archive:
        for path in sorted(senteval.iterdir()):
            archive.add(path, path.name)
    shutil.rmtree(senteval)


def _write_scored(folder: Path, subset: str, count: int) -> None:
    """Repeat the pairs of a subset until so many have a score; those without one stay."""
    paths = [folder / f"STS.{part}.{subset}.txt" for part in ("input", "gs")]
    pairs = list(zip(*(path.read_text(encoding="utf-8").split("\n")[:-1] for path in paths), strict=True))
    scored = [pair for pair in pairs if pair[1]]
    more = list(islice(cycle(scored), count - len(scored)))
    for path, lines in zip(paths, zip(*pairs, *more, strict=True), strict=True):
        _write_lines(path, list(lines), [], 0)


def _write_lines(path: Path, head: list[str], lines: list[str], count: int, encoding: str = "utf-8") -> None:
    path.write_bytes("".join(f"{line}\n" for line in [*head, *islice(cycle(lines), count)]).encode(encoding))


def _counted_files() -> Iterator[tuple[str, int, int]]:
    """Yield the files whose items are counted, lines of their heads, and how many items follow."""
    names = {"stsb": ("STS/STSBenchmark/sts-{}.csv", ("train", "dev", "test"), 0)}
    names["sickr"] = ("SICK/SICK_{}.txt", ("train", "trial", "test_annotated"), 1)
    for task, (file, parts, head) in names.items():
        for part, count in zip(parts, TASKS[task].pairs.values(), strict=True):
            yield file.format(part), head, count
    for split, count in TRANSFER_ITEMS["sst2"].items():
        yield f"SST/binary/sentiment-{split}", 0, count
    for split, count in TRANSFER_ITEMS["mrpc"].items():
        yield f"MRPC/msr_paraphrase_{split}.txt", 1, count
    for file, split in (("train_5500", "train"), ("TREC_10", "test")):
        yield f"TREC/{file}.label", 0, TRANSFER_ITEMS["trec"][split]
    for task, stem in {"mr": "rt-polarity", "cr": "custrev", "subj": "subj", "mpqa": "mpqa"}.items():
        count = TRANSFER_ITEMS[task]["all"]
        first, second = ("objective", "subjective") if task == "subj" else ("neg", "pos")
        yield f"{task.upper()}/{stem}.{first}", 0, count // 2
        yield f"{task.upper()}/{stem}.{second}", 0, count - count // 2


SENTENCES = "sentence1 sentence2"
DATA_SETS: dict[str, Callable[[Path, Path], None]] = {
    "wikimedia/wikipedia": _wikipedia,
    "google/wiki40b": _wiki40b,
    SIMCSE: _simcse,
    "mteb/stsbenchmark-sts": _mteb_stsb,
    "C-MTEB/ATEC": _pairs_of(("default", "atec", f"{SENTENCES} score")),
    "C-MTEB/BQ": _pairs_of(("default", "bq", f"{SENTENCES} score")),
    "C-MTEB/LCQMC": _pairs_of(("default", "lcqmc", f"{SENTENCES} score")),
    "C-MTEB/PAWSX": _pairs_of(("default", "pawsx_zh", f"{SENTENCES} score")),
    "C-MTEB/STSB": _pairs_of(("default", "stsb_zh", f"{SENTENCES} score")),
    "nyu-mll/glue": _pairs_of(
        ("mrpc", "mrpc", f"{SENTENCES} label"), ("qqp", "qqp", "question1 question2 label")
    ),
    "tasksource/esci": _esci,
    "stanfordnlp/snli": _pairs_of(("plain_text", "snli", "premise hypothesis label")),
    "google-research-datasets/paws": _pairs_of(("labeled_final", "paws", f"{SENTENCES} label")),
    "google-research-datasets/paws-x": _pairs_of(("ja", "pawsx_ja", f"{SENTENCES} label")),
}
