"""The English sets of the default world beside the bands that were written down before it was rebuilt."""

import pandas as pd
import pytest

from contrapose.settings.worlds import MiniWorld
from contrapose_mini import measured
from contrapose_mini.files import write_mini_world

# The real files at hand: the train split of SICK, and of two years the subsets that STS-B took whole.
SPLITS = {"sickr": "train"}
SUBSETS = {
    "sts14": ("deft-forum", "deft-news", "headlines", "images"),
    "sts16": ("headlines", "answer-answer"),
}
OUTSIDE = {
    # A closed world has fewer words.
    ("sts12", "different"),
    # Real sentences about nothing alike share more: "a man is ..." in MSRvid, "the act of ..." in OnWN.
    ("sts12", "equal 0"),
    ("sts13", "equal 0"),
    ("sts16", "equal 0"),
    # By 1 to 4 points, of grades with 20 to 45 pairs.
    ("sts12", "equal 2"),
    ("sts13", "grade 2"),
    ("sts16", "equal 1"),
}


@pytest.mark.slow
def test_all_english_measures_but_the_known_ones_are_within_their_bands(tmp_path):
    write_mini_world(tmp_path, MiniWorld())
    rows = measured.read_sets(tmp_path, "mini")
    rows = rows[rows.split == rows.task.map(SPLITS).fillna("test")]
    for task, subsets in SUBSETS.items():
        rows = rows[(rows.task != task) | rows.subset.isin(subsets)]
    found = measured.measured_sets(rows, rows)
    bands = pd.read_csv(measured.BANDS).dropna(subset="low")
    english = bands[bands.of.map(measured.SETS) == "english"]
    outside = {
        (each.of, each.measure)
        for each in english.itertuples()
        if not each.low <= found[each.of, each.measure] <= each.high
    }
    assert outside == OUTSIDE
    assert len(english) > 100
    kept = pd.read_csv(measured.MEASURED).set_index(["of", "measure"]).mini
    now = {key: value for key, value in found.items() if measured.SETS[key[0]] == "english"}
    assert {key: kept[key] for key in now} == pytest.approx(now, abs=0.006)
