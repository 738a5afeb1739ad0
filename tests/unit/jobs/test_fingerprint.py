import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from contrapose.corpus.draw import SampledCorpus
from contrapose.jobs.fingerprint import canonical, code_digest, digest, reached_definitions

WORK = "from contrapose.start import work\n\nwork()\n"
START = """\
from contrapose.other import one

LIMIT = 3


def work():
    '''Do it.'''
    return one(LIMIT, description="old")  # a comment


def other():
    return 2
"""
ONE = "def one():\n    return helper()\n\n\ndef helper():\n    return 1\n\n\ndef unused():\n    return 0\n"


def changed(folder: Path, files: dict[str, str], file: str, old: str, new: str) -> bool:
    """Return whether an edit of a file of a package, or of its script, changes the digest of the script."""
    digests = []
    before = {"../script": WORK, **files}
    assert old in before[file]
    for number, edited in enumerate((before[file], before[file].replace(old, new))):
        package = folder / str(number) / "contrapose"
        package.mkdir(parents=True)
        for name, text in {**before, file: edited}.items():
            (package / f"{name}.py").write_text(text)
        digests.append(code_digest(package.parent / "script.py", package.parent))
    return digests[0] != digests[1]


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        ("start", "  # a comment", "", False),
        ("start", "Do it.", "Do the work.", False),
        ("start", "one(LIMIT,", "one(\n        LIMIT,", False),
        ("start", "old", "new", False),  # the description of a setting or a table
        ("start", "return 2", "return 3", False),  # not reached
        ("other", "return 0", "return 9", False),
        ("start", "return one", "return 1 + one", True),
        ("start", "LIMIT = 3", "LIMIT = 4", True),
        ("other", "return 1", "return 2", True),  # two calls away, in another module
        ("other", "def one", "print('hello')\n\n\ndef one", True),  # a statement with an effect
        ("../script", "work()\n", "work()\nwork()\n", True),
        ("../script", "from contrapose.start import work", "import contrapose.start as work", True),
    ],
)
def test_what_a_script_reaches_counts_and_nothing_else(file, old, new, counts, tmp_path: Path):
    assert changed(tmp_path, {"start": START, "other": ONE}, file, old, new) is counts


EFFECTS = ["print('{}')", "settings.x = '{}'", "X['a'] = '{}'", "for x in '{}':\n    print(x)"]


@pytest.mark.parametrize("package", ["", "sub", "sub/deep"])
@pytest.mark.parametrize("effect", EFFECTS)
def test_a_statement_with_an_effect_in_a_package_of_what_is_imported_counts(package, effect, tmp_path: Path):
    def found(name: str, statement: str, where: str = package) -> str:
        root = tmp_path / name / "contrapose"
        for folder in ("", "sub", "sub/deep", "unread"):
            (root / folder).mkdir(parents=True)
            text = statement if folder == where else "NAME = 0"
            (root / folder / "__init__.py").write_text(f"{text}\n")
        (root / "sub/deep/start.py").write_text("def work():\n    return 1\n")
        (root.parent / "s.py").write_text("from contrapose.sub.deep.start import work\n\nwork()\n")
        return code_digest(root.parent / "s.py", root.parent)

    without = found("none", "NAME = 1")
    assert found("unread", effect.format("old"), "unread") == without
    assert len({without, found("old", effect.format("old")), found("new", effect.format("new"))}) == 3


@pytest.mark.parametrize(
    ("start", "old", "new", "counts"),
    [
        ("A, LIMIT = 1, 2\n\ndef work():\n    return LIMIT\n", "1, 2", "1, 3", True),
        ("LIMITS = {}\nLIMITS['a'] = 1\n\ndef work():\n    return LIMITS\n", "{}", "{'b': 2}", True),
        ("LIMIT = 0\n\ndef work():\n    return LIMIT\n", "0", "None", True),
        ("LIMIT = 1\nLIMIT += 2\n\ndef work():\n    return LIMIT\n", "+= 2", "+= 3", True),
        ("import sys\nif sys.argv:\n    LIMIT = 1\n\ndef work():\n    return LIMIT\n", "= 1", "= 2", True),
        ("def work():\n    return dict(limit=1)\n", "1", "2", True),
        ("class Base:\n    limit = 1\n\nclass Own(Base):\n    pass\n\nwork = Own\n", "1", "2", True),
        ("class Unused:\n    limit = 1\n\nwork = int\n", "1", "2", False),
        ("UNUSED: int = 1\nwork = int\n", "1", "2", False),
        ("UNUSED = 1\nUNUSED += 1\nwork = int\n", "+= 1", "+= 2", False),
        ("class A:\n    b: int\n\nwork = A\n", "int", "int = Field(description='old')", False),
        ("class A:\n    b: int = 3\n\nwork = A\n", "= 3", "= Field(3, description='old')", False),
        ("class A:\n    b: int = 3\n\nwork = A\n", "= 3", "= Field(3, ge=1)", True),
        ("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    A = 1\nwork = int\n", "1", "2", False),
    ],
)
def test_what_makes_a_reached_name_counts_and_nothing_else(start, old, new, counts, tmp_path: Path):
    assert changed(tmp_path, {"start": start}, "start", old, new) is counts


@pytest.mark.parametrize(
    "start",
    [
        "def work():\n    from contrapose.other import one\n\n    return one()\n",
        "def work():\n    import contrapose.other as it\n\n    return it.one()\n",
        "from contrapose.other import one as it\n\ndef work():\n    return it()\n",
        "import contrapose.other as it\n\ndef work():\n    return it.one()\n",
        "import contrapose.other\nimport contrapose.last\n\ndef work():\n    return contrapose.other.one()\n",
        "if True:\n    from contrapose.other import one\n\ndef work():\n    return one()\n",
        "from contrapose import passing\n\ndef work():\n    return passing.one()\n",
    ],
)
def test_an_import_of_any_form_is_followed(start, tmp_path: Path):
    files = {"start": start, "other": ONE, "last": "", "passing": "from contrapose.other import one\n"}
    assert changed(tmp_path, files, "other", "return 1", "return 2")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A script of this package."""
    return tmp_path / "s.py"


def test_of_a_package_that_passes_names_on_those_count_that_are_read_or_all_if_it_is_imported_whole(script):
    script.write_text("from contrapose.tables import SENTENCES, read_table\n\nread_table('x', SENTENCES)\n")
    reached = reached_definitions(script, Path("src"))
    assert "contrapose.tables.corpus:SENTENCES" in reached
    assert not [each for each in reached if each.endswith((":PAIRS", ":PUNKT", ":TABLES"))]
    script.write_text("from contrapose import tables\n\ntables.read_table('x', tables.SENTENCES)\n")
    assert "contrapose.tables.corpus:SENTENCES" in reached_definitions(script, Path("src"))


def test_what_planning_may_ask_makes_nothing_run_again(script):
    script.write_text("pass\n")
    reached = reached_definitions(script, Path("src"), ("contrapose.report.kinds.sts",))
    assert "contrapose.report.kinds.sts:build" in reached
    assert not [name for name in reached if name.endswith((":Plan", ":Paths", ":Config"))]


def test_a_module_that_only_settings_name_counts_whole(script):
    script.write_text("pass\n")
    also = ("contrapose_mini.loopback",)
    assert "contrapose_mini.loopback.english:rewritten" in reached_definitions(script, Path("src"), also)
    found = {code_digest(script, Path("src"), named) for named in ((), also, ("somebody.elses",))}
    assert len(found) == 3


def test_settings_are_canonical_with_defaults_written_out_and_a_digest_tells_where_one_text_ends():
    assert canonical({"b": 1, "a": [2, "ü"]}) == '{"a":[2,"ü"],"b":1}'
    assert canonical(SampledCorpus(method=1)) == canonical(SampledCorpus(seed=1, min_words=10, method=1))
    assert canonical(SampledCorpus(method=1)) != canonical(SampledCorpus(method=1, seed=2))
    assert '"min_words":10' in canonical(SampledCorpus(method=1))
    assert digest("ab", "c") != digest("a", "bc")


@pytest.mark.parametrize("bytecode", [True, False], ids=["beside bytecode", "without it"])
def test_a_later_process_takes_what_an_earlier_one_found_for_the_same_package(bytecode: bool, tmp_path: Path):
    package = tmp_path / "contrapose"
    shutil.copytree("src/contrapose", package, ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "s.py"
    script.write_text("from contrapose.base.seeds import derived_seed\n\nderived_seed('a')\n")
    call = (
        "from pathlib import Path; from contrapose.jobs.fingerprint import code_digest; "
        f"print(code_digest(Path({str(script)!r}), Path({str(tmp_path)!r})))"
    )
    written = {"PYTHONDONTWRITEBYTECODE": "" if bytecode else "1"}
    environment = {
        **os.environ,
        **written,
        "PYTHONPATH": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "c"),
    }

    def found() -> str:
        return subprocess.run(
            [sys.executable, "-c", call], env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    first = found()
    (kept,) = (package / "__pycache__" if bytecode else tmp_path / "c/contrapose").glob("digests*.json")
    content = json.loads(kept.read_text())
    assert list(content["digests"].values()) == [first]
    kept.write_text(json.dumps({**content, "digests": dict.fromkeys(content["digests"], "from the file")}))
    assert found() == "from the file"
    deep = package / "models" / "schedule.py"
    deep.write_text(deep.read_text() + "\n")  # another package, whatever the change
    assert found() == first
    kept.write_text("{")
    assert found() == first
