from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from contrapose.models.sentence_encoder import load_encoder
from contrapose.score.parascores import EncoderSettings, bert_f1, build
from contrapose.tables import PARASCORES, checked_arrays
from tests.tables import paired

HOME = Path(__file__).parents[3]


def pairs(*rows):
    return paired(*zip(*rows, strict=True))


def test_f1_matches_each_token_with_the_nearest_and_leaves_the_special_ones_out():
    special, east, north = [1.0, 0, 0], [0, 1.0, 0], [0, 0, 2.0]
    first = torch.tensor([special, east, north, special])
    second = torch.tensor([special, east, special])
    # Recall: east finds east (1), north finds nothing (0). Precision: east finds east.
    assert bert_f1(first, second) == pytest.approx(2 * 0.5 * 1 / 1.5)
    assert bert_f1(first, first) == pytest.approx(1)


def test_f1_is_that_of_the_bert_score_package():
    sold = "In the market a grey horse was sold by the farmer."
    table = pairs(
        ("The old farmer sold a grey horse in the market.", sold),
        ("A girl met the doctor near the river on Monday.", "The doctor was met by a girl at the stream."),
    )
    found = build(EncoderSettings(), table, load_encoder(HOME / "resources/mini/encoders/bert-base"))
    # bert-score 0.3.13 with this encoder in float32, its last layer (2), no idf, no rescaling.
    assert found.f1.tolist() == pytest.approx([0.845220, 0.827888], abs=1e-5)


def test_vectors_are_those_behind_the_ninth_layer():
    """bert-score's `model2layers` for bert-base-uncased."""

    def tokenizer(text, **options):
        tokens = torch.tensor([[len(text)] * 4])
        return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}

    def model(input_ids, attention_mask, output_hidden_states):
        # Texts are alike behind layer 9 alone; the first hidden state is that of the input.
        turned = [torch.tensor(0.0) if layer == 9 else input_ids[0].float() for layer in range(13)]
        layers = [torch.stack([angle.expand(4).cos(), angle.expand(4).sin()], dim=1) for angle in turned]
        return SimpleNamespace(hidden_states=[layer[None] for layer in layers])

    encoder = SimpleNamespace(
        tokenizer=tokenizer, model=model, device="cpu", precision=torch.float32, max_length=16
    )
    assert build(EncoderSettings(), pairs(("one", "three")), encoder).f1[0] == pytest.approx(1)


def test_a_copy_costs_omega_and_another_wording_earns_gamma_of_it(tiny_encoder):
    table = pairs(("the cat sat", "the cat sat"), ("the cat sat", "a small bird flew away"))
    found = build(EncoderSettings(), table, load_encoder(tiny_encoder("bert")))
    checked_arrays(found, "found", PARASCORES)
    assert found.f1[0] == pytest.approx(1)
    assert found.parascore[0] == pytest.approx(1 - 0.05)
    assert found.distance[1] > 0.35
    assert found.parascore[1] == pytest.approx(found.f1[1] + 0.05 * 0.35)
    assert found.f1[1] < 0.999
