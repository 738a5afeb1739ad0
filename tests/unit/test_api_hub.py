"""An encoder that Python names as the hub does, from a hub on this machine."""

import shutil

import numpy as np
import pytest

from contrapose import api
from contrapose.base.errors import BackendError, ConfigError
from tests.checkout import HOME
from tests.hub.reading import reading, renamed, set_hub
from tests.hub.server import Hub
from tests.unit.test_api import SCORED, SENTENCES

FOLDER = HOME / "resources/mini/encoders/bert-base"
OLD, NEW = "0" * 40, "1" * 40


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A hub with an encoder, whose old commit has lost its weights."""
    folder = tmp_path_factory.mktemp("hub")
    place = folder / "models/some/encoder"
    shutil.copytree(FOLDER, place / NEW)
    shutil.copytree(FOLDER, place / OLD, ignore=shutil.ignore_patterns("*.safetensors"))
    (place / "main").symlink_to(NEW)
    with Hub(folder) as served, pytest.MonkeyPatch.context() as patch:
        set_hub(patch, served, tmp_path_factory.mktemp("home"))
        yield served


@pytest.fixture(scope="module")
def read(hub):
    with reading() as call:
        yield call


def test_an_encoder_of_the_hub_is_trained_as_that_of_a_folder(hub, read, tmp_path):
    pairs = api.build("dropout", SENTENCES)
    for source in (str(FOLDER), "some/encoder", f"some/encoder@{NEW}"):
        read(_train, pairs, source, tmp_path / source.replace("/", "-"))
    folder, *others = ((path / "model.safetensors").read_bytes() for path in sorted(tmp_path.iterdir()))
    assert others == [folder, folder]
    assert {request.revision for request in hub.requests} >= {"main", NEW}


def test_vectors_and_scores_are_those_of_the_folder(read):
    ours, theirs = (read(api.encode, source, SENTENCES[:2]) for source in ("some/encoder", FOLDER))
    np.testing.assert_array_equal(ours, theirs)
    assert read(api.score, "some/encoder", SCORED) == read(api.score, str(FOLDER), SCORED)


def test_without_internet_the_commit_that_was_fetched_before_is_taken(hub):
    name = renamed(hub, "models", "some/encoder", "some/cached")
    with reading() as call:
        before = call(api.encode, name, SENTENCES[:2])
    with reading(HF_HUB_OFFLINE="1") as call:
        np.testing.assert_array_equal(call(api.encode, name, SENTENCES[:2]), before)


@pytest.mark.parametrize(
    ("encoder", "error", "says"),
    [
        ("some/other", BackendError, r"Found\)\. Name a folder that exists"),
        (f"some/encoder@{'2' * 40}", BackendError, f"revision '{'2' * 40}'.*check name, revision"),
        (f"some/encoder@{OLD}", ConfigError, r"has no weights, but model\.safetensors is needed"),
        (
            "all-MiniLM-L6-v2",
            ConfigError,
            r"^encoder 'all-MiniLM-L6-v2' is not a folder\. A name on the hub has the form ORG/NAME, for "
            r"example sentence-transformers/all-MiniLM-L6-v2\.$",
        ),
        ("./some/encoder", ConfigError, "'./some/encoder' is not a folder. Name one, or .*ORG/NAME"),
        ("a/folder/deeper", ConfigError, "'a/folder/deeper' is not a folder"),
    ],
)
def test_what_is_neither_a_folder_nor_on_the_hub_is_refused_with_what_to_do(read, encoder, error, says):
    for call in ((api.encode, encoder, SENTENCES), (api.score, encoder, SCORED)):
        with pytest.raises(error, match=f"(?s){says}"):
            read(*call)


def test_a_hub_that_cannot_be_reached_is_named_with_what_to_do(hub):
    with reading(HF_ENDPOINT="http://127.0.0.1:9") as call, pytest.raises(BackendError) as raised:
        call(api.encode, "some/unreached", SENTENCES)
    assert str(raised.value) == (
        "encoder 'some/unreached' is not a folder, and the hub cannot be reached (Connection refused). Name "
        "a folder of this machine. To make one on a machine with internet: hf download some/unreached "
        "--local-dir FOLDER"
    )


def _train(pairs, encoder, folder):
    api.train(pairs, encoder, None, folder, device="cpu", batch_size=8, max_length=16)
