from collections import Counter
from unittest.mock import Mock, call

import numpy as np
import pandas as pd
import pytest

from contrapose.corpus import draw
from contrapose.corpus.draw import CorpusDraws, drawn_sentences, random_picks, replacement_sentence
from contrapose.corpus.sample import corpus_sentences
from contrapose.errors import TableError
from contrapose.settings.corpora import SampledCorpus
from contrapose.tables import DRAWS, SENTENCES, empty, write_table


def split(text):
    """A fake splitter: a sentence ends at `|`."""
    return text.split("|")


def sentence(words, name="w"):
    return " ".join(f"{name}{i}" for i in range(words))


def article(identifier, *lengths):
    """An article with a sentence of each length; sentence 2 of article a starts with a2."""
    return identifier, "|".join(sentence(words, f"{identifier}{i}x") for i, words in enumerate(lengths))


def spec(method, **changes):
    return CorpusDraws(method=method, **{"draws": 100, "size": 1, **changes})


def draws(articles, method, **changes):
    return drawn_sentences(articles, split, spec(method, **changes))


def reasons(articles, method, **changes):
    return dict(Counter(draws(articles, method, **changes).rejected))


MIXED = [
    article("a", *[12] * 10),
    article("b", *[12] * 9),
    article("c", *[9, 10, 50, 51] * 6),
    article("d", *[30] * 21),
    ("e", "|".join([sentence(11, "e"), "one\n" + sentence(11, "f")] * 12)),
    article("f", *[20] * 20),
    article("g", *[5] * 30),
]


@pytest.mark.parametrize(("n", "last"), [(10, 5), (11, 5), (12, 6), (14, 7), (15, 8), (35, 20)])
def test_method_1_draws_from_the_first_60_percent_of_the_sentences(n, last):
    drawn = draws([article("a", *[12] * n)], 1, draws=400)
    assert set(drawn.position) == set(range(last + 1))


INSIDE = ("a", "one two three four five\nsix seven eight nine ten")
OUTSIDE = ("a", "\n one two three four five six seven eight nine ten \n")


@pytest.mark.parametrize(
    ("method", "articles", "settings", "expected"),
    [
        (1, [article("a", *[12] * 10)], {}, {"": 100}),
        (1, [article("a", *[12] * 9)], {}, {"fewer than 10 sentences": 100}),
        (1, [article("a", *[12] * 10)], {"min_words": 13}, {"fewer words than 13": 100}),
        (1, [article("a", *[12] * 10)], {"min_words": 1, "max_words": 11}, {"more words than 11": 100}),
        (2, [INSIDE], {}, {"line break": 100}),
        (2, [OUTSIDE], {}, {"": 100}),
        (3, [article("a", *[12] * 20)], {}, {"article of 20 sentences or fewer": 1}),
        (3, [article("a", *[5] * 21)], {}, {"no fitting sentence": 1}),
    ],
)
def test_a_draw_that_gives_no_sentence_says_why(method, articles, settings, expected):
    assert reasons(articles, method, **settings) == expected


@pytest.mark.parametrize("method", [1, 2])
def test_word_bounds_are_inclusive(method):
    for words, reason in [(9, "fewer words than 10"), (10, ""), (50, ""), (51, "more words than 50")]:
        drawn = draws([article("a", *[words] * 10)], method)
        assert set(drawn.rejected) == {reason}
        assert set(drawn.words) == {words}
    marked = [("a", "|".join(["One two, three (four) five six."] * 10))]  # marks count as words
    assert set(draws(marked, method).words) == {10}


@pytest.mark.parametrize(
    ("line_breaks", "text"),
    [("space", "Heading a b c d e f g h i j  k"), ("delete", "Headinga b c d e f g h i j k")],
)
def test_method_1_removes_each_run_of_line_breaks(line_breaks, text):
    articles = [("a", "|".join(["\n\n Heading\r\n\na b c d e\u2028f g h i j \nk\n"] * 10))]
    if line_breaks == "delete":
        text = text.replace("e f", "ef")
    drawn = draws(articles, 1, line_breaks=line_breaks)
    assert set(drawn.text) == {text}


def test_method_1_splits_after_the_line_breaks_are_removed():
    remember = Mock(side_effect=split)
    for method in (1, 2):
        drawn_sentences([("a", "one\n\ntwo")], remember, spec(method, line_breaks="delete"))
    assert remember.mock_calls == [call("onetwo"), call("one\n\ntwo")]  # once each, for 100 draws


def test_method_2_takes_any_sentence_of_any_article_without_the_line_breaks_around_it():
    assert set(draws([article("a", *[12] * 3)], 2).position) == {0, 1, 2}
    assert draws([OUTSIDE], 2).text[0] == OUTSIDE[1].strip()


def test_method_3_takes_the_first_four_sentences_that_fit():
    long = "|".join(["a\n" + sentence(12), *(sentence(n) for n in [9, 10, 51, 50, 12, 13, 14, *[12] * 20])])
    drawn = draws([("a", long)], 3)
    assert list(drawn.position) == [2, 4, 5, 6]
    assert list(drawn.words) == [10, 50, 12, 13]
    assert list(drawn["rank"]) == [0, 1, 2, 3]
    # Those there are.
    assert list(draws([article("a", 12, 12, *[5] * 19)], 3).position) == [0, 1]


def test_method_3_draws_every_article_once():
    articles = [article(name, *[12] * 21) for name in "abcdefg"]
    drawn = draws(articles, 3)
    assert Counter(drawn.article_id) == dict.fromkeys("abcdefg", 4)
    assert list(drawn.article_id[::4]) != list("abcdefg")  # in random order


def as_bytes(tmp_path, table, schema):
    write_table(table, tmp_path / "t.parquet", schema)
    return (tmp_path / "t.parquet").read_bytes()


@pytest.mark.parametrize("method", [1, 2, 3])
@pytest.mark.parametrize("line_breaks", ["space", "delete"])
def test_any_number_of_shards_gives_the_same_bytes(tmp_path, method, line_breaks):
    wanted = spec(method, size=6, line_breaks=line_breaks)
    found = set()
    for shards in (1, 2, 7, 9, 1):
        parts = [drawn_sentences(MIXED, split, wanted, shard, shards) for shard in range(shards)]
        for part in parts:
            assert as_bytes(tmp_path, part, DRAWS)
            assert part.equals(part.sort_values(["draw", "rank"], ignore_index=True))
        sentences, counts = corpus_sentences(pd.concat(parts[::-1], ignore_index=True), wanted)
        found.add((as_bytes(tmp_path, sentences, SENTENCES), str(counts)))
    assert len(found) == 1


def test_a_shard_reads_the_articles_of_its_range_only_and_each_once():
    class Watched(list):
        def __getitem__(self, number):
            read.append(number)
            return super().__getitem__(number)

    for shard, numbers in enumerate([[0, 1], [2, 3], [4, 5, 6]]):
        read = []
        drawn_sentences(Watched(MIXED), split, spec(2), shard, 3)
        assert read == numbers


def test_methods_and_seeds_keep_their_draws_for_good():
    """Changed numbers here would change every published corpus."""
    articles, shares = random_picks(1000, spec(1, draws=4))
    assert articles.tolist() == [466, 122, 639, 486]
    assert shares.round(6).tolist() == [0.43025, 0.446682, 0.982286, 0.862809]
    articles, _ = random_picks(1000, spec(3, draws=4))
    assert articles.tolist() == [107, 348, 706, 865]


@pytest.mark.parametrize("method", [1, 2, 3])
def test_more_draws_only_add_to_the_end_and_another_seed_draws_others(method):
    few, many = (random_picks(5000, spec(method, draws=draws)) for draws in (333, 4321))
    for short, long in zip(few, many, strict=True):
        assert np.array_equal(short, long[:333])
    assert not np.array_equal(few[0], random_picks(5000, spec(method, draws=333, seed=2))[0])


@pytest.mark.parametrize("method", [1, 2, 3])
def test_no_articles_are_refused(method):
    with pytest.raises(TableError, match="no articles to draw from"):
        draws([], method)


def drawn(*rows):
    table = pd.DataFrame(rows, columns=DRAWS.columns)
    return table.astype({"draw": "int64", "rank": "int16", "position": "int32", "words": "int32"})


DRAWN = drawn(
    (2, 0, "b", 3, "two", 1, ""),
    (0, 0, "a", -1, "", 0, "line break"),
    (3, 1, "c", 9, "four", 1, ""),
    (3, 0, "c", 7, "one", 1, ""),  # the text of draw 1 once more
    (1, 0, "a", 5, "one", 1, ""),
    (4, 0, "d", 2, "", 60, "more words than 50"),
    (5, 0, "d", 1, "five", 1, ""),
    (6, 0, "d", 0, "", 0, "line break"),
)


def test_a_corpus_is_the_first_accepted_sentences_each_text_once():
    sentences, counts = corpus_sentences(DRAWN, spec(3, size=4))
    assert list(sentences.id) == ["a:5", "b:3", "c:9", "d:1"]
    assert list(sentences.text) == ["one", "two", "four", "five"]
    assert list(sentences.position) == [5, 3, 9, 1]
    assert counts == {"duplicate": 1, "line break": 1, "more words than 50": 1}
    # Rejections after the last sentence are not counted.
    assert corpus_sentences(DRAWN, spec(3, size=2))[1] == {"line break": 1}
    assert corpus_sentences(DRAWN, spec(3, size=3))[1] == {"duplicate": 1, "line break": 1}


ABC = [article("a", *[12] * 21), article("b", *[12] * 21), article("c", 12)]


@pytest.mark.parametrize(
    ("drawn", "method", "size", "message"),
    [
        (draws([article("a", *[12] * 10)], 1), 1, 7, "6 of 7 sentences .* 100 draws.*94 dup.*draws_per_sent"),
        (draws(ABC, 3), 3, 9, "8 of 9 sentences found in 3 draws.*All articles have been drawn"),
        (empty(DRAWS), 1, 1, "0 of 1 sentences found in 0 draws. Rejected: none"),
    ],
)
def test_too_few_sentences_are_refused_with_the_numbers_and_the_key(drawn, method, size, message):
    with pytest.raises(TableError, match=message):
        corpus_sentences(drawn, spec(method, size=size))


@pytest.mark.parametrize("method", [1, 2, 3])
def test_a_replacement_is_drawn_with_method_1_whatever_the_corpus(method):
    articles = [article("a", *[12] * 9), article("b", *[12] * 10), article("c", *[60] * 30)]
    spec = SampledCorpus(method=method)
    found = {replacement_sentence(articles, split, spec, f"x:{i}", 1) for i in range(60)}
    assert {each.id for each in found} == {f"b:{i}" for i in range(6)}
    assert {each.words for each in found} == {12}
    assert next(iter(found))._fields == tuple(SENTENCES.columns)


@pytest.mark.parametrize(("line_breaks", "text"), [("space", "one two"), ("delete", "onetwo")])
def test_line_breaks_of_a_replacement_are_removed_whatever_the_corpus(line_breaks, text):
    articles = [("a", "|".join(["one\ntwo " + sentence(11)] * 10))]
    spec = SampledCorpus(method=3, line_breaks=line_breaks)
    assert replacement_sentence(articles, split, spec, "x:1", 1).text == f"{text} {sentence(11)}"


def test_a_replacement_depends_on_seed_sentence_and_number():
    articles = [article(name, *[12] * 30) for name in "abcdefgh"]

    def ids(seed=1, sentence_id="x:1", number=1):
        spec = SampledCorpus(method=1, seed=seed)
        return [replacement_sentence(articles, split, spec, sentence_id, number).id]

    assert ids() == ids()
    assert len({*ids(), *ids(seed=2), *ids(sentence_id="x:2"), *ids(number=2)}) == 4


def test_a_replacement_that_cannot_be_found_is_refused(monkeypatch):
    monkeypatch.setattr(draw, "REPLACEMENT_TRIES", 20)
    with pytest.raises(TableError, match=r"'x:1': 20 draws with method 1 .* 10 to 50 words"):
        replacement_sentence([article("a", *[5] * 30)], split, SampledCorpus(method=1), "x:1", 1)
