"""Sub-words repeated or shuffled and columns cut off, as the authors' code does it."""

from itertools import groupby

import numpy as np
import pytest
import torch
from transformers import AutoModel

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import generator
from contrapose.models.pooling import POOLINGS
from contrapose.models.sentence_encoder import new_encoder
from contrapose.models.tokens import Tokens, tokenised
from contrapose.train.augmentations import augmented, repeated, shuffled
from contrapose.train.contrastive import train_encoder
from contrapose.train.recipe import Recipe
from tests.unit.train.trainings import DEV, equal_weights, same, trained

TEXTS = ["the cat sat on a mat", "a big dog", "the quick red bird ran away in the park"]


@pytest.fixture
def encoder(tiny_encoder):
    return new_encoder(tiny_encoder("bert"), Recipe(pooling="mean", dropout=0.0), 42).double()


def sentences(batch: Tokens) -> list[list[int]]:
    return [each.tolist() for each in np.split(batch.ids, batch.start[1:-1])]


@pytest.mark.parametrize(
    ("settings", "words", "most"),
    [
        ({"repetition": 0.32}, 10, 2),  # of 12 pieces: fewer than 3
        ({"repetition": 0.32}, 2, 0),
        ({"repetition": 1.0}, 30, 9),
        ({"repetition": 0.32, "repetition_count": "paper"}, 10, 3),
        ({"repetition": 0.32, "repetition_count": "paper"}, 2, 2),
        ({"repetition": 0.32, "repetition_count": "paper"}, 1, 1),  # of two that may be
    ],
)
def test_each_number_of_pieces_is_repeated_as_often(settings, words, most, encoder):
    cls, sep = encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id
    text = [cls, *range(100, 100 + words), sep]
    batch, chosen = Tokens.of([text] * 6000), np.arange(6000) % 2 == 0
    found = repeated(batch, chosen, encoder.tokenizer, Recipe(**settings), generator("here"))
    assert found.lengths.sum() == len(found.ids)
    numbers, twice = [], []
    for at, sentence in enumerate(sentences(found)):
        runs = [(token, len(list(run))) for token, run in groupby(sentence)]
        assert [token for token, _ in runs] == text
        again = [token for token, times in runs if times == 2]
        assert len(sentence) == len(text) + len(again)
        assert not {cls, sep} & {*again}
        assert at % 2 == 0 or again == []
        if at % 2 == 0:
            numbers.append(len(again))
            twice += again
    shares = np.bincount(numbers) / 3000
    assert len(shares) == most + 1
    expected = np.full(most + 1, 1 / (most + 1)) if words > 1 else [1 / 3, 2 / 3]
    assert shares == pytest.approx(expected, abs=0.035)
    if most:
        assert np.bincount(twice)[100:] / len(twice) == pytest.approx(np.full(words, 1 / words), abs=0.035)


def test_shuffled_pieces_have_the_vectors_of_permuted_positions(encoder, tiny_encoder):
    batch = tokenised(TEXTS, encoder.tokenizer, 16)
    found = shuffled(batch, np.array([True, False, True]), POOLINGS["mean"], generator("here"))
    model = AutoModel.from_pretrained(tiny_encoder("bert")).double().eval()
    with torch.no_grad():
        vectors = encoder.eval()(found)
        for before, after, vector in zip(sentences(batch), sentences(found), vectors, strict=True):
            left = dict(enumerate(after))  # where each token went; of equal ones any
            places = [next(at for at, each in left.items() if each == one and left.pop(at)) for one in before]
            ids, positions = torch.tensor([before]), torch.tensor([places])
            theirs = model(input_ids=ids, position_ids=positions).last_hidden_state[0].mean(dim=0)
            torch.testing.assert_close(encoder.head(theirs), vector, atol=1e-12, rtol=0)
    changed = [one != other for one, other in zip(sentences(batch), sentences(found), strict=True)]
    assert changed == [True, False, True]


@pytest.mark.parametrize(("pooler", "fixed"), [("cls", 0), ("cls_before_pooler", 0), ("lasttoken", -1)])
def test_the_token_of_the_pooler_stays(pooler, fixed, encoder):
    batch = tokenised(TEXTS * 20, encoder.tokenizer, 16)
    found = shuffled(batch, np.ones(60, bool), POOLINGS[pooler], generator("here"))
    pairs = list(zip(sentences(batch), sentences(found), strict=True))
    assert all(one[fixed] == other[fixed] for one, other in pairs)
    assert any(one[-1 - fixed] != other[-1 - fixed] for one, other in pairs)


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("recompute", [True, False])
def test_columns_are_cut_off_behind_the_norm_of_the_embeddings(packed, recompute, encoder):
    encoder.packed = packed
    batch = augmented(
        tokenised(TEXTS, encoder.tokenizer, 16),
        np.array([0, 1, 0]),
        encoder,
        Recipe(feature_cutoff=0.2),
        42,
        7,
    )
    assert (~batch.columns).sum(axis=1).tolist() == [3, 0, 3]  # of 16
    vectors = encoder(batch, recompute)
    for at, ids in enumerate(sentences(batch)):
        embedded = encoder.model.embeddings(input_ids=torch.tensor([ids]))
        states = encoder.model.encoder(embedded * torch.from_numpy(batch.columns[at])).last_hidden_state
        torch.testing.assert_close(states[0].mean(dim=0), vectors[at], atol=1e-12, rtol=0)
    vectors.sum().backward()
    assert encoder.model.embeddings.word_embeddings.weight.grad.abs().max() > 0


def test_positives_are_repeated_after_they_are_cut_and_the_same_in_each_run(tiny_encoder, monkeypatch):
    lengths = []
    settings = {"batch_size": 6, "max_length": 5, "learning_rate": 1e-3, "dropout": 0.0}

    def note(batch, sides, *rest):
        found = augmented(batch, sides, *rest)
        lengths.append([(found.lengths - batch.lengths)[sides == side].max() for side in (0, 1)])
        return found

    monkeypatch.setattr("contrapose.train.augmentations.augmented", note)
    recipes = [Recipe(**settings, repetition=rate) for rate in (0.9, 0.9, 0)]
    one, other, plain = (trained(tiny_encoder("bert"), recipe, same(), seed=1)[0] for recipe in recipes)
    assert equal_weights(one, other)
    assert not equal_weights(one, plain)
    assert lengths[:4] == lengths[4:8]
    assert np.max(lengths[:4], axis=0).tolist() == [0, 3]  # of anchors, of positives
    assert np.max(lengths[8:]) == 0


def test_what_gets_longer_than_the_encoder_reads_is_refused(encoder):
    for settings, longest in (
        ({"repetition": 0.5}, 21),
        ({"repetition": 0.1, "repetition_count": "paper"}, 17),
    ):
        recipe = Recipe(max_length=15, **settings)
        with pytest.raises(
            ConfigError, match=f"up to {longest} word pieces, but the encoder takes at most 16"
        ):
            train_encoder(encoder, same(), DEV, recipe, 42)
