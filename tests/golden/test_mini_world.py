"""The mini world is frozen: another world or another encoder changes every mini result."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from contrapose.retrieve.mini.files import write_mini_world

ENCODERS = Path(__file__).parents[2] / "resources" / "mini" / "encoders"
WORLD_SHA256 = "82768184a7e7e03504b8ec6bbe82d7bb796148850c404b27dc4267279d74305f"
WEIGHTS_SHA256 = {
    "bert-base": "28a2766cacad4ae1ee556b8b03a4c1364b4b9332c8fcc1feea23e37a4b1896ec",
    "roberta-base": "f58ad913cdfdf10a357a52d98b0a838e20199a8fd28a69f6c243f110fd38b5a8",
    "roberta-large": "bbf9a8b385117579fc7b475040b6935f4cfce39fd1abfbbb03ac7ae4b05a6683",
}
# Spearman x100 of [CLS] without training on STS-B test of the default world: training must lift it.
CLS_SCORES = {"bert-base": 25.89, "roberta-base": 20.7, "roberta-large": 18.1}
SHAPES = {
    "bert-base": ("bert", 2, 128),
    "roberta-base": ("roberta", 2, 128),
    "roberta-large": ("roberta", 3, 192),
}


def content(path: Path) -> bytes:
    """Return what a file says; the bytes of a Parquet file change with pyarrow's version."""
    if path.suffix == ".parquet":
        return json.dumps(pq.read_table(path).to_pydict(), sort_keys=True).encode()
    return path.read_bytes()


def test_a_small_world_is_the_one_that_was_frozen(tmp_path):
    write_mini_world(tmp_path, SimpleNamespace(seed=2023, articles=40, pairs=6))
    digest = hashlib.sha256()
    for path in sorted(path for path in tmp_path.rglob("*") if path.is_file()):
        digest.update(str(path.relative_to(tmp_path)).encode() + b"\0" + content(path) + b"\0")
    assert digest.hexdigest() == WORLD_SHA256


@pytest.mark.parametrize("role", WEIGHTS_SHA256)
def test_an_encoder_has_the_weights_that_were_checked_in(role):
    assert (
        hashlib.sha256((ENCODERS / role / "model.safetensors").read_bytes()).hexdigest()
        == WEIGHTS_SHA256[role]
    )
    assert json.loads((ENCODERS / role / "recipe.json").read_text())["sha256"] == WEIGHTS_SHA256[role]


@pytest.mark.parametrize("role", SHAPES)
def test_an_encoder_has_the_architecture_of_its_role(role):
    config = json.loads((ENCODERS / role / "config.json").read_text())
    assert (config["model_type"], config["num_hidden_layers"], config["hidden_size"]) == SHAPES[role]
    assert config["hidden_dropout_prob"] == 0.1


def test_an_encoder_has_the_recipe_that_the_code_would_use_today():
    from contrapose.retrieve.mini.pretrain import MINI_ENCODERS

    for role, spec in MINI_ENCODERS.items():
        recipe = json.loads((ENCODERS / role / "recipe.json").read_text())
        assert {key: recipe[key] for key in spec.model_dump()} == spec.model_dump(), role


def test_the_encoders_as_they_are_score_what_they_scored_when_they_were_made(tmp_path):
    from contrapose.config import BenchmarkFiles, MiniWorld
    from contrapose.retrieve.benchmarks import read_benchmark
    from contrapose.train.dev import dev_scorer
    from contrapose.train.encoder import load_encoder

    write_mini_world(tmp_path, MiniWorld())
    source = BenchmarkFiles(kind="stsb", task="stsb", path="STS/STSBenchmark")
    benchmark, _ = read_benchmark(tmp_path / "senteval" / "STS" / "STSBenchmark", source)
    test = benchmark[benchmark.split == "test"].reset_index(drop=True)
    scores = {role: 100 * dev_scorer(load_encoder(str(ENCODERS / role)), test, 32)() for role in CLS_SCORES}
    assert scores == pytest.approx(CLS_SCORES, abs=0.02)  # the last digit is rounding between machines


def test_the_encoders_stay_small():
    assert sum(path.stat().st_size for path in ENCODERS.rglob("*") if path.is_file()) < 8 * 2**20
