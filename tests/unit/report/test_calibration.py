"""How far p(human) can be trusted: figures and tables of detection."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.report.about import Source
from contrapose.report.claims.cell_arrays import tidy_cells
from contrapose.report.kinds.calibration import LINES
from contrapose.report.reliability import (
    TEMPERATURES,
    calibration_error,
    fitted_temperature,
    mean_loss,
    reliability,
)
from contrapose.tables import HELD_OUT
from tests.kinds import about, drawn, file, report

PRINTED = pd.DataFrame({"C_src": ["STSb", "QQP"], "accuracy": [77.87, 93.05]})


def judged(name: str, factor: float = 3.0, texts: int = 400, fold: int = 0) -> pd.DataFrame:
    """Return a HELD_OUT table whose logits are `factor` times those of a calibrated judge."""
    draws = generator("test", name)
    logit = draws.normal(size=texts) * 1.5
    human = draws.random(texts) < expit(logit)
    texts = {"number": range(texts), "text": [f"text {number}" for number in range(texts)]}
    return pd.DataFrame(
        {"fold": fold, **texts, "human": human, "logit": factor * logit}, columns=HELD_OUT.columns
    )


ONE = judged("one")
FOLDS = pd.concat([judged("one"), judged("two", 1.0, fold=1)], ignore_index=True)
LOGITS, HUMAN = ONE.logit.to_numpy(), ONE.human.to_numpy()


def test_loss_and_temperature_are_those_of_logistic_regression():
    assert mean_loss(LOGITS, HUMAN, 0.5) == pytest.approx(log_loss(HUMAN, expit(LOGITS / 0.5)), rel=1e-6)
    slope = LogisticRegression(C=np.inf, fit_intercept=False).fit(LOGITS[:, None], HUMAN).coef_.item()
    assert fitted_temperature(LOGITS, HUMAN) == pytest.approx(1 / slope, rel=1e-3)
    assert 2.5 < fitted_temperature(LOGITS, HUMAN) < 3.6
    # Whoever is always right wants the least temperature, and whoever is always wrong the highest.
    human = np.array([True, False, True])
    assert fitted_temperature(np.array([1.0, -1.0, 2.0]), human) < 0.1
    assert fitted_temperature(np.array([-1.0, 1.0, -2.0]), human) == pytest.approx(TEMPERATURES[1], rel=1e-3)


def test_bins_and_their_error_agree_with_a_loop_and_with_scikit_learn():
    p = expit(LOGITS)
    bins = reliability(p, HUMAN)
    share, mean = calibration_curve(HUMAN, p, n_bins=10)
    assert bins.human.dropna().tolist() == pytest.approx(share.tolist())
    assert bins.p.dropna().tolist() == pytest.approx(mean.tolist())
    assert bins.texts.sum() == len(p)
    error = 0.0
    for number in range(10):
        inside = [at for at, each in enumerate(p) if number / 10 <= each < (number + 1) / 10]
        if inside:
            error += abs(sum(p[inside]) - sum(HUMAN[inside])) / len(p)
    assert calibration_error(p, HUMAN) == pytest.approx(error)
    assert calibration_error(expit(LOGITS / 3), HUMAN) < error / 2


def test_ends_of_the_scale_are_in_the_first_and_the_last_bin():
    bins = reliability(np.array([0.0, 0.5, 1.0, 1.0]), np.array([False, True, True, False]), bins=2)
    assert bins.texts.tolist() == [1, 3]
    assert bins.human.tolist() == [0.0, pytest.approx(2 / 3)]
    assert bins.p.tolist() == [0.0, pytest.approx(2.5 / 3)]
    assert math.isnan(reliability(np.array([0.9]), np.array([True]), bins=2).p[0])


JUDGED = {"p/sdi": ONE, "p/crossed": FOLDS}
SOURCES = [
    Source(label="STSb", id="p/sdi"),
    Source(label="STSb, crossed", id="p/crossed"),
    Source(label="QQP", id=None, note="skipped: no model"),
]
TEMPERATURE = {"STSb": 0.5, "STSb, crossed": 0.5, "QQP": 0.9}
NAMED = {"STSb": "STSb", "QQP": "QQP"}  # by the paper


def judged_files(sources: list[Source]) -> list[str]:
    return [file(JUDGED[source.id], HELD_OUT) for source in sources if source.id]


def test_a_row_has_accuracy_with_its_interval_and_calibration_at_three_temperatures():
    rows = [
        {"model": name, "pairs": "p", "temperature": each, "published": NAMED.get(name)}
        for name, each in TEMPERATURE.items()
    ]
    facts = about(sources=SOURCES, bootstrap=200)
    settings = {"rows": rows, "layout": {"rows": ["C_src"]}}
    made = report("detection", settings, facts, judged_files(SOURCES), published=PRINTED)
    assert made.csv.note.tolist() == ["", "", "skipped: no model"]
    assert "± standard deviation over the classifiers" in made.markdown
    tidy = made.tidy
    cells = tidy.set_index(["model", "column"])
    first = cells.loc["STSb"]
    right = 100 * np.mean([(logit > 0) == human for logit, human in zip(LOGITS, HUMAN, strict=True)])
    assert first.value["accuracy"] == pytest.approx(right)
    assert first.published.dropna().to_dict() == {"accuracy": 77.87}
    error = 100 * (right / 100 * (1 - right / 100) / 400) ** 0.5
    assert first.ci_low["accuracy"] == pytest.approx(right - 1.96 * error, abs=1)
    assert first.ci_high["accuracy"] == pytest.approx(right + 1.96 * error, abs=1)
    assert set(first.n) == {400}
    assert first.value["ECE"] == calibration_error(expit(LOGITS), HUMAN)
    assert first.value["ECE at T"] == calibration_error(expit(LOGITS * 2), HUMAN)
    assert first.value["loss at fitted T"] < first.value["loss"] < first.value["loss at T"]
    folds = [FOLDS[FOLDS.fold == fold] for fold in (0, 1)]
    fitted = [fitted_temperature(own.logit.to_numpy(), own.human.to_numpy()) for own in folds]
    crossed = cells.loc["STSb, crossed"]
    assert crossed.value["fitted T"] == pytest.approx(np.mean(fitted))
    assert crossed["std"]["fitted T"] == pytest.approx(np.std(fitted, ddof=1))
    assert crossed.loc["accuracy", ["ci_low", "ci_high"]].isna().all()
    assert cells.loc["QQP"].value.isna().all()
    claimed = tidy_cells("sdi", tidy)
    assert claimed.columns("STSb")[0] == "accuracy"
    value, *resampled = claimed("STSb", "accuracy")[0]
    assert value == tidy.value[0]
    ends = first.ci_low["accuracy"], first.ci_high["accuracy"]
    assert tuple(np.quantile(resampled, [0.025, 0.975])) == pytest.approx(ends, abs=1.5)
    assert claimed.column("accuracy").keys() == {"STSb"}  # not the row without a label, or without texts


def test_a_figure_shows_each_panel_at_three_temperatures_and_leaves_out_what_is_missing(tmp_path):
    def figure(sources):
        panels = [
            {"label": each.label, "pairs": "p", "temperature": TEMPERATURE[each.label]} for each in sources
        ]
        settings = {"panels": panels, "bins": 5}
        return report("calibration", settings, about(sources=sources), judged_files(sources))

    found = figure(SOURCES)
    points = found.tidy
    assert points.groupby(["panel", "line"], sort=False).n.sum().to_dict() == {
        **{("STSb", line): 400 for line in LINES},
        **{("STSb, crossed", line): 800 for line in LINES},
    }
    given = points[(points.panel == "STSb") & (points.line == LINES[1])]
    assert given.value.tolist() == reliability(expit(LOGITS * 2), HUMAN, 5).human.tolist()
    assert set(given.label) == {"0.5"}
    fitted = points[points.line == LINES[2]].groupby("panel").label.first()
    assert float(fitted["STSb"]) == fitted_temperature(LOGITS, HUMAN)
    drawn(found, tmp_path)
    with pytest.raises(TableError, match=r"of the figure \(skipped: no model\)"):
        figure(SOURCES[2:])
