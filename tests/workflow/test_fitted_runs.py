"""Baselines of other kinds are runs like any other: planned, made, scored, checked."""

import shutil

import pandas as pd
import pytest

from contrapose.models.sentence_encoder import load_encoder
from contrapose.tables import CELLS, HISTORY, read_table
from tests.checkout import Checkout

RUNS = ["dropout/whitening+components=16/seed42", "dropout/flow/seed42", "dropout/tension/seed42"]
SCORES = [f"results/evaluate/english/{run}.parquet" for run in [*RUNS, "released/words/auto"]]
RECIPES = """
  whitening: {kind: whitening}
  flow: {kind: flow}
  tension: {kind: contrastive_tension}
"""


@pytest.fixture
def project(finished: Checkout, tmp_path) -> Checkout:
    """A copy of the finished project with three recipes and word vectors more."""
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    recipes, catalog = (copy.folder / "config" / name for name in ("recipes.yaml", "catalogs/tiny.yaml"))
    recipes.write_text(recipes.read_text().rstrip() + RECIPES)
    vectors = "encoders:\n  words: {kind: glove, corpus: simcse, dimensions: 8, epochs: 2}"
    content = catalog.read_text().replace("encoders:", vectors)
    catalog.write_text(content.replace("dev_every: 4", "dev_every: 4, steps: 6"))
    return copy


def test_baselines_are_made_and_scored_like_a_trained_encoder(project: Checkout):
    fitted = {"train_whitening": 1, "train_flow": 1, "train_contrastive_tension": 1}
    vectors = {"corpus_published_lines": 1, "train_glove": 1}
    assert project.plan(*SCORES) == {**fitted, **vectors, "evaluate_suite": 4}
    project.run(*SCORES)
    encoders = [load_encoder(project.folder / "results/train" / run / "encoder") for run in RUNS]
    heads = [[type(each).__name__ for each in encoder.head] for encoder in encoders]
    assert heads == [["Dense", "Normalize"], ["Glow"], []]
    for path in SCORES:
        assert pd.read_parquet(project.folder / path).value.abs().max() <= 1
    flow, tension = (
        read_table(project.folder / "results/train" / run / "history.parquet", HISTORY) for run in RUNS[1:]
    )
    assert flow.sentences.tolist() == [64]  # all of the small corpus, once
    assert tension.dev_score.notna().tolist() == [False] * 3 + [True, False, True]
    assert not list((project.folder / "state" / "train").rglob("*.safetensors"))
    with (
        project.edited("config/recipes.yaml", "kind: flow", "kind: flow, width: 8"),
        project.edited("config/catalogs/tiny.yaml", "epochs: 2}", "epochs: 3}"),
    ):
        made = {"train_flow": 1, "evaluate_suite": 2, "train_glove": 1}
        assert project.plan(*SCORES) == made
    with project.edited("config/catalogs/tiny.yaml", "steps: 6", "steps: 5"):
        assert project.plan(*SCORES) == {"train_contrastive_tension": 1, "evaluate_suite": 1}


def test_encoders_that_are_not_kept_are_made_again_when_something_else_needs_them(project: Checkout):
    run, keep = RUNS[0], ("--config", "keep=scores")
    scores, encoder = (
        f"results/evaluate/english/{run}.parquet",
        project.folder / "results/train" / run / "encoder",
    )
    project.run(scores, *keep)
    assert (project.folder / scores).exists()
    assert not encoder.exists()
    assert project.plan(scores, *keep) == project.plan(scores) == {}
    before = (encoder.parent / "history.parquet").read_bytes()
    further = f"results/evaluate/geometry/{run}.parquet"
    assert project.plan(further, *keep) == {"train_whitening": 1, "evaluate_geometry": 1}
    project.run(further)
    assert load_encoder(encoder).head
    assert (encoder.parent / "history.parquet").read_bytes() == before
    assert project.plan(scores, further) == {}  # the encoder is newer than its scores, and equal


def test_weights_of_trained_encoders_are_averaged_and_nothing_is_trained_again(project: Checkout):
    recipes = project.folder / "config/recipes.yaml"
    recipes.write_text(
        f"{recipes.read_text().rstrip()}\n"
        "  soup: {kind: averaged, recipe: simcse}\n"
        "  between: {kind: averaged, recipe: simcse, seeds: each, alpha: 0.5}\n"
    )
    scores = [f"results/evaluate/english/dropout/{name}/seed42.parquet" for name in ("soup", "between")]
    assert project.plan(*scores) == {"train_averaged": 2, "evaluate_suite": 2}
    project.run(*scores)
    folder = project.folder / "results/train/dropout"
    soup, between, tuned = (
        load_encoder(folder / name / "seed42/encoder").state_dict() for name in ("soup", "between", "simcse")
    )
    before = load_encoder(project.folder / "resources/mini/encoders/bert-base").state_dict()
    for name, weights in tuned.items():
        assert soup[name].equal(weights)  # of one seed
        assert between[name].equal(((weights.double() + before[name].double()) / 2).float())
    with project.edited("config/recipes.yaml", "alpha: 0.5", "alpha: 0.4"):
        assert project.plan(*scores) == {"train_averaged": 1, "evaluate_suite": 1}
    two = ("--config", "seeds=2")
    assert project.plan(*scores, *two) == {"train_encoder": 1, "train_averaged": 1, "evaluate_suite": 1}
    study = project.folder / "config/studies/smoke/study.yaml"
    rows = "".join(
        f"      - {{model: {name}, pairs: dropout, recipe: {name}}}\n"
        for name in ("simcse", "soup", "between")
    )
    table = "  averages:\n    kind: sts\n    caption: C.\n    costs: true\n    columns: {STS-B: stsb}\n"
    study.write_text(study.read_text().replace("tables:\n", f"tables:\n{table}    rows:\n{rows}", 1))
    project.run("results/tables/smoke_averages.csv", *two)
    made = read_table(project.folder / "results/tables/smoke_averages.parquet", CELLS)
    assert made.groupby("model", sort=False).seed.nunique().to_dict() == {
        "simcse": 2,
        "soup": 0,
        "between": 2,
    }
    means = made[made.seed.isna()].set_index("model")
    assert means.spread.isna().to_dict() == {"simcse": False, "soup": True, "between": False}
    assert means.p["soup"] <= 1  # compared as a pretrained encoder is
    assert means.flops["soup"] == pytest.approx(2 * means.flops["simcse"])
