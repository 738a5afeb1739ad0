import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import DenoisingAutoEncoderLoss

from contrapose.models.export import save_encoder
from contrapose.models.sentence_encoder import new_encoder
from contrapose.models.tokens import tokenised
from contrapose.pairs.pair_rows import as_pairs
from contrapose.train.decoder import Decoder
from contrapose.train.recipe import Recipe
from tests.unit.models.peers import saved
from tests.unit.train.trainings import IDS, TEXTS, trained

TSDAE = {"loss": "tsdae", "pooling": "cls_before_pooler", "dropout": 0.0, "max_length": 8}
DAMAGED = TEXTS.str.split().str[:-1].str.join(" ")
PAIRS = as_pairs(IDS, TEXTS, DAMAGED)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_loss_is_that_of_sentence_transformers(kind, tiny_encoder, tmp_path):
    encoder = new_encoder(tiny_encoder(kind), Recipe(**TSDAE), 42).eval()
    save_encoder(encoder, tmp_path / "encoder")
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
    gradients = {name: each.grad for name, each in encoder.model.named_parameters() if "layer.0" in name}
    for name, each in theirs[0].named_parameters():
        if "layer.0" in name:
            assert torch.allclose(gradients.pop(name.split("model.")[-1]), each.grad, atol=1e-5)
    assert not gradients


def test_training_lowers_the_loss_and_leaves_an_ordinary_encoder(tiny_encoder, tmp_path):
    recipe = Recipe(
        **TSDAE, batch_size=5, epochs=15, learning_rate=5e-3, lr_scheduler_type="constant", max_grad_norm=None
    )
    encoder, history = trained(tiny_encoder("bert"), recipe, PAIRS)
    assert history.loss.iloc[-4:].mean() < 0.5 * history.loss.iloc[:4].mean()
    again, _ = saved(encoder, tmp_path / "encoder")
    assert not [name for name in again.state_dict() if "cross" in name]
