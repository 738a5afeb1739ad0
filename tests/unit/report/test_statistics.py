import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.report.about import Source
from contrapose.report.claims.cell_arrays import tidy_cells
from contrapose.tables import BENCHMARK, NAIVE, PUNKT, SENTENCES, empty
from tests.kinds import about, drawn, file, report

WORDS, GOLD = "words_per_sentence", "mean_score_normalised"
BENCHMARKS = pd.DataFrame(
    [
        ("sts15", "senteval", "test", "belief", 0, "a b", "a b c d", 5.0),
        ("sts15", "raw", "test", "belief", 0, "a b", "a b", 5.0),
        ("stsb", "senteval", "dev", "stsb", 0, "a", "a", 1.0),
        ("stsb", "senteval", "test", "stsb", 0, "a b c", "a", 4.0),
        ("sickr", "senteval", "train", "sickr", 0, "a", "b", 2.0),
    ],
    columns=BENCHMARK.columns,
)
NAIVE_ROWS = pd.DataFrame(
    [("sts15", "senteval", "test", "belief", at, 1, "a b c d e") for at in range(4)], columns=NAIVE.columns
)
SOURCES = [
    Source(label="wiki", id="wiki"),
    Source(label="old", id="old", note="a part of it"),
    Source(label="gone", id=None),
]
ROWS = [
    {"group": "STS15", "label": "belief", "task": "sts15", "subset": "belief", "published": "STS15: belief"},
    {"label": "ours", "corpus": "wiki"},
    {"label": "theirs", "corpus": "old"},
    {"label": "lost", "corpus": "gone"},
    {"group": "SICK", "label": "train", "task": "sickr", "split": "train"},
]
PUBLISHED = pd.DataFrame({"group": ["STS15"], "name": ["belief"], "kind": ["spoken"], WORDS: [5.0]})


def table(published=PUBLISHED, missing=None, generated=False, **changed):
    def corpus(*words: int) -> str:
        rows = {"id": [f"s{number}" for number in words], "text": "", "article_id": "", "position": 0}
        return file(pd.DataFrame({**rows, "words": words}), SENTENCES)

    facts = about(sources=SOURCES, generated=generated)
    sets, punkt = file(BENCHMARKS, BENCHMARK, missing=missing or {}), file(empty(PUNKT), PUNKT)
    inputs = [sets], NAIVE_ROWS, [punkt], [corpus(10, 20), corpus(2, 4)]
    settings = {"statistic": WORDS, "rows": ROWS, **changed}
    return report("statistics", settings, facts, *inputs, published=published)


def test_a_row_is_the_mean_over_both_sentences_of_its_pairs_and_every_reading_stands_beside_it():
    tidy = table().tidy
    assert tidy[tidy["row"] == 0].set_index("variant").value.to_dict() == {
        "": 3.0,
        "naive, senteval": 5.0,
        "evaluated, raw": 2.0,
        "naive, raw": 2.0,  # nothing of it is read naively, so as published
    }
    printed = tidy[tidy.variant == ""]
    assert list(printed.value.fillna(-1)) == [3.0, 15.0, 3.0, -1, 1.0]
    assert list(printed.n) == [2, 2, 2, 0, 2]
    assert printed["std"].iloc[1] == pytest.approx(50**0.5)  # of 10 and 20 words
    assert tidy_cells("t", tidy)("STS15: belief", WORDS) == np.array([3.0])  # as a claim finds it


def test_gold_scores_are_scaled_by_their_own_scale_and_shown_by_split():
    rows = [{"label": "STS-B", "task": "stsb"}, {"label": "SICK-R", "task": "sickr", "published": "SICK-R"}]
    published = pd.DataFrame({"dataset": ["SICK-R"], GOLD: [0.25]})
    tidy = table(published, statistic=GOLD, rows=rows).tidy
    assert tidy.set_index(["model", "variant"]).value.to_dict() == {
        ("STS-B", ""): 0.5,
        ("STS-B", "dev"): 0.2,
        ("STS-B", "test"): 0.8,
        ("SICK-R", ""): 0.25,
        ("SICK-R", "train"): 0.25,
    }


def test_what_is_missing_and_what_is_only_a_part_stands_behind_its_row():
    missing = {"sts15/raw/test": "x", "sickr/senteval/test": "y", "sickr/senteval/train": "SICK/train"}
    assert table(missing=missing).csv.note.tolist() == [
        *("", "", "a part of it", "skipped: the file of corpus 'gone' is missing"),
        "skipped: train (SICK/train is missing)",
    ]
    unnamed = table(None, rows=[{"label": "x", "task": "sts15", "subset": "headlines"}]).csv
    assert unnamed[[WORDS, "note"]].iloc[0].tolist() == [
        "–",
        "skipped: the copy of the set in the catalog does not name it",
    ]


def test_a_histogram_has_equal_bins_on_the_scale_of_its_set_and_none_is_drawn_of_nothing(tmp_path):
    both = pd.concat([BENCHMARKS, BENCHMARKS.assign(form="raw")])  # each pair counts once
    sets = {"SICK-R": "sickr", "STS-B": "stsb"}
    found = report("histogram", {"sets": sets, "bins": 2}, about(), both)
    assert found.tidy[["panel", "x_low", "x_high", "n", "value"]].to_numpy().tolist() == [
        ["SICK-R", 1.0, 3.0, 1, 1.0],
        ["SICK-R", 3.0, 5.0, 0, 0.0],
        ["STS-B", 0.0, 2.5, 1, 0.5],
        ["STS-B", 2.5, 5.0, 1, 0.5],
    ]
    drawn(found, tmp_path)
    with pytest.raises(TableError, match=r"none of the sets .* has scored pairs\. Add the files"):
        report("histogram", {"sets": {"STS-B": "stsb"}}, about(), BENCHMARKS[:1])
