import json
from pathlib import Path

import pandas as pd
import pytest

from contrapose.generate import llm_backtranslation, translate
from contrapose.generate.batch_files import write
from contrapose.tables import PARAPHRASES, TRANSLATIONS, checked_arrays
from tests.unit.generate.opened import (
    about_own,
    costs,
    estimated,
    model,
    opened,
    requests_by,
    requests_to,
    sentences,
)
from tests.unit.generate.scripted_endpoint import Say, body

PROMPTS = Path(__file__).parents[3] / "config/prompts"
SORRY = "I'm sorry, but I cannot do that."
INTO = {
    "A dog ran home.": "Ein Hund lief heim.",
    "A hound ran home.": "Ein Hund lief heim.",
    "Snow fell all day.": "German translation: Es schneite den ganzen Tag.",
    "The king died.": "Der König starb.",
    "Who knows?": SORRY,
}
BACK = {
    "Ein Hund lief heim.": '"A dog was running home."',
    "Es schneite den ganzen Tag.": "It snowed all day.",
    "Der König starb.": "der könig starb",
}
SENTENCES = sentences(*INTO, "A dog ran home.")
WAYS = ("into_german", "from_german")


@pytest.fixture
def llm(endpoint):
    """Give a model that answers by the way that the prompt names."""

    def script(request, count):
        prompt, _, text = request["messages"][0]["content"].rpartition("\n")
        return Say(content=body((INTO if "into German" in prompt else BACK)[text]))

    endpoint.script = script
    return model(endpoint.url)


def both_ways(llm):
    texts = [(PROMPTS / f"{name}.txt").read_text("utf-8") for name in WAYS]
    both = [requests_to(llm, *each, parsed_as="any_translation") for each in zip(WAYS, texts, strict=True)]
    return llm_backtranslation.BacktranslationRequests(there=both[0], back=both[1])


def requests(llm):
    ways = both_ways(llm)
    return [about_own(ways.there), about_own(ways.back, ways.there)]


def asked(llm, folder):
    return llm_backtranslation.build(both_ways(llm), SENTENCES, opened(llm, folder, corpus="own"))


def test_a_sentence_refused_on_either_way_is_dropped_and_nothing_is_asked_twice(llm, endpoint, tmp_path):
    translations, found, completions = asked(llm, tmp_path)
    checked_arrays(translations, "made", TRANSLATIONS)
    checked_arrays(found, "made", PARAPHRASES)
    german_of = {text: INTO[text].removeprefix("German translation: ") for text in SENTENCES.text[:4]}
    assert dict(translations.to_numpy().tolist()) == german_of
    assert found[["sentence_id", "text"]].to_numpy().tolist() == [
        ["a0:0", "A dog was running home."],
        ["a1:0", "A dog was running home."],
        ["a2:0", "It snowed all day."],
        ["a5:0", "A dog was running home."],
    ]
    # The same bad answer twice: a third try is in vain.
    told = completions.groupby(["prompt", "refused"]).size().to_dict()
    assert told == {
        **{("into_german", ""): 4, ("into_german", "talking"): 2},
        **{("from_german", ""): 2, ("from_german", "untranslated"): 2},
    }
    assert "a5:0" not in set(completions.sentence_id)  # its text is that of a0:0
    assert len(endpoint.requests) == 10
    pd.testing.assert_frame_equal(asked(llm, tmp_path)[1], found)
    assert len(endpoint.requests) == 10
    table = costs(tmp_path, completions)
    assert set(table.corpus) == {"own"}
    counted = {(prompt, refused or "accepted"): count for (prompt, refused), count in told.items()}
    assert requests_by(table, "prompt", "outcome") == counted


def test_the_way_back_is_estimated_and_batched_by_the_translations_that_are_known(llm, tmp_path):
    def batch():
        rows = list(zip(SENTENCES.id, SENTENCES.text, strict=True))
        files = write([(each, rows) for each in requests(llm)], llm.connection("chatgpt"), tmp_path)
        lines = [json.loads(line) for each in files for line in each.input.read_text("utf-8").splitlines()]
        return sorted(one["body"]["messages"][0]["content"].rpartition("\n")[2] for one in lines)

    def known():
        table = estimated(requests(llm), SENTENCES, llm, tmp_path)
        return table[["sentences", "known"]].astype(int).to_numpy().tolist()

    assert known() == [[6, 0], [6, 0], [12, 0]]  # the sentences stand for translations
    assert batch() == sorted(INTO)
    translate.build(both_ways(llm).there, SENTENCES, opened(llm, tmp_path, corpus="own"))
    assert known() == [[6, 6], [5, 0], [11, 6]]  # one is refused
    assert batch() == sorted(BACK)
    asked(llm, tmp_path)
    assert known() == [[6, 6], [5, 5], [11, 11]]
    assert batch() == []
