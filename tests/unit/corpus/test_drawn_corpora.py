from collections import Counter

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.corpus import draw
from contrapose.corpus.draw import (
    CorpusDraws,
    SampledCorpus,
    drawn_sentences,
    random_picks,
    replacement_sentence,
)
from contrapose.corpus.sample import corpus_sentences
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


def drawn(*rows):
    table = pd.DataFrame(rows, columns=DRAWS.columns)
    return table.astype({"draw": "int64", "rank": "int16", "position": "int32", "words": "int32"})


ABC = [article("a", *[12] * 21), article("b", *[12] * 21), article("c", 12)]


@pytest.mark.parametrize(
    ("drawn", "method", "size", "message"),
    [
        (
            draws([article("a", *[12] * 10)], 1),
            1,
            7,
            "100 draws gave 6 of 7 sentences.*94 dup.*draws_per_sent",
        ),
        (draws(ABC, 3), 3, 9, "3 draws gave 8 of 9 sentences.*All articles have been drawn"),
        (empty(DRAWS), 1, 1, "0 draws gave 0 of 1 sentences. Rejected: none"),
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


def test_a_replacement_that_cannot_be_found_is_refused(monkeypatch):
    monkeypatch.setattr(draw, "REPLACEMENT_TRIES", 20)
    with pytest.raises(
        TableError, match=r"'x:1' has no replacement. 20 draws with method 1 .* 10 to 50 words"
    ):
        replacement_sentence([article("a", *[5] * 30)], split, SampledCorpus(method=1), "x:1", 1)
