import pandas as pd

from contrapose.generate import sentences
from contrapose.generate.llm_requests import CorpusRequests, LLMRequests
from contrapose.jobs.status import read_status
from contrapose.tables import SENTENCES, checked_arrays
from tests.unit.generate.opened import costs, estimated, model, opened, requests_by, requests_to
from tests.unit.generate.opened import sentences as own_sentences
from tests.unit.generate.scripted_endpoint import Say, body

CHOICES = {"genre": ["a novel", "a diary", "a speech"], "number": ["3"]}
FORM = {"template": "Write {number} sentences in {genre}.", "choices": CHOICES, "parsed_as": "sentences"}


def spec(llm, kind=sentences.SentenceRequests, **counts):
    return requests_to(llm, "invented", kind=kind, answer_tokens=120, **FORM, **counts)


def written(endpoint, folder, count=4, size=12):
    llm = model(endpoint.url)
    asked = spec(llm, count=count, size=size, language="english")
    return sentences.build(asked, opened(llm, folder, corpus="invented", prompt="invented"))


def script(request, count):
    """Answer with two sentences of its own, one that all answers have, and refuse a diary."""
    prompt = request["messages"][0]["content"]
    place = prompt.removeprefix("Write 3 sentences in ")
    said = f"1. The sky over {place[:-1]} {count} is grey.\n2. Time passes.\n3. TIME passes!"
    return Say(content=body("I'm sorry." if "diary" in place else said))


def test_distinct_sentences_of_all_answers_are_a_corpus_and_paid_once(endpoint, tmp_path):
    endpoint.script = script
    table, completions = written(endpoint, tmp_path)
    checked_arrays(table, "made", SENTENCES)
    accepted = completions[completions.refused == ""].sentence_id.tolist()
    refused = completions[completions.refused != ""]
    assert 0 < len(accepted) < 4  # some requests draw the diary
    assert set(refused.refused) == {"talking"}
    assert table.id.tolist() == [
        f"{accepted[0]}:0",
        f"{accepted[0]}:1",
        *(f"{one}:0" for one in accepted[1:]),
    ]
    assert table.text.str.contains("^(?:The sky over a (?:novel|speech) [0-3] is grey|Time passes).$").all()
    assert table.text.nunique() == len(table) == len(accepted) + 1
    assert table.words[1] == 3
    missing = f"{12 - len(table)} of 12 requested sentences were duplicates or not written"
    told = f"chatgpt, prompt invented: {len(refused)} of {len(completions)} answers are refused: talking"
    assert read_status(table.attrs).skipped[0] == missing
    assert read_status(table.attrs).skipped[1].startswith(told)
    sent = len(endpoint.requests)
    smaller, _ = written(endpoint, tmp_path, count=4, size=2)
    assert len(endpoint.requests) == sent
    pd.testing.assert_frame_equal(smaller, table.head(2))
    assert not read_status(smaller.attrs).skipped


def test_the_estimate_counts_requests_and_what_is_asked_about_sentences_to_be_written(endpoint, tmp_path):
    endpoint.script = script
    llm = model(endpoint.url)
    about = requests_to(llm, "2", "Say 5: {sentence}")
    asked = [
        CorpusRequests(corpus="invented", requests=spec(llm, LLMRequests), count=4),
        CorpusRequests(corpus="invented", requests=about, count=12),
    ]
    table = estimated(asked, own_sentences("x"), llm, tmp_path)
    assert table.sentences.tolist() == ["4", "12", "16"]
    assert table.requests.tolist() == ["4", "12", "16"]
    letters = len("Write 3 sentences in a speech.") + 1  # and the number that stands for a text
    assert int(table.tokens[0]) == 4 * letters // 4 + 4 * 120
    _, completions = written(endpoint, tmp_path)
    table = estimated(asked, own_sentences("x"), llm, tmp_path)
    assert table.known.tolist() == ["4", "0", "4"]
    counted = requests_by(costs(tmp_path, completions), "corpus", "prompt", "outcome")
    assert counted == {
        ("invented", "invented", "accepted"): (completions.refused == "").sum(),
        ("invented", "invented", "talking"): (completions.refused == "talking").sum(),
    }
