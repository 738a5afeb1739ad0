"""What makes an encoder pretrained, in this field: dropout alone makes its sentence vectors better.

The condition was fixed before the encoders were made (docs/dev/decisions.md); docs/dev/mini.md lists those
that do not meet it.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from contrapose import api
from contrapose.retrieve.rinna_models import write_rinna_encoder
from contrapose.settings.catalogs import MiniWorld
from contrapose_mini.files import write_mini_world
from contrapose_mini.pretrain import MINI_ENCODERS
from tests.checkout import HOME

pytestmark = pytest.mark.slow
COUNT = 960  # sentences: world mini's size `small`
RECIPE = {"learning_rate": 3e-4, "max_length": 32}  # SimCSE's with world mini's factor of 10
SEEDS = (42, 43, 44)
# One of each language: docs/dev/mini.md has all, and that mean pooling of three of them is not lifted.
LIFTED = ("bert-base", "bert-base-chinese", "japanese-roberta-base")
CHINESE = {"ATEC": "atec", "BQ": "bq", "LCQMC": "lcqmc", "PAWSX": "pawsx_zh", "STS-B": "stsb_zh"}
YEARS = ("sts12", "sts13", "sts14", "sts15", "sts16")


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    write_mini_world(folder, MiniWorld())
    return folder


def chinese(world: Path, task: str, split: str) -> pd.DataFrame:
    folder = next(folder for folder, name in CHINESE.items() if name == task)
    return api.benchmark("senteval_cn", world / "senteval_cn" / folder, split, task)


def english(world: Path, split: str) -> pd.DataFrame:
    return api.benchmark("stsb", world / "senteval/STS/STSBenchmark", split)


def japanese(world: Path, split: str) -> pd.DataFrame:
    return api.benchmark("jglue", world / "jglue/jsts-v1.3", split, "jsts")


def dev_of(world: Path, language: str) -> pd.DataFrame:
    if language == "chinese":
        return chinese(world, "stsb_zh", "dev")
    return (english if language == "english" else japanese)(world, "dev")


def sentences_of(world: Path, language: str) -> list[str]:
    """Return sentences to train on: of articles, or of training splits, in Chinese of five sets (EdaCSE)."""
    if language == "english":
        return (world / "wiki1m_for_simcse.txt").read_text().splitlines()[:COUNT]
    tasks = CHINESE.values() if language == "chinese" else ()
    train = pd.concat([chinese(world, task, "train") for task in tasks] or [japanese(world, "train")])
    sentences = list(dict.fromkeys(pd.concat([train.sentence1, train.sentence2])))
    return [sentences[i] for i in np.random.default_rng(0).permutation(len(sentences))[:COUNT]]


@pytest.mark.parametrize("role", LIFTED)
def test_dropout_lifts_the_dev_score_by_more_than_twice_its_standard_error(world, role, tmp_path):
    encoder, language = HOME / "resources/mini/encoders" / role, MINI_ENCODERS[role].language
    if language == "japanese":
        write_rinna_encoder(encoder, tmp_path / "ordinary")
        encoder = tmp_path / "ordinary"
    dev = dev_of(world, language)
    pairs = api.build("dropout", sentences_of(world, language))
    before = api.score(encoder, dev, "cls_before_pooler")
    lifts = []
    for seed in SEEDS:
        api.train(pairs, encoder, dev, tmp_path / f"{seed}", seed, pooling="cls", **RECIPE)
        lifts.append(api.score(tmp_path / f"{seed}", dev) - before)
    assert np.mean(lifts) > 2 * np.std(lifts, ddof=1) / np.sqrt(len(lifts))
    if language == "english":  # table 4.1's column Avg., of every seed
        untrained = average(world, encoder, "cls_before_pooler")
        assert min(average(world, tmp_path / f"{seed}") for seed in SEEDS) > untrained


def average(world: Path, encoder: Path, pooling: str = "auto") -> float:
    """Return the mean Spearman x100 on the seven English test sets."""
    sts = world / "senteval/STS"
    tests = [api.benchmark("sts", sts / f"STS{year[3:]}-en-test", "test", year) for year in YEARS]
    tests += [english(world, "test"), api.benchmark("sick", world / "senteval/SICK")]
    return float(np.mean([api.score(encoder, test, pooling) for test in tests]))
