from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from contrapose.base.errors import BackendError, TableError
from contrapose.base.tasks import TASKS
from contrapose.retrieve.archive import unpack_archive
from contrapose.retrieve.benchmarks import SUBSETS, read_benchmarks
from contrapose.retrieve.hub_benchmarks import BenchmarkHub, hub_benchmark
from contrapose.retrieve.transfer import read_transfer
from contrapose.retrieve.triplet_files import read_triplets
from contrapose.settings.catalogs import EncoderHub
from tests.hub import reading
from tests.hub.models import MADE_OF, RESOURCES, write_t5
from tests.hub.models import SIMCSE as SIMCSE_MODELS
from tests.hub.reading import Read, renamed, set_hub
from tests.hub.repositories import HUB_CATALOG, SIMCSE, pinned_data_sets, pinned_models, write_repositories
from tests.hub.server import Hub, Request

pytestmark = pytest.mark.slow  # every reader in a process of its own
SETS = {name: each for name, each in HUB_CATALOG.benchmarks.items() if isinstance(each, BenchmarkHub)}
SMALL = SETS["stsb_glue"].model_copy(update={"splits": {"test": "test"}})  # 1,379 pairs
COLLECTIONS = {"articles": HUB_CATALOG.articles, **HUB_CATALOG.collections}
MANY = 5_000  # pairs of a split; larger ones are read here with a hundredth of them
TEXTS = ["A man is playing a guitar.", "Dr. Bell does not sing ."]


@pytest.fixture(scope="module")
def hub(made_world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    with pytest.MonkeyPatch.context() as patch:
        for task, about in TASKS.items():
            pairs = {split: n // 100 if n > MANY else n for split, n in about.pairs.items()}
            patch.setitem(TASKS, task, replace(about, pairs=pairs))
        write_repositories(folder / "repositories", made_world)
        with Hub(folder / "repositories", page=20) as hub:
            set_hub(patch, hub, folder / "home")
            yield hub


@pytest.fixture(scope="module")
def read(hub: Hub) -> Iterator[Read]:
    with reading.reading() as read:
        yield read


@pytest.fixture
def asked(hub: Hub) -> Iterator[list[Request]]:
    """Give the requests of a test, which must all be ones that the hub knows."""
    hub.requests.clear()
    yield hub.requests
    assert not hub.unknown()


@pytest.mark.parametrize("name", SETS)
def test_a_set_of_pairs_of_the_hub_is_read_by_its_reader(name: str, read: Read, asked: list[Request]):
    source = SETS[name]
    pairs = read(hub_benchmark, source)
    published = TASKS[source.task].pairs
    found = pairs.groupby("split").size()
    assert set(found.index) == set(source.splits)
    assert found.sum() == sum(published[split] for split in source.splits)
    assert pairs[["sentence1", "sentence2"]].ne("").all(axis=None)
    assert pairs.score.between(TASKS[source.task].low, TASKS[source.task].high).all()
    assert {each.revision for each in asked if each.repository} == {source.revision}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_articles_of_the_hub_are_streamed_shard_by_shard(name: str, read: Read, asked: list[Request]):
    source = COLLECTIONS[name]
    found = read(reading.articles, source)
    assert len(found) > 20
    assert found.id.is_unique
    assert found.text.str.len().min() > 0
    assert found.title.ne("").all() == (source.title is not None)
    assert found.text.str.startswith("\n_START_ARTICLE_\n").all() == (name in HUB_CATALOG.collections)
    assert {each.revision for each in asked if each.repository} == {source.revision}


def test_the_training_files_of_simcse_have_the_rows_that_the_catalog_says(read: Read, asked: list[Request]):
    assert len(read(reading.published_lines, HUB_CATALOG.sentence_files["simcse"])) == 3
    assert len(read(read_triplets, HUB_CATALOG.triplet_files["nli"], None)) == 275_601
    fewer = HUB_CATALOG.triplet_files["nli"].model_copy(update={"rows": 275_600})
    with pytest.raises(
        TableError, match=r"the file has 275601 rows, but its entry in the catalog expects 275600"
    ):
        read(read_triplets, fewer, None)


def test_the_archive_holds_the_files_of_sentence_evaluation(read: Read, asked: list[Request], tmp_path):
    read(unpack_archive, HUB_CATALOG.archive, tmp_path / "data")
    tasks, missing = read_transfer(tmp_path / "data", HUB_CATALOG.transfer)
    assert (set(tasks.task), missing) == (set(HUB_CATALOG.transfer), {})
    files = {
        name: each for name, each in HUB_CATALOG.benchmarks.items() if each.kind in ("sts", "stsb", "sick")
    }
    own = {name: each for name, each in files.items() if not each.path.startswith("./")}
    pairs, missing = read_benchmarks(tmp_path / "data", own)
    assert (set(own), missing) == ({*SUBSETS, "stsb", "sickr"}, {})
    years = pairs[pairs.task.isin(SUBSETS)]
    counts = {(task, name): count for task, names in SUBSETS.items() for name, count in names.items()}
    assert years.groupby(["task", "subset"]).size().to_dict() == counts


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, (_, role) in pinned_models().items()
        if isinstance(HUB_CATALOG.encoders.get(role), EncoderHub)
    ],
)
def test_an_encoder_of_the_hub_gives_the_vectors_of_its_weights(name: str, read: Read, asked: list[Request]):
    revision, role = pinned_models()[name]
    # The dense layer of SimCSE's models is the identity here: tanh of [CLS].
    pooling = "cls" if role in SIMCSE_MODELS else "mean"
    found = read(reading.vectors, name, revision, pooling, TEXTS)
    folder = RESOURCES / MADE_OF.get(role, f"encoders/{role}")
    expected = read(
        reading.vectors, str(folder), None, "cls_before_pooler" if pooling == "cls" else pooling, TEXTS
    )
    np.testing.assert_allclose(found, np.tanh(expected) if pooling == "cls" else expected, atol=1e-5)
    assert not any(each.file.endswith(".bin") for each in asked)


@pytest.mark.parametrize(("role", "folder"), [("gpt2", "gpt2-articles"), ("gpt2-xl", "gpt2")])
def test_a_language_model_of_the_hub_gives_the_perplexities_of_its_weights(role, folder, read, asked):
    source = HUB_CATALOG.language_models[role]
    found = read(reading.surprises, source.model, source.revision, TEXTS)
    expected = read(reading.surprises, str(RESOURCES / "language_models" / folder), None, TEXTS)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_an_encoder_decoder_of_the_hub_writes_as_its_weights_do(read: Read, asked: list[Request], tmp_path):
    source = HUB_CATALOG.language_models["nli-synthesizer"]
    found = read(reading.drawn, source.model, source.revision, TEXTS)
    assert found == read(reading.drawn, str(write_t5(tmp_path)), None, TEXTS)
    assert len(set(found)) == 2
    assert not any(each.file.endswith(".bin") for each in asked)


def test_every_repository_of_the_catalog_has_a_miniature(hub: Hub):
    assert len(pinned_data_sets()) == len(list(hub.folder.glob("datasets/*/*")))
    assert len(pinned_models()) == len(list(hub.folder.glob("models/*/*")))
    revisions = [*pinned_data_sets().values(), *(revision for revision, _ in pinned_models().values())]
    assert all(len(revision) == 40 for revision in revisions)


def test_of_a_set_of_ones_own_any_size_will_do(read: Read, asked: list[Request]):
    found = read(hub_benchmark, SMALL.model_copy(update={"task": "own"}))
    assert (len(found), set(found.task)) == (1379, {"own"})


CLOSED = {
    "articles": ("datasets", HUB_CATALOG.collections["wiki40b-en"], reading.articles),
    "file": ("datasets", HUB_CATALOG.archive, unpack_archive),
    "set": ("datasets", SETS["snli"], hub_benchmark),
    "encoder": ("models", HUB_CATALOG.encoders["bert-base-chinese"], reading.vectors),
}


@pytest.mark.parametrize("what", CLOSED)
def test_a_gated_repository_is_refused_with_what_to_do(what: str, hub: Hub, read: Read, asked, tmp_path):
    folder, source, reader = CLOSED[what]
    key = folder.removesuffix("s")
    name = renamed(hub, folder, getattr(source, key), f"closed/{what}")
    hub.gated.add(name)
    closed = source.model_copy(update={key: name})
    more = {"file": [tmp_path], "encoder": [closed.revision, "mean", TEXTS]}.get(what, [])
    with pytest.raises(BackendError, match=rf"{name}.*Request access .*HF_TOKEN"):
        read(reader, name if what == "encoder" else closed, *more)


def test_a_download_that_breaks_off_goes_on_by_itself(hub: Hub, read: Read, asked, tmp_path):
    source = HUB_CATALOG.archive.model_copy(
        update={"dataset": renamed(hub, "datasets", SIMCSE, "broken/once")}
    )
    hub.broken_off["senteval.tar"] = [11_000_000]  # the client writes pieces of 10 MB
    read(unpack_archive, source, tmp_path / "data")
    assert [each.status for each in asked if each.path.endswith(".tar")][-2:] == [200, 206]
    assert (tmp_path / "data/STS/STSBenchmark/sts-test.csv").is_file()


def test_a_download_that_never_ends_is_refused_and_leaves_nothing_half_read(hub: Hub, read: Read, asked):
    name = renamed(hub, "models", "google-bert/bert-base-uncased", "broken/for-ever")
    source = HUB_CATALOG.encoders["bert-base"]
    hub.broken_off["model.safetensors"] = [100_000] * 6  # as often as the client tries
    with pytest.raises(BackendError, match=rf"{name}.*without sending complete message.*contrapose download"):
        read(reading.vectors, name, source.revision, "mean", TEXTS)
    with (
        reading.reading(HF_HUB_OFFLINE="1") as offline,
        pytest.raises(BackendError, match=rf"{name}.*not in the cache"),
    ):
        offline(reading.vectors, name, source.revision, "mean", TEXTS)
    asked.clear()
    assert read(reading.vectors, name, source.revision, "mean", TEXTS).shape == (2, 128)
    assert {each.file for each in asked if each.file} == {"model.safetensors"}  # the others are there


def test_without_the_hub_what_was_fetched_is_read_and_what_was_not_is_refused(read: Read, asked):
    bert = HUB_CATALOG.encoders["bert-base"]
    fetched = read(reading.vectors, bert.model, bert.revision, "mean", TEXTS)
    read(hub_benchmark, SMALL)
    asked.clear()
    with reading.reading(HF_HUB_OFFLINE="1") as offline:
        assert (offline(reading.vectors, bert.model, bert.revision, "mean", TEXTS) == fetched).all()
        assert len(offline(hub_benchmark, SMALL)) == 1379
        with pytest.raises(BackendError, match=r"wikipedia@.*Offline.*network"):
            offline(reading.articles, HUB_CATALOG.articles)
    assert not asked
