"""TSDAE: a decoder writes a text from the vector of its damaged form."""

import numpy as np
import pandas as pd
import pytest
import torch
from pydantic import ValidationError
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import DenoisingAutoEncoderLoss

from contrapose.encoders.embeddings import embeddings
from contrapose.encoders.encoder import load_encoder, new_encoder
from contrapose.encoders.tokens import tokenised
from contrapose.errors import TableError
from contrapose.pairs.rows import as_pairs
from contrapose.settings.recipes import Recipe
from contrapose.train.batches import tokenised_pairs
from contrapose.train.decoder import Decoder
from tests.unit.train.trainings import IDS, TEXTS, broken_off, equal_weights, trained

TSDAE = {"loss": "tsdae", "pooler": "cls_before_pooler", "dropout": 0.0, "max_length": 8}
DAMAGED = TEXTS.str.split().str[:-1].str.join(" ")
PAIRS = as_pairs(IDS, TEXTS, DAMAGED)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_loss_is_that_of_sentence_transformers(kind, tiny_encoder, tmp_path):
    encoder = new_encoder(tiny_encoder(kind), Recipe(**TSDAE), 42).eval()
    encoder.save(tmp_path / "encoder")
    decoder = Decoder(encoder, 42).eval()
    texts, damaged = TEXTS.tolist()[:5], DAMAGED.tolist()[:5]
    tokens = [tokenised(each, encoder.tokenizer, 16) for each in (damaged, texts)]
    ours = decoder(encoder(tokens[0]), tokens[1])
    theirs = SentenceTransformer(str(tmp_path / "encoder"), device="cpu")
    loss = DenoisingAutoEncoderLoss(theirs, tie_encoder_decoder=True).eval()
    loss.decoder.load_state_dict(decoder.model.state_dict())
    features = [theirs.preprocess(each) for each in (damaged, texts)]
    assert ours.item() == pytest.approx(loss(features, None).item(), abs=1e-5)
    # The same gradients of the weights that encoder and decoder share.
    ours.backward()
    loss(features, None).backward()
    shared = dict(theirs[0].named_parameters())
    of_layers = {f"{'.'.join(n.split('.')[-5:])}": p.grad for n, p in shared.items() if "layer.0" in n}
    for name, parameter in encoder.model.named_parameters():
        if "layer.0" in name:
            wanted = of_layers[".".join(name.split(".")[-5:])]
            assert torch.allclose(parameter.grad, wanted, atol=1e-5)


def test_training_lowers_the_loss_and_leaves_an_ordinary_encoder(tiny_encoder, tmp_path):
    recipe = Recipe(**TSDAE, batch_size=5, epochs=20, learning_rate=3e-3, schedule="constant", clip=None)
    encoder, history = trained(tiny_encoder("bert"), recipe, PAIRS)
    assert history.loss.iloc[-4:].mean() < 0.5 * history.loss.iloc[:4].mean()
    _, same = trained(tiny_encoder("bert"), recipe, PAIRS)
    pd.testing.assert_frame_equal(history, same)
    encoder.save(tmp_path / "encoder")
    loaded = load_encoder(tmp_path / "encoder")
    assert not [name for name in loaded.state_dict() if "cross" in name]
    assert np.abs(embeddings(loaded, ["a cat"]) - embeddings(encoder, ["a cat"])).max() < 1e-6


def test_a_killed_training_goes_on_with_its_decoder(tiny_encoder, tmp_path):
    recipe = Recipe(**TSDAE, batch_size=5, steps=6, dev_every=2, learning_rate=1e-3)
    whole, history = trained(tiny_encoder("bert"), recipe, PAIRS)
    with broken_off(3):
        trained(tiny_encoder("bert"), recipe, PAIRS, state=tmp_path / "state")
    resumed, rest = trained(tiny_encoder("bert"), recipe, PAIRS, state=tmp_path / "state")
    pd.testing.assert_frame_equal(history, rest)
    assert equal_weights(whole, resumed)


def test_what_has_no_meaning_is_refused(tiny_encoder):
    tokenizer = load_encoder(tiny_encoder("bert")).tokenizer
    hard = PAIRS.assign(negatives=[["the mat"]] * len(PAIRS))
    with pytest.raises(TableError, match="hard negatives have no meaning for tsdae"):
        tokenised_pairs(hard, tokenizer, 8, loss="tsdae")
    for wrong in ({"lora": {}}, {"matryoshka": [4]}):
        with pytest.raises(ValidationError, match="whole vectors and all weights"):
            Recipe(loss="tsdae", **wrong)
