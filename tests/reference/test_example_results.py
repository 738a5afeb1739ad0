"""Tables in READMEs: that of examples/wiki is recomputed from cosines, that of examples/evidence compared."""

import re
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import spearmanr

from contrapose.evaluate.evaluation import RunSettings
from contrapose.evaluate.suite import sts_scores
from contrapose.report.about import About, TableRow
from contrapose.report.comparison import SECOND
from contrapose.report.comparison_text import marked_ties, summary
from contrapose.report.headers import COST
from contrapose.report.inference import LEVEL, _pair, comparisons, equivalence, most_above, spreads
from contrapose.report.kinds.sts import STSTable
from contrapose.report.recommendation import Family, _families, recommendations, significant
from contrapose.report.resampling import Resamples, scored_pairs
from contrapose.report.row_costs import printed_costs
from contrapose.report.row_settings import BaselineRow
from contrapose.report.scores import ScoreColumn, ScoreTable, score_cells
from contrapose.report.verdict import verdict
from contrapose.retrieve.benchmarks import BenchmarkFiles, read_benchmarks
from contrapose.tables import BENCHMARK, CELLS, read_provenance, read_table, write_table
from tests.checkout import HOME
from tests.reference.real import DATA, on_real_files

FOLDER = HOME / "examples/wiki"
SETS = {"own": BenchmarkFiles(kind="stsb", task="own", path="test_pairs", splits=["test"], form="raw")}
COLUMN, MARGIN = "Test pairs", 0.3
READ = HOME / "docs/explanation/read-the-table.md"
FINDINGS, DETAILS = (HOME / f"docs/explanation/findings{each}.md" for each in ("", "-details"))
EVIDENCE = HOME / "examples/evidence/README.md"
SOUP = " model soup"
DIFFERENCE = r"[+-]\d+\.\d+ \[[+-]?\d+\.\d+, [+-]?\d+\.\d+\]"  # with its interval


@pytest.fixture(scope="module")
def shipped() -> pd.DataFrame:
    return read_table(FOLDER / "reference/compare_pairs.parquet", CELLS)


@pytest.fixture(scope="module")
def recomputed(shipped, tmp_path_factory) -> pd.DataFrame:
    pairs, _ = read_benchmarks(FOLDER / "data", SETS)
    cosines = pd.read_parquet(FOLDER / "reference/cosines.parquet")
    form = cosines.form.iloc[0]
    pairs = pairs[pairs.split == "test"].assign(form=form).reset_index(drop=True)
    scores = []
    for run, of_run in cosines.groupby("run"):
        ordered = of_run.set_index("row").cosine.loc[pairs.row].to_numpy(float)
        scores.append(sts_scores(pairs, ordered, RunSettings(run=run)))
    rows = rows_of(shipped)
    seeds = sorted(shipped.seed.dropna().unique())
    about = About(
        **{"name": "compare_pairs", "source": "s", "catalog": "own", "catalog_description": "d"},
        **{"generated": False, "rows": rows, "seeds": seeds},
    )
    table = ScoreTable(
        columns=[ScoreColumn(COLUMN, "own")],
        form=form,
        baseline=[BaselineRow(row="No training"), BaselineRow(row="Dropout")],
        margin=MARGIN,
    )
    file = tmp_path_factory.mktemp("sets") / "own.parquet"
    write_table(pairs, file, BENCHMARK)
    resamples = Resamples(about.bootstrap, scored_pairs([file], ["own"], form, "test"))
    return score_cells(pd.concat(scores, ignore_index=True), table, about, resamples)


def rows_of(shipped: pd.DataFrame) -> list[TableRow]:
    averaged = {name: runs_of(shipped, name.removesuffix(SOUP)) for name in shipped.model if SOUP in name}
    return [
        TableRow(
            model=(name := cells.model.iloc[0]),
            runs=runs,
            trained=bool(cells.seed.notna().any()),
            averaged=averaged.get(name, []),
        )
        for _, cells in shipped[shipped.variant == ""].groupby("row")
        for runs in [[run for run in cells.run.unique() if run]]
    ]


def runs_of(cells: pd.DataFrame, model: str) -> list[str]:
    return [run for run in cells.run[cells.model == model].unique() if run]


def means(tidy: pd.DataFrame, variant: str = "") -> pd.DataFrame:
    chosen = tidy[tidy.seed.isna() & (tidy.variant == variant) & tidy.value.notna()]
    return chosen.set_index("model").drop(columns="resampled")


@pytest.mark.parametrize("variant", ["", SECOND])
def test_the_shipped_table_follows_from_the_shipped_cosines(shipped, recomputed, variant):
    ours, theirs = means(recomputed, variant), means(shipped, variant)
    assert list(ours.index) == list(theirs.index)
    names = ["value", "std", "difference", "difference_low", "difference_high"]
    np.testing.assert_allclose(ours[names].astype(float), theirs[names].astype(float), atol=2e-4)
    np.testing.assert_allclose(ours.p.astype(float), theirs.p.astype(float), atol=2e-3)
    facts = {"in_best_set": "boolean", "rank_low": "Int16", "rank_high": "Int16"}
    pd.testing.assert_frame_equal(ours[[*facts]].astype(facts), theirs[[*facts]].astype(facts))


@pytest.fixture(scope="module")
def printed(shipped) -> pd.DataFrame:
    """The shipped table as a run prints it."""
    about = About.model_validate(
        read_provenance(FOLDER / "reference/compare_pairs.parquet")["settings"]["about"]
    )
    kind = STSTable(kind="sts", caption="", columns={COLUMN: "own"}, rows=[{"model": "m", "encoder": "mine"}])
    shown = kind.printed_parts(shipped[shipped.variant != SECOND])
    shown = shown.join(pd.concat({COST: printed_costs(shipped, about.rows)}, axis=1))
    return summary(shipped, marked_ties(shipped, shown), [COLUMN], COLUMN, 2)


def cells(text: str, first: str) -> list[list[str]]:
    """Return the cells of the rows of the first Markdown table whose header begins so."""
    lines = text[text.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in lines[2:]]


def test_the_readme_of_the_example_has_the_rows_that_a_run_prints(printed):
    rows = printed.to_numpy().tolist()
    assert cells((FOLDER / "README.md").read_text(), "method") == rows
    assert cells((FOLDER / "reference/compare_pairs.md").read_text(), "method") == rows
    shown = READ.read_text().split("| method | Spearman")[1:]
    explained = [row for part in shown for row in cells(f"| method |{part}", "method")]
    assert len(explained) == 5
    assert [row for row in explained if row not in rows] == []


@pytest.fixture(scope="module")
def family(shipped) -> Family:
    """The methods of the shipped table, compared with no training."""
    first = next(_families(shipped, COLUMN))
    return Family(*first, decimals=2, items="pairs", margin=MARGIN, of_table=rows_of(shipped))


def test_the_page_shows_the_methods_within_one_standard_error_and_dropout(family, printed):
    above = significant(family.compared, 1)["row"]
    candidates = family.rows[family.rows.in_best_set.eq(True) & family.rows["row"].isin(above)]
    highest = int(candidates.loc[candidates.value.idxmax(), "row"])
    below = most_above(family.scores, highest)
    compute = dict(zip(printed.iloc[:, 0], printed.iloc[:, -1], strict=True))
    expected = {family.label(highest): ["–", "–", "yes"]}
    for row in candidates["row"].drop(candidates.value.idxmax()):
        gap, error = -below[row].difference, below[row].error
        expected[family.label(row)] = [f"{gap:.2f}", f"{error:.2f}", "yes" if gap <= error else "no"]
    shown = {name: values for name, *values in cells(READ.read_text(), "candidate")}
    assert shown == {
        name: [*values, compute[name]]
        for name, values in expected.items()
        if values[-1] == "yes" or name == "Dropout"
    }
    said = " ".join(READ.read_text().replace("> ", "").split())
    page = (FOLDER / "reference/compare_pairs.md").read_text()
    (recommendation,) = (line for line in page.splitlines() if line.startswith("Use "))
    assert recommendation in said


def test_the_page_shows_where_the_interval_of_an_equivalence_begins(family):
    (one,), (dropout,) = (
        family.rows["row"][family.rows.model == each] for each in ("Punctuation", "Dropout")
    )
    tested = comparisons(family.scores, {one: dropout})[one]
    assert tested.difference < 0
    assert "-0.08 [-0.31, +0.14] ≈" in READ.read_text()
    assert f"{tested.difference:+.2f} [{tested.low:+.2f}, {tested.high:+.2f}]" == "-0.08 [-0.31, +0.14]"
    # The 90 % interval ends at the least margin within which the difference is equivalent.
    (begin,) = re.findall(r"begins at -(\d\.\d+) instead of -0\.31", READ.read_text().replace("\n", " "))
    assert equivalence(tested, float(begin) + 0.005) <= LEVEL < equivalence(tested, float(begin) - 0.005)


def test_the_pages_count_the_methods_of_a_new_project(family):
    study = yaml.safe_load((FOLDER / "config/studies/compare/study.yaml").read_text())
    names = [row["model"] for row in study["tables"]["pairs"]["rows"]]
    assert names[0] == "No training"
    averages = [name for name in names if name in ("Dropout model soup", "Dropout weight interpolation")]
    (counts,) = re.findall(
        r"lists (\d+) methods: ten that need only sentences, (\d+) that need further input",
        " ".join((HOME / "docs/explanation/compared-with-other-tools.md").read_text().split()),
    )
    every, trained = len(names) - 1, len(names) - 1 - len(averages)
    assert [*map(int, counts)] == [every, trained - 10]
    assert f"{len(family.compared)} methods and five" in READ.read_text()


def test_the_page_of_statistics_works_out_a_difference(family):
    (crop,), (dropout,) = (family.rows["row"][family.rows.model == each] for each in ("Span crop", "Dropout"))
    scores = {row: score._replace(freedom=849.0) for row, score in family.scores.items()}  # of 850 pairs
    spread = spreads(scores)
    single = _pair(scores, spread, crop, dropout)
    both = comparisons(scores, {row: dropout for row in scores if row != dropout})[crop]
    over_pairs, over_seeds = single.over_pairs**0.5, (single.error**2 - single.over_pairs) ** 0.5
    interval = f"{single.low:+.2f} to {single.high:+.2f}"
    expected = [*(f"{scores[row].values.mean():.2f}" for row in (crop, dropout)), f"{single.difference:+.2f}"]
    expected += [f"{each:.3f}" for each in (over_pairs, over_seeds, single.error)]
    expected += [f"{single.difference / single.error:.2f}", interval, f"{single.p:.2f}", f"{both.p:.3f}"]
    text = (HOME / "docs/explanation/statistics.md").read_text()
    assert [number for _, number, *_ in cells(text, "step")] == expected


# Methods of README and findings, by the labels of the tables that a run wrote.
METHODS = {
    "No training (score)": "No training",
    "Dropout (SimCSE)": "Dropout",
    "Mixed negatives (MixCSE)": "Dropout and mixed negatives (MixCSE)",
    "Repetition and a momentum queue (ESimCSE)": "Repeated word pieces and a queue (ESimCSE)",
    "Feature cutoff and token shuffling (ConSERT)": "Columns cut off and pieces shuffled (ConSERT)",
    "LLM paraphrases": "LLM paraphrases",
    "LLM paraphrases and LLM hard negatives": "LLM paraphrases and LLM negatives",
}
NOT_IN_README = ("ESimCSE", "ConSERT", "MixCSE")
README_METHODS = {
    name: label for name, label in METHODS.items() if not any(each in name for each in NOT_IN_README)
}
README_METHODS["Word shuffling"] = "Word order"


def test_the_table_of_run_a_in_the_findings_has_the_gains_of_both_encoders():
    expected: dict[str, list[list[float]]] = {}
    for encoder in ("unlearned", "released"):
        table = (HOME / f"examples/evidence/reference/evidence_{encoder}_914.md").read_text()
        gains = {row[0]: row[-1] for row in cells(table[table.index("## Difference to No") :], "model")}
        for name, *_, average in cells(table, "model"):
            if name == "No training" or name.endswith(", selected"):
                gain = gains.get(name, average).partition(", p")[0]
                expected.setdefault(name.removesuffix(", selected"), []).append(numbers(gain))
    shown = cells(DETAILS.read_text(), "method")
    assert [name for name, *_ in shown] == [*METHODS]
    for name, *values in shown:
        for value, exact in zip(values, expected[METHODS[name]], strict=True):
            assert numbers(value) == pytest.approx(exact, abs=0.0501), name


def test_the_readme_has_the_gains_of_one_run_on_similarity_and_on_word_order():
    columns = []
    for encoder in ("released", "unlearned"):
        for table, column in (
            (f"{encoder}_914", "Avg."),
            (f"{encoder}_914_word_order", "PAWS-X English dev"),
        ):
            path = HOME / f"examples/evidence/reference/cpu/evidence_{table}.csv"
            scores = pd.read_csv(path, index_col="model")[column].str.partition(" ")[0].astype(float)
            columns.append(scores - scores["No training"] * (scores.index != "No training"))
    shown = cells((HOME / "README.md").read_text(), "method")
    assert {name for name, *_ in shown} == {*README_METHODS}
    for name, *values in shown:
        exact = [each[README_METHODS[name]] for each in columns]
        assert [float(each) for each in values] == pytest.approx(exact, abs=0.0501), name
    most, losses, gains, _ = (each.drop("No training") for each in columns)
    assert (len(losses), round(most.max(), 1)) == (15, 1.4)  # as the text says
    assert [*map(round, (losses.max(), losses.min(), gains.min(), gains.max()))] == [-3, -9, 11, 17]


def test_the_thesis_stands_next_to_contrapose_as_both_are_printed():
    page = (HOME / "examples/evidence/reference/cpu/real_table4_1.md").read_text()
    steps = {name: row[1] for name, *row in cells(page[page.index("## What each row took") :], "pairs")}
    ours = [
        (label_of_table_4_1(name, steps[name]), [each.split()[0] for each in row[:5]])
        for name, *row in cells(page, "pairs")
    ]
    printed = pd.read_csv(HOME / "config/studies/thesis/published/table4_1.csv", dtype=str)
    rows = [
        ("Unsupervised SimCSE reference", "SimCSE-BERT-base"),
        ("ChatGPT paraphrases", "bert-base-uncased"),
    ]
    sets = ["STS12", "STS13", "STS15", "STS-B", "SICK-R"]
    text = (HOME / "docs/papers/thesis-details.md").read_text()
    simcse, paraphrases, *shown = cells(text, "table 4.1")
    assert [simcse[1:], paraphrases[1:]] == printed.set_index(["group", "model"]).loc[
        rows, sets
    ].to_numpy().tolist()
    assert [(name, row) for name, *row in shown] == ours


def label_of_table_4_1(name: str, steps: str) -> str:
    """Return how the page of the thesis names a row of real_table4_1."""
    method = name.removeprefix("Unsupervised ").replace("LLM negatives", "LLM hard negatives")
    method = f"{method} ({steps} steps)" if steps != "–" else method.lower()
    return f"Contrapose, erased encoder: {method}"


def test_the_released_encoder_has_the_same_scores_on_a_gpu_and_on_cpus():
    folder = HOME / "examples/evidence/reference"
    on_gpu = cells((folder / "evidence_released_914.md").read_text(), "model")
    on_cpus = cells((folder / "cpu/evidence_released_914.md").read_text(), "pairs")
    gpu, cpus = (
        {name: [float(score.split()[0]) for score in row[:4]] for name, *row in rows}
        for rows in (on_gpu, on_cpus)
    )
    both = [*(gpu.keys() & cpus.keys())]
    assert len(both) == 7
    difference = np.array([gpu[each] for each in both]) - [cpus[each] for each in both]
    assert np.abs(difference).max() < 0.2  # as examples/evidence/README.md says


def of_both_runs(encoder: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return averages of runs A and B over their common test sets; dev pairs chose the settings of A."""
    folder = HOME / "examples/evidence/reference"
    run_a = cells((folder / f"evidence_{encoder}_914.md").read_text(), "model")
    run_b = cells((folder / f"cpu/evidence_{encoder}_914.md").read_text(), "pairs")
    a, b = (
        {name: np.mean([float(score.split()[0]) for score in row[:4]]) for name, *row in rows}
        for rows in (run_a, run_b)
    )
    chosen = {name: a.get(f"{name}, selected") for name in b} | {"No training": a["No training"]}
    return {name: score for name, score in chosen.items() if score is not None}, b


def test_the_findings_say_how_much_the_gains_of_both_runs_differ():
    ranges = []
    for encoder in ("released", "unlearned"):
        a, b = of_both_runs(encoder)
        gaps = {name: abs(a[name] - a["No training"] - b[name] + b["No training"]) for name in a}
        assert gaps.pop("No training") == 0
        assert len(gaps) == 6
        other_rate = [gaps.pop("LLM paraphrases and LLM negatives")] if encoder == "released" else []
        ranges.append([min(gaps.values()), max(gaps.values())])
        ranges += [other_rate] * bool(other_rate)
    text = DETAILS.read_text()
    (said,) = re.findall(r"\n\*\*How far both runs agree\.\*\*(.*?)\n\n", text, re.DOTALL)
    shown = [float(each) for each in re.findall(r"\d\.\d+", said)]
    assert shown == pytest.approx([each for several in ranges for each in several], abs=0.0051)
    lowest, highest = ranges[-1]
    assert f"differ by {lowest:.2f} to {highest:.2f} points" in " ".join(EVIDENCE.read_text().split())


def test_the_differences_from_dropout_of_both_runs_are_those_of_their_tables():
    a, b = of_both_runs("unlearned")
    exact = {
        short: [run[METHODS[name]] - run["Dropout"] for run in (a, b)]
        for short, name in {
            "LLM paraphrases": "LLM paraphrases",
            "hard negatives": "LLM paraphrases and LLM hard negatives",
            "ConSERT": "Feature cutoff and token shuffling (ConSERT)",
            "ESimCSE": "Repetition and a momentum queue (ESimCSE)",
            "MixCSE": "Mixed negatives (MixCSE)",
        }.items()
    }
    details, example = (" ".join(page.read_text().split()) for page in (DETAILS, EVIDENCE))
    (longer,) = re.findall(r"\*\*Differences from Dropout agree less(.*?) These differences", details)
    (shorter,) = re.findall(r"These are gains over Dropout.*?:(.*?) The two erased encoders", example)
    for said, methods in ((longer, [*exact]), (shorter, [*exact][:4])):
        shown = [float(each) for each in re.findall(r"\+\d\.\d+", said)]
        expected = [each for method in methods for each in exact[method]]
        assert shown == pytest.approx(expected, abs=0.0051)
        places = [said.index(method) for method in methods]
        assert places == sorted(places)
    assert f"by up to {max(abs(of_a - of_b) for of_a, of_b in exact.values()):.1f} points" in longer


def test_the_pages_say_how_much_the_erased_encoders_of_both_runs_differ():
    folder = HOME / "examples/evidence/reference"
    untrained, *_ = cells((folder / "evidence_unlearned_914.md").read_text(), "model")
    again, *_ = cells((folder / "cpu/evidence_unlearned_914.md").read_text(), "pairs")
    both = [
        tuple(float(score.split()[0]) for score in pair)
        for pair in zip(untrained[1:5], again[1:5], strict=True)
    ]
    of_a, of_b = max(both, key=lambda each: abs(each[0] - each[1]))
    for page in (DETAILS, EVIDENCE):
        text = " ".join(page.read_text().split())
        assert re.search(f"differ (before training )?by up to {abs(of_a - of_b):.1f} points", text)
        assert f"{of_a:.2f}" in text
        assert f"{of_b:.2f}" in text


@pytest.mark.parametrize(
    ("page", "least"),
    [(FINDINGS, 27), (DETAILS, 150), (EVIDENCE, 29)],
    ids=["short", "details", "evidence"],
)
def test_the_findings_have_the_differences_that_tables_print(page, least):
    text, folder = " ".join(page.read_text().split()), HOME / "examples/evidence/reference"
    found = [*re.finditer(DIFFERENCE, text)]
    others = [HOME / f"examples/{each}/README.md" for each in ("wiki", "documents")]
    others += (HOME / "examples/laptop/reference").glob("*.md")
    pages = " ".join(" ".join(file.read_text().split()) for file in [*sorted(folder.rglob("*.md")), *others])
    printed = np.array([numbers(each.group()) for each in re.finditer(DIFFERENCE, pages)])
    assert len(found) >= least
    for said in (numbers(each.group()) for each in found):
        assert np.abs(printed - said).max(axis=1).min() < 0.051, said
    with_p = re.findall(rf"{DIFFERENCE}, p (?:below )?\d\.\d+", text)
    assert [each for each in with_p if each not in pages] == []


@pytest.fixture(scope="module")
def picture():
    """The program that draws the picture of the findings."""
    path = HOME / "examples/gain_and_word_order.py"
    module = module_from_spec(spec := spec_from_file_location("gain_and_word_order", path))
    spec.loader.exec_module(module)
    return module


def test_the_picture_of_the_findings_is_that_of_the_tables(picture, tmp_path):
    picture.draw(drawn := tmp_path / "drawn.svg")
    assert picture.PICTURE.read_text() == drawn.read_text()
    released, erased = ([picture.changes(each) for each in panel] for panel in picture.PANELS.values())
    assert ([len(each) for each in released], [len(each) for each in erased]) == (
        [15, 17, 11, 5],
        [15, 19, 6],
    )
    # As its caption says.
    for points in released:
        assert spearmanr(points[picture.SIMILARITY], points[picture.WORD_ORDER]).statistic < 0
    improved = [(points > 0).all(axis=1).mean() for points in erased]
    assert min(improved) > 0.89


def test_the_findings_say_how_many_methods_gain_and_lose_with_the_released_encoder():
    folder = HOME / "examples/evidence/reference/cpu"
    page = (folder / "evidence_released_914.md").read_text()
    header = next(line for line in page.splitlines() if line.startswith("| pairs |"))
    gain = [cell.strip() for cell in header.strip()[1:-1].split("|")].index("above No training")
    gains = {name: row[gain - 1] for name, *row in cells(page, "pairs") if name != "No training"}
    parts = (folder / "evidence_released_914_word_order.md").read_text().split("\n## Difference to ")
    losses = {name: cell for name, cell, *_ in cells(parts[1], "model")}
    text = (FOLDER / "reference/with_word_order.md").read_text()
    wiki = {name: row for name, *row in cells(text[text.index("## Difference to No training") :], "model")}
    hundred, larger = (
        [differences_on_laptop(table, "No training") for table in tables]
        for tables in (("released_methods", "released_word_order"), ("base_methods", "base_word_order"))
    )
    runs = [
        (gains, losses),
        ({name: row[0] for name, row in wiki.items()}, {name: row[1] for name, row in wiki.items()}),
        *(
            tuple({name: each[name] for name in each if name != "No training"} for each in tables)
            for tables in (hundred, larger)
        ),
    ]
    shown = cells(FINDINGS.read_text(), "experiment with the released encoder")
    for (gains, losses), (_, methods, gaining, losing, sizes) in zip(runs, shown, strict=True):
        better = [name for name, cell in gains.items() if numbers(cell)[0] > 0 and significantly(cell)]
        lost = [numbers(losses[name])[0] for name in better if significantly(losses[name])]
        assert (len(gains), len(better), len(lost)) == (int(methods), int(gaining), int(losing))
        assert max(lost) < 0
        assert sizes == f"{-max(lost):.1f} to {-min(lost):.1f}"


@on_real_files
def test_no_encoder_can_have_more_points_on_word_order_than_the_findings_say():
    files = {"pawsx": BenchmarkFiles(kind="pawsx_dev", task="pawsx_en_dev", path="xtreme_en", complete=True)}
    pairs, _ = read_benchmarks(DATA / "pawsx", files)
    gold = pairs[pairs.split == "test"].score
    order = np.empty(len(gold))
    order[np.argsort(gold, kind="stable")] = np.arange(len(gold))
    most = f"no encoder can exceed {100 * spearmanr(gold, order).statistic:.0f} points"
    assert most in " ".join(FINDINGS.read_text().split())


# Methods of the main table of the findings, in the order of the tables that run B wrote.
OF_RUN_B = {
    "Word deletion": "Word deletion",
    "Word repetition": "Word repetition",
    "Word shuffling": "Word order",
    "Span crop": "Span crop",
    "Punctuation (EdaCSE)": "Punctuation",
    "Prefix (PrdSimCSE)": "Prefix",
    "Repetition and a momentum queue (ESimCSE)": METHODS["Repetition and a momentum queue (ESimCSE)"],
    "Feature cutoff and token shuffling (ConSERT)": METHODS["Feature cutoff and token shuffling (ConSERT)"],
    "Mixed negatives (MixCSE)": METHODS["Mixed negatives (MixCSE)"],
    "LLM paraphrases": "LLM paraphrases",
    "Filtered LLM paraphrases": "LLM paraphrases within bounds",
    "LLM paraphrases and LLM hard negatives": METHODS["LLM paraphrases and LLM hard negatives"],
    "LLM paraphrases and mined negatives": "LLM paraphrases and mined negatives",
    "LLM paraphrases and mined negatives with a guide (GISTEmbed)": (
        "LLM paraphrases and guided mined negatives (GISTEmbed)"
    ),
}


def test_the_main_table_of_the_findings_has_what_run_b_wrote():
    untrained, dropout, *shown = cells(DETAILS.read_text(), "run B, difference to Dropout")
    assert [name for name, *_ in shown] == [*OF_RUN_B]
    folder = HOME / "examples/evidence/reference/cpu"
    for column, encoder in ((1, "unlearned"), (3, "released")):
        table = (folder / f"evidence_{encoder}_914.md").read_text()
        rows = {name: row for name, *row in cells(table, "pairs")}
        header = next(line for line in table.splitlines() if line.startswith("| pairs |"))
        names = [cell.strip() for cell in header.strip()[1:-1].split("|")][1:]
        average, gain, lead = (names.index(each) for each in ("Avg.", "above No training", "above Dropout"))
        assert numbers(untrained[column]) == pytest.approx(numbers(rows["No training"][average]), abs=0.0501)
        for (_, *said), exact in [(dropout, rows["Dropout"][gain])] + [
            (each, rows[OF_RUN_B[each[0]]][lead]) for each in shown
        ]:
            difference, p = said[column - 1 : column + 1]
            told = f"{difference.replace('**', '').removesuffix(' ≈')}, p {p}{' ≈' * ('≈' in difference)}"
            assert told == exact
            assert ("**" in difference) == (p.startswith("below") or float(p) <= LEVEL)


@pytest.mark.parametrize("encoder", ["released", "unlearned"])
def test_the_tables_of_the_example_have_what_run_b_wrote(encoder):
    folder = HOME / "examples/evidence/reference/cpu"
    page = (folder / f"evidence_{encoder}_914.md").read_text()
    rows = {name: row for name, *row in cells(page, "pairs")}
    header = next(line for line in page.splitlines() if line.startswith("| pairs |"))
    names = [cell.strip() for cell in header.strip()[1:-1].split("|")][1:]
    average, lead = (names.index(each) for each in ("Avg.", "above Dropout"))
    parts = (folder / f"evidence_{encoder}_914_word_order.md").read_text().split("\n## Difference to ")
    on_paws_x, _, paws_x_leads = ({name: cell for name, cell, *_ in cells(part, "model")} for part in parts)
    shown = cells(EVIDENCE.read_text(), "released encoder" if encoder == "released" else "erased encoder")
    labels = {"No training": "No training", "Dropout": "Dropout"} | OF_RUN_B
    assert len(shown) == {"released": 6, "unlearned": 10}[encoder]
    for name, similarity, difference, *others in shown:
        label = labels[name]
        assert similarity == rows[label][average].split()[0]
        p, score, beyond = (others[0], others[1], None) if encoder == "released" else ("", *others)
        assert score == on_paws_x[label].split()[0]
        if label == "Dropout":
            continue
        lead_here = rows[label][lead].removesuffix(" ≈")
        exact, _, exact_p = lead_here.partition(", p ")
        assert difference.replace("**", "") == exact
        assert p in (exact_p, "")
        if beyond is None:
            continue
        assert ("**" in difference) == significantly(lead_here)
        assert beyond.replace("**", "") == paws_x_leads[label].partition(", p ")[0]
        assert ("**" in beyond) == significantly(paws_x_leads[label])
    better = {
        name
        for name, row in rows.items()
        if row[lead].startswith("+") and is_small(row[lead].partition(", p ")[2])
    }
    if encoder == "unlearned":  # the table has exactly the methods that are significantly better
        assert {labels[name] for name, *_ in shown[2:]} == better
    else:
        assert better == {"Punctuation"}


@pytest.mark.parametrize("encoder", ["released", "unlearned"])
def test_a_table_of_word_order_has_the_encoders_of_its_table_but_no_search(encoder):
    # Pairs about word order have no dev pairs, so a search would be refused.
    study = (HOME / "examples/evidence/config/studies/evidence/study.yaml").read_text()
    searched, plain = (
        yaml.safe_load(study)["tables"][f"{encoder}_914{each}"]["rows"] for each in ("", "_word_order")
    )
    assert plain == [{key: value for key, value in row.items() if key != "grid"} for row in searched]


def is_small(p: str) -> bool:
    """Return whether a printed p is significant."""
    return p.startswith("below") or float(p.removesuffix(" ≈")) <= LEVEL


def test_the_table_of_word_order_in_the_findings_has_what_run_b_wrote():
    header = "run B, PAWS-X, difference to Dropout"
    untrained, dropout, *shown = cells(DETAILS.read_text(), header)
    assert [name for name, *_ in shown] == [*OF_RUN_B]
    for column, encoder in ((1, "unlearned"), (3, "released")):
        path = HOME / f"examples/evidence/reference/cpu/evidence_{encoder}_914_word_order.md"
        scores, gains, leads = (
            {name: on_paws_x for name, on_paws_x, *_ in cells(part, "model")}
            for part in path.read_text().split("\n## Difference to ")
        )
        assert numbers(untrained[column]) == pytest.approx(numbers(scores["No training"]), abs=0.0501)
        for (_, *said), exact in [(dropout, gains["Dropout"])] + [
            (each, leads[OF_RUN_B[each[0]]]) for each in shown
        ]:
            difference, p = said[column - 1 : column + 1]
            assert f"{difference.replace('**', '')}, p {p}" == exact
            assert ("**" in difference) == (p.startswith("below") or float(p) <= LEVEL)


IN_BOLD = "difference to Dropout"  # the table that has bold differences in place of p
# Texts of the findings on the small model, by the labels of the tables that a run wrote.
OF_SMALL = {
    "queries": "Queries (GPL)",
    "paraphrases": "LLM paraphrases",
    "paraphrases and hard negatives": "LLM paraphrases + LLM negatives",
    "invented sentences, their paraphrases and hard negatives": (
        "LLM sentences and their paraphrases (SynCSE-scratch)"
    ),
    "translations into german and back": "Back-translation by a small model",
    "claude's paraphrases": "Paraphrases by a large LLM",
    "claude's paraphrases and hard negatives": "Paraphrases and negatives by a large LLM",
    "paraphrases by claude": "Paraphrases by a large LLM",
    "paraphrases and hard negatives by claude": "Paraphrases and negatives by a large LLM",
    "nli triplets": "NLI triplets from a file",
    "nli triplets of snli": "NLI triplets from a file",
    "next sentence": "Next sentence",
    "dropout": "Dropout",
    "word shuffling": "Word shuffling",
}


def differences_on_laptop(table: str, baseline: str) -> dict[str, str]:
    """Return the difference of each method to a baseline, as a run printed it."""
    text = (HOME / f"examples/laptop/reference/{table}.md").read_text()
    section = f"## Difference to {baseline}"
    if section in text:
        column = -2 if "over sets" in text else -1
        rows = {method: row[column] for method, *row in cells(text[text.index(section) :], "model")}
    else:
        column = ["No training", "Dropout"].index(baseline) + 1
        rows = {method: row[column] for method, *row in cells(text, "method")}
    return rows


@pytest.mark.parametrize(
    ("header", "baseline", "tables", "lines"),
    [
        (
            *("16 steps, released, vs. no training", "No training"),
            *(["released_methods", "released_word_order"], 11),
        ),
        (
            *("100 sentences, vs. Dropout", "Dropout"),
            *(["erased_sets", "erased_methods", "base_erased"], 2),
        ),
        (
            *("text by the small model, vs. Dropout", "Dropout"),
            *(["released_methods", "erased_methods", "erased_sets"], 5),
        ),
        (
            *(IN_BOLD, "Dropout"),
            *(["erased_methods", "erased_word_order", "released_methods", "released_word_order"], 10),
        ),
    ],
    ids=["word_order", "erased", "texts", "details"],
)
def test_the_findings_on_the_small_model_have_what_runs_printed(header, baseline, tables, lines):
    exact = [differences_on_laptop(table, baseline) for table in tables]
    shown = cells(DETAILS.read_text(), header)
    methods = [
        OF_SMALL[re.sub(r",? by the small model| \(SynCSE-scratch\)", "", name).lower()] for name, *_ in shown
    ]
    assert len({*methods}) == len(shown) == lines
    for method, (_, *row) in zip(methods, shown, strict=True):
        told = [each[method] for each in exact]
        if header == IN_BOLD:  # in place of p
            told = [each.removesuffix(" ≈") for each in told]
            parts = [each.partition(", p ")[0] for each in told]
            told = [
                f"**{part}**" if significantly(each) else part for part, each in zip(parts, told, strict=True)
            ]
        assert row == told, method


def test_the_findings_say_which_methods_cost_the_released_encoder_word_order():
    similarity, order = (
        differences_on_laptop(table, "No training") for table in ("released_methods", "released_word_order")
    )
    signs = {
        method: [numbers(each[method])[0] * significantly(each[method]) for each in (similarity, order)]
        for method in order
    }
    better = {method: on_order for method, (on_sts, on_order) in signs.items() if on_sts > 0}
    losses = sorted(better.values())
    assert (len(signs), len(better), losses[0], losses[-2], losses[-1]) == (11, 5, -6.20, -4.15, -1.68)
    kept = {method: signs[method] for method in signs if signs[method][1] >= 0}
    assert [method for method, (_, on_order) in kept.items() if on_order > 0] == ["Queries (GPL)"]
    assert {method for method, (on_sts, _) in kept.items() if on_sts < 0} == {
        "NLI triplets from a file",
        "Next sentence",
    }
    assert len(kept) == 4
    assert not any(on_sts > 0 for on_sts, _ in kept.values())


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"[+-]?\d+\.\d+", text)]


def test_the_readme_of_the_example_has_what_its_table_recommends(shipped):
    (said,) = recommendations(shipped, [COLUMN], margin=MARGIN, rows=rows_of(shipped))
    assert f"\n\n{said.text}\n\n" in (FOLDER / "reference/compare_pairs.md").read_text()
    quoted = " ".join(re.findall("^> (.*)$", (FOLDER / "README.md").read_text(), re.MULTILINE))
    assert quoted.endswith("so they count as equal.")
    assert said.text.startswith(f"{quoted} ")


def test_the_recommendation_of_the_second_run_follows_from_its_scores_on_both_sets():
    path = FOLDER / "reference/with_word_order.parquet"
    about = About.model_validate(read_provenance(path)["settings"]["about"])
    table = ScoreTable(
        columns=[ScoreColumn(COLUMN, "own"), ScoreColumn("PAWS-X", "pawsx_en_dev")],
        average=None,
        margin=MARGIN,
        costs=True,
        general=["PAWS-X"],
    )
    said = verdict(read_table(path, CELLS), table, about)
    assert f"\n\n{said.text}\n\n" in (FOLDER / "reference/with_word_order.md").read_text()
    printed = re.search("```text\n(.*?)```", (HOME / "README.md").read_text(), re.DOTALL)[1]
    assert all(line in said.text for line in re.split(r" \.\.\.\n|\n", printed) if line)


def test_the_page_has_the_differences_on_word_order_that_the_second_run_printed():
    page, table = (FOLDER / name for name in ("README.md", "reference/with_word_order.md"))
    text = table.read_text()
    exact = {
        method: row for method, *row in cells(text[text.index("## Difference to No training") :], "model")
    }
    shown = {method: row for method, *row in cells(page.read_text(), "method | STS-B, vs. no training")}
    significant_ones = {method for method, row in exact.items() if any(map(significantly, row))}
    assert shown == {method: exact[method] for method in significant_ones}
    losses = [row[1] for row in exact.values()]
    assert all(numbers(loss)[0] < 0 for loss in losses)
    assert sum(map(significantly, losses)) == 16  # as the pages say
    gained = [row[1] for row in exact.values() if significantly(row[0])]
    assert (len(gained), sum(map(significantly, gained))) == (16, 15)


@on_real_files
def test_the_scores_of_word_order_are_those_of_the_shipped_cosines():
    files = {"pawsx": BenchmarkFiles(kind="pawsx_dev", task="pawsx_en_dev", path="xtreme_en", complete=True)}
    pairs, _ = read_benchmarks(DATA / "pawsx", files)
    gold = pairs[pairs.split == "test"].set_index("row").score
    cosines = pd.read_parquet(FOLDER / "reference/word_order_cosines.parquet")
    printed = pd.read_csv(FOLDER / "reference/with_word_order.csv", index_col="model")["PAWS-X"].dropna()
    scores = printed.astype(str).str.partition(" ")[0].astype(float)
    means = {
        model: np.mean(
            [100 * spearmanr(each.cosine, gold.loc[each.row]).statistic for _, each in runs.groupby("seed")]
        )
        for model, runs in cosines.groupby("model")
    }
    assert means == pytest.approx(scores.to_dict(), abs=0.0051)


# Of tables of examples/laptop: the name of the cosines, the file, its column, and the page with its header.
LAPTOP = [
    ("methods", "methods", "Test pairs", "reference/methods.md", "method"),
    ("hundred", "hundred", "Test pairs", "reference/hundred.md", "method"),
    ("released", "released_methods", "STS-B", "results.md", "method on the released encoder"),
    ("erased", "erased_methods", "STS-B", "results.md", "method on the erased encoder"),
    ("base", "base_methods", "STS-B", "results.md", "method on all-mpnet-base-v2"),
    ("base_erased", "base_erased", "STS-B", "results.md", "method on all-mpnet-base-v2, partly erased"),
]


# Methods of the pages of examples/laptop, in the order of the README, by the labels that a run wrote.
OF_LAPTOP = {
    "No training": "No training",
    "Queries (small model)": "Queries (GPL)",
    "Invented sentences (small model)": "LLM sentences and their paraphrases (SynCSE-scratch)",
    "Paraphrases (small model)": "LLM paraphrases",
    "Back-translation (small model)": "Back-translation by a small model",
    "Paraphrases and hard negatives (small model)": "LLM paraphrases + LLM negatives",
    "Paraphrases (Claude)": "Paraphrases by a large LLM",
    "Paraphrases and hard negatives (Claude)": "Paraphrases and negatives by a large LLM",
    "Word shuffling": "Word shuffling",
    "NLI triplets": "NLI triplets from a file",
}


@pytest.mark.parametrize(("name", "table", "column", "page", "header"), LAPTOP)
def test_the_methods_of_the_laptop_have_the_scores_of_their_cosines(name, table, column, page, header):
    folder = HOME / "examples/laptop/reference"
    pairs, _ = read_benchmarks(FOLDER / "data", SETS)
    gold = pairs[pairs.split == "test"].set_index("row").score
    cosines = pd.read_parquet(folder / f"{name}_cosines.parquet")
    printed = pd.read_csv(folder / f"{table}.csv", index_col="model")[column].dropna()
    scores = printed.str.partition(" ")[0].astype(float)
    means = {}
    for model, of_model in cosines.groupby("model"):
        per_seed = [
            100 * spearmanr(each.cosine, gold.loc[each.row]).statistic for _, each in of_model.groupby("seed")
        ]
        means[model] = np.mean(per_seed)
    assert means == pytest.approx(scores.to_dict(), abs=0.0051)
    text = (HOME / "examples/laptop" / page).read_text()
    shown = {OF_LAPTOP.get(name, name): float(row[0].split()[0]) for name, *row in cells(text, header)}
    assert shown == scores.to_dict()
    results = (HOME / "examples/laptop/results.md").read_text()
    assert page == "results.md" or f"]({page})" in results


# Tables of results.md: the header of each, the tables of runs whose cells it has, and whether it also has the
# differences to no training.
PRINTED = {
    "method on the released encoder": (["released_methods", "released_word_order"], True),
    "method on the released encoder, four sets": (["released_sets"], True),
    "method, 300 sentences": (["compare_pairs"], True),
    "method on the erased encoder": (["erased_methods", "erased_sets", "erased_word_order"], False),
    "method on all-mpnet-base-v2": (["base_methods", "base_word_order"], True),
    "method on all-mpnet-base-v2, partly erased": (["base_erased", "base_erased_word_order"], False),
}


def of_laptop(name: str) -> dict[str, tuple[str, str, str]]:
    """Return the score of each line of a table, and its differences to no training and to Dropout."""
    text = (HOME / f"examples/laptop/reference/{name}.md").read_text()
    section = "## Difference to "
    if section not in text:
        return {method: (row[0].removesuffix(" †"), row[1], row[2]) for method, *row in cells(text, "method")}
    column = -2 if "over sets" in text else -1
    above, against = (
        {method: row[column] for method, *row in cells(text[text.index(f"{section}{baseline}") :], "model")}
        for baseline in ("No training", "Dropout")
    )
    return {
        method: (row[-4].removesuffix(" †"), above.get(method, ""), against.get(method, ""))
        for method, *row in cells(text, "model")
    }


def emphasised(cell: str) -> str:
    """Return a difference of a run as the pages show it: bold in place of p."""
    difference = cell.partition(", p ")[0]
    return (f"**{difference}**" if cell and significantly(cell) else difference) + " ≈" * cell.endswith("≈")


@pytest.mark.parametrize("header", PRINTED)
def test_the_results_of_the_laptop_have_the_cells_that_a_run_printed(header):
    text = (HOME / "examples/laptop/results.md").read_text()
    shown = {OF_LAPTOP.get(name, name): row for name, *row in cells(text, header)}
    names, both = PRINTED[header]
    tables = [of_laptop(name) for name in names]
    assert {*shown} == {*tables[0]}
    for name, row in shown.items():
        expected: list[str] = []
        for table in tables:
            score, above, against = table[name]
            expected += [score, *[emphasised(above)] * both, emphasised(against)]
        assert row == expected, name


@pytest.mark.parametrize("table", ["released_methods", "compare_pairs", "methods", "hundred", "base_methods"])
def test_no_method_was_better_than_dropout_on_a_released_encoder(table):
    # As both pages say, of STS-B.
    against = [dropout for _, _, dropout in of_laptop(table).values() if dropout]
    assert len(against) >= 5
    assert all(numbers(each)[0] < 0 or not significantly(each) for each in against)


@pytest.mark.parametrize(
    ("encoder", "tables", "baseline"),
    [
        ("released", ["released_methods", "released_sets", "released_word_order"], 1),  # 1: no training
        ("erased", ["erased_methods", "erased_sets", "erased_word_order"], 2),  # 2: Dropout
    ],
    ids=["released", "erased"],
)
def test_the_readme_of_the_laptop_answers_with_printed_differences(encoder, tables, baseline):
    page = (HOME / "examples/laptop/README.md").read_text()
    shown = cells(page, f"training texts, {encoder} encoder")
    columns = [(table, baseline) for table in tables]
    if encoder == "released":
        columns.append(("released_sets", 2))
    first = {1: "Dropout", 2: "No training"}[baseline]
    assert [name for name, *_ in shown] == [first, *(name for name in OF_LAPTOP if name != "No training")]
    for name, *row in shown:
        exact = [of_laptop(table)[OF_LAPTOP.get(name, name)][of] for table, of in columns]
        for cell, against in zip(row, exact, strict=True):
            difference = against.partition(" ")[0]
            bold = difference and significantly(against)
            assert cell == (f"**{difference}**" if bold else difference)


def test_the_pages_of_the_laptop_have_the_differences_that_its_tables_print():
    folder = HOME / "examples/laptop"
    pages = "".join((folder / name).read_text() for name in ("README.md", "results.md"))
    tables = "".join(page.read_text() for page in (folder / "reference").glob("*.md"))
    found = {" ".join(each.split()) for each in re.findall(DIFFERENCE.replace(" ", r"\s+"), pages)}
    assert len(found) >= 120
    assert found - {*re.findall(DIFFERENCE, tables)} == set()
    with_p = re.findall(rf"{DIFFERENCE}, p (?:below )?\d\.\d+", " ".join(pages.split()))
    assert with_p
    assert [each for each in with_p if each not in tables] == []


# The lines of the summary in results.md of methods.md and hundred.md: the methods of each, by the two tables.
SUMMARY = [
    (["Back-translation", "Synonym", "Dictionary by probability", "Soft negatives by negation (SNCSE)"], []),
    ([], ["Dictionary by probability"]),
    ([], ["Dictionary by fluency (PPDB-CSE)"]),
    ([], ["LLM sentences and their paraphrases (SynCSE-scratch)"]),
    (["Paraphrases by a large LLM"], []),
    ([], ["Paraphrases by a large LLM"]),
    (["LLM paraphrases"], []),
    ([], ["LLM paraphrases"]),
    ([], ["Queries (GPL)"]),
    ([], ["LLM tasks with queries and documents (E5-mistral)"]),
    ([], ["One LLM paraphrase + mined negatives"]),
    ([f"Distillation of {each}" for each in ("pair cosines", "batch cosines", "ranks (RankCSE)")], []),
    (["Distillation of vectors"], []),
    (["Punctuation + negation (SDA)"], []),
    ([], ["Modal words + negation (SDA)", "Double negation + negation (SDA)"]),
    ([], ["One LLM paraphrase and a contradiction (SynCSE)", "LLM paraphrases in styles (GCSE)", "TSDAE"]),
    (["Next sentence"], []),
    ([], ["DINO texts", "Reweighted DINO texts (RISE)", "NLI triplets from a file"]),
    ([], [f"One LLM paraphrase + {each}" for each in ("LLM negative", "scored LLM negative (MultiCSR)")]),
    ([], ["One LLM paraphrase + relabelled mined negatives (Gecko)"]),
]


def test_the_summary_of_the_laptop_has_what_its_two_tables_say():
    folder, found, every = HOME / "examples/laptop/reference", [], set()
    for name in ("methods", "hundred"):
        rows = {row[0]: row[2:4] for row in cells((folder / f"{name}.md").read_text(), "method")}
        found.append(rows)
        every |= {(name, method) for method in rows} - {(name, "No training"), (name, "Dropout")}
    shown = cells((HOME / "examples/laptop/results.md").read_text(), "texts or method")
    for (_, _, said, result), methods in zip(shown, SUMMARY, strict=True):
        told = [rows[each] for rows, of in zip(found, methods, strict=True) for each in of]
        every -= {
            (name, each) for name, of in zip(("methods", "hundred"), methods, strict=True) for each in of
        }
        exact = sorted(numbers(against)[0] for _, against in told)
        assert {min(numbers(said)), max(numbers(said))} == {exact[0], exact[-1]}
        if "≈" not in told[0][1]:
            worse = all(significantly(untrained) and numbers(untrained)[0] < 0 for untrained, _ in told)
            strongest = "worse than both" if worse else "worse than Dropout"
            differs = all(significantly(against) for _, against in told)
            assert result.partition(" (p")[0] == (strongest if differs else "not significantly different")
        else:
            assert all("≈" in against for _, against in told)
            assert result == "equivalent to Dropout"
    assert every == set()


def significantly(cell: str) -> bool:
    p = cell.rpartition(", p ")[2].removesuffix(" ≈")
    return p.startswith("below") or float(p) <= LEVEL
