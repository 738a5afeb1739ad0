import numpy as np
import pytest
import torch

from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder, new_encoder
from contrapose.pairs.pair_rows import as_pairs, in_lists
from contrapose.tables import HISTORY, write_table
from contrapose.train import contrastive, objective
from contrapose.train.dev_scores import loss_scorer
from contrapose.train.losses.info_nce import info_nce
from contrapose.train.losses.info_nce_settings import InfoNCE
from contrapose.train.objective import listmle
from contrapose.train.recipe import Recipe
from contrapose.train.rows import View
from tests.unit.train import trainings
from tests.unit.train.trainings import IDS, TEXTS, same

PAIRED = as_pairs(IDS, TEXTS, TEXTS + " sat", negatives=in_lists(TEXTS[::-1]))
DEV = as_pairs(IDS[:9], TEXTS[:9], TEXTS[:9] + " ran", negatives=in_lists(TEXTS[9:18]))


def recipe(**changes):
    settings = {
        "batch_size": 6,
        "max_length": 8,
        "learning_rate": 1e-3,
        "epochs": 8,
        "lr_scheduler_type": "constant",
    }
    return Recipe(
        **{**settings, "dev": "pairs", "dev_every": "epoch", "early_stopping_patience": 3, **changes}
    )


def trained(folder, settings, pairs=PAIRED, dev=DEV, **given):
    return trainings.trained(folder, settings, pairs, dev, **given)


@pytest.mark.parametrize("pooler", ["cls", "mean"])
def test_the_dev_loss_is_the_mean_over_pairs_of_batches_in_file_order(tiny_encoder, pooler):
    settings = recipe(pooling=pooler, batch_size=4, dropout=0.3, temperature=0.5)
    encoder = new_encoder(tiny_encoder("bert"), settings, 42)
    score = loss_scorer(encoder, DEV, settings)()
    assert encoder.training
    assert encoder.model.training
    # The head is part of the loss, also where it is there in training only.
    if encoder.projector:
        encoder.head, encoder.projector = torch.nn.Sequential(encoder.projector), None
    sides = [
        torch.from_numpy(embeddings(encoder, DEV[side].explode().tolist())).split(4)
        for side in ("anchor", "positive", "negatives")
    ]
    batches = zip(*sides, strict=True)
    total = sum(len(batch[0]) * info_nce(InfoNCE(temperature=0.5), View(*batch)).item() for batch in batches)
    assert score == pytest.approx(-total / 9, rel=1e-5)


def test_the_epoch_of_the_lowest_dev_loss_is_kept(tiny_encoder, tmp_path, caplog):
    caplog.set_level("INFO")
    settings = recipe(learning_rate=3e-2, dropout=0.0, early_stopping_patience=2, epochs=20)
    encoder, history = trained(tiny_encoder("bert"), settings)
    write_table(history, tmp_path / "history.parquet", HISTORY)
    by_epoch = history.dropna(subset="dev_score")
    assert by_epoch.step.tolist() == [4 * (epoch + 1) for epoch in by_epoch.epoch]  # 6, 6, 6, 2 pairs
    best = int(by_epoch.dev_score.argmax())
    assert len(by_epoch) == best + 3 < 20
    assert by_epoch.best.tolist()[best:] == [True, False, False]
    again = loss_scorer(encoder.train(), DEV, recipe())()
    assert again == pytest.approx(by_epoch.dev_score.iloc[best], abs=1e-6)
    assert f"after epoch {best + 2}, step {4 * (best + 3)} of 80: no better dev score 2 times" in caplog.text
    assert f"the best: dev loss {-by_epoch.dev_score.iloc[best]:.4f}" in caplog.text


def test_an_equal_loss_is_no_better_and_a_better_one_starts_the_count_again(tiny_encoder, monkeypatch):
    scores = iter([-2.0, -2.0, -3.0, -1.9, -1.9, -2.0, -1.95, -0.1])
    monkeypatch.setattr(contrastive.ContrastiveTraining, "scorer", lambda *_: lambda: next(scores))
    _, history = trained(tiny_encoder("bert"), recipe(warmup_ratio=0.25))
    # The learning rates are those of all epochs: a quarter of 32 steps, though it ends after 28.
    assert history.learning_rate.tolist() == pytest.approx([1e-3 * min(step, 8) / 8 for step in range(28)])
    assert history.dev_score.dropna().tolist() == [-2.0, -2.0, -3.0, -1.9, -1.9, -2.0, -1.95]
    assert history.step[history.best].tolist() == [4, 16]


def test_a_teacher_of_another_vocabulary_encodes_each_text_once(tiny_encoder, monkeypatch):
    teacher = load_encoder(tiny_encoder("roberta"), pooling="mean")
    settings = recipe(epochs=1, teacher="any", distillation=1.0, consistency=1.0, dropout=0.1)
    trained_on = []

    def note(sides, vectors, recipe, loss=objective.ranking_loss):
        trained_on.append(vectors.numpy())
        return loss(sides, vectors, recipe)

    monkeypatch.setattr(objective, "ranking_loss", note)
    _, history = trained(tiny_encoder("bert"), settings, same(), same()[:9], teachers=[teacher])
    given = np.concatenate(trained_on[:4])  # (20, 2, D), all sentences once
    assert (given[:, 0] == given[:, 1]).all()
    own = embeddings(teacher, TEXTS.tolist())
    assert np.sort(given[:, 0], axis=0) == pytest.approx(np.sort(own, axis=0), abs=1e-6)
    _, plain = trained(tiny_encoder("bert"), recipe(epochs=1, dropout=0.1), same())
    assert history.loss[0] > plain.loss[0] + 1  # ListMLE of six adds up to some nats


def test_the_dev_loss_of_rankcse_has_the_ranking_of_its_teacher_in_it(tiny_encoder):
    settings = recipe(teacher="any", distillation=2.0, consistency=1.0, pooling="mean")
    encoder = new_encoder(tiny_encoder("bert"), settings, 42)
    teacher = load_encoder(tiny_encoder("roberta"), pooling="mean")
    plain = loss_scorer(encoder, same(TEXTS[:6]), recipe(pooling="mean"))()
    score = loss_scorer(encoder, same(TEXTS[:6]), settings, [teacher])()
    vectors = [torch.from_numpy(embeddings(each, TEXTS[:6].tolist())) for each in (encoder, teacher)]
    units = [torch.nn.functional.normalize(each, dim=-1) for each in vectors]
    # Sides are equal without dropout: nothing is inconsistent.
    rankings = listmle(units[0] @ units[0].T / 0.05, units[1] @ units[1].T).item()
    assert score == pytest.approx(plain - 2 * rankings, rel=1e-4)
