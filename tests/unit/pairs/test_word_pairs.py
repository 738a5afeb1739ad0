from collections import Counter
from functools import partial
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from contrapose.jobs import step
from contrapose.jobs.status import read_pairs, read_status
from contrapose.jobs.step import settings_class
from contrapose.pairs import pair_rows
from contrapose.pairs.kinds import STRATEGIES
from contrapose.tables import PAIRS, SENTENCES, write_table
from contrapose.tables.parquet import change_provenance
from tests.kinds import pairs
from tests.tables import is_uniform, sentences

KINDS = ["deletion", "crop", "repetition", "shuffle"]
TEN = "a b c d e f g h i j"
word_pairs = partial(pairs, corpus="own")


MANY = sentences(*[TEN] * 2000)


def words_of(found):
    return [text.split() for text in found.positive]


@pytest.mark.parametrize("kind", ["deletion", "crop", "shuffle"])
def test_a_single_word_is_its_own_positive(kind):
    assert word_pairs(kind, sentences("Hello", "A cat")).positive[0] == "Hello"


@pytest.mark.parametrize(("rate", "gone"), [(None, 1), (0.1, 1), (0.2, 2), (0.3, 3), (0.01, 1), (0.99, 9)])
def test_so_many_words_go_and_each_is_as_likely(rate, gone):
    kept = words_of(word_pairs("deletion", MANY, rate=rate))
    assert {len(words) for words in kept} == {10 - gone}
    assert all(words == sorted(set(words)) for words in kept)  # in order, none twice
    assert is_uniform([word for words in kept for word in set(TEN.split()) - set(words)], TEN.split())


@pytest.mark.parametrize(("rate", "kept"), [(0.1, 9), (0.2, 8), (0.3, 7), (0.01, 9), (0.99, 1)])
def test_a_span_of_the_share_is_kept_wherever_it_stands(rate, kept):
    spans = [text.replace(" ", "") for text in word_pairs("crop", MANY, rate=rate).positive]
    assert is_uniform(spans, ["abcdefghij"[start : start + kept] for start in range(11 - kept)])


@pytest.mark.parametrize(("count", "most"), [(10, 3), (3, 2), (2, 2), (1, 1), (20, 6)])
def test_none_to_the_most_words_are_repeated_next_to_themselves(count, most):
    words = [f"w{number}" for number in range(count)]
    found = words_of(word_pairs("repetition", sentences(*[" ".join(words)] * 2000)))
    assert is_uniform([len(each) - count for each in found], range(most + 1))
    times = [Counter(each) for each in found]
    assert found == [[word for word in words for _ in range(own[word])] for own in times]
    assert {number for own in times for number in own.values()} == {1, 2}
    assert is_uniform([word for own in times for word in words if own[word] == 2], words)


@pytest.mark.parametrize(("count", "most"), [(10, 2), (3, 1), (2, 1), (1, 0), (20, 5), (40, 9)])
def test_the_released_code_repeats_one_word_less_at_most_nine_and_never_the_last(count, most):
    words = [f"w{number}" for number in range(count)]
    found = words_of(word_pairs("repetition", sentences(*[" ".join(words)] * 2000), as_released=True))
    assert is_uniform([len(each) - count for each in found], range(most + 1))
    twice = [word for own in map(Counter, found) for word in words if own[word] == 2]
    assert not twice if count == 1 else is_uniform(twice, words[:-1])


def test_every_order_of_the_words_is_as_likely():
    found = word_pairs("shuffle", sentences(*["a b c"] * 2000)).positive
    assert is_uniform(found, ["a b c", "a c b", "b a c", "b c a", "c a b", "c b a"])


def test_a_share_of_the_words_is_shuffled_and_the_others_stay():
    found = words_of(word_pairs("shuffle", MANY, rate=0.2))
    moved = [[place for place in range(10) if words[place] != TEN.split()[place]] for words in found]
    assert {len(places) for places in moved} == {0, 2}  # two words are drawn, and swapped half of the time
    assert 900 < sum(map(bool, moved)) < 1100
    assert is_uniform([place for places in moved for place in places], range(10))


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_without_spaces_need_a_language(kind):
    japanese = sentences("猫が家で眠る", "犬は庭を走る", "A cat")
    refused = word_pairs(kind, japanese)
    assert refused.empty
    assert (
        f"kind {kind}: most sentences of the corpus 'own' have no spaces between words"
        in read_status(refused.attrs).unavailable
    )
    assert len(word_pairs(kind, sentences("猫が家で眠る", "A dog ran", "A cat"))) == 3  # one is no matter
    found = word_pairs(kind, japanese.head(2), language="japanese")
    assert found.anchor.tolist() == ["猫が家で眠る", "犬は庭を走る"]
    assert " " not in "".join(found.positive)


def test_a_japanese_word_is_what_mecab_says():
    found = word_pairs("deletion", sentences(*["猫が家で眠る"] * 100), language="japanese")
    assert set(found.positive) == {"が家で眠る", "猫家で眠る", "猫がで眠る", "猫が家眠る", "猫が家で"}


@pytest.mark.parametrize("kind", ["deletion", "punctuation"])
def test_pairs_are_written_in_row_groups_with_what_their_corpus_skipped(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(pair_rows, "ROWS_PER_GROUP", 2)
    write_table(sentences("A b", "C d", "E f"), tmp_path / "s.parquet", SENTENCES)
    change_provenance(tmp_path / "s.parquet", status={"skipped": ["one"]})
    params = SimpleNamespace(settings="{}", code="")
    job = SimpleNamespace(
        rule="pairs", wildcards={}, params=params, input={"sentences": str(tmp_path / "s.parquet")}
    )
    spec = settings_class(STRATEGIES[kind])(kind=kind, corpus="own", slots=2)
    pieces = STRATEGIES[kind].build(spec, sentences("A b", "C d", "E f"))
    step._write(pieces, str(tmp_path / "pairs.parquet"), PAIRS, job)
    assert read_status(tmp_path / "pairs.parquet").skipped == ["one"]
    assert len(read_pairs(tmp_path / "pairs.parquet")) == 3 * 2 * (2 if kind == "punctuation" else 1)
    assert pq.read_metadata(tmp_path / "pairs.parquet").num_row_groups >= 4
