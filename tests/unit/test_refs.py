"""Names of other entries in settings, and where they lead."""

from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from contrapose.errors import ConfigError
from contrapose.pairs.dino import DinoPairs
from contrapose.pairs.reweighted import ReweightedPairs
from contrapose.project import Project
from contrapose.project.registries import check, lacking, reached
from contrapose.refs import CorpusName, DinoPairsId, EncoderName, PairsId, Ref, Size, references, resolved
from contrapose.settings.corpora import DinoTexts, TaskCorpus
from contrapose.settings.recipes import Recipe
from contrapose.settings.spec import Spec
from contrapose.settings.worlds import VectorsFile

HOME = Path(__file__).parents[2]


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
    return Project({"world": "tiny", "studies": ["smoke"]}, HOME)


def replace(project: Project, part: str, **sections) -> None:
    """Replace entries of the world or of the recipes."""
    old = getattr(project, part)
    entries = {section: getattr(old, section) | entries for section, entries in sections.items()}
    setattr(project, part, old.model_copy(update=entries))
    project.found.clear()


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


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (Part(corpus="wikki"), "corpora has no entry 'wikki'. Did you mean 'wiki'?"),
        (Part(corpus="wiki", size="smal"), "sizes of the world has no entry 'smal'. Did you mean 'small'?"),
        (Whole(best="bert"), "encoders of the world has no entry 'bert'"),
        (Whole(pairs="dropuot"), "no entry 'dropuot'. Did you mean 'dropout'?"),
        (
            Whole(dino="rise"),
            "dino: pairs.rise is of kind reweighted. Name one of kind dino: dino, dino-dev, ",
        ),
        (DinoTexts(corpus="wiki", lm="gpt2", instructions="nope"), "nope.yaml"),
    ],
)
def test_a_name_that_leads_nowhere_or_to_another_kind_is_refused(project: Project, spec, message):
    with pytest.raises(ConfigError) as refused:
        check(project, spec)
    assert message in str(refused.value)


def test_what_is_there_passes_however_far_its_names_lead(project: Project):
    for settings in (WHOLE, *project.recipes.pairs.values(), *project.recipes.recipes.values()):
        check(project, settings)


def test_entries_that_lead_back_to_themselves_are_refused(project: Project):
    circle = {
        one: DinoPairs(kind="dino", texts="dino", dev=other)
        for one, other in (("dino", "asked"), ("asked", "dino"))
    }
    replace(project, "recipes", pairs=circle)
    with pytest.raises(
        ConfigError, match=r"pairs\.asked: refers to itself .*pairs\.asked > pairs\.dino > pairs\.a"
    ):
        check(project, ReweightedPairs(kind="reweighted", of="asked", identifier="sdi"))


def test_word_vectors_are_no_encoder_to_train(project: Project):
    replace(project, "world", encoders={"glove": VectorsFile(kind="vectors", path="glove.txt")})
    check(project, Whole(best="glove"))
    with pytest.raises(ConfigError, match=r"encoders\.glove: is word vectors"):
        check(project, Recipe(encoder="glove"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (WHOLE, ""),
        (Whole(best="released"), "this world has no encoder 'released'"),
        (Recipe(teacher="released", distillation=1), "this world has no encoder 'released'"),
        (TaskCorpus(kind="tasks", tasks=["bq"]), "this world has no set bq"),
    ],
)
def test_what_a_world_lacks_is_said(project: Project, spec: Spec, message: str):
    assert lacking(project, spec) == message


def test_what_a_world_lacks_is_found_however_far_it_is_named(project: Project):
    replace(project, "world", collections={"wiki40b": None})
    dropout, ppdb = project.pairs("dropout"), project.pairs("ppdb")  # whose rewrites are of that corpus
    assert lacking(project, dropout) == ""
    assert lacking(project, dropout, ppdb) == "this world has no collection 'wiki40b'"


def test_everything_that_settings_use_is_reached_the_nearest_first(project: Project):
    assert list(reached(project, project.pairs("ppdb"))) == [
        *(("sizes", "held_out"), ("rewrites", "ppdb"), ("corpora", "wiki40b"), ("collections", "wiki40b")),
        *(("sizes", "segments"), ("dictionaries", "ppdb"), ("language_models", "gpt2")),
        ("sizes", "rewritten"),
    ]
