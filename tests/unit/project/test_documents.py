"""Which corpora have sentences that follow each other, and what is left out where a file does not say it."""

import pytest

from contrapose.errors import ConfigError

FILE = {"path": "lines.txt"}
COLUMNS = {"kind": "sts", "caption": "c", "columns": {"STS-B": "stsb"}}
ROW = {"model": "m", "pairs": "adjacent", "recipe": "simcse"}


@pytest.fixture
def plan(build):
    """Give a function (corpus, its file) that builds a project with next sentences as positives."""

    def project(corpus, file=FILE):
        return build(
            {"one": {**COLUMNS, "rows": [ROW]}},
            None,
            {"sentence_files.own": file},
            {"corpora.own": corpus, "pairs.adjacent": {"kind": "adjacent", "corpus": "own"}},
        )

    return project


PUBLISHED = {"kind": "published", "file": "own"}


def missing(project):
    return project.runs.missing(project.tables["own_one"][1].rows[0])


@pytest.mark.parametrize("file", [FILE, {"path": "lines.csv", "column": "text"}])
def test_a_file_without_documents_leaves_the_row_out(plan, file):
    says = "sentence_files.own does not say where documents end (`documents`)"
    assert missing(plan(PUBLISHED, file)) == says


@pytest.mark.parametrize(
    ("corpus", "file"),
    [
        (PUBLISHED, {**FILE, "documents": "blank_lines"}),
        (PUBLISHED, {"path": "lines.csv", "column": "text", "documents": "of"}),
        ({"method": 3}, FILE),
    ],
)
def test_a_file_with_documents_and_method_3_have_next_sentences(plan, corpus, file):
    assert missing(plan(corpus, file)) == ""


@pytest.mark.parametrize(
    ("corpus", "says"),
    [
        ({"method": 1}, "is sampled, so"),
        ({**PUBLISHED, "size": "small"}, "is published with a size, so"),
        ({"kind": "tasks", "tasks": ["stsb_glue"]}, "is tasks, so"),
    ],
)
def test_a_corpus_of_sentences_drawn_one_by_one_is_refused(plan, corpus, says):
    with pytest.raises(
        ConfigError, match=rf"corpora\.own: {says} the next sentence of a document is seldom in"
    ):
        plan(corpus, {**FILE, "documents": "blank_lines"})
