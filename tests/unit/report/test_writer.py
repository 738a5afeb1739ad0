"""How cells are printed: CSV, Markdown, LaTeX, notes, the paper's table, training budgets."""

import re
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.base.markdown import markdown_table
from contrapose.report.about import TableRow
from contrapose.report.cells import RowCells, cell_table, encoder_cells
from contrapose.report.files import joined, write_csv
from contrapose.report.found import found_in
from contrapose.report.kinds.base import TableSettings
from contrapose.report.latex import latex
from contrapose.tables import HISTORY, SCORES, empty
from tests.kinds import about, cells, file

PLAIN = TableSettings(caption="A caption.")
PAPER = {"Paper: bert": {"A": 68.4, "C": 1.0}, "Paper: roberta": {"A": 70.16}}
ROWS = [
    TableRow(model="ours", runs=["p/r/seed42", "p/r/seed43"], published="Paper: bert", note="q stands in"),
    TableRow(model="whitened", runs=["p/w/seed42", "p/w/seed43"], note="q stands in"),
    TableRow(model="plain", runs=["released/e/mean"], trained=False),
    TableRow(model="gone", note="skipped: no such"),
]
VALUES = {"p/r/seed42": 1.0, "p/r/seed43": 2.0, "p/w/seed42": 5.0, "p/w/seed43": 5.0, "released/e/mean": 3.0}


def of_run(run: str) -> dict:
    if not run:
        return {"A": {"value": None, "n": 0}}
    return {"A": {"value": VALUES[run], "n": 9, "ci_low": VALUES[run] - 1, "ci_high": VALUES[run] + 1}}


def history(steps: int) -> pd.DataFrame:
    constant = {"epoch": 0, "loss": 1.0, "learning_rate": 1.0, "dev_score": np.nan, "best": False}
    return pd.DataFrame({"step": range(1, steps + 1), **constant, "sentences": 1, "tokens": 1})


def of_encoders(*logs, **facts) -> tuple:
    files = []
    for run, steps, counts in logs:
        names = dict(zip(("pairs", "recipe", "seed"), run.replace("seed", "").split("/"), strict=True))
        files.append(file(history(steps)[HISTORY.columns], HISTORY, wildcards=names, counts=counts))
    known = about(**{"seeds": [42, 43], "rows": ROWS, "histories": files, **facts})
    return known, cell_table(known, encoder_cells(known, of_run))


def test_a_row_has_a_cell_per_seed_and_their_mean_or_one_if_it_is_pretrained():
    _, tidy = of_encoders(published=PAPER)
    first, mean = tidy[tidy.model == "ours"].iloc[0], tidy[tidy.model == "ours"].iloc[2]
    assert (first.run, first.seed, first.value, first.ci_low) == ("p/r/seed42", 42, 1, 0)
    assert (mean.run, mean.value, mean["std"], mean.n) == ("", 1.5, pytest.approx(0.5**0.5), 9)
    assert pd.isna(mean.ci_low)
    assert pd.isna(mean.seed)
    assert (mean.published, mean.published_row) == (68.4, "Paper: bert")
    (plain,) = tidy[tidy.model == "plain"].to_dict("records")
    assert (plain["run"], plain["value"], plain["ci_low"], plain["published_row"]) == (
        "released/e/mean",
        3,
        2,
        "",
    )
    assert tidy[tidy.model == "gone"].value.isna().tolist() == [True]


def test_files_of_a_table_say_all_there_is_to_know():
    deviation = {"where": "section 1", "paper": "Open.", "ours": "Closed."}
    facts, tidy = of_encoders(published=PAPER, notes=["A note."], deviations=[deviation])
    made = PLAIN.report(facts, tidy, ["First."], "## More", common=["common"])
    assert made.csv.to_csv(index=False) == (
        'catalog,group,model,A,"A, published",note\n'
        "w,,ours,1.50 ± 0.71,68.40,q stands in; common\n"
        "w,,whitened,5.00 ± 0.00,,q stands in; common\n"
        "w,,plain,3.00,,common\n"
        "w,,gone,,,skipped: no such; common\n"
    )
    assert made.markdown == (
        "# t\n\nA caption.\n\nCatalog `w`: d.\n\n"
        "| model | A |\n| :-- | --: |\n"
        "| ours | 1.50 ± 0.71 |\n| whitened | 5.00 ± 0.00 |\n"
        "| plain | 3.00 |\n| gone | – |\n\n"
        "- First.\n- ours, whitened: q stands in\n- gone: skipped: no such\n- A note.\n\n"
        "## More\n\n"
        "## The paper's numbers\n\nAs printed in: A paper.\n\n"
        "| label | A |\n| :-- | --: |\n| Paper: bert | 68.40 |\n\n"
        "## Deviations from the paper, and points that it leaves open\n\n"
        "- section 1. Open. **In Contrapose:** Closed.\n"
    )


def test_the_papers_numbers_stand_behind_the_columns_of_their_rows_whatever_these_are_called():
    facts = about(published=PAPER)
    ours = {name: {"value": value, "n": 9} for name, value in {"A": 1.0, "A, published": 2.0}.items()}
    rows = [RowCells("ours", ours, published="Paper: bert")]
    rows.append(RowCells("other", {"A": {"value": 3.0, "n": 9}}, published="Paper: roberta"))
    tidy = cell_table(facts, rows)
    made = PLAIN.report(facts, tidy)
    assert made.csv.drop(columns=["catalog", "group", "note"]).to_dict("list") == {
        "model": ["ours", "other"],
        "A": ["1.00", "3.00"],
        "A, published (published)": ["68.40", "70.16"],
        "A, published": ["2.00", ""],
    }
    assert "A, published (published)" not in made.markdown


def test_no_number_of_a_paper_stands_beside_those_of_a_catalog_that_makes_its_own_text():
    facts, tidy = of_encoders(published=PAPER, generated=True)
    made = PLAIN.report(facts, tidy)
    assert list(made.csv) == ["catalog", "group", "model", "A", "note"]
    assert "68.4" not in made.csv.to_csv() + made.markdown


def test_numbers_are_printed_as_the_kind_says():
    class Fine(TableSettings):
        decimals: ClassVar = {"A": 4, "n": None}
        labels: ClassVar = {"label": "model", "llm": "group"}
        intervals, missing = True, "–"

        @property
        def counted(self) -> str:
            return "pairs"

    tidy = cells(
        {"value": 0.12345, "ci_low": 0.1, "ci_high": 0.2, "std": 0.3, "error": 0.4},
        {"column": "n", "value": 7.0},
        {"column": "B", "value": 0.125, "std": 0.3},
        {"value": 9.0, "seed": 42},
        {"value": 9.0, "slot": 0},
        {"row": 1, "model": "x", "group": "g", "n": 0},
    )
    assert Fine(caption="").printed(tidy).to_numpy().tolist() == [
        ["m", "", "9", "0.1235 [0.1000, 0.2000]", "7", "0.12 ± 0.30"],
        ["x", "g", "0", "–", "–", "–"],
    ]
    assert PLAIN.printed(tidy, "error")["A"].tolist() == ["0.12 ± 0.40", ""]


def test_a_row_has_the_budget_that_its_log_says_and_its_mean_what_all_seeds_share():
    facts, tidy = of_encoders(
        ("p/r/seed42", 15, {"pairs": 4800, "pairs_used": 960}),
        ("p/r/seed43", 12, {"pairs": 4800, "pairs_used": 960}),
        *((f"p/w/seed{seed}", 0, {"pairs": 10, "pairs_used": 10}) for seed in (42, 43)),
    )
    budgets = tidy[["training_pairs", "steps", "fraction_seen"]].astype(object)
    assert budgets.values.tolist()[:2] == [[4800, 15, 0.2], [4800, 12, 0.2]]
    assert budgets.isna().values.tolist()[2:] == [
        [False, True, False],  # the steps of the seeds differ
        *[[False] * 3] * 3,
        *[[True] * 3] * 2,
    ]
    made = PLAIN.report(facts, tidy)
    assert made.csv[budgets.columns].to_numpy().tolist() == [
        ["4800", "12–15", "0.20"],
        ["10", "0", "1.00"],
        *[["", "", ""]] * 2,
    ]
    assert "- training_pairs: the pairs of the pair set; steps: the optimiser steps;" in made.markdown


@pytest.mark.parametrize(
    ("log", "columns"),
    [
        (("p/r/seed42", 0, {}), []),  # too few pairs: nothing was trained
        (("p/r/seed42", 3, {"pairs": 8}), ["training_pairs", "steps"]),  # contrastive tension draws its own
    ],
)
def test_what_no_log_says_has_no_column(log, columns):
    assert PLAIN.printed(of_encoders(log)[1]).columns.tolist() == ["group", "model", "A", *columns]


def test_the_papers_numbers_are_said_to_be_of_other_language_models():
    facts, tidy = of_encoders(published=PAPER)
    rows = [row.model_copy(update={"asked": ["chatgpt is qwen"]}) for row in facts.rows]
    text = PLAIN.report(facts.model_copy(update={"rows": rows}), tidy).markdown
    assert (
        "As printed in: A paper. The paper used its own language models. In Contrapose: chatgpt is qwen.\n"
        in text
    )


def test_no_cell_of_a_csv_file_is_a_formula_and_numbers_stay(tmp_path):
    kept = ["-0.31 ± 0.05", "+20%", "-", "a=1", "−1", "", None]
    made = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-x", "\t=1", " =1", "\u202e=1", "＝1"]
    table = pd.DataFrame({"=model": [*kept, *made], "n": range(15), "value": [-0.5] * 15})
    write_csv(table, tmp_path / "a.csv")
    read = pd.read_csv(tmp_path / "a.csv", keep_default_na=False)
    assert read["'=model"].tolist() == [*(each or "" for each in kept), *(f"'{each}" for each in made)]
    assert read.value.tolist() == [-0.5] * 15


def test_a_table_says_what_its_models_ran_in_and_compares_no_two_precisions():
    def notes(*files):
        made = [file(empty(SCORES), SCORES, settings={}, **facts) for facts in files]
        return found_in(made, [], "table4_1").notes

    half = {"precision": ["bf16"], "auto_precision": {"cpu": "bf16"}}
    assert notes(half, half, {}) == ["Models ran in bf16."]
    assert notes(half, {"precision": ["fp16"]}) == ["Models ran in bf16 and fp16."]  # a recipe's own
    with pytest.raises(TableError, match=r"Set precision to float32 or bf16 in config\.yaml"):
        notes(half, {"precision": ["float32"], "auto_precision": {"cuda": "float32"}})


STRANGE = r"50 % of {a_b} & C:\new #1 $x ~ ^ < > | *b* 甲 \|"


def parsed(text: str) -> list[list[list[str]]]:
    """Return the cells of each table; fail where braces or environments are not balanced."""
    found, begun = [], []
    plain = re.sub(r"\\[&%$#_{}\\]", lambda each: "\n" if each[0] == r"\\" else "", text)
    assert plain.count("{") == plain.count("}")
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        begun.append(name) if kind == "begin" else begun.remove(name)
    assert begun == []
    for columns, body in re.findall(r"\\begin\{tabular\}\{([^\n]*)\}\n(.*?)\\end\{tabular\}", text, re.S):
        rows = [re.split(r"(?<!\\) & ", line) for line in body.splitlines() if line.endswith(r" \\")]
        widths = len(re.sub(r"p\{[^}]*\}", "p", columns))
        assert {len(row) for row in rows} == {widths}
        assert [body.count(rf"\{line}rule") for line in ("top", "mid", "bottom")] == [1, 1, 1]
        found.append(rows)
    return found


def test_every_table_of_a_page_is_there_with_its_caption_and_what_latex_reads_as_commands_is_escaped():
    scores = pd.DataFrame({"model": ["Dropout", STRANGE], "STS_12": ["82.36 ± 0.1 †", "-0.5 [-1, 0]"]})
    others = pd.DataFrame({"model": ["A"], "p & q": ["–"]})
    page = joined(
        ["# t_1", "A_caption.", markdown_table(scores), "- a\n- b", "## To 100 %", markdown_table(others)]
    )
    text = latex(page)
    first, second = parsed(text)
    assert first[0] == ["model", r"STS\_12 \\"]
    assert first[1] == ["Dropout", r"82.36 $\pm$ 0.1 $^\dagger$ \\"]
    assert first[2][1] == r"$-$0.5 [$-$1, 0] \\"
    assert first[2][0] == (
        r"50 \% of \{a\_b\} \& C:\textbackslash{}new \#1 \$x \textasciitilde{} \textasciicircum{} "
        r"\textless{} \textgreater{} \textbar{} *b* 甲 \textbackslash{}\textbar{}"
    )
    assert second == [["model", r"p \& q \\"], ["A", r"-- \\"]]
    assert re.findall(r"\\caption\{(.*)\}", text) == [r"A\_caption.", r"To 100 \%"]
    assert re.findall(r"\\label\{(.*)\}", text) == ["tab:t_1", "tab:t_1-2"]
    assert r"\begin{tabular}{p{0.80\linewidth}r}" in text
