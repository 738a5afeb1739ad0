import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import pearsonr, spearmanr
from torch.nn.functional import cross_entropy, mse_loss
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from contrapose.base.errors import UnavailableError
from contrapose.base.seeds import generator
from contrapose.evaluate.fine_tuned import FineTuned, build, class_scores, examples_of, pair_scores
from contrapose.models import devices
from contrapose.models.classifier import fine_tune, new_classifier
from contrapose.models.epochs import batches
from contrapose.models.schedule import adamw, learning_rate
from contrapose.tables import BENCHMARK, SCORES, write_table
from contrapose.train.recipe import Recipe

ANIMALS, OTHERS = ["cat", "dog", "bird"], ["sat", "ran", "flew", "slept", "on", "in", "mat", "park", "red"]
SIZES = {"batch_size": 16, "epochs": 3, "max_length": 16, "early_stopping_patience": 3}
RECIPE = Recipe(
    learning_rate=5e-3, warmup_ratio=0.1, lr_scheduler_type="constant", weight_decay=0.01, **SIZES
)


def pairs(task: str, split: str, count: int) -> pd.DataFrame:
    """Make pairs of sentences about one animal each: class 1, or 5 points, if it is the same animal."""
    draws = generator("test", task, split)
    rows = []
    for number in range(count):
        animals = draws.choice(ANIMALS, 2) if number % 2 else [draws.choice(ANIMALS)] * 2
        first, second = (" ".join([one, *draws.choice(OTHERS, draws.integers(1, 4))]) for one in animals)
        same = animals[0] == animals[1]
        score = float(same) if task == "paws" else 5.0 * same - 0.1 * (number % 5)
        rows.append((task, "raw", split, task, number, first, second, max(0.0, score)))
    return pd.DataFrame(rows, columns=BENCHMARK.columns)


@pytest.fixture(scope="module")
def benchmarks(tmp_path_factory):
    path = tmp_path_factory.mktemp("benchmarks") / "pair_tasks_english.parquet"
    sizes = [("train", 96), ("dev", 40), ("test", 48)]
    tables = [pairs(task, split, count) for task in ("stsb_pairs", "paws") for split, count in sizes]
    # Of one set there is the test split alone.
    write_table(pd.concat([*tables, pairs("snli", "test", 10)]), path, BENCHMARK)
    return path


def job(task: str = "paws", **changed) -> FineTuned:
    about = {"run": "p/r/seed42", "task": task, "recipe": RECIPE, "bert_pooler": "new", "train_pairs": None}
    return FineTuned(**{**about, "seed": 42, **changed})


def classifier_of(folder, outputs: int = 2, seed: int = 42, bert_pooler: str = "new"):
    return new_classifier(folder, outputs, seed, 16, "least", bert_pooler=bert_pooler)


@pytest.mark.parametrize(
    ("model_type", "task", "clip"),
    [("bert", "paws", 1.0), ("roberta", "stsb_pairs", 1.0), ("roberta", "stsb_pairs", None)],
)
def test_training_is_that_of_a_plain_loop_of_transformers(
    model_type, task, clip, tiny_encoder, benchmarks, monkeypatch
):
    """Same batches, same start, no dropout: equal dev losses after each epoch.  Ours runs in pieces."""
    monkeypatch.setattr(devices, "PIECE_TOKENS", {"cpu": 40})
    folder, outputs = tiny_encoder(model_type), 2 if task == "paws" else 1
    ours = classifier_of(folder, outputs)
    config = ours.model.config
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    ours.model = AutoModelForSequenceClassification.from_config(config)
    ours.model.load_state_dict(classifier_of(folder, outputs).model.state_dict())
    theirs = AutoModelForSequenceClassification.from_config(config)
    theirs.load_state_dict(ours.model.state_dict())
    tokenizer = AutoTokenizer.from_pretrained(folder)
    sets = {split: examples_of(benchmarks, task, split, ours) for split in ("train", "dev")}
    recipe = RECIPE.model_copy(update={"max_grad_norm": clip})
    found = fine_tune(ours, sets["train"], sets["dev"], recipe, 42)

    def loss_of(split: str, rows) -> torch.Tensor:
        own = pairs(task, split, 96 if split == "train" else 40).iloc[rows]
        texts = own.sentence1.tolist(), own.sentence2.tolist()
        inputs = tokenizer(*texts, padding=True, truncation=True, max_length=16, return_tensors="pt")
        logits = theirs(**inputs).logits
        if outputs == 1:
            return mse_loss(logits[:, 0], torch.tensor(own.score.to_numpy() / 5, dtype=torch.float32))
        return cross_entropy(logits, torch.tensor(own.score.to_numpy(), dtype=torch.long))

    optimiser, expected = adamw(theirs, RECIPE), []
    for step, (epoch, rows) in enumerate(batches([np.arange(96)], 16, 3, 42)):
        theirs.train()
        optimiser.param_groups[0]["lr"] = optimiser.param_groups[1]["lr"] = learning_rate(step, 18, RECIPE)
        loss_of("train", rows).backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(theirs.parameters(), clip)
        optimiser.step()
        optimiser.zero_grad()
        if step % 6 == 5:
            with torch.no_grad():
                expected.append(float(loss_of("dev", np.arange(40))))
            assert epoch == len(expected) - 1
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("task", ["paws", "stsb_pairs"])
def test_a_fine_tuned_encoder_is_scored_on_dev_and_test(task, tiny_encoder, benchmarks, tmp_path):
    recipe = RECIPE.model_copy(update={"epochs": 1})
    scores, again, other = (
        build(job(task, recipe=recipe, seed=seed), [benchmarks], str(tiny_encoder("bert")), "cpu", None)
        for seed in (42, 42, 43)
    )
    write_table(scores, tmp_path / "s.parquet", SCORES)
    assert scores.equals(again)
    metrics = ["accuracy", "micro_f1", "macro_f1"] if task == "paws" else ["spearman", "pearson"]
    names = [(split, metric) for split in ("dev", "test") for metric in metrics]
    assert list(zip(scores.split, scores.metric, strict=True)) == names
    assert set(scores.n[scores.split == "test"]) == {48}
    assert (scores.ci_low <= scores.value).all()
    assert (scores.value <= scores.ci_high).all()
    assert task == "paws" or not scores.value.equals(other.value)  # one epoch may find one class for all
    with pytest.raises(UnavailableError, match="snli has no pairs in split train and dev, so"):
        build(job("snli"), [benchmarks], str(tiny_encoder()), "cpu", None)


def test_a_sample_of_pairs_is_part_of_a_larger_one_and_the_same_for_every_encoder(tiny_encoder, benchmarks):
    def taken(most, model_type="bert"):
        found = examples_of(benchmarks, "paws", "train", classifier_of(tiny_encoder(model_type)), most)
        every = range(len(found.labels))
        return {tuple(found.texts.take(np.array([at])).tokens.ids) for at in every}, found.labels.tolist()

    small, large = taken(20), taken(60)
    assert small[0] < large[0]
    assert (len(small[1]), len(taken(1000)[1])) == (20, 96)
    assert small[1] == taken(20, "roberta")[1]


def test_macro_f1_is_over_the_classes_that_occur():
    few = class_scores(np.array([0, 0, 3, 3, 3]), np.array([0, 3, 3, 3, 5]))  # 0, 3 and 5
    assert few["macro_f1"].value == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)


def test_correlations_are_those_of_scipy_and_equal_outputs_have_none():
    rng = generator("test", "numbers")
    gold = rng.random(60).round(1)
    said = (gold + rng.normal(0, 0.3, 60))[:, None]
    scores = pair_scores(said, gold, job("stsb_pairs"), "dev")
    assert scores["spearman"].value == pytest.approx(spearmanr(said[:, 0], gold).statistic)
    assert scores["pearson"].value == pytest.approx(pearsonr(said[:, 0], gold).statistic)
    with pytest.raises(UnavailableError, match="60 pairs of stsb_pairs/dev give no correlation"):
        pair_scores(np.ones((60, 1)), gold, job("stsb_pairs"), "dev")
