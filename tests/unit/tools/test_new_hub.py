"""Data sets of the hub as files of `contrapose init`, from a hub on this machine."""

import shutil

import pandas as pd
import pytest
import yaml

from contrapose.tools.new_hub import is_hub_name
from tests.checkout import HOME
from tests.hub.reading import called, reading, set_hub
from tests.hub.server import Hub

COMMIT = "0123456789" * 4  # YAML takes it for a number where it does not stand between quotation marks
PAIRS = pd.DataFrame(
    {
        "sentence1": ["A man sings.", "No rain.", "Cats sleep."],
        "sentence2": ["Someone sings.", "It is dry.", "Dogs bark."],
        "score": [4.5, 4.0, 0.5],
        "genre": "news",
    }
)
TEXTS = pd.DataFrame({"headline": ["One is here.", "Two are here.", "Three came."], "id": [1, 2, 3]})


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    """Give a function that calls `contrapose init` with a hub of two data sets and a model."""
    folder = tmp_path_factory.mktemp("hub")
    for name, tables in {
        "some/pairs": {"test": PAIRS},
        "some/texts": {"train": TEXTS, "test": TEXTS},
    }.items():
        place = folder / "datasets" / name
        (place / COMMIT / "data").mkdir(parents=True)
        for split, table in tables.items():
            table.to_parquet(place / COMMIT / f"data/{split}-00000-of-00001.parquet")
        (place / "main").symlink_to(COMMIT)
    model = folder / "models/some/encoder"
    shutil.copytree(HOME / "resources/mini/encoders/bert-base", model / COMMIT)
    (model / "main").symlink_to(COMMIT)
    with Hub(folder) as served, pytest.MonkeyPatch.context() as patch:
        set_hub(patch, served, tmp_path_factory.mktemp("home"))
        with reading() as read:
            yield lambda *arguments: read(called, ["new", *map(str, arguments)])


def test_sentences_and_test_pairs_come_from_data_sets_at_the_commit_that_is_found(new, tmp_path):
    encoder = ("--encoder", str(HOME / "resources/mini/encoders/bert-base"))
    given = ("--sentences", "some/texts:train:headline", "--test", "some/pairs")
    code, said = new(tmp_path / "own", *encoder, *given)
    assert code == 0, said
    written = pd.read_csv(tmp_path / "own/data/test_pairs/test.csv")
    pd.testing.assert_frame_equal(written, PAIRS.drop(columns="genre"))
    assert pd.read_csv(tmp_path / "own/data/sentences.csv").text.tolist() == TEXTS.headline.tolist()
    catalog = yaml.safe_load((tmp_path / "own/config/catalogs/own.yaml").read_text())
    assert catalog["sentence_files"]["sentences"] == {"path": "sentences.csv", "column": "text"}
    for part in ("some/texts, commit 0123456, split train, columns headline", "some/pairs, commit 0123456"):
        assert part in catalog["description"]


def test_an_encoder_of_the_hub_is_pinned_at_the_commit_that_is_found(new, tmp_path):
    code, said = new(tmp_path / "own", "--encoder", "some/encoder", "--test", "some/pairs")
    assert code == 0, said
    catalog = yaml.safe_load((tmp_path / "own/config/catalogs/own.yaml").read_text())
    assert catalog["encoders"]["mine"] == {"kind": "hub", "model": "some/encoder", "revision": COMMIT}


def test_an_encoder_without_its_organisation_is_answered_with_a_likely_name(new, tmp_path):
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("A dog runs.\nA cat sleeps.\n")
    given = ("--encoder", "all-MiniLM-L6-v2", "--sentences", str(sentences))
    code, said = new(tmp_path / "own", *given)
    assert (code, said) == (
        1,
        "--encoder all-MiniLM-L6-v2: this is not a folder. A name on the hub has the form ORG/NAME, for "
        "example sentence-transformers/all-MiniLM-L6-v2.\nNothing was written.\n",
    )
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            ("--encoder", "some/encoder"),
            "--encoder some/encoder: this is not a folder, and the hub cannot be reached (Connection "
            "refused). Name a folder of this machine. To make one on a machine with internet: hf download "
            "some/encoder --local-dir FOLDER\n",
        ),
        (
            ("--test", "some/pairs"),
            "--test some/pairs is not a file on this machine (the hub cannot be reached: Connection "
            "refused). Give a file, or name a data set as ORG/NAME, ",
        ),
    ],
)
def test_a_hub_that_cannot_be_reached_is_named_with_what_to_do(new, tmp_path, given, says):
    with reading(HF_ENDPOINT="http://127.0.0.1:9") as read:
        code, said = read(called, ["init", str(tmp_path / "own"), *given])
    assert code == 1
    assert said.startswith(says)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--test", "some/pairs:dev"), ("--test some/pairs:dev: the data set "
            "has no split 'dev'. Its splits are test.")),
        (("--sentences", "some/texts"), ("headline, id. Name the columns to use: "
            "--sentences some/texts:train:COLUMN")),
        (("--test", "some/pairs:test:sentence1,score"), "needs 3 columns, for sentence1, sentence2, score"),
        (("--test", "some/other"), ("--test some/other is not a file on this "
            "machine, and the hub does not have it")),
        (("--test", "some/other.csv"), ("--test some/other.csv: there is no such file. Give the path of a "
            "file, or name a data set of the hub: ORG/NAME, ORG/NAME:SPLIT or ORG/NAME:SPLIT:COLUMN, with "
            "@COMMIT after NAME to pin a commit.\nNothing was written.\n")),
        (("--pairs", "some/pairs"), ("--pairs some/pairs: there is no such file. Give the path of a file.\n"
            "Nothing was written.\n")),
        (("--dev", "."), ("--dev .: this is a folder, but a file is expected. Give the path of a file, "
            "or name a data set of the hub: ORG/NAME, ORG/NAME:SPLIT or ORG/NAME:SPLIT:COLUMN, with @COMMIT "
            "after NAME to pin a commit.\nNothing was written.\n")),
    ],
)  # fmt: skip
def test_what_the_hub_lacks_is_named_and_nothing_is_written(new, tmp_path, given, says):
    code, said = new(tmp_path / "own", *given)
    assert code == 1
    assert says in said
    assert said.endswith("\nNothing was written.\n")
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mteb/stsbenchmark-sts", True),
        ("mteb/sts17-crosslingual-sts/en-en:test:a,b,c", True),
        ("some/name@0123abc:train:text", True),
        ("data/test.csv", False),
        ("./a/b", False),
        ("/a/b", False),
        ("name", False),
    ],
)
def test_a_name_of_the_hub_is_no_path(text, expected):
    assert is_hub_name(text) is expected
