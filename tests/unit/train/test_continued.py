import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoModelForMaskedLM, AutoTokenizer

from contrapose.generate.masked_language_model import MaskedLanguageModel
from contrapose.jobs import timing
from contrapose.models.embeddings import embeddings
from contrapose.models.export import save_encoder
from contrapose.models.sentence_encoder import load_encoder
from contrapose.settings.catalogs import ContinuedEncoder
from contrapose.train.continued import continue_training
from contrapose.train.pretraining import IGNORED, masked, masked_loss
from tests.unit.models import layouts
from tests.unit.train.trainings import LONGER, SIX, equal_weights


def test_masked_words_are_learned_and_the_pooling_stays(tiny_encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(timing, "_flops", [0.0])
    folder, texts = tiny_encoder(), [*SIX, *LONGER]
    spec = ContinuedEncoder(kind="mlm_pretraining", of="mine", corpus="all", steps=2, batch=8, max_length=16)
    losses = []
    for steps in (2, 300):
        encoder = load_encoder(folder)
        training = spec.model_copy(update={"steps": steps})
        model, loss = continue_training(encoder, (str(folder), None), texts, training)
        losses.append(loss)
    learning = timing._flops[0] / 2 / 302 / 3  # parameters x tokens of a step
    assert 0 < learning < sum(each.numel() for each in encoder.model.parameters()) * 8 * 16
    assert losses[1] < losses[0] - 0.5  # nats: the words of a few sentences are learned
    assert not equal_weights(encoder, load_encoder(folder))
    save_encoder(encoder, tmp_path / "encoder", card="how", with_head=model)
    saved = load_encoder(tmp_path / "encoder")
    assert saved.pooler == encoder.pooler
    assert all(torch.equal(a, b) for a, b in zip(saved.parameters(), encoder.parameters(), strict=True))
    same = SentenceTransformer(str(tmp_path / "encoder")).encode([*SIX])
    np.testing.assert_allclose(same, embeddings(saved, [*SIX]), atol=1e-5)
    filler = MaskedLanguageModel(tmp_path / "encoder", "cpu")  # its layer that predicts words is there, too
    assert equal_weights(filler.model.base_model, encoder.model)
    assert torch.equal(filler.model.get_output_embeddings().bias, model.get_output_embeddings().bias)


@pytest.mark.parametrize("kind", ["Bert", "Roberta", "MPNet", "DistilBert", "ModernBert", "Electra"])
def test_every_type_with_a_layer_that_predicts_words_can_learn(kind, tmp_path):
    folder, texts = layouts.folder_of(kind, tmp_path), [*SIX, *LONGER]
    model, tokenizer = AutoModelForMaskedLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(1)
    batch = masked(tokenizer(texts)["input_ids"], tokenizer)
    ids, attention, labels = batch
    expected = model.eval()(input_ids=ids, attention_mask=attention, labels=labels).loss
    loss, vectors = masked_loss(model, batch)
    assert (labels != IGNORED).sum() > 3
    torch.testing.assert_close(loss, expected)
    assert vectors.shape == (len(texts), layouts.WIDTH)
    encoder = load_encoder(folder)
    spec = ContinuedEncoder(kind="mlm_pretraining", of="mine", corpus="all", steps=2, batch=8, max_length=16)
    continue_training(encoder, (str(folder), None), texts, spec)
    assert not equal_weights(encoder, load_encoder(folder))


@pytest.mark.parametrize(("changed", "message"), [({"steps": 0}, "steps"), ({"of": None}, "of")])
def test_wrong_settings_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        ContinuedEncoder(**{"kind": "mlm_pretraining", "of": "mine", "corpus": "all", **changed})
