import numpy as np
import pandas as pd
import pytest
from contrapose.jobs import HistogramJob, StatisticsTableJob
from contrapose.report.statistics import (
    Material,
    reading_counts,
    reading_table,
    score_histogram,
    statistics_csv,
    statistics_markdown,
    statistics_table,
)
from pydantic import ValidationError

from contrapose.errors import ConfigError, TableError
from contrapose.report.claims.cells import tidy_cells
from contrapose.report.plots import histogram_figure
from contrapose.settings.printed import StatisticsTable
from contrapose.tables import BENCHMARK, HISTOGRAM, NAIVE, STATISTICS, read_table, write_table

WORDS, GOLD = "words_per_sentence", "mean_score_normalised"
ABOUT = {"table": "t", "caption": "A caption.", "source": "A paper", "world": "w", "world_description": "x"}


def halves(text: str) -> list[str]:
    return text.split(" | ")


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
MATERIAL = Material(
    BENCHMARKS,
    NAIVE_ROWS,
    corpora={"wiki": pd.DataFrame({"words": [10, 20]}), "old": pd.DataFrame({"words": [2, 4]})},
    split=halves,
)
ROWS = [
    {"group": "STS15", "label": "belief", "task": "sts15", "subset": "belief", "published": "STS15: belief"},
    {"label": "ours", "corpus": "wiki"},
    {"label": "theirs", "corpus": "old"},
    {"label": "lost", "corpus": "gone"},
    {"group": "SICK", "label": "train", "task": "sickr", "split": "train"},
]
PUBLISHED = pd.DataFrame({"group": ["STS15"], "name": ["belief"], "kind": ["spoken"], WORDS: [5.0]})


def job(**changed) -> StatisticsTableJob:
    settings = {"statistic": WORDS, "reading": "evaluated", "form": "senteval", "rows": ROWS}
    told = {"generated": False, "corpora": {"wiki": "", "old": "a part of it"}}
    return StatisticsTableJob(**{**ABOUT, **told, **settings, **changed})


def test_a_row_is_the_mean_over_both_sentences_of_its_pairs_and_every_reading_stands_beside_it(tmp_path):
    tidy = statistics_table(MATERIAL, PUBLISHED, job())
    write_table(tidy, tmp_path / "t.parquet", STATISTICS)
    tidy = read_table(tmp_path / "t.parquet", STATISTICS)
    values = tidy[tidy["row"] == 0].set_index("column").value.to_dict()
    assert values == {
        WORDS: 3.0,
        f"{WORDS}, naive, senteval, all": 5.0,
        f"{WORDS}, evaluated, raw, all": 2.0,
        f"{WORDS}, naive, raw, all": 2.0,  # nothing of it is read naively, so as it is
    }
    printed = tidy[tidy.column == WORDS]
    assert list(printed.value.fillna(-1)) == [3.0, 15.0, 3.0, -1, 1.0]
    assert list(printed.n) == [2, 2, 2, 0, 2]
    assert printed.spread.iloc[1] == pytest.approx(50**0.5)  # of 10 and 20 words


def test_the_naive_reading_is_a_setting():
    tidy = statistics_table(MATERIAL, PUBLISHED, job(reading="naive"))
    assert tidy[tidy.column == WORDS].value.iloc[0] == 5.0


def test_a_claim_finds_the_printed_reading_under_the_papers_names():
    cells = tidy_cells("t", statistics_table(MATERIAL, PUBLISHED, job()))
    assert cells("STS15: belief", WORDS) == np.array([3.0])


def test_gold_scores_are_scaled_by_their_own_scale_and_shown_by_split():
    rows = [{"label": "STS-B", "task": "stsb"}, {"label": "SICK-R", "task": "sickr", "published": "SICK-R"}]
    published = pd.DataFrame({"dataset": ["SICK-R"], GOLD: [0.25]})
    tidy = statistics_table(MATERIAL, published, job(statistic=GOLD, rows=rows, reading="naive"))
    values = tidy.set_index(["label", "column"]).value.to_dict()
    assert values == {
        ("STS-B", GOLD): 0.5,
        ("STS-B", f"{GOLD}, evaluated, senteval, dev"): 0.2,
        ("STS-B", f"{GOLD}, evaluated, senteval, test"): 0.8,
        ("SICK-R", GOLD): 0.25,
        ("SICK-R", f"{GOLD}, evaluated, senteval, train"): 0.25,
    }


def test_the_report_says_which_readings_have_the_papers_digits():
    readings = reading_table(statistics_table(MATERIAL, PUBLISHED, job()), job())
    assert readings["same digits in"].tolist() == ["naive, senteval"]
    assert reading_counts(readings) == [
        "`evaluated, senteval`: 0 of 1 rows",
        "`naive, senteval`: 1 of 1 rows",
        "`evaluated, raw`: 0 of 1 rows",
        "`naive, raw`: 0 of 1 rows",
        "in no reading: none",
    ]
    other = PUBLISHED.assign(**{WORDS: 9.0})
    readings = reading_table(statistics_table(MATERIAL, other, job()), job())
    assert reading_counts(readings)[-1] == "in no reading: STS15: belief"


def test_what_is_missing_and_what_is_only_a_part_stands_behind_its_row():
    missing = {"sts15/raw/test": "x", "sickr/senteval/test": "y", "sickr/senteval/train": "SICK/train"}
    tidy = statistics_table(MATERIAL, PUBLISHED, job())
    assert statistics_csv(tidy, job(), missing).note.tolist() == [
        *("", "", "a part of it", "left out: the file of corpus 'gone' is not there"),
        "left out: train (SICK/train is not there)",
    ]
    unnamed = job(rows=[{"label": "x", "task": "sts15", "subset": "headlines"}])
    table = statistics_csv(statistics_table(MATERIAL, None, unnamed), unnamed, {})
    assert table[["words_per_sentence", "note"]].iloc[0].tolist() == [
        "–",
        "left out: the world's copy of the set does not name it",
    ]


def test_a_world_that_makes_its_own_text_shows_no_number_of_the_paper():
    theirs = PUBLISHED.assign(**{WORDS: 77.7})
    texts = [
        statistics_markdown(statistics_table(MATERIAL, theirs, made), made, {})
        for made in (job(), job(generated=True))
    ]
    assert ["77.7" in text for text in texts] == [True, False]
    assert "do not compare with any paper's" in texts[1]


def test_a_row_that_the_paper_does_not_have_stops():
    rows = [{**ROWS[0], "published": "STS15: beleif"}]
    with pytest.raises(ConfigError, match="Did you mean 'STS15: belief'"):
        statistics_table(MATERIAL, PUBLISHED, job(rows=rows))


@pytest.mark.parametrize(
    ("statistic", "row", "message"),
    [
        (WORDS, {"label": "x"}, "set either task or corpus"),
        (WORDS, {"label": "x", "task": "stsb", "corpus": "wiki"}, "set either task or corpus"),
        (GOLD, {"label": "x", "corpus": "wiki"}, "only a task has gold scores"),
    ],
)
def test_a_row_without_one_source_or_without_scores_is_refused(statistic, row, message):
    with pytest.raises(ValidationError, match=message):
        StatisticsTable(kind="statistics", statistic=statistic, caption="", rows=[row])


def test_a_histogram_has_equal_bins_on_the_scale_of_its_set(tmp_path):
    figure = HistogramJob(**ABOUT, generated=False, sets=[("SICK-R", "sickr"), ("STS-B", "stsb")], bins=2)
    both = pd.concat([BENCHMARKS, BENCHMARKS.assign(form="raw")])  # each pair counts once
    tidy = score_histogram(both, figure)
    write_table(tidy, tmp_path / "h.parquet", HISTOGRAM)
    assert tidy[["set", "low", "high", "pairs", "share"]].to_numpy().tolist() == [
        ["SICK-R", 1.0, 3.0, 1, 1.0],
        ["SICK-R", 3.0, 5.0, 0, 0.0],
        ["STS-B", 0.0, 2.5, 1, 0.5],
        ["STS-B", 2.5, 5.0, 1, 0.5],
    ]


def test_equal_histograms_give_equal_files_and_none_is_drawn_of_nothing(tmp_path):
    figure = HistogramJob(**ABOUT, generated=False, sets=[("STS-B", "stsb")], bins=3)
    tidy = score_histogram(BENCHMARKS, figure)
    for kind, start in {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<?xml"}.items():
        paths = [tmp_path / f"{name}.{kind}" for name in "ab"]
        for path in paths:
            histogram_figure(tidy, [path])
        assert paths[0].read_bytes() == paths[1].read_bytes()
        assert paths[0].read_bytes().startswith(start)
    with pytest.raises(TableError, match="No scored pair"):
        histogram_figure(score_histogram(BENCHMARKS[:1], figure), [tmp_path / "c.pdf"])
