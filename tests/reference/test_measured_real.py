"""What `resources/mini/` says of real data, measured again, and that what was read was drawn by chance."""

import json

import pandas as pd
import pytest

from contrapose.generate.parsing import five_paraphrases
from contrapose.seeds import generator
from contrapose_mini import measured
from tests.reference.real import DATA, on_real_files

WIKIPEDIA = "llm_paraphrases_wikipedia/paraphrases.jsonl"
pytestmark = on_real_files
READ = pd.read_csv(measured.READING)


@pytest.mark.slow
def test_the_bands_are_about_the_real_files():
    rows = measured.read_sets(DATA, "files")
    found = measured.measured_sets(rows, rows)
    for of, answers in measured.real_answers(DATA).items():
        found |= {
            (of, name): value for name, value in measured.answer_measures(list(answers.values()))[0].items()
        }
    read = measured.read_shares()
    found |= dict(zip(zip(read.of, read.measure, strict=True), read["share"], strict=True))
    bands = pd.read_csv(measured.BANDS).set_index(["of", "measure"]).real
    assert {key: bands[key] for key in found} == pytest.approx(found, abs=0.05)
    assert len(found) > 180


def test_the_hundred_that_were_read_were_drawn_by_seed():
    rows = [json.loads(line) for line in (DATA / WIKIPEDIA).open(encoding="utf-8")]
    pairs = [(row["id"], slot) for row in rows for slot in range(5)]
    drawn = sorted(generator("mini", "reading").permutation(len(pairs))[:100])
    read = READ[READ.source == "wikipedia"]
    assert list(zip(read.id, read.slot, strict=True)) == [pairs[at] for at in drawn]


@pytest.mark.parametrize("model", ["chatgpt", "falcon"])
def test_the_fifty_that_were_read_of_each_model_are_answers_that_the_parser_takes(model):
    answers, read = measured.real_answers(DATA)[model], READ[READ.source == model]
    assert len(read.drop_duplicates(["id", "slot"])) == 50
    for name in read.id:
        sentence, text, reason = answers[name]
        assert isinstance(five_paraphrases(text, reason, sentence), list), name
