"""The sheet of pairs that a person grades."""

from types import SimpleNamespace

import pytest
import yaml

from contrapose.errors import ConfigError, TableError
from contrapose.project import Project
from contrapose.retrieve.benchmarks import read_benchmarks
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
    world = folder().world
    pairs, _ = read_benchmarks(tmp_path / "own/data", world.benchmarks)
    assert pairs.score.tolist() == [4.5, 0, 3]
    file.write_text(GRADED.replace(",3\n", ",3.5\n"))
    read(file, folder())  # a sheet may be corrected
    assert "3.5" in (tmp_path / "own/data/test_pairs/test.csv").read_text()


def test_a_sheet_takes_the_place_of_pairs_that_are_made_but_not_of_a_file(folder, tmp_path):
    file, world = tmp_path / "sheet.csv", tmp_path / "own/config/worlds/own.yaml"
    file.write_text(GRADED)
    made = "similarity: {kind: documents, task: own, corpus: test_sentences}"
    graded = "similarity: {kind: graded, task: own, path: test_pairs, splits: [test]}"
    world.write_text(world.read_text().replace(graded, f"{made}  # a note").replace(
        "{path: sentences.txt}", "{path: sentences.txt, documents: blank_lines}"
    ))  # fmt: skip
    read(file, folder())
    assert f"  {graded}\n" in world.read_text()
    world.write_text(world.read_text().replace(graded, graded.replace("kind: graded", "kind: pairs")))
    with pytest.raises(ConfigError, match=r"test.csv exists, and was not graded here"):
        read(file, folder())


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("A.,B.,\nC.,D.,2\nE.,F., \n", "2 of 3 pairs without a grade: line 2, line 4. Grade them"),
        ("A.,B.,5.5\nC.,D.,2\nE.,F.,low\n", r"not from 0 to 5: line 2 \(5.5\), line 4 \(low\)"),
        ("A.,B.,2\nC.,D.,2\nE.,F.,2\n", "3 pairs with 1 different grades"),
        ("A.,B.,2\nC.,D.,1\n", "2 pairs with 2 different grades"),
        ("".join(f"A {each}.,B.,\n" for each in range(25)), "line 21 and 5 more"),
    ],
)
def test_grades_that_lack_or_are_wrong_are_named_by_line(rows, says, tmp_path):
    (tmp_path / "sheet.csv").write_text(HEADER + rows)
    with pytest.raises(TableError, match=says):
        checked(tmp_path / "sheet.csv")


def test_grades_are_not_written_over_and_a_folder_needs_a_pair_set(folder, tmp_path):
    options = SimpleNamespace(out=tmp_path / "sheet.csv", make=10, config=[])
    options.out.touch()
    with pytest.raises(ConfigError, match="may hold grades"):
        make(options, folder())
    options.out.unlink()
    recipes = tmp_path / "own/config/recipes.yaml"
    recipes.write_text(recipes.read_text().replace("to_grade:", "another:"))
    with pytest.raises(ConfigError, match="has no pair set to_grade"):
        make(options, folder())


def test_a_sheet_has_each_drawn_pair_once_without_its_cosine(folder, tmp_path, monkeypatch):
    import pandas as pd

    from contrapose.pairs.stratified import StratifiedPairs, build
    from contrapose.tables import PAIRS, write_table

    def run(command):
        assert command[-1] == "results/pairs/to_grade+size=2.parquet"
        drawn = pd.DataFrame({"anchor": ["A.", "C."], "text": ["B, b.", "D."], "score": [0.1, 0.9]})
        spec = StratifiedPairs(kind="stratified", corpus="c", encoder="e", size=2)
        (tmp_path / "own/results/pairs").mkdir(parents=True)
        write_table(build(spec, drawn), command[-1], PAIRS)

    monkeypatch.setattr(module.subprocess, "call", run)
    options = SimpleNamespace(out=tmp_path / "sheet.csv", make=2, config=[])
    assert "sheet.csv: 2 pairs. Grade each" in make(options, folder())
    assert options.out.read_text() == f'{HEADER}A.,"B, b.",\nC.,D.,\n'
