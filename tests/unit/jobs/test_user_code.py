import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import contrapose.pairs
from contrapose.base.errors import ConfigError
from contrapose.jobs import user_code
from contrapose.pairs import kinds
from contrapose.train import recipe

SETTINGS = """
from typing import Literal

from contrapose.jobs.inputs import Sentences
from contrapose.pairs.strategy import SentencePairs


class TestedPairs(SentencePairs):
    kind: Literal["{}"]


def build(spec: TestedPairs, sentences: Sentences):
    return sentences
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a config and an empty folder of strategies, as a new process would see it."""
    for name in ("config", "strategies"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    places = [*contrapose.pairs.__path__, str(tmp_path / "strategies")]
    monkeypatch.setattr(contrapose.pairs, "__path__", places)
    before = set(sys.modules)
    yield tmp_path
    for name in sys.modules.keys() - before:
        del sys.modules[name]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package whose module `swap` is the strategy `swapping_theirs`."""
    folder = tmp_path / "installed/their_pairs"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "swap.py").write_text(SETTINGS.format("swapping_theirs"))
    monkeypatch.syspath_prepend(folder.parent)
    point = EntryPoint("swapping_theirs", "their_pairs.swap", "contrapose.strategies")
    monkeypatch.setattr(user_code, "_entry_points", lambda name: [point] * (name == "contrapose.pairs"))
    user_code.user_packages.cache_clear()
    yield folder
    user_code.user_packages.cache_clear()


def test_files_and_entry_points_are_kinds(project, package):
    text = "import contrapose.pairs._mine\n" + SETTINGS.format("swapping_mine")
    (project / "strategies/swapping_mine.py").write_text(text)
    (project / "strategies/_mine.py").write_text("ONE = 1\n")
    found = kinds._strategies()
    names = {name: found[name].__name__ for name in ("swapping_mine", "swapping_theirs", "dropout")}
    assert names == {
        "swapping_mine": "contrapose.pairs.swapping_mine",
        "swapping_theirs": "their_pairs.swap",
        "dropout": "contrapose.pairs.dropout",
    }
    assert "_mine" not in found
    assert user_code.user_module("contrapose.pairs._mine") == project / "strategies/_mine"
    assert user_code.user_module("contrapose.pairs._mine.ONE") is None
    assert user_code.user_packages() == {"their_pairs": package.parent}
    assert user_code.user_module("their_pairs.swap") == package / "swap"
    assert user_code.user_files() == [
        *(package / name for name in ("__init__.py", "swap.py")),
        *(project / f"strategies/{name}.py" for name in ("_mine", "swapping_mine")),
    ]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (
            "dropout",
            "",
            r"^strategies/dropout.py: the package contrapose.pairs already has a module 'dropout'",
        ),
        ("word_pairs", "", "already has a module 'word_pairs'"),
        (
            "mine",
            "1 / 0",
            r"^strategies/mine\.py: the module cannot be imported: ZeroDivisionError: division by zero",
        ),
        ("mine", "def build(:", r"cannot be imported: SyntaxError"),
        ("mine", "A = 1", r"^strategies/mine\.py: the module has no function `build`"),
        ("mine", SETTINGS.format("yours"), r'strategies/mine.py: .* with a field kind: Literal\["mine"\]'),
        (
            "mine",
            "def build():\n    pass\n",
            "the first parameter of `build` must have as type a settings class with a field kind",
        ),
    ],
)
def test_a_module_that_cannot_be_used_is_named(project, name, text, says):
    (project / f"strategies/{name}.py").write_text(text)
    with pytest.raises(ConfigError, match=says):
        kinds._strategies()


def test_a_name_in_a_package_and_in_a_file_is_refused(project, package):
    (project / "strategies/swapping_theirs.py").write_text(SETTINGS.format("swapping_theirs"))
    with pytest.raises(ConfigError, match=r"entry point swapping_theirs = .*already has a module"):
        kinds._strategies()


def test_a_loss_needs_settings_of_a_loss(monkeypatch):
    monkeypatch.setitem(recipe.LOSSES, "mine", import_module("contrapose.pairs.dropout"))
    with pytest.raises(
        ConfigError, match="the first parameter of `build` must have as type a settings class of a loss"
    ):
        recipe._settings()
