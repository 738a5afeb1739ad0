import base64
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import BackendError, TableError
from contrapose.evaluate.evaluation import RunSettings, VectorSource, sentence_vectors
from contrapose.evaluate.text_vectors import EmbeddingRequests, build, vectors, vectors_in
from contrapose.generate.cost import cost_table
from contrapose.settings.catalogs import EmbeddingEndpoint
from contrapose.tables import BENCHMARK, TEXT_VECTORS, write_table
from contrapose_mini.loopback import endpoint as loopback
from contrapose_mini.loopback.server import embeddings
from tests.unit.generate.scripted_endpoint import Say, scripted_endpoint

TEXTS = [f"the {color} dog saw a {thing}" for color in ("red", "old", "wet") for thing in ("cat", "hat")]
SPEC = EmbeddingRequests(role="theirs", model="bag-of-words")


@pytest.fixture
def server():
    """Count requests to the endpoint of the mini world, as a script of its own."""
    with scripted_endpoint() as state:
        state.script = lambda request, count: Say(content=embeddings(json.dumps(request).encode()))
        yield state


def reached(url, **settings):
    given = {"model": "bag-of-words", "prompt_price": 2.0, **settings, "endpoint": url}
    return EmbeddingEndpoint(kind="endpoint", **given).connection("theirs")


def asked(server, folder: Path, texts=TEXTS, batch=4, spec=SPEC, **settings):
    return vectors(spec, texts, reached(server.url, **settings), folder, batch)


def test_vectors_are_the_same_in_one_batch_or_several_and_none_is_asked_for_twice(server, tmp_path):
    at_once = asked(server, tmp_path / "one", batch=100)
    assert [len(request["input"]) for request in server.requests] == [6]
    several = asked(server, tmp_path / "some", TEXTS[:3], batch=2) + asked(server, tmp_path / "some")[3:]
    assert sorted(len(request["input"]) for request in server.requests[1:]) == [1, 2, 3]
    np.testing.assert_array_equal(at_once, several)
    assert np.shape(at_once) == (6, 64)
    sent = len(server.requests)
    np.testing.assert_array_equal(asked(server, tmp_path / "some", TEXTS[::-1], batch=1), at_once[::-1])
    assert len(server.requests) == sent
    with loopback() as url:
        elsewhere = vectors(SPEC, TEXTS, reached(url), tmp_path / "else", 2)
    np.testing.assert_array_equal(elsewhere, at_once)


def test_other_dimensions_and_prompts_are_other_vectors(server, tmp_path):
    short = SPEC.model_copy(update={"dimensions": 8})
    prompted = SPEC.model_copy(update={"prompt": "query: "})
    for spec in (SPEC, short, prompted, SPEC, short, prompted):
        found = asked(server, tmp_path, spec=spec)
        assert np.shape(found) == (6, spec.dimensions or 64)
    assert len(server.requests) == 3 * 2
    assert "dimensions" not in server.requests[0]
    assert {text[:7] for request in server.requests[-2:] for text in request["input"]} == {"query: "}


def test_a_failure_in_the_middle_loses_no_vector_and_every_token_is_in_the_books(server, tmp_path):
    whole = server.script
    server.script = lambda request, count: (
        Say(401, {}) if len(server.requests) == 3 else whole(request, count)
    )
    with pytest.raises(Exception, match=r"encoders\.theirs\.key"):
        asked(server, tmp_path, batch=2, concurrency=1)
    server.script = whole
    assert len(asked(server, tmp_path, batch=100)) == 6
    assert len(server.requests[-1]["input"]) == 2
    table = cost_table([tmp_path], {})
    counted = table.groupby("outcome").prompt_tokens.sum().to_dict()
    assert counted == {"accepted": 6 * 6, "key": 0}  # each text has six words, and no token is paid twice
    assert table.unknown.sum() == 0
    assert table.usd.sum() == pytest.approx(2 * 36 / 1e6)


def test_texts_without_a_vector_are_asked_for_again_and_then_named(server, tmp_path):
    def without(request, count):
        content = embeddings(json.dumps(request).encode())
        content["data"] = [each for each in content["data"] if "wet" not in request["input"][each["index"]]]
        return Say(content=content)

    server.script = without
    with pytest.raises(BackendError, match=f"3 attempts gave no vector of '{TEXTS[4]}'"):
        asked(server, tmp_path, batch=6)
    assert [len(request["input"]) for request in server.requests] == [6, 2, 2]


def test_vectors_are_read_from_numbers_or_base64_in_the_order_of_their_index():
    coded = base64.b64encode(np.array([0.5, -1.5], "<f4").tobytes()).decode()
    data = [{"index": 1, "embedding": coded}, {"index": 0, "embedding": [1, 2.5]}]
    assert [vector.tolist() for vector in vectors_in(json.dumps({"data": data}))] == [[1, 2.5], [0.5, -1.5]]
    wrong = [[], ["a"], None, "!", [float("nan")], [[1.0]]]
    data = [{"index": place, "embedding": value} for place, value in enumerate(wrong)]
    assert vectors_in(json.dumps({"data": data})) == [None] * len(wrong)
    assert vectors_in("<html>") == vectors_in('{"data": 1}') == []


def test_texts_of_scored_pairs_get_vectors_which_evaluations_look_up(server, tmp_path):
    rows = [("own", "raw", "test", "", n, *TEXTS[2 * n : 2 * n + 2], float(n)) for n in range(3)]
    rows += [("own", "raw", "train", "", 0, "never", "scored", 1.0)]
    frame = pd.DataFrame(
        rows, columns=["task", "form", "split", "subset", "row", "sentence1", "sentence2", "score"]
    )
    pairs = frame[BENCHMARK.columns].astype({"row": "int32"})
    table = build(SPEC, pairs, (reached(server.url), tmp_path / "journal", 64))
    assert table.text.tolist() == sorted(TEXTS)
    path = str(tmp_path / "theirs.parquet")
    write_table(table, path, TEXT_VECTORS)
    spec, source = RunSettings(run="released/theirs/auto"), VectorSource(path, "endpoint")
    found, pooling = sentence_vectors(spec, source, TEXTS, "cpu")
    np.testing.assert_array_equal(found, asked(server, tmp_path / "journal"))
    assert (found.dtype, pooling) == (np.float32, "vectors of an endpoint")
    with pytest.raises(TableError, match=r"lacks the vectors of 1 text\. The first is 'never'\."):
        sentence_vectors(spec, source, ["never"], "cpu")
