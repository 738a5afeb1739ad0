"""What `check` says of test pairs that stand among what rows are trained on or selected by."""

from functools import partial

import pytest
import yaml

from contrapose.base.home import HOME
from contrapose.project import Project
from contrapose.report.training_files import trained_on
from contrapose.tools.check_overlaps import check_overlaps
from contrapose.tools.new import write

SCORED = "sentence1,sentence2,score\n" + "".join(
    f"Test {each}.,Also test {each}.,{each}\n" for each in range(9)
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write a folder whose test pairs are elsewhere, too; give what returns its project."""
    files = {
        "sentences": "Test 1\nOne.\nTwo.\nTEST 2.\n",
        "test": SCORED,
        "dev": SCORED.replace("est", "ev") + "Also test 3!,test 3,3\n",
        "pairs": "sent0,sent1\nTest 4.,Also test 4.\nTest 5.,One.\n",
    }
    for name, content in files.items():
        (tmp_path / f"{name}.csv").write_text(content)
    given = {name: tmp_path / f"{name}.csv" for name in files}
    given["sentences"] = given["sentences"].rename(tmp_path / "sentences.txt")
    write(tmp_path / "own", str(HOME / "resources/mini/encoders/bert-base"), given)
    return partial(opened, tmp_path / "own", monkeypatch)


def opened(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return Project(yaml.safe_load((folder / "config/config.yaml").read_text()), HOME)


def test_overlaps_with_sentences_pairs_and_dev_pairs_are_warnings(project):
    findings = list(check_overlaps(project(), ["compare"]))
    assert {one.level for one in findings} == {"warning"}
    assert [one.text for one in findings if one.what == "compare_pairs"] == [
        "Test pairs: 2 of 18 test sentences are among the training sentences of 'sentences', so scores on "
        "new texts may be lower.",
        "Test pairs: 1 of 9 test pairs are among the training pairs of 'pairs', so scores on new texts may "
        "be lower.",
        "Test pairs: 1 of 9 test pairs are among the dev pairs of own, which can choose checkpoints and "
        "settings.",
    ]


def test_of_a_divided_corpus_the_part_is_trained_on_and_what_cannot_be_read_is_not_told(
    tmp_path, monkeypatch
):
    (tmp_path / "s.txt").write_text("".join(f"Sentence {each}.\n" for each in range(9)))
    write(
        tmp_path / "own", str(HOME / "resources/mini/encoders/bert-base"), {"sentences": tmp_path / "s.txt"}
    )
    made = opened(tmp_path / "own", monkeypatch)
    assert trained_on(made, "compare_pairs") == (["sentences"], [], [])
    assert list(check_overlaps(made, ["compare"])) == []  # no pairs are graded yet
