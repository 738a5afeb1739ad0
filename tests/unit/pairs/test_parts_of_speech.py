import pytest

from contrapose.base.errors import ConfigError
from contrapose.jobs.status import read_status
from contrapose.jobs.step import settings_class
from contrapose.pairs.kinds import STRATEGIES
from contrapose.project import Project
from contrapose.tables import SYNONYMS, empty
from tests.checkout import HOME
from tests.kinds import pairs
from tests.unit.pairs.tagged_sentences import tagged

KINDS = ["negation", "discrete", "synonym"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_corpus_in_another_language_is_refused_before_the_first_job(kind):
    project = Project({"catalog": "mini", "studies": ["ppdbcse"]}, HOME)
    spec = settings_class(STRATEGIES[kind])
    spec(kind=kind, corpus="wiki40b-en").check(project)
    with pytest.raises(ConfigError, match=f"kind {kind} changes English .* corpus 'wiki40b-ja' are Japanese"):
        spec(kind=kind, corpus="wiki40b-ja").check(project)


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_in_a_script_without_spaces_are_no_pairs(kind):
    tables = [*tagged({"猫が家で眠る": "NN", "犬は庭を走る": "NN", "A cat": "DT NN"})]
    found = pairs(kind, *tables, *[empty(SYNONYMS)] * (kind == "synonym"), corpus="own")
    assert found.empty
    why = f"pairs of kind {kind}: most sentences of the corpus 'own' are not English"
    assert read_status(found.attrs).unavailable == why
