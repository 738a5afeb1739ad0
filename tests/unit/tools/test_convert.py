"""Models released as a pickle, from a folder, a file or a hub on this machine, saved as safetensors."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from contrapose.base.errors import ConfigError
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder
from contrapose.project import Project
from contrapose.tools.convert import Conversion, convert, pickles
from tests.checkout import HOME
from tests.hub.server import Hub

TEXTS = ["the cat sat on the mat", "a dog"]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def released(tiny_encoder, tmp_path) -> Path:
    """A folder whose weights are a pickle, with LayerNorm's old names, as old checkpoints have them."""
    folder = shutil.copytree(tiny_encoder("bert"), tmp_path / "released")
    state = load_file(folder / "model.safetensors")
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    for new, name in old.items():
        state = {key.replace(new, name): tensor for key, tensor in state.items()}
    (folder / "model.safetensors").unlink()
    torch.save(state, folder / "pytorch_model.bin")
    return folder


def vectors(folder: Path) -> np.ndarray:
    return embeddings(load_encoder(folder, pooling="cls_before_pooler"), TEXTS)


def test_a_converted_model_gives_the_vectors_of_its_pickle(released: Path, tiny_encoder, tmp_path):
    assert convert(Conversion(str(released), tmp_path / "new")).endswith("converted")
    np.testing.assert_array_equal(vectors(tmp_path / "new"), vectors(tiny_encoder("bert")))
    assert not list((tmp_path / "new").glob("*.bin"))
    assert sorted(os.listdir(tmp_path)) == ["new", "released"]


class Harm:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_pickle_of_more_than_tensors_is_refused_before_anything_of_it_runs(released: Path, tmp_path):
    refused = "refused, and none of its code was run: Weights only load failed"
    for weight, message in ((Harm(tmp_path / "ran"), refused), (3, "is not a state dict")):
        torch.save({"weight": weight, "other": torch.zeros(1)}, released / "pytorch_model.bin")
        with pytest.raises(ConfigError, match=message):
            convert(Conversion(str(released), tmp_path / "new"))
    assert os.listdir(tmp_path) == ["released"]


def test_a_pickle_is_fetched_only_where_the_hub_has_nothing_else(released: Path, tmp_path):
    repositories = tmp_path / "hub/models/somebody"
    for name in ("pickled", "safe"):
        shutil.copytree(released, repositories / name / COMMIT)
        (repositories / name / "main").symlink_to(COMMIT)
    convert(Conversion(str(released), tmp_path / "converted"))
    shutil.copy(tmp_path / "converted/model.safetensors", repositories / "safe" / COMMIT)
    program = (
        "import sys; from pathlib import Path; from contrapose.tools.convert import Conversion, convert; "
    )
    program += "print(convert(Conversion(sys.argv[1], Path(sys.argv[2]))))"
    with Hub(tmp_path / "hub") as hub:
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        known = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "PYTHONPATH": str(HOME / "src")}
        for name in ("pickled", "safe"):
            call = [sys.executable, "-c", program, f"somebody/{name}", str(tmp_path / name)]
            done = subprocess.run(call, env=kept | known, capture_output=True, text=True, check=True)
            assert f"commit {COMMIT} of the hub" in done.stdout
    pickles = {each.repository for each in hub.requests if "pytorch" in each.file} - {""}
    assert pickles == {"somebody/pickled"}
    np.testing.assert_array_equal(vectors(tmp_path / "pickled"), vectors(tmp_path / "safe"))


def test_of_a_table_each_folder_that_is_not_there_is_converted_at_its_commit(tmp_path, monkeypatch):
    monkeypatch.chdir(HOME)
    project = Project({"catalog": "hub", "studies": ["edacse"]}, HOME)
    monkeypatch.chdir(tmp_path)
    Path("encoders/chinese-roberta-wwm-ext").mkdir(parents=True)
    (found,) = pickles(project, ["edacse"])
    assert (found.source, found.folder.name) == (
        "hfl/chinese-roberta-wwm-ext-large",
        "chinese-roberta-wwm-ext-large",
    )
    assert len(found.revision or "") == 40
