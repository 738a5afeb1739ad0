from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from contrapose.base.errors import ConfigError, TableError
from contrapose.report.claims import claim_functions
from contrapose.report.claims.cell_arrays import (
    PEAK,
    Cells,
    MissingCell,
    printed_cells,
    read_cells,
    tidy_cells,
)
from contrapose.report.claims.verdict import (
    Deciding,
    all_of,
    at_least,
    mean_deciding,
    one_of,
    trend,
    verdict,
    within,
)
from contrapose.report.claims_table import ClaimsJob, claims_csv, claims_markdown, claims_table
from contrapose.report.scores import AVERAGE, DEV
from contrapose.settings.deviations import Claim
from contrapose.tables import CELLS, CLAIMS, read_table, write_table
from tests.kinds import cells as made_cells


def seeds(*values: float) -> np.ndarray:
    return np.array(values, float)[:, None]  # without resamples


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ([1.0], [2.0], "holds"),
        ([-1.0], [2.0], "same direction"),  # better on average, but not everywhere
        ([0.0], [2.0], "same direction"),  # no better in one
        ([-1.0], [1.0], "not significant"),
        ([-2.0], [1.0], "opposite"),
        # Student's t at 95 %: 12.706 standard errors for two seeds, 4.303 for three, 3.182 for four.
        ([2.0, 3.0, 4.0], [2.0, 3.0, 4.0], "holds"),  # 3 ± 0.577, 5.2 of them from 0
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "not significant"),  # 2 ± 0.577, 3.5
        ([1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 2.0, 3.0], "holds"),  # 2 ± 0.408, 4.9
        ([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 1.0, 2.0], "not significant"),  # 1 ± 0.408, 2.4
        ([6.0, 7.0], [6.0, 7.0], "holds"),  # 6.5 ± 0.5, 13
        ([5.5, 6.5], [5.5, 6.5], "not significant"),  # 6 ± 0.5, 12
        ([-2.0, -3.0, -4.0], [-2.0, -3.0, -4.0], "opposite"),
    ],
)
def test_a_verdict_is_of_the_mean_difference_and_of_every_part(one, other, kind):
    assert verdict({"one": seeds(*one), "other": seeds(*other)}).kind == kind


def test_the_standard_error_is_over_seeds_of_the_difference_per_seed():
    ours, theirs = seeds(70.0, 72.0, 77.0), seeds(69.0, 70.0, 74.0)  # 1, 2, 3 apart
    found = verdict({"ours": ours - theirs})
    assert (found.difference, found.seeds) == (2.0, 3)
    assert found.error == pytest.approx(1 / 3**0.5)
    assert verdict({"ours": seeds(1.0)}).error is None
    found = verdict({"trained": seeds(1.0, 3.0), "fixed": seeds(4.0)})  # which no seed enters
    assert (found.difference, found.seeds, found.error) == (3.0, 2, pytest.approx(0.5))


def test_what_test_pairs_leave_open_counts_beside_seeds():
    gain, shared = seeds(2.9, 3.0, 3.1), np.array([4.0, -4.0, 2.0, -2.0])  # of variance 40 / 3
    found = verdict({"gain": np.hstack([gain, gain + shared])})
    assert (found.kind, found.error) == ("not significant", pytest.approx((40 / 3 + 0.01 / 3) ** 0.5))
    alone = np.array([[4.0, 4, -4, -4], [4, -4, 4, -4], [4, -4, -4, 4]])  # nothing that seeds share
    for parts in ({"gain": gain}, {"gain": np.hstack([gain, gain + alone])}):
        assert (verdict(parts).kind, verdict(parts).error) == ("holds", pytest.approx((0.01 / 3) ** 0.5))


def test_a_claim_of_more_than_it_finds_has_the_same_direction_and_what_subtraction_leaves_over_has_none():
    assert verdict({"gain": seeds(2.0)}, holds=False).kind == "same direction"
    assert verdict({"gain": seeds(0.1 + 0.2 - 0.3)}).kind == "not significant"


def test_the_weakest_and_the_strongest_difference_are_those_with_the_least_and_the_most_evidence():
    one, other, below = seeds(1.0, 9.0), seeds(3.9, 4.0), seeds(-1.0, -1.5)  # p 0.43, 0.008, 0.13
    for order in permutations((one, other, below)):
        assert [
            at_least(number, *order).difference is each for number, each in enumerate((other, one, below), 1)
        ]
        assert all_of(*order) == (below, 1, 3)
        assert one_of(*order) == (other, 3, 1)
        assert at_least(2, *order)[1:] == (2, 2)
    assert all_of(seeds(0.3), seeds(0.1), seeds(0.2)).difference == 0.1  # nothing is known but the means
    assert all_of(seeds(-0.3), seeds(0.1), seeds(-0.2)).difference == -0.3


def test_chosen_differences_are_averaged_among_all_combinations_of_choices():
    chosen = mean_deciding(Deciding(seeds(1.0, 2.0), 2, 3), Deciding(seeds(5.0), 1, 4))
    assert chosen.difference.tolist() == [[3.0], [3.5]]
    assert chosen[1:] == (2, 12)


def test_what_is_within_a_limit_is_measured_from_the_nearer_end_for_each_seed():
    assert within(seeds(-1.0, 1.2), 0.2) == pytest.approx(seeds(1.2, -1.0))
    assert within(seeds(-0.3), 0.2) == pytest.approx(seeds(-0.1))
    assert within(seeds(0.0, 0.0), 0.2) == pytest.approx(seeds(0.2, 0.2))


def test_that_rows_are_alike_is_to_be_shown_beside_the_main_difference():
    gain = {"gain": seeds(2.0, 3.0, 4.0)}
    near, unknown, outside = seeds(0.4, 0.5, 0.6), seeds(-0.5, 0.1, 0.7), seeds(-0.4, -0.5, -0.6)
    assert verdict(gain, alike={"near": near}).kind == "holds"
    found = verdict(gain, alike={"unknown": unknown})
    assert (found.kind, found.by_sign) == ("same direction", "holds")
    assert found.detail == "gain +3; unknown +0.1"
    assert verdict(gain, alike={"outside": outside}).by_sign == "same direction"
    assert verdict({"gain": seeds(2.0)}, alike={"one seed": seeds(0.1)}).kind == "holds"


def test_a_trend_is_the_rank_correlation_of_every_seed():
    first, second, third = seeds(1.0, 3.0, 5.0), seeds(2.0, 2.0, 5.0), seeds(3.0, 1.0, 5.0)
    assert trend([first, second, third])[:, 0] == pytest.approx([1, -1, 0])
    # Ties, the second but for what addition leaves over.
    for values, exact in (([1.0, 1.0, 4.0, 2.0], [1, 1, 4, 2]), ([0.1 + 0.2, 0.3, 0.5], [3, 3, 5])):
        expected = spearmanr(exact, range(len(exact))).statistic
        assert trend([seeds(value) for value in values])[0, 0] == pytest.approx(expected)
    resampled = np.random.default_rng(0).normal(size=(5, 2, 4))  # place, seed, resample
    resampled[2, 1, 3] = np.nan
    found = trend([*resampled])
    for seed, resample in np.ndindex(2, 4):
        expected = spearmanr(resampled[:, seed, resample], range(5)).statistic
        assert found[seed, resample] == pytest.approx(expected, nan_ok=True)


def test_the_margin_of_the_best_row_is_to_the_other_that_it_is_least_clearly_above():
    cells = Cells("t", {("A", "x"): seeds(5, 6), ("B", "x"): seeds(7, 1), ("C", "x"): seeds(5, 4)})
    margin = cells.margin("A", "x")
    name, (difference, *of) = margin  # B has 4 on average, C 4.5, but B may be anything: p 0.67 and 0.5
    assert (name, difference.tolist(), of) == ("A above B, closest of 2 others", [[-2], [5]], [1, 2])
    assert margin.part == {name: difference}
    with pytest.raises(MissingCell, match="t has no row 'D'"):
        cells.margin("D", "x")
    with pytest.raises(MissingCell, match="t has no other row with which 'A' can be compared"):
        cells.margin("A", "x", among="A")
    with pytest.raises(MissingCell, match="t has no column 'x' of 'E'"):
        cells.column("x", among="E")


def test_a_row_is_compared_with_another_on_the_test_sets_of_both():
    others = {(row, column): seeds(9.0) for row in "AB" for column in (AVERAGE, DEV, PEAK)}
    values = {("A", "x"): seeds(5.0), ("A", "y"): seeds(1.0), ("B", "x"): seeds(7.0), ("BA", "x"): seeds(8.0)}
    cells = Cells("t", {**others, **values})
    assert cells.columns("A") == ["x", "y"]
    assert cells.gains("A", "B") == {"x": -2}
    assert cells.steps(["A", "B", "BA"], "x") == {"B above A": 2, "BA above B": 1}
    assert cells.column("x", among="A") == {"A": 5}


def test_a_printed_row_is_called_by_its_words():
    printed = pd.DataFrame({"group": ["STS12", "STS13"], "name": ["OnWN", "OnWN"], "words": [8.8, None]})
    cells = printed_cells("table9", printed)
    assert cells.values == {("STS12: OnWN", "words"): seeds(8.8)}
    with pytest.raises(MissingCell, match="table9 has no row 'OnWN'"):
        cells("OnWN", "words")
    with pytest.raises(TableError, match="two rows have the name 'OnWN'"):
        printed_cells("table9", printed.drop(columns="group"))
    with pytest.raises(TableError, match="no column has the names of the rows"):
        printed_cells("table9", printed[["words"]])


def sts(rows: list[tuple], column: str = "Avg.") -> pd.DataFrame:
    """Cells from (row, published_row, seed, value)."""
    return made_cells(
        *(
            {"row": row, "run": f"r{row}/{seed}" if seed else "", "seed": seed, "published_row": label}
            | {"column": column, "value": value}
            for row, label, seed, value in rows
        )
    )


def test_a_cell_of_ours_has_its_seeds_in_order_or_its_only_value_and_the_papers_label():
    tidy = sts([(0, "A: a", 43, 2.0), (0, "A: a", 42, 1.0), (0, "A: a", None, 1.5), (1, "", 42, 9.0)])
    cells = tidy_cells("table4_3", tidy)
    assert cells("A: a", "Avg.").tolist() == [[1.0], [2.0]]
    assert len(cells.values) == 1
    assert tidy_cells("t", sts([(0, "A: a", None, 1.5)]))("A: a", "Avg.").tolist() == [[1.5]]
    for average in ("Avg.", "Mean"):  # of fewer columns
        cells = tidy_cells("table4_3", sts([(0, "A: a", 42, 1.0)], column=f"{average} of 4"))
        assert cells("A: a", average).tolist() == [[1.0]]
        assert cells.notes == (f"table4_3: {average} of 4 is used in place of {average}",)
    with pytest.raises(TableError, match="two rows have `published: A: a`"):
        tidy_cells("t", sts([(0, "A: a", 42, 1.0), (1, "A: a", 42, 2.0)]))


@pytest.mark.parametrize(("best", "kind"), [([1, 2], "holds"), ([1, 2, 6], "opposite")])
def test_an_early_peak_is_read_from_the_training_logs(tmp_path, best, kind):
    encoders = ("bert-base-uncased", "roberta-base", "roberta-large")
    rows = [
        (at, f"1M paraphrases: {name}", seed, 70.0) for at, name in enumerate(encoders) for seed in (42, 43)
    ]
    tidy = sts(rows)
    write_table(tidy, tmp_path / "t.parquet", CELLS)
    log = pd.DataFrame({"step": range(1, 13)})
    histories = {run: log.assign(best=log.step.isin(best)) for run in tidy.run}
    (cells,) = read_cells("table4_3", tmp_path / "t.parquet", histories)
    found = claim_functions("thesis")["thesis_17"]({"table4_3": cells})
    assert (found.kind, found.seeds) == (kind, 2)
    assert found.difference == pytest.approx(0.25 - best[-1] / 12)


CLAIM = Claim(claim_id="c1", claim="A is above B", tables="table1; table2; fig1")
PLAIN = Claim(claim_id="c2", claim="A is above zero", tables="table1")
FUNCTIONS = {
    "c1": lambda tables: verdict({"a": tables["table1"]("A", "x") - tables["table2"]("B", "x")}),
    "c2": lambda tables: verdict({"a": tables["table1"]("A", "x")}),
}
OURS = {"table1": tidy_cells("table1", sts([(0, "A", 42, 3.75), (0, "A", 43, 4.25)], column="x"))}
PRINTED = {name: printed_cells(name, pd.DataFrame({"model": ["A", "B"], "x": [7.5, 5.0]})) for name in
           ("table1", "table2")}  # fmt: skip


def job(**changed) -> ClaimsJob:
    settings = {
        **{"study": "paper", "source": "A paper, 2023", "catalog": "tiny", "catalog_description": "two rows"},
        **{"generated": False, "claims": [CLAIM, PLAIN], "tables": ["table1"], "runs": []},
        **{"published": ["table1", "table2"], "functions": "0", "notes": ["q stands in"]},
    }
    return ClaimsJob(**{**settings, **changed})


def test_a_claim_whose_table_is_not_built_or_lacks_a_row_has_no_verdict_and_says_which(tmp_path):
    table = claims_table(OURS, PRINTED, FUNCTIONS, job())
    write_table(table, tmp_path / "claims.parquet", CLAIMS)
    first, second = read_table(tmp_path / "claims.parquet", CLAIMS).to_dict("records")
    assert pd.isna(first["verdict"])
    assert first["missing"] == "not built: table2"
    assert (first["published_verdict"], first["published_difference"]) == ("holds", 2.5)
    assert [second[name] for name in ("verdict", "difference", "error", "seeds")] == ["holds", 4, 0.25, 2]
    assert second["missing"] == ""
    table = claims_table({**OURS, "table2": OURS["table1"]}, PRINTED, FUNCTIONS, job())
    assert table.missing[0] == "table1 has no row 'B'"
    with pytest.raises(ConfigError, match=r"studies/paper/claims\.csv .* only one of them has c2"):
        claims_table(OURS, PRINTED, {"c1": FUNCTIONS["c1"]}, job())


def test_a_single_training_is_no_verdict_but_a_table_that_no_seed_enters_has_one():
    once = {"table1": tidy_cells("table1", sts([(0, "A", 42, 3.75)], column="x"))}
    (found,) = claims_table(once, PRINTED, {"c2": FUNCTIONS["c2"]}, job(claims=[PLAIN])).to_dict("records")
    assert (found["verdict"], found["published_verdict"]) == ("one seed", "holds")
    assert found["detail"].startswith("holds, if chance is ignored. a +3.75")
    resampled = sts([(0, "A", 42, 3.75)], column="x").assign(resampled=[[9.75, -1.25]])
    resampled = {"table1": tidy_cells("table1", resampled)}
    (found,) = claims_table(resampled, PRINTED, {"c2": FUNCTIONS["c2"]}, job(claims=[PLAIN])).detail
    assert found.startswith("holds, if chance is ignored; not significant if only test pairs vary. a +3.75")
    unseeded = {"table1": tidy_cells("table1", sts([(0, "A", None, 3.75)], column="x"))}
    table = claims_table(unseeded, PRINTED, {"c2": FUNCTIONS["c2"]}, job(claims=[PLAIN]))
    assert table.verdict.tolist() == ["holds"]


def stands(label: str, fair_for: str, *values: float, row: int) -> pd.DataFrame:
    """Return the cells of a row of column x that has a label of the paper, or is fair for one."""
    made = sts([(row, label, seed, value) for seed, value in zip((42, 43), values, strict=False)], column="x")
    return made.assign(fair_for=fair_for)


def judged_by(rows: list[pd.DataFrame], tmp_path) -> dict:
    """Return the verdict that A is above zero, by a table of these rows."""
    write_table(pd.concat(rows, ignore_index=True), tmp_path / "t.parquet", CELLS)
    first, *others = ({"table1": cells} for cells in read_cells("table1", tmp_path / "t.parquet", {}))
    (found,) = claims_table(first, PRINTED, {"c2": FUNCTIONS["c2"]}, job(claims=[PLAIN]), others).to_dict(
        "records"
    )
    return found


def test_a_claim_needs_the_papers_row_and_every_fair_one(tmp_path):
    released, own = stands("A", "", 3.0, 3.5, row=0), stands("", "A", -1.0, -1.02, row=1)
    other = stands("", "A", 2.2, 2.3, row=2)
    found = judged_by([released, own], tmp_path)
    assert (found["verdict"], found["difference"]) == ("opposite", pytest.approx(-1.01))
    assert found["detail"].endswith("With the fair row; with the paper's own row: holds, +3.25")
    found = judged_by([released, other, own.assign(row=3)], tmp_path)
    assert (found["verdict"], found["difference"]) == ("opposite", pytest.approx(-1.01))
    own_row, fair_row = "the paper's own row: holds, +3.25", "fair row 1: holds, +2.25"
    assert found["detail"].endswith(f"With fair row 2; with {own_row}; with {fair_row}")
    # Of two that hold, the smaller difference is the worse one.
    assert judged_by([other.assign(row=0), released.assign(row=1)], tmp_path)["difference"] == 2.25


def test_a_claim_is_judged_by_the_fair_rows_alone_where_a_catalog_lacks_the_papers(tmp_path):
    lacking = stands("A", "", np.nan, row=0).assign(seed=None, n=0)
    fair = stands("", "A", 2.2, 2.3, row=1)
    found = judged_by([lacking, fair], tmp_path)
    assert (found["verdict"], found["difference"], found["detail"]) == ("holds", 2.25, "a +2.25")
    assert judged_by([lacking], tmp_path)["missing"] == "table1 has no row 'A'"


def test_one_released_row_stands_beside_several_trainings(tmp_path):
    ours = stands("A", "", 3.0, 3.5, row=0)
    both = lambda tables: verdict({"a": tables["table1"]("A", "x") - tables["table1"]("B", "x")})  # noqa: E731
    released = stands("B", "", 1.0, row=1).assign(seed=None)
    write_table(pd.concat([ours, released], ignore_index=True), tmp_path / "t.parquet", CELLS)
    (cells,) = read_cells("table1", tmp_path / "t.parquet", {})
    (found,) = claims_table({"table1": cells}, PRINTED, {"c2": both}, job(claims=[PLAIN])).to_dict("records")
    assert (found["difference"], found["seeds"], found["error"]) == (2.25, 2, pytest.approx(0.25))


def test_the_best_of_several_is_judged_at_a_lower_level():
    gain = seeds(0.4, 0.6, 0.9, 0.5)  # p 0.015
    assert verdict({"a": gain}).kind == "holds"
    assert verdict({"a": gain}, Deciding(gain, largest_of=7)).kind == "not significant"
    assert verdict({"a": gain}, Deciding(gain, least_of=7)).kind == "holds"
    assert verdict({"a": -gain}, Deciding(-gain, largest_of=7)).kind == "opposite"
    assert verdict({"a": -gain}, Deciding(-gain, least_of=7)).kind == "not significant"


def test_a_claim_that_this_catalog_cannot_judge_is_not_judged():
    there, here = (
        claims_table(OURS, PRINTED, {"c2": FUNCTIONS["c2"]}, job(claims=[PLAIN], not_judged=ids)).iloc[0]
        for ids in (["c2"], [])
    )
    assert (there["verdict"], there["missing"]) == ("not judged in this catalog", "")
    assert pd.isna(there["difference"])
    assert there["published_verdict"] == here["verdict"] == "holds"


@pytest.mark.parametrize("generated", [False, True])
def test_a_catalog_of_its_own_text_owns_its_verdicts_and_shows_none_of_the_papers(generated):
    about = job(generated=generated)
    table = claims_table(OURS, PRINTED, FUNCTIONS, about)
    csv, markdown = claims_csv(table, about), claims_markdown(table, ["a note"], about)
    assert set(csv.catalog) == {"tiny"}
    assert csv.difference.tolist() == ["", "4"]
    assert ("published_verdict" in csv) is not generated
    assert (" 7.5 |" in markdown) is not generated
    marked = "about the generated text of catalog tiny, not the text of the paper; q stands in"
    assert set(csv.note) == {marked if generated else "q stands in"}
    assert ("about the text of the catalog, not of the paper" in markdown) is generated
    assert "| c1. A is above B | – (not built: table2) |" in markdown
    assert (
        "Of 2 claims: holds 1, same direction 0, not significant 0, opposite 0, one seed 0, not judged in "
        "this catalog 0, no verdict 1." in markdown
    )
    assert "| c2. A is above zero | holds | 4 ± 0.25 | a +4 |" in markdown
    assert "holds 1, same direction 0" in markdown
    assert "hold with a probability of at most 2.5 %" in markdown
    assert "chance would decide about 0.1 of these claims at most" in markdown
