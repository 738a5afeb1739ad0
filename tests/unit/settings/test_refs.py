from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from contrapose.project import Project
from contrapose.project.registries import check, reached
from contrapose.settings.refs import (
    CorpusName,
    DinoPairsId,
    EncoderName,
    PairsId,
    Ref,
    Size,
    references,
    resolved,
)
from contrapose.settings.spec import Spec

HOME = Path(__file__).parents[3]


class Part(Spec):
    corpus: CorpusName
    size: Size | None = None


class Whole(Spec):
    """Names in all the places where settings hold some."""

    title: str = "wiki"
    best: EncoderName | None = None
    parts: list[Part] = Field([])
    by_role: dict[str, Annotated[str, Ref("llms")]] | None = None
    pairs: PairsId = "dropout"
    dino: DinoPairsId = "dino"


WHOLE = Whole(
    best="bert-base",
    parts=[Part(corpus="wiki", size="small"), Part(corpus="wiki", size="12"), Part(corpus="simcse")],
    by_role={"writer": "chatgpt"},
)


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Project:
    """The small project of the tests of the workflow."""
    monkeypatch.chdir(HOME / "tests/workflow/project")
    return Project({"catalog": "tiny", "studies": ["smoke"]}, HOME)


def test_references_are_the_names_in_the_types_of_fields_also_within_parts_each_once():
    found = [(each.key, each.ref.registry, each.ref.kind, each.name) for each in references(WHOLE)]
    assert found == [
        ("best", "encoders", None, "bert-base"),
        ("corpus", "corpora", None, "wiki"),
        ("size", "sizes", None, "small"),  # a number is no name
        ("corpus", "corpora", None, "simcse"),
        ("by_role", "llms", None, "chatgpt"),
        ("pairs", "pairs", None, "dropout"),
        ("dino", "pairs", "dino", "dino"),
    ]


def test_resolved_settings_have_numbers_for_sizes_and_canonical_ids(project: Project):
    found = resolved(WHOLE.model_copy(update={"pairs": "paraphrase+prompt=2+llm=chatgpt"}), project)
    assert [part.size for part in found.parts] == [64, 12, None]
    assert found.pairs == project.pairs_id("paraphrase+prompt=2+llm=chatgpt")
    assert (found.title, found.by_role) == (WHOLE.title, WHOLE.by_role)
    assert resolved(Part(corpus="wiki", size=3), project).size == 3


def test_what_is_there_passes_however_far_its_names_lead(project: Project):
    for settings in (WHOLE, *project.recipes.pairs.values(), *project.recipes.recipes.values()):
        check(project, settings, "x.yaml")


def test_everything_that_settings_use_is_reached_the_nearest_first(project: Project):
    assert list(reached(project, project.pairs("ppdb"))) == [
        *(("sizes", "held_out"), ("rewrites", "ppdb"), ("corpora", "wiki40b"), ("collections", "wiki40b")),
        *(("sizes", "segments"), ("dictionaries", "ppdb"), ("language_models", "gpt2")),
        ("sizes", "rewritten"),
    ]
