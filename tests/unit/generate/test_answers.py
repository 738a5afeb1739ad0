"""Answers of language models and what is read from them: the rows of answers.csv.

`$a` to `$e` are the texts of `GOOD`, `$five` all of them, `$list` the same with numbers.  A row without a
source has that of its reader, one without a finish reason ended by `stop`, and an empty answer is none.
"""

import csv
import json
import re
from pathlib import Path
from string import Template

import pytest

from contrapose.generate.parsing import PARSERS, some_paraphrases

ROWS = list(csv.DictReader((Path(__file__).parent / "answers.csv").open(encoding="utf-8", newline="")))
FIVE = {
    "a": "A storm led to the mill burning down in 1911.",
    "b": "In 1911, fire destroyed the mill after a storm.",
    "c": "The mill was lost to fire in 1911.",
    "d": "After a storm in 1911 the mill went up in flames.",
    "e": "Fire took the mill in 1911.",
}
LISTS = {
    "five": " | ".join(FIVE.values()),
    "list": "\n".join(f"{number}. {text}" for number, text in enumerate(FIVE.values(), 1)),
}
MILL = "The old mill by the river burned down in the winter of 1921."
# What reads an answer, the source and a good answer.
READERS = {
    "five": ("paraphrases", "The mill burned down in 1911 after a storm.", ""),
    "some": ("paraphrases", "The mill burned down in 1911 after a storm.", ""),
    "negative": ("negative", MILL, "The old mill by the river survived the winter of 1921."),
    "one_paraphrase": ("paraphrase", MILL, "Fire destroyed the ancient riverside mill in winter 1921."),
    "triplet": ("triplet", "Find texts on mills.", '{"S1": "A mill.", "S2": "The mill.", "S3": "A hill."}'),
    "sentences": ("sentences", "7", ""),
    "into_english": ("translation", "今天天气怎么样？", "How is the weather today?"),
    "any_translation": (
        "any_translation", "A dog ran across the old bridge.", "Ein Hund lief über die alte Brücke.",
    ),
    "continuation": ("continuation", "A man is playing a flute.", "A man plays the flute."),
    "score": ("score", "(a) A dog ran.\n(b) A hound ran.", "4.5"),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['reader']}: {row['answer'][:30]}")
def test_an_answer_is_read_or_refused_as_its_row_says(row):
    parsed_as, source, good = READERS[row["reader"]]
    names = {**FIVE, **LISTS, "good": good, "source": source}

    def written(cell):
        plain = re.sub(r"\\n|\\u\w{4}", lambda escape: json.loads(f'"{escape[0]}"'), cell)
        return Template(plain).substitute(names)

    answer = written(row["answer"]) or None
    parse = some_paraphrases if row["reader"] == "some" else PARSERS[parsed_as]
    found = parse(answer, row["finish_reason"] or "stop", written(row["source"]) or source)
    assert found == (row["refusal"] or written(row["texts"]).split(" | "))
