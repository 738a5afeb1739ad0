"""The least difference: how often it is found where 80 % is said, and what is typical before a training."""

import re

import numpy as np
import pandas as pd
import pytest

from contrapose.evaluate.influence import spearman
from contrapose.evaluate.sharing import Sharing
from contrapose.report.inference import LEVEL, least_difference
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.tables import CELLS, read_table
from contrapose.tools.variation import KNOWS, UNLEARNED, ScoredRun, Variation, of_trainings, typical_row
from tests.checkout import HOME
from tests.reference.test_example_results import DIFFERENCE, SETS, cells, numbers
from tests.reference.test_inference import OF_PAIRS, only_p, table, to_untrained

TABLES, REPEATS = 100, 500
EFFECTIVE = {
    "STS12": 635,
    "STS13": 689,
    "STS15": 793,
    "STS-B": 850,
    "SICK-R train+trial": 999,
}  # by `Sharing`


def said(rng: np.random.Generator, rows: int, seeds: int, of_pairs: float) -> np.ndarray:
    """Return the least differences of the rows of tables in which no row gains."""
    tables = (table(rng, seeds, [0.0] * rows, of_pairs=of_pairs) for _ in range(TABLES))
    return np.array([least_difference(each, rows) for one in tables for each in to_untrained(one).values()])


@pytest.mark.parametrize("of_pairs", [OF_PAIRS, 0.4 * OF_PAIRS])
@pytest.mark.parametrize(
    ("rows", "seeds", "least"),
    [(1, 5, 0.7), (1, 10, 0.7), (3, 5, 0.7), (5, 3, 0.7), (9, 3, 0.7), (9, 5, 0.7), (9, 2, 0.65)],
)
def test_what_is_said_to_be_found_with_80_percent_is_found_in_70_to_90(rows, seeds, least, of_pairs):
    rng = np.random.default_rng(11)
    gains = [np.nanmedian(said(rng, rows, seeds, of_pairs)), *[0.0] * (rows - 1)]
    tables = (table(rng, seeds, gains, of_pairs=of_pairs) for _ in range(REPEATS))
    with only_p():
        assert least <= np.mean([to_untrained(one)[1].p < LEVEL for one in tables]) <= 0.9


@pytest.mark.parametrize(("rows", "seeds"), [(1, 2), (1, 3), (3, 2), (3, 3), (3, 4)])
def test_below_five_rows_and_five_seeds_nothing_is_said(rows, seeds):
    """It was found in 51 to 65 %."""
    assert np.isnan(said(np.random.default_rng(12), rows, seeds, OF_PAIRS)).all()


def printed(page: str, column: str) -> Variation:
    """Return what differences to no training vary by in a shipped table, the medians over its rows.

    Half of an interval is about twice the standard error, which is of pairs and of five seeds.
    """
    file = HOME / f"examples/evidence/reference/cpu/{page}"
    text = file.with_suffix(".md").read_text()
    below = text[text.index("## Difference to No training") :]
    place = [name.strip() for name in below.split("\n\n")[1].splitlines()[0].strip("| ").split("|")].index(
        column
    )
    errors = {row[0]: numbers(re.findall(DIFFERENCE, row[place])[0]) for row in cells(below, "model")}
    scores = pd.read_csv(file.with_suffix(".csv"), dtype=str).set_index("model")[column]
    spread = {row: float(score.split("±")[1]) for row, score in scores.items() if "±" in score}
    over_pairs = [((high - low) / 4) ** 2 - spread[row] ** 2 / 5 for row, (_, low, high) in errors.items()]
    return Variation((np.median(over_pairs) * EFFECTIVE[column]) ** 0.5, np.median([*spread.values()]))


def test_what_is_typical_before_a_training_is_what_shipped_tables_have():
    knows = [printed("evidence_released_914", column) for column in EFFECTIVE]
    unlearned = [printed("evidence_unlearned_914", column) for column in EFFECTIVE if column != "STS13"]
    pairs, _ = read_benchmarks(HOME / "examples/wiki/data", SETS)
    pairs = pairs[pairs.split == "test"]
    sharing = Sharing(pairs.sentence1, pairs.sentence2)
    cosines = pd.read_parquet(HOME / "examples/wiki/reference/cosines.parquet").pivot_table(
        "cosine", "row", "run"
    )
    influences = {
        run: spearman(cosines[run].loc[pairs.row].to_numpy(), pairs.score.to_numpy()) for run in cosines
    }
    scored = {run: ScoredRun(100 * value, 100 * influence) for run, (value, influence) in influences.items()}
    shipped = read_table(HOME / "examples/wiki/reference/compare_pairs.parquet", CELLS)
    of_rows = [each.run.unique() for _, each in shipped[shipped.seed.notna()].groupby("row")]
    none = scored[shipped.run[(shipped.model == "No training") & (shipped.run != "")].iloc[0]]
    found = typical_row(
        [of_trainings([scored[run] for run in runs], [none] * len(runs), sharing) for runs in of_rows]
    )
    assert found is not None
    knows.append(found._replace(pairs=found.pairs * (sharing.effective / len(pairs)) ** 0.5))
    for every, (low, high) in ((knows, KNOWS), (unlearned, UNLEARNED)):
        for part in ("pairs", "seeds"):
            values = [getattr(each, part) for each in every]
            assert min(values) == pytest.approx(getattr(low, part), rel=0.1)
            assert max(values) == pytest.approx(getattr(high, part), rel=0.1)
