import json
from itertools import product

import numpy as np
import pytest
import torch

from contrapose.base.errors import ConfigError
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder
from contrapose.settings.recipes import FlowRecipe
from contrapose.tables import HISTORY, write_table
from contrapose.train.flow import fit_flow
from tests.unit.models.peers import saved
from tests.unit.train.trainings import equal_weights

NOUNS, VERBS = ["cat", "dog", "bird", "mat", "park", "tree"], ["sat", "ran", "flew", "slept"]
PARTS = ["big", "small", "red", "quick"], NOUNS, VERBS, ["on", "in"], NOUNS
TEXTS = ["the {} {} {} {} a {}".format(*words) for words in product(*PARTS)]  # 1,152


def fitted(folder, texts=TEXTS, seed=42, **changes):
    recipe = FlowRecipe(**{"kind": "flow", "max_length": 12, "width": 8, **changes})
    encoder = load_encoder(folder, pooling=recipe.pooling)
    return encoder, fit_flow(encoder, texts, recipe, seed)


def test_the_likelihood_rises_above_that_of_standardised_dimensions(tiny_encoder, tmp_path):
    encoder, history = fitted(tiny_encoder("bert"), epochs=4, learning_rate=5e-3)
    write_table(history, tmp_path / "history.parquet", HISTORY)
    assert history.epoch.value_counts().tolist() == [18] * 4
    assert history.sentences.iloc[-1] == 4 * len(TEXTS)
    assert history.tokens.iloc[-1] == 4 * len(TEXTS) * 9  # seven words, [CLS] and [SEP]
    first, last = history.loss.iloc[:18].mean(), history.loss.iloc[-18:].mean()
    assert last < first - 0.1
    latents = torch.from_numpy(embeddings(encoder, TEXTS))
    plain = embeddings(load_encoder(tiny_encoder("bert"), pooling="avg_first_last"), TEXTS)
    with torch.no_grad():
        assert np.abs(encoder.head[0].inverse(latents).numpy() - plain).max() < 1e-5


def test_a_saved_flow_is_one_of_sentence_transformers_too(tiny_encoder, tmp_path):
    encoder, _ = fitted(tiny_encoder("roberta"), TEXTS[:200], max_length=16)
    again, _ = saved(encoder, tmp_path / "saved", TEXTS[:20])
    assert (again.pooler, again.max_length) == ("avg_first_last", 16)
    kinds = [each["type"] for each in json.loads((tmp_path / "saved" / "modules.json").read_text())]
    assert kinds[-1] == "contrapose.models.export.FlowModule"


def test_the_seed_decides_the_weights_and_there_is_no_dev_score(tiny_encoder):
    torch.manual_seed(0)
    found = [fitted(tiny_encoder("bert"), TEXTS[:200], seed=seed) for seed in (42, 42, 43)]
    (one, history), (two, again), (other, _) = found
    assert equal_weights(one, two)
    assert history.equals(again)
    assert not equal_weights(one.head, other.head)
    # The encoder stays unchanged.
    assert equal_weights(one.model, load_encoder(tiny_encoder("bert")).model)
    assert history.dev_score.isna().all()
    assert not history.best.any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"learning_rate": 1e6},
            r"not finite at step 2 of 18\. Lower the learning_rate of the recipe \(1e\+06\)",
        ),
        ({"max_length": 64}, "max_length is 64, but the encoder takes at most 16 tokens"),
    ],
)
def test_a_flow_that_cannot_be_fitted_says_what_to_change(changes, message, tiny_encoder):
    with pytest.raises(ConfigError, match=message):
        fitted(tiny_encoder("bert"), **changes)
