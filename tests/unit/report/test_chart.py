"""The chart, the planes and the card of a table of scores: places of its dots, and what they are called."""

from math import dist

import pytest

from contrapose.report.beside import DISTANCES, DOT, HEIGHT, NUMBER, WIDTH, numbers_beside
from contrapose.report.card import card
from contrapose.report.chart import Sign, chart
from contrapose.report.comparison import SECOND
from contrapose.report.findings import means_of, ranked
from contrapose.report.panel import Axis
from contrapose.report.pictures import heat_maps, planes
from contrapose.report.results import Result
from tests.kinds import about, cells

ABOVE = {"difference": 2.0, "difference_low": 1.0, "difference_high": 3.0, "p": 0.01, "baseline": "none"}
BELOW = {**ABOVE, "difference": -2.0, "difference_low": -3.0, "difference_high": -1.0}
FACTS = {"ranking column": "Avg.", "measure": "Spearman x100, mean of 2 test sets"}


def row(number: int, model: str, value: float | None, **others: object) -> dict:
    return {"row": number, "model": model, "column": "Avg.", "value": value, **others}


def result(*rows: dict, encoders: tuple[str, ...] = (), **spec: object) -> Result:
    of_rows = [{"model": str(number), "encoder": role} for number, role in enumerate(encoders)]
    made = {
        "settings": {"spec": {"kind": "sts", **spec}, "about": about(rows=of_rows).model_dump()},
        "status": {"facts": FACTS},
    }
    return Result("tables", "t", "", "", cells(*rows), made, "", {}, encoders={"a": "org/a"})


def drawn(table: Result):
    return chart(table, *ranked(table))


def test_a_tick_is_a_multiple_of_a_round_number():
    labels = [label for _, label in Axis.over([-0.3, 1.52], "+").ticks]
    assert labels == ["0", "+0.5", "+1.0", "+1.5"]
    assert [label for _, label in Axis.over([40.0, 70.0]).ticks] == ["40", "50", "60", "70"]


def test_methods_are_sorted_and_placed_by_their_difference_to_the_baseline():
    table = result(
        row(0, "none", 10.0), row(1, "b", 12.0, in_best_set=True, **ABOVE),
        row(2, "c", 8.0, in_best_set=False, **BELOW), row(3, "d", None),
        row(1, "b", 12.0, seed=42), row(1, "b", 12.0, seed=43), margin=0.5,
    )  # fmt: skip
    found = drawn(table)
    (facet,) = found.facets
    assert [mark.name for mark in facet.marks] == ["b", "none", "c"]
    assert [mark.change for mark in facet.marks] == ["+2.00", "", "-2.00"]
    assert facet.marks[0].interval == "[+1.00, +3.00]"
    assert (facet.marks[1].at, facet.marks[1].low, facet.marks[1].high) == (50.0, 50.0, 50.0)
    assert facet.marks[0].at - 50 == pytest.approx(50 - facet.marks[2].at)
    assert [mark.tied for mark in facet.marks] == [True, None, False]
    assert [mark.place for mark in facet.marks] == [1, 0, 2]
    assert "var(--band)" in facet.grid
    assert (found.title, facet.baseline) == (FACTS["measure"], "none")
    assert found.notes == ["Skipped methods: 1."]


def test_a_legend_says_what_each_sign_of_a_chart_is_and_columns_have_the_p_value_and_the_cost():
    tested = {**ABOVE, "flops": 3.0, "usd": 0.5}
    table = result(
        row(0, "none", 10.0, in_best_set=False, flops=0.0, usd=0.0),
        row(1, "b", 12.0, in_best_set=True, **tested),
        row(2, "c", 8.0, in_best_set=False, **{**BELOW, "p": 0.0001, "flops": 2.0, "usd": 0.0}),
        row(1, "b", 12.0, variant=SECOND, **{**ABOVE, "baseline": "c"}),
        row(1, "b", 12.0, seed=42), row(1, "b", 12.0, seed=43),
        encoders=("a", "a", "a"), margin=0.5, costs=True,
    )  # fmt: skip
    for number, each in enumerate(table.made["settings"]["about"]["rows"]):
        each.update(model=["none", "b", "c"][number], runs=[f"r{number}"])
    found = drawn(table)
    assert found.key == [
        Sign("tied", "filled dot: may be the best, because no other method is significantly better"),
        Sign("worse", "hollow dot: another method is significantly better"),
        Sign("spread", "bar: 95 % interval of the difference, over test pairs and 2 seeds"),
        Sign("zero", "grey line at 0: none"),
        Sign("second", "blue line: c"),
        Sign("band", "band: differences within ±0.5 points, too small to matter"),
        Sign("", "p: corrected for the number of methods, at most 0.05 is significant"),
        Sign("", "compute: of one training and its pairs, without calls of language models, c = 1"),
    ]
    assert [(mark.p, mark.cost) for mark in found.facets[0].marks] == [
        ("0.010", "1.50, 0.5\u00a0USD"),
        ("", "0.00"),
        ("below 0.001", "1.00"),
    ]
    table.tidy["requests"] = 0.0
    table.tidy.loc[table.tidy.model == "c", "in_best_set"] = True
    _, *_, compute = found = drawn(table).key
    assert compute.text == "compute: of one training and its pairs, c = 1"
    assert "(also below 0, if its scores vary too much between seeds to exclude it)" in found[0].text


def test_each_encoder_has_an_axis_its_name_and_methods_without_what_all_share():
    table = result(
        row(0, "none", 10.0, group="a"), row(1, "x", 12.0, group="a", **{**ABOVE, "baseline": "a: none"}),
        row(2, "none", 60.0, group="b"), row(3, "x", 58.0, group="b", **{**BELOW, "baseline": "b: none"}),
        encoders=("a", "a", "b", "b"),
    )  # fmt: skip
    first, second = drawn(table).facets
    assert (first.encoder, second.encoder) == ("org/a", "b")
    assert [(mark.group, mark.name) for mark in first.marks] == [("", "x"), ("", "none")]
    assert first.baseline == second.baseline == "none"
    assert {first.marks[1].at, second.marks[0].at} == {2.83, 97.17}


def test_without_a_common_baseline_values_are_on_the_axis_with_their_spread():
    seeds = [row(0, "a", value, seed=seed) for seed, value in ((42, 1.0), (43, 3.0))]
    found = drawn(result(row(0, "a", 2.0, std=1.0), *seeds, row(1, "b", 2.0, ci_low=-9.0, ci_high=9.0)))
    trained, pretrained = found.facets[0].marks
    assert (trained.low, trained.high) == (2.83, 97.17)
    assert pretrained.low == pretrained.at == pretrained.high
    assert found.key == [
        Sign("open", "dot: score"),
        Sign("spread", "bar: one standard deviation over 2 trainings"),
    ]


def test_no_dot_is_filled_where_each_method_may_be_the_best():
    found = drawn(result(row(0, "a", 2.0, in_best_set=True), row(1, "b", 1.0, in_best_set=True)))
    assert {mark.tied for mark in found.facets[0].marks} == {None}
    text = "dot: each method may be the best, because none is significantly better than another"
    assert found.key == [Sign("open", text)]


def test_planes_show_what_is_lost_and_what_it_costs():
    general = {**BELOW, "column": "paws"}
    table = result(
        row(0, "none", 10.0),
        row(1, "b", 12.0, flops=1.0, **ABOVE), row(1, "b", 5.0, **general),
        row(2, "c", 11.0, flops=40.0, **{**ABOVE, "difference": 1.0}), row(2, "c", 6.0, **general),
    )  # fmt: skip
    lost, cost = planes(table, means_of(table.tidy), "Avg.", ["paws"])
    assert [(dot.label, dot.text) for dot in lost.dots] == [("b", "+2.00, -2.00"), ("c", "+1.00, -2.00")]
    assert lost.dots[0].left > lost.dots[1].left
    assert lost.dots[0].top == lost.dots[1].top > 90
    assert cost.x == "compute, b = 1, logarithmic"
    assert [dot.text for dot in cost.dots] == ["1.00, +2.00", "40.00, +1.00"]
    assert cost.about == (
        "The list gives two numbers of each method: compute, b = 1, logarithmic, and difference on Avg. "
        "Differences are to none."
    )


def test_compute_has_one_unit_in_pictures_and_tables():
    table = result(
        row(0, "none", 10.0),
        row(1, "cheap", 12.0, flops=1.0, **ABOVE),
        row(2, "Dropout", 11.0, flops=2.0, **{**ABOVE, "difference": 1.0}),
        row(1, "cheap", 12.0, flops=1.0, variant=SECOND, **{**ABOVE, "baseline": "Dropout"}),
    )
    (cost,) = planes(table, means_of(table.tidy), "Avg.", [])
    assert cost.x == "compute, Dropout = 1, logarithmic"
    assert [dot.text for dot in cost.dots] == ["0.50, +2.00", "1.00, +1.00"]


@pytest.mark.parametrize(("low", "high", "ticks"), [
    (1.0, 5.0, ["1", "2", "5"]), (2.1, 4.3, ["3", "4"]), (1.0, 40.0, ["1", "2", "5", "10", "20"]),
    (0.1, 100.0, ["0.1", "1", "10", "100"]), (1.1, 2.2, ["1.5", "2"]),
])  # fmt: skip
def test_a_logarithmic_axis_has_round_numbers(low, high, ticks):
    table = result(
        row(0, "none", 10.0), row(1, "b", 12.0, flops=1.0, **ABOVE),
        row(2, "c", 11.0, usd=low, **ABOVE), row(3, "d", 11.0, usd=high, **ABOVE),
    )  # fmt: skip
    (cost,) = planes(table, means_of(table.tidy), "Avg.", [])
    assert cost.x == "USD for language models, logarithmic"
    assert [label for _, label in cost.x_ticks] == ticks


@pytest.mark.parametrize(("count", "numbered"), [(1, 1), (2, 1), (12, 2), (36, 5)])
def test_no_number_covers_a_dot_or_another_number_and_each_is_nearest_to_its_own_dot(count, numbered):
    dots = [(3.0 + 0.1 * (number % 5), 3.0 + 0.5 * number) for number in range(count)]
    numbers = numbers_beside(dots)
    in_pixels = [(WIDTH * left / 100, HEIGHT * top / 100) for left, top in dots]
    shown = [(own, WIDTH * each[0] / 100, HEIGHT * each[1] / 100) for own, each in enumerate(numbers) if each]
    assert len(shown) == numbered
    boxes = [(x, y, *NUMBER) for _, x, y in shown] + [(x, y, DOT, DOT) for x, y in in_pixels]
    for place, (own, x, y) in enumerate(shown):
        assert NUMBER[0] / 2 <= x <= WIDTH - NUMBER[0] / 2
        assert NUMBER[1] / 2 <= y <= HEIGHT - NUMBER[1] / 2
        for x_2, y_2, wide, high in boxes[place + 1 :]:
            is_beside = abs(x - x_2) >= (NUMBER[0] + wide) / 2 - 0.1
            assert is_beside or abs(y - y_2) >= (NUMBER[1] + high) / 2 - 0.1
        assert min(range(count), key=lambda dot: dist((x, y), in_pixels[dot])) == own
    assert count > 1 or numbers == [(3.0 + 100 * DISTANCES[0] / WIDTH, 3.0)]


def test_only_significant_differences_are_coloured():
    others = {"column": "B", "p": 0.2}
    table = result(row(0, "none", 10.0), row(1, "b", 12.0, **ABOVE), row(1, "b", 9.0, **{**BELOW, **others}))
    (found,) = heat_maps(table, means_of(table.tidy), ["Avg.", "B"])
    (label, ((gain, colour), (loss, grey))) = found.rows[0]
    assert (label, gain, loss, grey) == ("b", "+2.00", "-2.00", "")
    assert colour.startswith("color-mix(in srgb,var(--gain) 55%")


def test_a_card_says_gain_loss_cost_confidence_and_how_to_load_the_encoder():
    second = row(1, "b", 12.0, **{**ABOVE, "baseline": "c", "p": 0.4}, variant=SECOND)
    lost = {**BELOW, "column": "paws"}
    table = result(
        row(0, "none", 10.0), row(1, "b", 12.0, in_best_set=True, **ABOVE), second, row(1, "b", 5.0, **lost),
        row(2, "c", 11.0, in_best_set=True, **ABOVE), row(1, "b", 12.0, seed=42, run="p/r/seed42"),
        row(1, "b", 12.0, seed=43, run="p/r/seed43"),
        encoders=("a", "a", "a"), general=[["paws", {"task": "own_5"}]],
    )  # fmt: skip
    table.made["status"] = {"facts": {**FACTS, "verdict": "Use b.", "recommended run": "p/r/seed42"}}
    found = card(table._replace(load="results/x/encoder"), "Avg.")
    assert (found.title, found.choice, found.load, found.of) == (
        "Use b",
        "",
        'SentenceTransformer("results/x/encoder")',
        "This is one of 2 trainings (seed 42). The path begins in the folder of the project.",
    )
    assert found.facts["Gain"] == (
        "+2.00 [+1.00, +3.00] vs. none (p 0.010); +2.00 [+1.00, +3.00] vs. c (not significant)"
    )
    assert found.facts["Forgetting"] == "paws: -2.00 [-3.00, -1.00] vs. none (p 0.010)"
    assert found.facts["Confidence"] == (
        "High that it helps. All methods are significantly better than none. Which method is best is not "
        "certain: 2 may be, and none of these is significantly better than another."
    )
    assert "Harmful" not in found.facts
    assert found.facts["Unit"] == "Points of Spearman x100, mean of 2 test sets. Brackets are 95 % intervals."
    table.made["settings"]["about"]["rows"][0]["trained"] = False
    assert card(table, "Avg.").title == "If you train, use b: it helps on Avg., but harms paws"
    table.made["status"] = {"facts": {**FACTS, "verdict": "Each was trained once."}}
    assert card(table, "Avg.").title == "No method is recommended"


def test_a_card_names_one_method_and_those_that_may_be_as_good():
    facts = {**FACTS, "verdict": "Use b.", "recommended run": "p/r/seed42"}
    known = {"flops": 1.0, "usd": 0.0, **ABOVE}
    least = "{} methods are within one standard error of the best score, so they count as equal. Of these, "
    rest = "b needs the least compute."
    for tied, as_good, choice in (
        (0, "", ""),
        (1, "2", f"{least.format(2)}{rest}"),
        (3, "2; 3; 4", f"{least.format(4)}{rest}"),
    ):
        others = [row(2 + each, str(2 + each), 11.0, in_best_set=each < tied, **known) for each in range(3)]
        best = [
            row(1, "b", 12.0, in_best_set=True, **known),
            row(1, "b", 12.0, seed=42, run="p/r/seed42"),
        ]
        table = result(row(0, "none", 10.0, in_best_set=False), *best, *others, encoders=("a",) * 5)
        table.made["settings"]["about"]["rows"][0]["trained"] = False
        table.made["status"] = {"facts": facts}
        found = card(table, "Avg.")
        assert (found.title, found.choice) == ("Training helps: use b", choice)
        assert found.facts.get("May be as good", "") == as_good


def test_a_card_counts_methods_that_gain_and_says_if_the_chosen_one_does_not():
    close = {**ABOVE, "p": 0.4, "in_best_set": True}
    known = {"flops": 1.0, "usd": 0.0}
    named = row(1, "b", 12.0, seed=42, run="p/r/seed42")
    for own, confidence, choice in (
        (
            {**ABOVE, "in_best_set": True},
            "High that it helps. 2 of 3 methods are significantly better than none. Which method is best is "
            "not certain: 2 may be (1 of them with a significant gain), and none of these is significantly "
            "better than another.",
            "It is the only method that may be the best and gains significantly.",
        ),
        (
            close,
            "Low: its own gain is not significant. Each method with a significant gain is significantly "
            "worse than another method. Which method is best is not certain: 2 may be, and none of these is "
            "significantly better than another.",
            "2 methods are within one standard error of the best score, so they count as equal. Of these, b "
            "needs the least compute.",
        ),
    ):
        rows = row(1, "b", 12.0, **known, **own), row(2, "c", 11.0, **known, **close)
        worse = row(3, "d", 11.5, in_best_set=False, **known, **ABOVE)
        table = result(row(0, "none", 10.0, in_best_set=False), *rows, worse, named, encoders=("a",) * 4)
        table.made["status"] = {"facts": {**FACTS, "verdict": "Use b.", "recommended run": "p/r/seed42"}}
        found = card(table, "Avg.")
        assert (found.facts["Confidence"], found.choice) == (confidence, choice)


def test_a_card_says_costs_in_words():
    amounts = {"cpu_seconds": 25.3, "gpu_seconds": 0.0, "requests": 300.0, "tokens": None, "usd": 0.12}
    best = row(1, "b", 12.0, in_best_set=True, flops=3.0, **amounts, **ABOVE)
    table = result(
        row(0, "none", 10.0), best, row(1, "b", 12.0, seed=42, run="p/r/seed42"),
        row(2, "c", 11.0, flops=2.0, **{**amounts, "gpu_seconds": 1.0}, **ABOVE),
        encoders=("a", "a", "a"), costs=True,
    )  # fmt: skip
    for number, each in enumerate(table.made["settings"]["about"]["rows"]):
        each["runs"] = [f"p/r{number}/seed42"]
    table.made["status"] = {"facts": {**FACTS, "verdict": "Use b.", "recommended run": "p/r/seed42"}}
    assert card(table, "Avg.").facts["Cost"] == (
        "1.50 times the compute of 2; 25.3 CPU seconds for one training and its pairs; 300 requests to "
        "language models; 0.12 USD for language models; not known: tokens"
    )


def test_a_card_that_keeps_the_encoder_says_that_nothing_gains_significantly():
    table = result(
        row(0, "none", 10.0, in_best_set=True, run="released/a/auto"),
        row(1, "b", 10.1, in_best_set=True, **{**ABOVE, "p": 0.4}),
        row(2, "c", 8.0, in_best_set=False, **BELOW),
        encoders=("a", "a", "a"),
    )
    for each in table.made["settings"]["about"]["rows"][:1]:
        each |= {"trained": False, "note": "a: the package p is used, because x is missing"}
    table.made["status"] = {"facts": {**FACTS, "verdict": "Keep none.", "recommended run": "released/a/auto"}}
    found = card(table, "Avg.")
    assert found.facts["Harmful"] == "c (significantly worse than no training)"
    assert found.facts["Note"] == "a: the package p is used, because x is missing"
    assert (found.title, found.facts["Gain"], found.of) == ("Keep none", "None: it is the baseline.", "")
    assert (
        found.facts["Confidence"] == "No method gains significantly. Which method is best is not certain: "
        "2 may be, and none of these is significantly better than another."
    )
