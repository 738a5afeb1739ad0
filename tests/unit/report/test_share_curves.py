"""The learning curve of the report: places of its lines and bands, and what is said of each share."""

import pytest

from contrapose.report.findings import means_of
from contrapose.report.page import page
from contrapose.report.panel import kept_apart, points_of
from contrapose.report.results import CatalogFacts, Result, StudyResults
from contrapose.report.share_curves import ONCE, share_curves
from tests.kinds import about, cells

SHARES = {"25 %": 60.0, "50 %": 62.0, "100 %": 64.0}
CATALOG = CatalogFacts("w", "d", generated=False)


def cell(row: int, group: str, model: str, value: float, **others: object) -> dict:
    return {"row": row, "group": group, "model": model, "column": "Avg.", "value": value, **others}


def method(first: int, group: str, add: float = 0.0, **others: object) -> list[dict]:
    return [
        cell(first + number, group, share, value + add, **others)
        for number, (share, value) in enumerate(SHARES.items())
    ]


def seeds(group: str) -> list[dict]:
    return [cell(1, group, "25 %", value, seed=seed) for seed, value in ((42, 59.0), (43, 61.0))]


def table(*rows: dict, encoders: tuple[str, ...] = (), kind: str = "learning_curve") -> Result:
    of_rows = [{"model": str(number), "encoder": role} for number, role in enumerate(encoders)]
    made = {
        **{"rule": "r", "code": "c", "packages": {}},
        "settings": {"spec": {"kind": kind}, "about": about(rows=of_rows).model_dump()},
        "status": {"facts": {"ranking column": "Avg.", "measure": "Spearman x100"}},
    }
    image = {"t.png": "data:image/png;base64,AAAA"}
    return Result("tables", "t", "", "", cells(*rows), made, "# t\n\n![t](t.png)\n", image)


def curves(made: Result) -> list:
    return share_curves(made, means_of(made.tidy), ["Avg."])


def test_a_line_goes_through_the_means_and_its_band_is_a_deviation_over_seeds():
    made = table(
        cell(0, "", "No training", 58.0), *method(1, "Dropout", std=1.0), *seeds("Dropout"),
        *method(4, "Span crop", 2.0, std=0.5),
    )  # fmt: skip
    (curve,) = curves(made)
    assert [line.label for line in curve.lines] == ["Dropout", "Span crop"]
    # Places of the axes: from 58 (No training) to 66.5, and from log2(25) to log2(100), 3 % free at each end.
    top = {
        value: round(100 * (1 - (value - 58 + 0.255) / 9.01), 2) for value in (58, 59, 60, 61, 62, 63, 64, 65)
    }
    left = [2.83, 50.0, 97.17]
    middle = [(at, top[value]) for at, value in zip(left, (60, 62, 64), strict=True)]
    assert curve.panel.lines[0].points == points_of(middle)
    above = [(at, top[value]) for at, value in zip(left, (61, 63, 65), strict=True)]
    below = [(at, top[value]) for at, value in zip(left, (59, 61, 63), strict=True)]
    assert curve.panel.areas[0].points == points_of([*above, *below[::-1]])
    assert curve.panel.areas[0].colour == curve.lines[0].colour != curve.lines[1].colour
    assert curve.panel.x_ticks == [(2.83, "25"), (50.0, "50"), (97.17, "100")]
    assert curve.panel.level == top[58]
    assert [spot.text for spot in curve.lines[1].spots] == [
        "25 %: 62.00 ± 0.50", "50 %: 64.00 ± 0.50", "100 %: 66.00 ± 0.50",
    ]  # fmt: skip
    assert curve.note == "Band: one standard deviation over 2 seeds. Dashed: No training, 58.00."
    assert (curve.panel.y, curve.title) == ("Spearman x100", "Score by share of the sentences")


def test_the_band_of_one_training_is_its_interval_over_test_pairs():
    made = table(
        *(each | {"ci_low": each["value"] - 3, "ci_high": each["value"] + 3} for each in method(0, "A"))
    )
    (curve,) = curves(made)
    assert curve.note == ONCE
    assert curve.panel.level is None
    assert curve.lines[0].spots[0].text == "25 %: 60.00 [57.00, 63.00]"


def test_each_encoder_has_a_curve_of_methods_without_its_name():
    rows = [
        line
        for at, encoder in ((0, "x"), (4, "y"))
        for line in (cell(at, encoder, "No training", 58.0), *method(at + 1, f"{encoder}: Dropout"))
    ]
    found = curves(table(*rows, encoders=("a",) * 4 + ("b",) * 4))
    assert [each.title.partition(": ")[2] for each in found] == ["a", "b"]
    assert [[line.label for line in each.lines] for each in found] == [["Dropout"], ["Dropout"]]


def test_numbers_of_lines_that_end_together_stand_apart():
    assert kept_apart([50.0, 50.0, 20.0], 7) == [50.0, 57.0, 20.0]
    assert kept_apart([99.0, 98.0], 7) == [100.0, 93.0]


def test_the_page_shows_the_curve_in_place_of_the_file_and_other_tables_have_none():
    made = table(*method(0, "Dropout"))
    study = StudyResults("s", "Q?", "S", "run", [], [made], {})
    html = page(made, study, CATALOG)
    assert html.count("<polyline") == 1
    assert "data:image/png" not in html
    assert not curves(table(*method(0, "Dropout"), kind="sts"))


@pytest.mark.parametrize("trainings", [1, 2])
def test_a_share_that_failed_leaves_the_others(trainings):
    rows = method(0, "Dropout")[1:] + seeds("Dropout")[: trainings - 1]
    (curve,) = curves(table(*rows))
    assert [spot.text.partition(":")[0] for spot in curve.lines[0].spots] == ["50 %", "100 %"]
