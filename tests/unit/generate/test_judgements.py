import pandas as pd
import pytest

from contrapose.generate.judgements import build
from contrapose.generate.llm_requests import CorpusRequests
from contrapose.tables import PAIRS as PAIR_TABLE
from contrapose.tables import RELEVANCE, checked_arrays, write_table
from tests.tables import paired
from tests.unit.generate.opened import costs, estimated, model, opened, requests_by, requests_to, sentences
from tests.unit.generate.scripted_endpoint import Say, body

PAIRS = paired(
    ["A dog ran.", "A dog ran.", "It rained."],
    ["A hound ran.", "A dog raced.", "It poured."],
    negatives=[["It rained."], ["It rained.", "Who knows?"], []],
)
SCORES = {
    ("A dog ran.", "A hound ran."): "4.5",
    ("A dog ran.", "A dog raced."): "Score: 4/5",
    ("It rained.", "It poured."): "3.75",
    ("A dog ran.", "It rained."): "0.5",
    ("A dog ran.", "Who knows?"): "They have nothing in common.",
}
TEMPLATE = "Score these texts.\n\n{sentence}"


def judged(llm, folder, **about):
    spec = requests_to(llm, "similarity", TEMPLATE, parsed_as="score")
    return build(spec, PAIRS, opened(llm, folder, corpus="set", prompt="similarity", **about))


def estimates(llm, folder):
    """Return how many sentences there are and how many are known: of a corpus, two pair sets and in all."""
    write_table(PAIRS, folder / "pairs.parquet", PAIR_TABLE)
    spec = requests_to(llm, "similarity", TEMPLATE, parsed_as="score")
    every = [CorpusRequests(corpus=name, requests=spec) for name in ("own", "pairs/set", "pairs/other")]
    files = {"set": str(folder / "pairs.parquet"), "other": str(folder / "none.parquet")}
    table = estimated(every, sentences(), llm, folder, **files)
    return table[["sentences", "known"]].to_numpy().tolist()


def script(request, count):
    texts = request["messages"][0]["content"].removeprefix("Score these texts.\n\n(a) ").split("\n(b) ")
    return Say(content=body(SCORES[tuple(texts)]))


def test_each_pair_of_texts_is_asked_about_once_and_what_is_no_number_again(endpoint, tmp_path):
    endpoint.script = script
    assert estimates(model(), tmp_path)[1] == ["5", "0"]
    llm = model(endpoint.url)
    found, completions = judged(llm, tmp_path)
    checked_arrays(found, "made", RELEVANCE)
    assert found.set_index(["anchor", "text"]).score.to_dict() == {
        texts: pytest.approx(score)
        for texts, score in zip(list(SCORES)[:4], (4.5, 4.0, 3.75, 0.5), strict=True)
    }
    assert completions.refused.tolist() == ["", "", "", "", "score", "score"]
    asked = len(endpoint.requests)
    assert asked == 4 + 2  # the same bad answer twice: a third try is in vain
    pd.testing.assert_frame_equal(judged(llm, tmp_path)[0], found)
    assert len(endpoint.requests) == asked
    assert estimates(llm, tmp_path) == [["0", "0"], ["5", "5"], ["?", "?"], ["5", "5"]]
    table = costs(tmp_path, completions)
    assert set(table.corpus) == {"set"}
    assert requests_by(table, "outcome") == {"accepted": 4, "score": 2}
