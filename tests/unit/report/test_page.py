"""The page of a table: well-formed, loading nothing, with its cells, its plots and what made it."""

from html.parser import HTMLParser

import pandas as pd
import pytest

from contrapose.base.markdown import markdown_table
from contrapose.report.files import joined
from contrapose.report.page import cells, figure_markdown, page
from contrapose.report.results import CatalogFacts, Result, StudyResults
from contrapose.report.web import html_of, picture
from tests.kinds import about
from tests.kinds import cells as made_cells

VOID = {"meta", "img", "wbr", "br", "polyline"}  # polyline closes itself
IMAGE, CSV = "data:image/png;base64,AAAA", "data:text/csv;base64,AAAA"
CELL = {
    "group": "SimCSE", "model": "bert", "run": "a/b/seed42", "seed": 42, "column": "STS12",
    "value": 70.123, "n": 9, "ci_low": 60.0, "ci_high": 80.0, "std": None, "resampled": [60.0, 80.0],
    "published": 61.77, "published_row": "SimCSE: bert",
    "training_pairs": 960, "steps": 15, "fraction_seen": 0.2,
}  # fmt: skip
TIDY = made_cells(CELL, CELL | {"run": "", "seed": None})
ABOUT = about(generated=True).model_dump(mode="json")
MADE = {
    "rule": "report_sts_table",
    "code": "abc",
    "packages": {"numpy": "2"},
    "settings": {"about": ABOUT, "spec": {"caption": "C."}, "more": 1},
}
TABLE = "| group | model | STS12 |\n| :-- | :-- | --: |\n| SimCSE | bert | 70.12 |"
TEXT = f"# t\n\nA caption.\n\n{TABLE}\n\n![t](t.png)\n"


class Read(HTMLParser):
    """Reads a page; complains about tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.text = ""
        self.tags: list[str] = []
        self.feed(str(html))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.tags.append(tag)
        self.loaded += [value for name, value in attributes if name in ("src", "href", "srcset", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


STUDY = StudyResults("s", "A study", "A paper", "snakemake s", [], [], {})


def catalog(generated: bool) -> CatalogFacts:
    return CatalogFacts("w", "d", generated)


def result(images: dict[str, str] | None = None, tidy: pd.DataFrame = TIDY) -> Result:
    shown = {"t.png": IMAGE} if images is None else images
    return Result("tables", "t", "C.", "snakemake x", tidy, MADE, TEXT, shown, {"t.csv": CSV})


def written(generated: bool = True, **given: dict) -> str:
    return page(result(**given), STUDY, catalog(generated))


def test_a_page_is_well_formed_and_loads_nothing():
    text = written()
    html = Read(text)
    assert sorted(set(html.loaded)) == ["#overview", IMAGE, CSV]
    assert "@import" not in text
    assert "url(" not in text
    assert "script" not in html.tags


def test_a_page_says_what_made_it():
    text = Read(written()).text
    for wanted in ("snakemake x", "report_sts_table", "abc", "numpy 2", '"more": 1', "A study"):
        assert wanted in text


def test_tables_and_plots_of_a_page_say_what_they_are():
    text = written()
    assert 'alt="Plot of C' in text
    assert text.count("<caption>") == text.count("<table>") == 2
    assert '<th scope="col" tabindex="0" class="number">STS12</th>' in text
    assert '<th scope="row"><span class="group">SimCSE</span> bert</th>' in text


def test_a_papers_numbers_are_beside_ours_but_not_in_a_catalog_that_makes_its_own_text():
    assert "61.77" not in written(generated=True)
    beside = cells(result(), catalog(generated=False))
    assert beside.columns[:2] == ["group", "model"]
    row = dict(zip(beside.columns, beside.rows[0], strict=True))
    assert (row["value"], row["ci_low"], row["ci_high"], row["published"]) == ("70.123", "60", "80", "61.77")
    assert "61.77" in written(generated=False)


def test_a_page_links_to_what_is_made_of_its_table():
    other = result()._replace(
        name="c_pareto", kind="figures", made={"settings": {"spec": {"of": ["t", "u"]}}}
    )
    study = STUDY._replace(results=[result(), other], prefix="c_")
    assert study.of(result()._replace(name="c_t")) == [other]
    assert study.of(other) == study.of(result()._replace(name="c_tt")) == []
    assert '<a href="#figures/c_pareto">C</a>' in page(result(), study, catalog(True))


@pytest.mark.parametrize(
    "text",
    [
        "<b>bold</b>",
        "</td><script>alert(1)</script>",
        "C:\\new\\path",
        "*Offer* `now` [x](y)",
        "&lt; &copy &amp;lt; &#60; \\<b>",
        "![x](http://x)",
    ],
)
def test_what_strangers_wrote_is_shown_as_it_is(text):
    markdown = joined([text, markdown_table(pd.DataFrame({"anchor": [text], "label": [1]}))])
    assert "<" not in markdown
    html = Read(html_of(markdown, "t", {}))
    assert text in html.text
    assert {"script", "b", "img", "a"}.isdisjoint(html.tags)
    assert html.loaded == []


def test_an_svg_file_beside_a_png_file_is_shown_in_its_size_and_no_other_markup_is(tmp_path):
    (tmp_path / "t.png").write_bytes(b"PNG")
    assert picture(tmp_path / "t.png").startswith("data:image/png;base64,")
    svg = '<svg width="72pt" height="36pt" viewBox="0 0 72 36"><title>a</title></svg>'
    (tmp_path / "t.svg").write_text(f"<?xml version='1.0'?>\n{svg}\n")
    shown = picture(tmp_path / "t.png")
    assert shown.startswith('<svg width="150" height="75" viewBox="0 0 72 36"><title>')
    assert "<svg" in written(images={"t.png": shown})
    assert "<svg" not in written(images={"t.png": str(shown)})


def test_a_figure_in_a_catalog_of_its_own_text_says_so():
    text = figure_markdown(MADE)
    assert text.startswith("# t\n\nC.\n\nCatalog `w`: d.\n\n![t](t.png)\n")
    assert "cannot be compared with any paper's" in text


def test_notes_on_methods_are_a_table_and_the_others_stay_below_it():
    rows = [{"group": "", "model": name, "encoder": "e", "note": ""} for name in ("A", "A, guided", "B")]
    notes = (
        "- Avg.: mean of STS12, STS13.\n- A, guided, B: e: another one stands in\n- A: skipped: no file\n"
        "- 1.5 % of the training texts are cut after 64 word pieces: A, A, guided.\n- Models ran in bf16.\n"
    )
    made = {**MADE, "settings": {"about": {**ABOUT, "rows": rows}, "spec": {"kind": "sts"}}}
    given = result()._replace(made=made, text=f"# t\n\n{TABLE}\n\n{notes}\n## Difference\n\nMore.\n")
    html = page(given, STUDY, catalog(True))
    folded = html.partition("<summary>Notes</summary>")[2].partition("</details>")[0]
    for cells_of_row in (
        ("A", "1.5 %", "skipped: no file"),
        ("A, guided", "1.5 %", "e: another one stands in"),
    ):
        assert all(f">{cell}<" in folded for cell in cells_of_row)
    assert "Avg.: mean of STS12, STS13." in folded
    assert "Models ran in bf16." in folded
    assert "<h2>Difference</h2>" in html.partition("</details>")[2]


def test_numbers_have_no_exponents_and_infinity_is_a_word():
    tidy = made_cells(CELL | {"flops": 3.640996e12, "p": 2.3e-05, "more_pairs": float("inf"), "usd": 0.0})
    shown = cells(result(tidy=tidy), catalog(True))
    row = dict(zip(shown.columns, shown.rows[0], strict=True))
    wanted = {"flops": "3,640,996,000,000", "p": "below 0.0001", "more_pairs": "none", "usd": "0"}
    assert {name: row[name] for name in wanted} == wanted
    assert not any(shown.words[shown.columns.index(name)] for name in wanted)


def test_a_title_is_the_beginning_of_the_caption_after_the_number_in_the_paper():
    caption = "An encoder without training, and trained on pairs: equal budgets. Spearman x100."
    start = "An encoder without training, and trained on pairs"
    assert result()._replace(name="compare_pairs", caption=caption).title == start
    assert result()._replace(name="table4_1", caption=caption).title == f"Table 4.1: {start}"
    assert result()._replace(name="rise_fig2", caption="Scores.").title == "Figure 2: Scores"
    assert result()._replace(name="thesis", caption="").title == "thesis"


def test_pairs_are_cards_that_mark_changed_words_as_text():
    pair = {"row": 1, "group": "", "model": "B", "anchor": "a <b> dog", "positive": "a <b> cat"}
    numbers = {"negative": None, "label": None, "cosine": 0.5, "negative_cosine": None}
    means = {"mean_cosine": 0.75, "mean_negative_cosine": None}
    made = {**MADE, "settings": {"about": ABOUT, "spec": {"kind": "samples"}}}
    tidy = pd.DataFrame([pair | numbers | means])
    given = result()._replace(made=made, tidy=tidy, text="# t\n\nC.\n\n### B\n\nfolded\n")
    html = page(given, STUDY, catalog(True))
    assert "a &lt;b&gt; <del>dog</del> <ins>cat</ins>" in html
    assert "mean cosine before training: positives 0.750" in html
    assert "folded" not in html


def test_pairs_of_equal_texts_are_explained():
    pair = {
        "row": 1,
        "group": "",
        "model": "Dropout",
        "anchor": "a dog",
        "positive": "a dog",
        "negative": None,
    }
    numbers = {"label": None, "cosine": 1.0, "negative_cosine": None, "mean_cosine": 1.0}
    rows = [pair | numbers | {"mean_negative_cosine": None}]
    made = {**MADE, "settings": {"about": ABOUT, "spec": {"kind": "samples"}}}
    note = (
        "<p>Both texts of each pair are the same, and so their cosine is 1. This method changes them only "
        "during training, for example by dropout inside the encoder.</p>"
    )
    same = result()._replace(made=made, tidy=pd.DataFrame(rows))
    some = same._replace(tidy=pd.DataFrame([*rows, rows[0] | {"positive": "a cat"}]))
    assert note in page(same, STUDY, catalog(True))
    assert note not in page(some, STUDY, catalog(True))
