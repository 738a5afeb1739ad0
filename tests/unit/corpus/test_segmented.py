import random

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.base.seeds import uniforms
from contrapose.corpus import segments
from contrapose.corpus.segmented import SegmentedCorpus, segmented_sentences
from contrapose.corpus.segments import lowest_ranked, paragraphs, segments_in
from contrapose.tables import SEGMENTS, write_table
from contrapose.text.languages import detokeniser, language_confidence, tokeniser

WIKI_40B = (
    "\n_START_ARTICLE_\nNara\n_START_SECTION_\nHistory\n_START_PARAGRAPH_\nOne. Two._NEWLINE_Three."
    "\n_START_SECTION_\nSee also\n_START_PARAGRAPH_\nFour."
)
FRAME = {"kind": "segmented", "collection": "wiki", "language": "english", "max_words": 12}


def split(text):
    """A fake splitter: a sentence ends at `|`."""
    return text.split("|")


def spec(size, candidates, **changes):
    """A corpus of `size` sentences, out of so many candidates for each."""
    return SegmentedCorpus(**{**FRAME, "size": size, "candidates_per_sentence": candidates, **changes})


def articles(count=20):
    """Articles of sentences that pass, that are too short or too long, in German, or there twice."""
    draw = random.Random(1)
    found = []
    for number in range(count):
        good = [
            f"The {draw.choice(['old', 'young'])} {draw.choice(['farmer', 'teacher', 'doctor'])} "
            f"{draw.choice(['bought', 'sold', 'painted'])} this house before the "
            f"{draw.choice(['winter', 'summer', 'war'])}."
            for _ in range(4)
        ]
        bad = ["Too short.", "Der alte Bauer hatte dieses Haus verkauft.", "It is long, " * 6 + "indeed."]
        lines = [*good[:3], draw.choice(bad), good[3] + "|" + draw.choice(bad)]
        found.append((str(number), "\n".join(lines)))
    return found


def expected(spec):
    """All sentences in one list, sorted, and filtered in a plain loop."""
    tokenise, join = tokeniser("english"), detokeniser("english")
    confidence, rows = language_confidence("english", spec.seed), []
    for identifier, text in articles():
        for position, sentence in enumerate(text.replace("|", "\n").split("\n")):
            rank = uniforms([("segmented", spec.seed, identifier, position)], 1)[0, 0]
            rows.append((rank, f"{identifier}:{position}", join(tokenise(sentence))))
    kept = {}
    for _, identifier, text in sorted(rows):
        if 6 <= len(tokenise(text)) <= 12 and text not in kept.values() and confidence(text) >= 0.99:
            kept[identifier] = text
    return kept


def shards_of(tmp_path, spec, shards):
    paths = [tmp_path / f"{shard}-of-{shards}.parquet" for shard in range(shards)]
    for shard, path in enumerate(paths):
        write_table(lowest_ranked(articles(), split, spec, shard, shards), path, SEGMENTS)
    return [segments_in(path) for path in paths]


def test_paragraphs_of_wiki_40b_have_their_lines_and_no_titles():
    assert paragraphs(WIKI_40B) == ["One. Two.\nThree.", "Four."]
    # Without markers every line is a paragraph.
    assert paragraphs("One. Two.\n\n Three. \n") == ["One. Two.", "Three."]


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_the_corpus_is_the_head_of_one_shuffle_for_any_number_of_shards(tmp_path, monkeypatch, shards):
    monkeypatch.setattr(segments, "ROWS_PER_GROUP", 1)  # so that rows are cut while articles are read
    wanted = spec(30, 2, seed=4)
    found, rejected = segmented_sentences(shards_of(tmp_path, wanted, shards), wanted)
    assert dict(zip(found.id, found.text, strict=True)) == dict(list(expected(wanted).items())[:30])
    assert list(found.id) == list(expected(wanted))[:30]
    again = ["duplicate", "fewer words than 6", "more words than 12", "not surely English"]
    assert list(rejected) == again
    monkeypatch.undo()
    more = spec(30, 4, seed=4)
    whole, counts = segmented_sentences(shards_of(tmp_path, more, 1), more)
    assert counts == rejected
    pd.testing.assert_frame_equal(found, whole)


def test_a_german_corpus_takes_german_sentences_and_no_others(tmp_path):
    wanted = spec(1, 100, language="german")
    found, rejected = segmented_sentences(shards_of(tmp_path, wanted, 1), wanted)
    assert list(found.text) == ["Der alte Bauer hatte dieses Haus verkauft."]
    assert "not surely German" in rejected


def test_too_few_sentences_say_how_many_there_were_and_why_the_others_fell(tmp_path):
    wanted = spec(100, 1)
    with pytest.raises(
        TableError, match=r"100 candidates gave \d+ of 100 sentences\. Rejected: .* Raise candidates"
    ):
        segmented_sentences(shards_of(tmp_path, wanted, 2), wanted)
    wanted = spec(100, 10)
    with pytest.raises(
        TableError, match=r"120 candidates gave .* Rejected: \d+ duplicate.* no more sentences. Add"
    ):
        segmented_sentences(shards_of(tmp_path, wanted, 2), wanted)
