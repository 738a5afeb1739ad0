"""The parser against real completions: a sample labelled by hand, and all that are clean by their form.

`parsing_labels.csv` names rows of arXiv 2305.12947's data (a seeded sample: 105 of ChatGPT, 130 of Falcon,
most of the latter messy).  They were labelled by reading them before the parser's verdict was known:

- `five`: five items that the model offers as rephrasings, and nothing that makes them doubtful
- `mess`: the first five items are such, but the model plays on or the quotation marks are mixed
- `wrong`: at least one item is none (an answer, a question back, an offer, the source, a copy, a second list)

Labels judge whose words an item is, not whether it keeps the meaning.  One label was corrected afterwards:
the source of falcon_responses_2, withdrawal, call 1, choice 8 had been misread.
"""

import csv
import json
import re
from pathlib import Path

import pytest

from contrapose.generate.parsing import Refusal, five_paraphrases
from tests.reference.real import DATA, on_real_files

FOLDER = DATA / "llm_paraphrase_completions"
WRITTEN = "llm_paraphrases_wikipedia/paraphrases.jsonl"
LABELS = Path(__file__).parent / "parsing_labels.csv"
pytestmark = on_real_files


@pytest.fixture(scope="module")
def answers():
    """(file, intent, call, choice) -> (answer, source): ChatGPT's rows lack the source that Falcon's have."""
    rows = [(path.stem, json.loads(line)) for path in sorted(FOLDER.glob("*.jsonl")) for line in path.open()]
    sources = {(row["intent"], row["call"]): row["source"] for _, row in rows if "source" in row}
    return {
        (file, row["intent"], row["call"], row["choice"]): (
            row["completion"].split("Assistant:", 1)[-1],  # Falcon's begin with the prompt
            sources[row["intent"], row["call"]],
        )
        for file, row in rows
    }


@pytest.fixture(scope="module")
def labelled(answers):
    with LABELS.open() as lines:
        return [
            (row, *answers[row["file"], row["intent"], int(row["call"]), int(row["choice"])])
            for row in csv.DictReader(lines)
        ]


def first_five(answer):
    """Read the first five marked lines in the simplest way; good enough for the labels `five` and `mess`."""
    items = re.findall(r"^(?:\d[.)]|-) (.*\S)", answer, re.M)[:5]
    return [
        item.removesuffix("</s>")[1:-1] if item[0] == '"' else item.removesuffix("</s>") for item in items
    ]


def test_no_wrong_item_of_the_labelled_sample_is_accepted(labelled):
    assert sum(row["label"] == "wrong" for row, *_ in labelled) >= 40
    for row, answer, source in labelled:
        found = five_paraphrases(answer, "stop", source)
        if not isinstance(found, Refusal):
            assert row["label"] != "wrong", (row, found)
            assert found == first_five(answer), row


def test_what_was_labelled_as_five_is_accepted(labelled):
    clean = [(answer, source) for row, answer, source in labelled if row["label"] == "five"]
    found = [five_paraphrases(answer, "stop", source) for answer, source in clean]
    assert len(clean) >= 140
    assert sum(isinstance(each, list) for each in found) >= 0.995 * len(clean)


def test_clean_lists_of_all_files_are_accepted(answers):
    clean = [
        (answer, source)
        for (file, *_), (answer, source) in answers.items()
        if file.startswith("chatgpt") and re.findall(r"^(\d+)\. ", answer, re.M) == list("12345")
    ]
    found = [five_paraphrases(answer, "stop", source) for answer, source in clean]
    assert len(clean) > 1900
    assert sum(isinstance(each, list) for each in found) >= 0.995 * len(clean)


def test_no_turn_or_refusal_of_any_file_is_accepted(answers):
    talk = re.compile(
        r"\bUser:|Assistant:|</s>|as an AI|language model|I'm sorry|I cannot (?:provide|answer)"
    )
    for key, (answer, source) in answers.items():
        found = five_paraphrases(answer, "stop", source)
        assert isinstance(found, Refusal) or not talk.search("\n".join(found)), key


@pytest.mark.parametrize("form", ["{n}. {text}", '{n}. "{text}"', "{n} (closest): {text}", "- “{text}”"])
def test_what_is_around_real_paraphrases_goes_and_their_own_quotation_marks_stay(form):
    rows = [json.loads(line) for line in (DATA / WRITTEN).open()]
    found = []
    for row in rows:
        lines = [form.format(n=n, text=text) for n, text in enumerate(row["paraphrases"], 1)]
        found.append(five_paraphrases("\n".join(lines), "stop", row["sentence"]))
        assert isinstance(found[-1], Refusal) or found[-1] == row["paraphrases"], row["id"]
    assert sum(isinstance(each, list) for each in found) >= 0.97 * len(rows)
