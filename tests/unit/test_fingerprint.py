import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from contrapose.fingerprint import canonical, code_digest, digest, reached_definitions
from contrapose.settings.corpora import SampledCorpus

SCRIPT = "from contrapose.stage_a import work\n\nwork()\n"
STAGE_A = '''"""Module."""

from contrapose.shared import used

LIMIT = 3


def work():
    """Do it."""
    return used(LIMIT)  # a comment


def other():
    return 1
'''
SHARED = """
def used(x):
    return helper(x)


def helper(x):
    return x + 1


def unused():
    return 0
"""


@pytest.fixture
def package(tmp_path: Path):
    """A package of two modules and a script; `edit(file, old, new)` gives the digest after an edit."""
    folder = tmp_path / "src" / "contrapose"
    folder.mkdir(parents=True)
    files = {"stage_a.py": STAGE_A, "shared.py": SHARED, "__init__.py": ""}
    number = 0

    def edit(file: str = "stage_a.py", old: str = "", new: str = "") -> str:
        nonlocal number
        number += 1  # digests are cached by path: every edit is a fresh copy
        copy = tmp_path / str(number)
        (copy / "contrapose").mkdir(parents=True)
        for name, text in files.items():
            changed = text.replace(old, new) if name == file and old else text
            (copy / "contrapose" / name).write_text(changed)
        script = copy / "script.py"
        script.write_text(SCRIPT.replace(old, new) if file == "script.py" and old else SCRIPT)
        return code_digest(script, copy)

    return edit


def test_a_comment_a_docstring_and_layout_do_not_count(package):
    before = package()
    assert package("stage_a.py", "  # a comment", "") == before
    assert package("stage_a.py", '"""Do it."""', '"""Do the work."""') == before
    assert package("stage_a.py", "used(LIMIT)", "used(\n        LIMIT\n    )") == before


def test_the_body_of_a_reached_function_counts(package):
    assert package("stage_a.py", "used(LIMIT)", "used(LIMIT) + 1") != package()


def test_a_function_two_imports_away_counts(package):
    assert package("shared.py", "x + 1", "x + 2") != package()


def test_a_constant_that_a_reached_function_reads_counts(package):
    assert package("stage_a.py", "LIMIT = 3", "LIMIT = 4") != package()


def test_functions_that_the_script_cannot_reach_do_not_count(package):
    before = package()
    assert package("stage_a.py", "return 1", "return 2") == before
    assert package("shared.py", "return 0", "return 9") == before


def test_the_script_itself_counts(package):
    assert package("script.py", "work()\n", "work()\nwork()\n") != package()


def test_scripts_of_one_name_are_told_apart(tmp_path: Path):
    for name in ("contrapose", "a", "b"):
        (tmp_path / name).mkdir()
    for name in "ab":
        (tmp_path / name / "encoder.py").write_text(f"print('{name}')\n")
    first, second = (code_digest(tmp_path / name / "encoder.py", tmp_path) for name in "ab")
    assert first != second


def test_a_statement_with_an_effect_counts_when_its_module_is_reached(package):
    assert package("shared.py", "def used", "print('hello')\n\n\ndef used") != package()


def test_a_whole_module_that_is_imported_counts_whole(package):
    whole = ("from contrapose.stage_a import work", "import contrapose.stage_a as work")
    assert package("script.py", *whole) != package()


WORK = "from contrapose.start import work\n\nwork()\n"
ONE = "def one():\n    return 1\n"


def changed(folder: Path, files: dict[str, str], file: str, old: str, new: str, script: str = WORK) -> bool:
    """Return whether an edit of a file of a package changes the digest of a script."""
    digests = []
    for number, edited in enumerate((files[file], files[file].replace(old, new))):
        package = folder / str(number) / "contrapose"
        package.mkdir(parents=True)
        for name, text in (files | {file: edited}).items():
            (package / f"{name}.py").write_text(text)
        (package.parent / "script.py").write_text(script)
        digests.append(code_digest(package.parent / "script.py", package.parent))
    return digests[0] != digests[1]


@pytest.mark.parametrize(
    ("start", "old", "new"),
    [
        ("A, LIMIT = 1, 2\n\ndef work():\n    return LIMIT\n", "1, 2", "1, 3"),
        ("LIMITS = {}\nLIMITS['a'] = 1\n\ndef work():\n    return LIMITS\n", "{}", "{'b': 2}"),
        ("LIMIT = 0\n\ndef work():\n    return LIMIT\n", "0", "None"),
        ("LIMIT = 1\nLIMIT += 2\n\ndef work():\n    return LIMIT\n", "+= 2", "+= 3"),
        ("import sys\nif sys.argv:\n    LIMIT = 1\n\ndef work():\n    return LIMIT\n", "= 1", "= 2"),
        ("def work():\n    return dict(limit=1)\n", "1", "2"),
        ("class Base:\n    limit = 1\n\nclass Own(Base):\n    pass\n\nwork = Own\n", "1", "2"),
    ],
)
def test_all_that_makes_a_reached_name_counts(start, old, new, tmp_path: Path):
    assert changed(tmp_path, {"start": start}, "start", old, new)


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


@pytest.mark.parametrize(
    ("start", "old", "new"),
    [
        ("class Unused:\n    limit = 1\n", "1", "2"),
        ("UNUSED: int = 1\n", "1", "2"),
        ("UNUSED = 1\nUNUSED += 1\n", "+= 1", "+= 2"),
        ("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    A = 1\n", "1", "2"),
    ],
)
def test_what_nobody_reads_does_not_count(start, old, new, tmp_path: Path):
    assert not changed(tmp_path, {"start": f"{start}\n\ndef work():\n    pass\n"}, "start", old, new)


def test_the_description_of_a_setting_or_a_column_does_not_count(tmp_path: Path):
    start = "def work():\n    return Field(1, description='old')\n"
    assert not changed(tmp_path, {"start": start}, "start", "old", "new")


def test_a_new_table_does_not_touch_the_scripts_that_never_read_it(tmp_path: Path):
    script = tmp_path / "s.py"
    script.write_text("from contrapose.tables import SENTENCES, read_table\n\nread_table('x', SENTENCES)\n")
    reached = reached_definitions(script, Path("src"))
    assert "contrapose.tables.corpus:SENTENCES" in reached
    assert not [each for each in reached if each.endswith((":PAIRS", ":PUNKT", ":TABLES"))]


def test_what_a_package_passes_on_counts_when_the_package_is_imported_whole(tmp_path: Path):
    script = tmp_path / "s.py"
    script.write_text("from contrapose import tables\n\ntables.read_table('x', tables.SENTENCES)\n")
    assert "contrapose.tables.corpus:SENTENCES" in reached_definitions(script, Path("src"))


def test_a_module_that_only_settings_name_counts_whole(tmp_path: Path):
    script = tmp_path / "s.py"
    script.write_text("pass\n")
    also = ("contrapose_mini.loopback",)
    assert "contrapose_mini.loopback.english:rewritten" in reached_definitions(script, Path("src"), also)
    found = {code_digest(script, Path("src"), named) for named in ((), also, ("somebody.elses",))}
    assert len(found) == 3


def test_in_which_process_a_script_runs_does_not_count():
    reached = reached_definitions(Path("workflow/scripts/train/encoder.py"), Path("src"))
    assert "contrapose.train.loop:train_encoder" in reached
    assert not [definition for definition in reached if definition.startswith("contrapose.warm:")]


def test_settings_are_canonical_whatever_their_order_and_with_defaults_written_out():
    assert canonical({"b": 1, "a": [2, "ü"]}) == '{"a":[2,"ü"],"b":1}'
    assert canonical(SampledCorpus(method=1)) == canonical(SampledCorpus(seed=1, min_words=10, method=1))
    assert canonical(SampledCorpus(method=1)) != canonical(SampledCorpus(method=1, seed=2))
    assert '"min_words":10' in canonical(SampledCorpus(method=1))


def test_a_digest_tells_where_one_text_ends():
    assert digest("ab", "c") != digest("a", "bc")


def test_a_later_process_takes_what_an_earlier_one_found_for_the_same_package(tmp_path: Path):
    package = tmp_path / "contrapose"
    shutil.copytree("src/contrapose", package, ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "s.py"
    script.write_text("from contrapose.seeds import derived_seed\n\nderived_seed('a')\n")
    call = (
        "from pathlib import Path; from contrapose.fingerprint import code_digest; "
        f"print(code_digest(Path({str(script)!r}), Path({str(tmp_path)!r})))"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def found() -> str:
        return subprocess.run(
            [sys.executable, "-c", call], env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    first = found()
    kept = package / "__pycache__" / "digests.json"
    content = json.loads(kept.read_text())
    assert list(content["digests"].values()) == [first]
    kept.write_text(json.dumps({**content, "digests": dict.fromkeys(content["digests"], "from the file")}))
    assert found() == "from the file"
    deep = package / "train" / "losses.py"
    deep.write_text(deep.read_text() + "\n")  # another package, whatever the change
    assert found() == first
    kept.write_text("{")
    assert found() == first
