from collections.abc import Callable
from dataclasses import replace

import pytest
from datasets import Dataset

from contrapose.base.errors import BackendError, TableError
from contrapose.base.tasks import TASKS
from contrapose.retrieve.hub_benchmarks import BenchmarkHub, hub_benchmark

HUB = BenchmarkHub(task="sickr", dataset="some/sick", revision="0abc", splits={"dev": "validation"}, scale=5)
PAIRS = [
    {"sentence1": "A  b", "sentence2": "B", "score": 0.2},
    {"sentence1": "C", "sentence2": "D", "score": 1.0},
]
ROW = ["row", "sentence1", "sentence2", "score"]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[dict]]:
    """Give a function that says what the hub has, by split; the list that it returns is what is asked for."""

    def has(**splits: list[dict] | Exception) -> list[dict]:
        asked = []

        def load_dataset(dataset: str, name: str | None, **options: str) -> Dataset:
            asked.append({"dataset": dataset, "name": name, **options})
            found = splits[options["split"]]
            if isinstance(found, Exception):
                raise found
            return Dataset.from_list(found)

        monkeypatch.setattr("datasets.load_dataset", load_dataset)
        return asked

    return has


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give a function that sets the published numbers of pairs of a task."""
    return lambda task, **pairs: monkeypatch.setitem(TASKS, task, replace(TASKS[task], pairs=pairs))


UNSCORED = [{"sentence1": "A", "label": 1}]


@pytest.mark.parametrize(
    ("found", "scale", "error", "message"),
    [
        (
            PAIRS,
            5,
            TableError,
            "split validation: the data set has 2 pairs, but sickr dev was published with 500",
        ),
        (PAIRS, 10, TableError, "row 1: the score is '10', but a number from 1 to 5 is expected"),
        (
            UNSCORED,
            5,
            TableError,
            r"the columns 'sentence2', 'score' are missing\. The columns are sentence1, label",
        ),
        (ConnectionError("no route"), 5, BackendError, r"could not be loaded .*no route.*catalog file"),
    ],
)
def test_what_is_not_the_published_set_is_refused(hub, found, scale, error, message):
    hub(validation=found)
    with pytest.raises(error, match=message):
        hub_benchmark(HUB.model_copy(update={"scale": scale}))


def test_rows_are_chosen_by_other_columns_and_classes_have_names(hub, published):
    published("esci_us", train=18, dev=2, test=0)
    product = {"esci_label": "Substitute", "large_version": 1, "locale": "us"}
    pairs = [{"query": f"q{n // 2}", "product_title": f"t {n}", **product} for n in range(20)]
    pairs[3] |= {"esci_label": "Irrelevant"}
    hub(train=[{**pairs[0], "large_version": 0}, {**pairs[0], "locale": "jp"}, *pairs])
    source = BenchmarkHub(
        **{"task": "esci_us", "dataset": "some/esci", "revision": "0abc", "form": "raw"},
        splits={"train": "train", "dev": "train"},
        columns={"sentence1": "query", "sentence2": "product_title", "score": "esci_label"},
        where={"large_version": 1, "locale": "us"},
    )
    table = hub_benchmark(source)
    assert table.groupby("split").size().to_dict() == {"train": 18, "dev": 2}
    assert table[table.split == "dev"].sentence1.nunique() == 1
    assert table.set_index("row").sentence2.to_dict() == {n + 2: f"t {n}" for n in range(20)}
    assert table.set_index("row").score.to_dict() == {n + 2: 3.0 if n == 3 else 1.0 for n in range(20)}


def test_pairs_without_a_label_are_left_out_and_may_be_published_or_not(hub, published):
    hub(x=[{"sentence1": " A  b ", "sentence2": "C", "score": label} for label in (0, 1, -1, 2)])
    source = BenchmarkHub(task="snli", dataset="some/snli", revision="0abc", splits={"dev": "x"}, form="raw")
    for pairs in (3, 4):
        published("snli", dev=pairs)
        scores = {row: score for row, *_, score in hub_benchmark(source)[ROW].to_numpy()}
        assert scores == {0: 0, 1: 1, 3: 2}
    published("snli", dev=2)
    with pytest.raises(TableError, match="has 4 pairs, but snli dev was published with 2"):
        hub_benchmark(source)


def test_two_splits_may_be_parts_of_one(hub, published):
    published("qqp", train=38, dev=2, test=1)
    rows = [{"question1": f"q{n} ", "question2": "why?", "label": n % 2} for n in range(40)]
    asked = hub(train=rows, validation=rows[:1])
    source = BenchmarkHub(
        **{"task": "qqp", "dataset": "some/glue", "name": "qqp", "revision": "0abc", "form": "raw"},
        splits={"train": "train", "dev": "train", "test": "validation"},
        columns={"sentence1": "question1", "sentence2": "question2", "score": "label"},
    )
    table = hub_benchmark(source)
    about = {"dataset": "some/glue", "name": "qqp", "revision": "0abc"}
    assert asked == [about | {"split": split} for split in ("train", "validation")]
    assert table.split.value_counts().to_dict() == {"train": 38, "dev": 2, "test": 1}
    dev = table[table.split == "dev"]
    assert dev[ROW].values.tolist() == [[0, "q0", "why?", 0.0], [1, "q1", "why?", 1.0]]
    published("qqp", train=39, dev=2, test=1)
    with pytest.raises(TableError, match="has 40 pairs, but qqp train and dev was published with 41"):
        hub_benchmark(source)


@pytest.mark.parametrize("task", ["sickr", "snli"])
def test_splits_of_a_set_that_has_its_own_are_not_parts_of_one(task):
    with pytest.raises(ValueError, match=f"two splits of {task} name the same split of the hub"):
        BenchmarkHub(task=task, dataset="a", revision="b", splits={"dev": "x", "train": "x"})
