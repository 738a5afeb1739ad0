"""What following a table's recommendation costs, in tables drawn with the errors of examples/wiki."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from contrapose.evaluate.evaluation import RunSettings
from contrapose.evaluate.sharing import Sharing
from contrapose.evaluate.suite import sts_scores
from contrapose.report.about import TableRow
from contrapose.report.comparison import with_differences
from contrapose.report.inference import LEVEL, Difference, Score, difference, most_above, over_sets, spreads
from contrapose.report.recommendation import recommendations
from contrapose.retrieve.benchmarks import BenchmarkFiles, read_benchmarks
from contrapose.tables import CELLS, read_table
from tests.checkout import HOME
from tests.kinds import cells

FOLDER = HOME / "examples/wiki"
SETS = {"own": BenchmarkFiles(kind="stsb", task="own", path="test_pairs", splits=["test"], form="raw")}
PLAIN, DROPOUT, ESIMCSE, LLM_NEGATIVES = range(4)
OTHERS = [
    "Word deletion",
    "Span crop",
    "Word repetition",
    "Punctuation",
    "Prefix",
    "Word shuffling",
    "LLM paraphrases",
]
NAMES = [
    *("No training", "Dropout", "Token repetition + momentum queue (ESimCSE)"),
    *("LLM paraphrases + LLM negatives", *OTHERS),
]
PAID = [number for number, name in enumerate(NAMES) if "LLM" in name]
RESAMPLES, TABLES = 100, 25


class Errors:
    """Covariances over test pairs and over seeds, and what was measured, of some rows of examples/wiki."""

    def __init__(self) -> None:
        shipped = read_table(FOLDER / "reference/compare_pairs.parquet", CELLS)
        pairs, _ = read_benchmarks(FOLDER / "data", SETS)
        pairs = pairs[pairs.split == "test"].reset_index(drop=True)
        cosines = pd.read_parquet(FOLDER / "reference/cosines.parquet")
        cosines = cosines.pivot(index="row", columns="run", values="cosine").loc[pairs.row]
        self.values, influences = [], []
        for name in NAMES:
            runs = [run for run in shipped.run[shipped.model == name].unique() if run]
            found = [self._score(pairs, cosines[run].to_numpy(float)) for run in runs]
            self.values.append(np.array([value for value, _ in found]))
            influences.append(np.mean([influence for _, influence in found], axis=0))
        sharing = Sharing(pairs.sentence1, pairs.sentence2)
        covariance = [
            [(sharing.squared(one + other) - sharing.squared(one - other)) / 4 for other in influences]
            for one in influences
        ]
        self.root = np.linalg.cholesky(np.array(covariance) + 1e-9 * np.eye(len(NAMES)))
        self.gains = np.array([each.mean() for each in self.values]) - self.values[PLAIN].mean()
        self.freedom = sharing.effective - 1
        costs = shipped[shipped.seed.isna()].groupby("model").flops.first()
        self.work = costs.loc[NAMES].to_numpy()

    @staticmethod
    def _score(pairs: pd.DataFrame, of_pairs: np.ndarray) -> tuple[float, np.ndarray]:
        scores = sts_scores(pairs, of_pairs, RunSettings(run="r"))
        (of_all,) = scores[(scores.metric == "spearman") & (scores.aggregation == "all")].to_dict("records")
        return 100 * of_all["value"], 100 * np.asarray(of_all["influence"], float) / len(pairs)

    def drawn(self, rng: np.random.Generator, truth: np.ndarray) -> dict[int, Score]:
        """Return the scores of a table whose true gains are given, of five seeds each."""
        level, over_pairs = (
            self.root @ rng.normal(size=len(NAMES)),
            self.root @ rng.normal(size=(len(NAMES), RESAMPLES)),
        )
        mixed = rng.normal(size=(5, 5)) / 2  # what a seed does to all rows stays what it is in examples/wiki
        scores = {}
        for row, of_row in enumerate(self.values):
            seeds = (of_row - of_row.mean()) @ mixed if len(of_row) > 1 else np.zeros(1)
            values = truth[row] + level[row] + seeds
            scores[row] = Score(values, values[:, None] + over_pairs[row], self.freedom, row > 0)
        return scores


errors = cache(Errors)


def named(scores: dict[int, Score]) -> int:
    """Return the row that a table recommends."""
    parts = []
    for row, score in scores.items():
        costs = {"flops": errors().work[row], "usd": float(row in PAID), "requests": float(row in PAID)}
        fixed = {"row": row, "model": NAMES[row], "n": 1379}
        whole = {**fixed, **costs, "value": score.values.mean()}
        if row == PLAIN:
            whole["resampled"] = score.resampled[0].tolist()
        else:
            of_seeds = zip(range(5), score.values, score.resampled.tolist(), strict=True)
            parts += [{**fixed, "seed": seed, "value": v, "resampled": r} for seed, v, r in of_seeds]
        parts.append(whole)
    rows = [TableRow(model=name, runs=[name], trained=name != NAMES[PLAIN]) for name in NAMES]
    baselines = [[PLAIN] * len(NAMES), [DROPOUT] * len(NAMES)]
    tidy = with_differences(cells(*parts), {"A": scores}, rows, baselines, 0.3)
    (said,) = recommendations(tidy, ["A"], margin=0.3)
    assert said.row is not None
    return said.row


def catalog(gain: float, **rows: float) -> np.ndarray:
    truth = np.full(len(NAMES), gain)
    truth[PLAIN] = 0
    for name, value in rows.items():
        truth[globals()[name]] = value
    return truth


# Before, with a filter of rows that are significantly above Dropout: 0.30, 0.44 and 0.11 points.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "most"),
    [("as measured", 0.12), (catalog(0.3, LLM_NEGATIVES=0.9), 0.3), (catalog(0.3, ESIMCSE=0.7), 0.1)],
    ids=["as measured", "LLM negatives are best", "ESimCSE is best"],
)
def test_a_recommended_row_is_below_the_truly_best_one_by_little(truth, most):
    rng, lost = np.random.default_rng(7), []
    for _ in range(TABLES):
        true = errors().gains if isinstance(truth, str) else truth
        lost.append(true.max() - true[named(errors().drawn(rng, true))])
    assert np.mean(lost) < most


def test_where_no_row_gains_none_is_recommended():
    rng = np.random.default_rng(8)
    assert sum(named(errors().drawn(rng, catalog(0.0))) != PLAIN for _ in range(TABLES)) <= 1


@pytest.mark.parametrize("groups", [1, 2])
def test_the_truly_best_row_is_above_a_row_by_no_more_than_is_said(groups):
    """Also if that row is chosen by the same scores: here the highest, whose score is too high."""
    rng, missed = np.random.default_rng(9), 0
    for _ in range(100):
        true = rng.normal(0.3, 0.2, len(NAMES))
        scores = errors().drawn(rng, true)
        chosen = max(scores, key=lambda row: scores[row].values.mean())
        bounds = most_above(scores, chosen, groups)
        missed += true.max() - true[chosen] > max(0.0, *(each.high for each in bounds.values()))
    assert missed <= 5


def test_the_bound_is_that_of_dunnetts_comparisons_with_a_common_variance():
    """Independent rows of many seeds: mean + t(0.05 / 3, one-sided) x standard error, worked by hand."""
    values = np.tile([-1.0, 1.0], 500)
    scores = {row: Score(np.roll(values, row) + row, np.zeros((1000, 0)), np.inf) for row in range(4)}
    found = most_above(scores, 0)
    alone = difference(scores[1], scores[0], level=2 * LEVEL / 3)
    assert found.keys() == {1, 2, 3}
    assert (found[3].difference, found[1].high) == pytest.approx((3.0, alone.high))


@pytest.mark.parametrize(("between", "most"), [(0.0, 0.05), (0.5, 0.07), (1.0, 0.07)])
def test_an_interval_over_sets_has_the_mean_over_sets_of_this_kind(between, most):
    """On these sets alone, 52 % of intervals miss it where gains differ by 0.5 from set to set."""
    rng, missed, alone = np.random.default_rng(10), 0, 0
    sets, tables, error, common = 4, 2000, 0.2, 0.1
    for _ in range(tables):
        truth = between * rng.normal(size=sets)
        found = truth + common * rng.normal() + (error**2 - common**2) ** 0.5 * rng.normal(size=sets)
        fixed = (common**2 + (error**2 - common**2) / sets) ** 0.5
        mean = Difference(found.mean(), 0, 0, 0, fixed)
        low, high = over_sets(mean, [Difference(each, 0, 0, 0, error) for each in found])
        missed += not low <= 0 <= high
        alone += abs(found.mean()) > 1.96 * fixed
    assert missed / tables < most
    assert (alone / tables > 0.3) == (between > 0)


def test_two_sets_are_no_sample():
    one = Difference(1.0, 0, 2, 0, 0.5)
    assert np.isnan(over_sets(one, [one, one])).all()


@pytest.mark.parametrize("rows", [2, 8])
def test_an_average_of_weights_scatters_as_the_mean_of_its_seeds(rows):
    """Taken as an encoder without chance, 17 % of averages differed whose own chance is that of a mean."""
    rng, found, repeats = np.random.default_rng(11), 0, 400
    for _ in range(repeats):
        trained = {row: 0.15 * rng.normal(size=5) for row in range(rows)}
        of_pairs = 0.05 * rng.normal(size=(rows, 1)), 0.05 * rng.normal(size=(rows + 1, RESAMPLES))
        scores = {
            row: Score(values + of_pairs[0][row], values[:, None] + of_pairs[1][row], 1378)
            for row, values in trained.items()
        }
        soup = 0.15 / 5**0.5 * rng.normal(size=1) + 0.05 * rng.normal()
        own = Score(soup, soup[:, None] + of_pairs[1][rows], 1378, trained=False, averaged=trained[0])
        plain = Score(np.zeros(1), np.zeros((1, RESAMPLES)), 1378, trained=False)
        spread = spreads({**scores, "soup": own}).get("soup")
        found += difference(own, plain, spread).p < LEVEL
    assert found / repeats < 0.085
