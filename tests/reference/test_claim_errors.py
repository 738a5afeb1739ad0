"""How often a claim whose truth is exactly at its limit gets a verdict by chance: 2.5 % for each verdict."""

from collections import Counter

import numpy as np
import pytest

from contrapose.report.claims import claim_functions
from contrapose.report.claims.cell_arrays import Cells
from contrapose.report.claims.thesis import BERT, PUBLISHED, REFERENCE, ROBERTA, SIMCSE
from contrapose.report.inference import LEVEL
from contrapose.report.scores import AVERAGE

REPEATS, RESAMPLES, OF_SEEDS = 600, 50, 0.15
MOST = LEVEL / 2 + 3 * (LEVEL / 2 * (1 - LEVEL / 2) / REPEATS) ** 0.5  # 0.044, by chance of the simulation
FIXED = np.zeros((1, 1 + RESAMPLES))  # a row without training


def row(rng, seeds, truth=0.0, of_pairs=0.1):
    """Return a cell: what the test pairs say of the row in every seed, and its seeds."""
    values = truth + of_pairs * rng.normal() + OF_SEEDS * rng.normal(size=(seeds, 1))
    return np.hstack([values, values + of_pairs * rng.normal(size=RESAMPLES)])


def shares(claim, tables, seed=0):
    """Return the shares of verdicts on a claim, whose tables are drawn anew each time."""
    rng, judge = np.random.default_rng(seed), claim_functions(claim.split("_")[0])[claim]
    drawn = ({name: Cells(name, values) for name, values in tables(rng).items()} for _ in range(REPEATS))
    counts = Counter(judge(each).kind for each in drawn)
    return {kind: count / REPEATS for kind, count in counts.items()}


@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize("of_pairs", [0.03, 0.1])
def test_rows_as_far_apart_as_the_limit_are_rarely_within_it_or_outside(seeds, of_pairs):
    """By the mean over seeds and test pairs alone they were in 23 to 26 % where pairs say much, each."""

    def tables(rng):
        ours = row(rng, seeds, -1.0, of_pairs)  # the claim is within 1
        names = "SynCSE-partial-RoBERTa-base", "supervised SimCSE-RoBERTa-base"
        return {"sts": {(name, AVERAGE): cell for name, cell in zip(names, (ours, FIXED), strict=True)}}

    found = shares("syncse_02", tables)
    assert max(found.get("holds", 0), found.get("opposite", 0)) < MOST


def test_a_part_of_a_claim_that_is_as_far_apart_as_the_limit_rarely_counts_as_alike():
    """By the sign of the mean it did in half of the studies."""

    def tables(rng):
        truths = dict.fromkeys(("STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R"), 2.0) | {"STS12": 0.5}
        ours = {("PrdSimCSE-BERT-base", name): row(rng, 5, truth) for name, truth in truths.items()}
        return {"table4": ours | {("SimCSE-BERT-base", name): FIXED for name in truths}}

    found = shares("prdsimcse_02", tables)
    assert found["holds"] < MOST
    assert found["same direction"] > 1 - MOST


def geometry(rng, seeds, truth, of_seeds):
    """Return how far RoBERTa's alignment and uniformity are above BERT's, and the rows of both."""
    simcse = {name: PUBLISHED + SIMCSE[name] for name in (BERT, ROBERTA)}
    names = ("alignment", "uniformity")
    above = {(simcse[ROBERTA], name): truth + of_seeds * rng.normal(size=(seeds, 1)) for name in names}
    return above | {(simcse[BERT], name): np.zeros((1, 1)) for name in names}


def averages(rng, seeds):
    """Return equal averages of both."""
    return {
        (REFERENCE + SIMCSE[ROBERTA], AVERAGE): row(rng, seeds),
        (REFERENCE + SIMCSE[BERT], AVERAGE): FIXED,
    }


@pytest.mark.parametrize("seeds", [3, 5])
def test_of_three_differences_that_must_all_hold_none_is_picked_for_the_opposite(seeds):
    """The one with the smallest mean was, in 6 to 8 % of the studies."""

    def tables(rng):
        return {"table4_8": geometry(rng, seeds, 0, OF_SEEDS), "table4_1": averages(rng, seeds)}

    found = shares("thesis_23", tables)
    assert found.get("opposite", 0) < MOST
    assert found.get("holds", 0) < MOST


def test_the_least_sure_of_differences_in_several_units_decides_and_not_the_smallest():
    """The claim held in half of the studies by two differences of 0.01, the average being equal."""

    def tables(rng):
        return {"table4_8": geometry(rng, 5, 0.01, 0.0001), "table4_1": averages(rng, 5)}

    assert shares("thesis_23", tables)["holds"] < MOST


def test_the_best_average_of_two_languages_is_rarely_the_opposite_if_all_are_equal():
    """The mean of two margins, each to the best of four or five others, was in an eighth of the studies."""
    methods = ("w/o Additional Training", "Unsupervised SimCSE", "RankCSE", "Supervised SimCSE", "Ours")

    def tables(rng):
        labels = [f"{language}: {method}" for language in ("English", "Japanese") for method in methods]
        return {"table3": {(label, AVERAGE): row(rng, 5) for label in labels}}

    found = shares("ppdbcse_01", tables)
    assert found.get("opposite", 0) < MOST
    assert found.get("holds", 0) < MOST


@pytest.mark.parametrize(("ahead", "least", "most"), [(0.0, 0.0, MOST), (0.6, 0.75, 1.0)])
def test_the_best_of_seven_is_found_if_it_is_and_rarely_if_another_is_as_good(ahead, least, most):
    """Judged at a seventh of the level, the one that is ahead was found in half of the studies."""

    def tables(rng):
        truths = {f"1-{marks}": 0.0 for marks in range(1, 8)} | {"1-3": 2.0, "1-5": 2.0 - ahead}
        return {"table9": {(name, "Mean"): row(rng, 5, truth) for name, truth in truths.items()}}

    assert least <= shares("edacse_07", tables).get("holds", 0) <= most
