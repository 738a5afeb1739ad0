"""One mini world for all tests of what is written."""

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from contrapose.seeds import generator
from contrapose_mini.facts import Fact
from contrapose_mini.files import write_mini_world
from contrapose_mini.wording import Wording
from contrapose_mini.words import KINDS

PAIRS = 6


def first_words(words: ModuleType, fact: Fact, voice: str, **choices: object) -> Wording:
    """Return a wording that takes the first word of a language for everything, but for some choices."""
    wording = Wording(generator("test"))
    first = {f"noun {name}": found.forms[0] for name, found in words.noun_words().items()}
    first |= {f"article {name}": "" for name in words.noun_words()}
    first |= {f"verb {name}": found.verbs[0] for name, found in words.relation_words().items()}
    first |= {f"{kind} {key}": forms[0] for kind in KINDS for key, forms in words.adjunct_words(kind).items()}
    wording.chosen.update(first | {f"voice {fact.relation}": voice} | choices)
    return wording


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder of a small mini world."""
    made = tmp_path_factory.mktemp("mini")
    write_mini_world(made, SimpleNamespace(seed=7, articles=40, pairs=PAIRS))
    return made
