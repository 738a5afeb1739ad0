"""Plots and figures: what they show, and that equal tables give equal files."""

import itertools
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import pyplot as plt

from contrapose.base.errors import TableError
from contrapose.report.output import Drawing, Report
from contrapose.report.plots import Layout, label_points, point_table
from contrapose.report.table_plots import scores_plot
from contrapose.tables import CELLS
from tests.kinds import about, cells, drawn


def tidy(seeds=(42,)):
    rows = []
    for row, (group, model) in enumerate([("A", "bert"), ("A", "roberta"), ("B", "bert")]):
        for column, value in [("STS12", 60.0), ("SICK-R", None), ("Avg.", 60.0)]:
            interval = {"ci_low": value - 2, "ci_high": value + 2} if column == "STS12" else {}
            cell = {"row": row, "group": group, "model": model, "column": column}
            rows += [{**cell, "seed": s, "value": value and value + s - 42, **interval} for s in seeds]
            rows.append({**cell, "value": value, **(interval if len(seeds) == 1 else {"std": 1.0})})
    return cells(*rows)


@pytest.mark.parametrize("seeds", [(42,), (42, 43)])
def test_equal_tables_give_equal_pictures(tmp_path, seeds):
    for shown in (tidy(seeds), tidy(seeds).assign(value=None)):  # also of a table without values
        plot = partial(scores_plot, shown, about(), "Spearman x100")
        drawn(Report(shown, CELLS, shown, "", plot), tmp_path, again=("pdf", "png", "svg"))


@pytest.fixture
def axes(monkeypatch):
    """The panels of the figures that are drawn."""
    panels = []
    monkeypatch.setattr(plt, "close", lambda figure: panels.extend(figure.axes))
    return panels


def labels(axis):
    return [label.get_text() for label in axis.get_yticklabels()]


def test_rows_of_one_baseline_are_drawn_as_differences_to_it(tmp_path, axes):
    seeds = tidy((42, 43)).assign(baseline="")
    compared = seeds.seed.isna() & (seeds["row"] > 0)
    above = {"baseline": "A: bert", "difference": 1.0, "difference_low": 0.5, "difference_high": 1.5}
    shown = seeds.assign(**{name: seeds[name].mask(compared, value) for name, value in above.items()})
    scores_plot(shown, about(), "Spearman x100", [tmp_path / "a.png"])
    assert labels(axes[0]) == ["A: roberta", "B: bert"]
    bars = np.concatenate([bar for lines in axes[0].collections for bar in lines.get_segments()])
    assert set(bars[:, 0]) == {0.5, 1.5}


def scatter(sources=("ours", "published")):
    rows = []
    for row, (group, model) in enumerate([("A", "bert"), ("A", "roberta"), ("B", "bert")]):
        for source in sources:
            for seed in (*((42, 43) if source == "ours" else ()), None):
                labels = {"source": source, "line": group, "label": model, "seed": seed}
                rows.append({**labels, "x": -row, "value": 0.1 * row + 0.01 * (seed or 0) % 1})
    return Drawing(point_table(about(), rows), Layout("dots", labelled=True), about())


def test_a_figure_names_every_row_its_groups_and_what_is_the_papers(tmp_path):
    drawn(scatter(), tmp_path)
    texts = []
    for sources in (("ours", "published"), ("ours",)):
        scatter(sources).draw([tmp_path / "a.svg"])
        texts.append((tmp_path / "a.svg").read_text())
    assert (texts[0].count(">bert<"), texts[0].count(">roberta<")) == (2, 1)
    assert all(f">{name}<" in texts[0] for name in ("A", "B"))
    assert ["hollow: the paper's" in text for text in texts] == [True, False]


def test_a_mark_of_an_svg_file_says_its_row_its_value_and_its_interval(tmp_path):
    bars = [{"line": "<b>", "label": "a", "x": 1.0, "value": 2.5}]
    for drawing, tips in (
        (partial(scores_plot, tidy(), about(), "rho"), {"A: roberta: 60 [58, 62]", "B: bert: 60"}),
        (partial(scores_plot, tidy((42, 43)), about(), "rho"), {"A: bert: 60 ± 1"}),
        (scatter().draw, {"bert, A, the paper's, x 0: 0", "roberta, A, x -1: 0.1"}),
        (Drawing(point_table(about(), bars), Layout("bars"), about()).draw, {"a, <b>, x 1: 2.5"}),
    ):
        drawing(files=[tmp_path / "a.svg"])
        root = ElementTree.fromstring((tmp_path / "a.svg").read_text())
        assert tips <= {each.text for each in root.iter("{http://www.w3.org/2000/svg}title")}
        assert not [each for each in root.iter("{http://www.w3.org/2000/svg}g") if "id" in each.attrib]


def test_no_two_lines_of_a_figure_look_alike(tmp_path, axes):
    lines = [{"line": f"row {at}", "label": "", "x": 0.0, "value": float(at)} for at in range(18)]
    Drawing(point_table(about(), lines), Layout("line"), about()).draw([tmp_path / "a.svg"])
    shown = [each for each in axes[0].lines if each.get_markersize() == 4]  # larger ones are for the pointer
    assert len({(each.get_color(), each.get_marker()) for each in shown}) == len(lines)


def test_labels_cover_no_mark_and_no_other_label():
    places = np.random.default_rng(0).uniform(0.4, 0.6, size=(12, 2))  # crowded in the middle
    figure, axis = plt.subplots()
    axis.set(xlim=(0, 1), ylim=(0, 1))
    names = [f"encoder number {at}" for at in range(12)]
    label_points(axis, places, names, places)
    boxes = {note.get_text(): note.get_window_extent() for note in axis.texts if note.get_text()}
    assert list(boxes) == names
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes.values(), 2))
    assert not any(box.contains(*mark) for box in boxes.values() for mark in axis.transData.transform(places))
    assert all(axis.bbox.containsx(box.x0) and axis.bbox.containsx(box.x1) for box in boxes.values())
    plt.close(figure)


def test_a_label_without_room_is_refused():
    figure, axis = plt.subplots()
    with pytest.raises(TableError, match="no room for the label"):
        label_points(axis, np.array([[0.5, 0.5]]), ["a long label " * 20], np.empty((0, 2)))
    plt.close(figure)
