"""Sentences of the Wikipedia sample, in the way of PPDB-CSE."""

import json
from itertools import islice

from contrapose.corpus.segmented import SegmentedCorpus, segmented_sentences
from contrapose.corpus.segments import Segment, lowest_ranked, paragraphs
from contrapose.text.languages import detokeniser, sentence_splitter, tokeniser
from tests.reference.real import DATA, on_real_files

SAMPLE = DATA / "wikipedia_en_20231101_sample/wikipedia.jsonl"
pytestmark = on_real_files


def sample(count):
    with SAMPLE.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["eng_Latn"] for line in islice(lines, count)]
    return [(str(number), text) for number, text in enumerate(texts)]


def test_a_good_half_of_wikipedias_sentences_pass():
    split = sentence_splitter("english")
    bounds = {"min_words": 6, "max_words": 49, "confidence": 0.99}
    about = {"kind": "segmented", "collection": "wikipedia", "language": "english"}
    spec = SegmentedCorpus(**about, **bounds, size=200, candidates_per_sentence=3)
    rows = lowest_ranked(sample(80), split, spec)
    found, rejected = segmented_sentences(
        [[Segment(*row) for row in rows.itertuples(index=False, name=None)]], spec
    )
    assert found.words.between(6, 49).all()
    assert 0.4 < len(found) / (len(found) + sum(rejected.values())) < 0.8
    assert rejected["fewer words than 6"] > rejected["not surely English"] > 0


def test_splitting_into_words_and_putting_together_once_more_changes_nothing():
    split, tokenise, join = sentence_splitter("english"), tokeniser("english"), detokeniser("english")
    texts = [each for _, text in sample(100) for paragraph in paragraphs(text) for each in split(paragraph)]
    once = [join(tokenise(text)) for text in texts]
    assert len(once) > 2000
    assert [join(tokenise(text)) for text in once] == once
    assert [tokenise(text) for text in once] == [tokenise(text) for text in texts]
