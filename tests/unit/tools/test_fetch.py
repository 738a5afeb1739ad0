import json
import os
import re
import shutil
from pathlib import Path

import pytest
import yaml
from huggingface_hub import constants

from contrapose.base.errors import BackendError, ConfigError
from contrapose.project import Project
from contrapose.settings.catalogs import EncoderHub
from contrapose.tools.fetchable import shortened_models
from contrapose.tools.needs import without_numbers
from contrapose.tools.pinning import pinned
from tests.checkout import HOME
from tests.hub.server import Hub

COMMIT, OTHER = "8d6e5320" + "0" * 32, "8d6e9999" + "0" * 32
MODEL = "princeton-nlp/unsup-simcse-bert-base-uncased"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny_encoder):
    """A hub with a model in two pull requests, an empty cache, and a project without files of its own."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    place = tmp_path / "hub/models" / MODEL
    for number, commit in ((4, COMMIT), (5, OTHER)):
        shutil.copytree(tiny_encoder("bert"), place / commit)
        (place / f"pr{number}").symlink_to(commit)
    (place / "main").symlink_to(OTHER)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with Hub(tmp_path / "hub") as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        template = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        yield hub


def source(revision: str, **shape: int) -> EncoderHub:
    sizes = {"num_hidden_layers": 3, "hidden_size": 16, "intermediate_size": 32, "type_vocab_size": 2}
    config = {"vocab_size": 24, "max_position_embeddings": 16}
    return EncoderHub(model=MODEL, revision=revision, shape=sizes | config | shape)


def test_a_shortened_commit_is_looked_up_once_and_its_rows_are_no_longer_left_out(hub, tmp_path):
    def lacks() -> bool:
        project = Project({"catalog": "hub", "studies": ["thesis"]}, HOME)
        short = any(each.model == MODEL for each in shortened_models(project, ["baselines"]))
        said = (
            "this catalog has no encoder 'unsup-simcse-bert-base' until contrapose download looks up 8d6e532"
        )
        assert short == (said in without_numbers(project, ["baselines"]))
        return short

    assert lacks()
    lock = Project({"catalog": "hub"}, HOME).files.lock_file
    assert (
        pinned(source("8d6e532"), lock)
        == f"8d6e532 is commit {COMMIT}, which is now in config/catalogs/hub.lock"
    )
    assert yaml.safe_load((tmp_path / lock).read_text()) == {MODEL: COMMIT}
    assert not lacks()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (source("8d6e"), "revision 8d6e: 2 commits begin like this, but one is expected."),
        (source("77"), "revision 77: 0 commits begin like this"),
        (source("8d6e532", hidden_size=768), "hidden_size is 16 in its config.json, but 768 in the catalog."),
    ],
    ids=["two", "none", "another model"],
)
def test_another_commit_or_another_model_is_refused(hub, asked, says):
    with pytest.raises(ConfigError, match=re.escape(says)):
        pinned(asked, Path("hub.lock"))
    assert not Path("hub.lock").exists()


def test_weights_that_do_not_fit_their_configuration_are_refused(hub):
    file = hub.folder / "models" / MODEL / COMMIT / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"intermediate_size": 64}))
    with pytest.raises(
        ConfigError, match=r"is \[32, 16\] according to its config\.json, but its weights have \[64"
    ):
        pinned(source("8d6e532", intermediate_size=64), Path("hub.lock"))


def test_without_the_hub_nothing_is_written(hub):
    hub.folder.rename("elsewhere")
    with pytest.raises(BackendError, match=r"commits of .* could not be listed"):
        pinned(source("8d6e532"), Path("hub.lock"))
    assert not Path("hub.lock").exists()
