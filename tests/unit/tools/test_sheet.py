from types import SimpleNamespace

import pandas as pd
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from contrapose.base.errors import ConfigError, TableError
from contrapose.project import Project
from contrapose.report.files import write_csv
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.text.equal_text import INVISIBLE, equal_text
from contrapose.tools import sheet as module
from contrapose.tools.new import HOME, write
from contrapose.tools.sheet import checked, make, read

HEADER = "sentence1,sentence2,score\n"
GRADED = f'{HEADER}A man sings.,Someone sings.,4.5\n"One, two.",Three.,0\nIt rains.,It pours.,3\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of ten sentences without test pairs, and what it is as a project now."""
    (tmp_path / "lines.txt").write_text("".join(f"Sentence number {number}.\n" for number in range(30)))
    encoder = HOME / "resources/mini/encoders/bert-base"
    write(tmp_path / "own", str(encoder), {"sentences": tmp_path / "lines.txt"})
    monkeypatch.chdir(tmp_path / "own")
    return lambda: Project(yaml.safe_load(open("config/config.yaml").read()), HOME)


def test_a_graded_sheet_becomes_the_test_pairs(folder, tmp_path):
    file = tmp_path / "sheet.csv"
    file.write_text(GRADED)
    assert "data/test_pairs/test.csv: 3 test pairs, graded 0 to 4.5, mean 2.50." in read(file, folder())
    catalog = folder().catalog
    pairs, _ = read_benchmarks(tmp_path / "own/data", catalog.benchmarks)
    assert pairs.score.tolist() == [4.5, 0, 3]
    file.write_text(GRADED.replace(",3\n", ",3.5\n"))
    read(file, folder())  # a sheet may be corrected
    assert "3.5" in (tmp_path / "own/data/test_pairs/test.csv").read_text()


def test_a_sheet_takes_the_place_of_pairs_that_are_made_but_not_of_a_file(folder, tmp_path):
    file, catalog = tmp_path / "sheet.csv", tmp_path / "own/config/catalogs/own.yaml"
    file.write_text(GRADED)
    made = "similarity: {kind: documents, task: own, corpus: test_sentences}"
    graded = "similarity: {kind: graded, task: own, path: test_pairs, splits: [test]}"
    catalog.write_text(catalog.read_text().replace(graded, f"{made}  # a note").replace(
        "{path: sentences.txt}", "{path: sentences.txt, documents: blank_lines}"
    ))  # fmt: skip
    read(file, folder())
    assert f"  {graded}\n" in catalog.read_text()
    catalog.write_text(catalog.read_text().replace(graded, graded.replace("kind: graded", "kind: pairs")))
    with pytest.raises(ConfigError, match="exists, but does not come from a graded sheet"):
        read(file, folder())


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("A.,B.,\nC.,D.,2\nE.,F., \n", "2 of 3 pairs without a grade: line 2, line 4. Grade them"),
        ("A.,B.,5.5\nC.,D.,2\nE.,F.,low\n", r"not from 0 to 5: line 2 \(5.5\), line 4 \(low\)"),
        ("A.,B.,2\nC.,D.,2\nE.,F.,2\n", "3 graded pairs with 1 different grades"),
        ("A.,B.,2\nC.,D.,1\n", "pairs with 2 different grades"),
        ("".join(f"A {each}.,B.,\n" for each in range(25)), "line 21 and 5 more"),
    ],
)
def test_grades_that_lack_or_are_wrong_are_named_by_line(rows, says, tmp_path):
    (tmp_path / "sheet.csv").write_text(HEADER + rows)
    with pytest.raises(TableError, match=says):
        checked(tmp_path / "sheet.csv")


def test_the_graded_pairs_of_a_sheet_are_read_alone_if_one_says_so(folder, tmp_path):
    file = tmp_path / "sheet.csv"
    file.write_text(f"{GRADED}It snows.,It is cold.,\nSo.,Yes.,7\n")
    wrong = r"1 of 5 pairs not from 0 to 5: line 6 \(7\)"
    with pytest.raises(TableError, match=rf"(?s){wrong}.*: line 5\..*--graded-only$"):
        checked(file)
    with pytest.raises(TableError, match=rf"sheet\.csv: {wrong}"):
        checked(file, graded_only=True)
    file.write_text(f"{GRADED}It snows.,It is cold.,\n")
    assert "3 test pairs, graded 0 to 4.5, mean 2.50." in read(file, folder(), graded_only=True)
    assert "It snows" not in (tmp_path / "own/data/test_pairs/test.csv").read_text()


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.xlsx"])
def test_a_sheet_that_a_german_spreadsheet_program_saved_is_read(folder, tmp_path, name):
    rows = [("A man sings.", "Someone sings; loud.", "4,5"), ("Rot.", "Blau.", "0"), ("A.", "B.", "2,25")]
    table = pd.DataFrame(rows, columns=["sentence1", "sentence2", "score"])
    file = tmp_path / name
    table.to_excel(file, index=False) if name.endswith("x") else table.to_csv(file, sep=";", index=False)
    assert "3 test pairs, graded 0 to 4.5, mean 2.25." in read(file, folder())
    written = pd.read_csv(tmp_path / "own/data/test_pairs/test.csv")
    assert written.score.tolist() == [4.5, 0, 2.25]
    assert written.sentence2.tolist() == table.sentence2.tolist()


@given(
    st.lists(st.text("'=+-@＝﹦\t\u200ba1").filter(equal_text), min_size=3, max_size=9, unique_by=equal_text)
)
@example(["1", "=1", "\u200b'=1"])
def test_no_cell_of_a_sheet_is_a_formula_and_all_are_read_as_they_were(tmp_path_factory, texts):
    path = tmp_path_factory.getbasetemp() / "formulas.csv"
    table = pd.DataFrame({"sentence1": texts, "sentence2": texts, "score": range(len(texts))}).assign(
        score=lambda each: each.score % 5
    )
    write_csv(table, path)
    for line in checked(path):
        assert line.fields[0] == line.fields[1] in texts
    written = pd.read_csv(path, dtype=str, keep_default_na=False).sentence1
    assert not written.str.translate(INVISIBLE).str.match("[=@＝﹦\t]").any()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--make", "0"], "--make 0: a sheet needs at least 3 pairs, better hundreds."),
        (["--make", "20", "--to", "sheet.xlsx"], r"--to sheet\.xlsx: a sheet is a CSV file"),
    ],
)
def test_a_sheet_is_csv_and_has_pairs(arguments, says):
    with pytest.raises(ConfigError, match=says):
        module.main(arguments)


def test_grades_are_not_written_over_and_a_folder_needs_a_pair_set(folder, tmp_path):
    options = SimpleNamespace(to=tmp_path / "sheet.csv", make=10, config=[])
    options.to.touch()
    with pytest.raises(ConfigError, match="may contain grades"):
        make(options, folder())
    options.to.unlink()
    recipes = tmp_path / "own/config/recipes.yaml"
    recipes.write_text(recipes.read_text().replace("to_grade:", "another:"))
    with pytest.raises(ConfigError, match="has no pair set to_grade"):
        make(options, folder())
    catalog = tmp_path / "own/config/catalogs/own.yaml"
    catalog.write_text(catalog.read_text().replace("{kind: graded,", "{kind: pairs,"))
    with pytest.raises(ConfigError, match="has test pairs already, so there is nothing to grade"):
        make(options, folder())


def test_a_sheet_has_each_drawn_pair_once_without_its_cosine(folder, tmp_path, monkeypatch):
    from contrapose.pairs.stratified import StratifiedPairs, build
    from contrapose.tables import PAIRS, write_table

    def run(command):
        assert command[-1] == "results/pairs/to_grade+size=2.parquet"
        drawn = pd.DataFrame({"anchor": ["A.", "C."], "text": ["B, b.", "D."], "score": [0.1, 0.9]})
        spec = StratifiedPairs(kind="stratified", corpus="c", encoder="e", size=2)
        (tmp_path / "own/results/pairs").mkdir(parents=True)
        write_table(build(spec, drawn), command[-1], PAIRS)

    monkeypatch.setattr(module, "followed", run)
    options = SimpleNamespace(to=tmp_path / "sheet.csv", make=2, config=[])
    assert "sheet.csv: 2 pairs. Grade each" in make(options, folder())
    assert options.to.read_text() == f'{HEADER}A.,"B, b.",\nC.,D.,\n'
