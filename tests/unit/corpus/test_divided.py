import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.corpus.divided import DividedCorpus, build

ROWS = [(f"d{number // 3}", number % 3, f"Sentence {number}.") for number in range(30)]
PARTS = ("train", "test")
SENTENCES = pd.DataFrame(ROWS, columns=["article_id", "position", "text"]).assign(id=range(30), words=2)


def part(part="train", sentences=SENTENCES, held_out=7, **settings):
    return build(
        DividedCorpus(kind="split", corpus="all", held_out=held_out, part=part, **settings), sentences
    )


def test_whole_documents_are_held_out_until_there_are_enough():
    train, test = part(), part("test")
    assert (len(train), len(test)) == (21, 9)
    assert not {*train.article_id} & {*test.article_id}
    assert {*train.id, *test.id} == {*SENTENCES.id}
    assert test.id.is_monotonic_increasing
    assert {*part("test", seed=2).article_id} != {*test.article_id}
    assert {*part("test", held_out=4).article_id} < {*test.article_id}  # the first of the same draw


def test_without_documents_single_sentences_are_held_out():
    lines = SENTENCES.assign(article_id="file")
    assert len(part("test", lines)) == 7
    assert not {*part("train", lines).id} & {*part("test", lines).id}


def test_no_sentence_of_the_test_is_trained_on_in_another_document_or_case():
    held = part("test").iloc[0]
    other = part().iloc[0]
    twins = SENTENCES.assign(
        text=SENTENCES.text.mask(SENTENCES.id == other.id, held.text.upper().replace(" ", "  "))
    )
    assert other.id not in {*part("train", twins).id, *part("test", twins).id}


def test_a_part_without_a_pair_is_refused():
    with pytest.raises(TableError, match="30 of them are held out, and only 0 remain for part: train"):
        part(held_out=30)


def test_spellings_of_one_sentence_are_in_one_part():
    spellings = ["Café {0}.", "Cafe\u0301 {0}.", "Café\u00a0{0}.", "café  {0}"]
    texts = [each.format(number) for number in "abcdefgh" for each in spellings]
    lines = pd.DataFrame({"text": texts, "article_id": "file", "position": range(32), "id": range(32)})
    parts = [{text[-2] if text[-1] == "." else text[-1] for text in part(each, lines).text} for each in PARTS]
    assert not parts[0] & parts[1]
    assert len(part("test", lines)) == 7
