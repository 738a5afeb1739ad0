from contrapose.retrieve.overlaps import overlaps, pair_words

TEST = [("A cat sleeps.", "A dog barks."), ("It rains.", "It pours!"), ("It pours.", "it rains")]


def test_sentences_count_once_and_pairs_in_either_order_whatever_case_and_marks():
    texts = {"those": ["a CAT\u00a0sleeps", "A cat sleeps.", "It snows."], "others": ["It snows."]}
    pairs = {"dev": [("A dog barks", "A cat sleeps"), ("It rains.", "It snows.")]}
    assert overlaps({"one": TEST, "two": TEST[:1]}, texts, pairs) == [
        "one: 1 of 4 test sentences are among those.",
        "two: 1 of 2 test sentences are among those.",
        "one: 1 of 3 test pairs are among dev.",
        "two: 1 of 1 test pairs are among dev.",
        "one: 2 of 3 pairs occur more than once.",
    ]


def test_a_pair_of_one_text_is_not_one_of_two_and_nothing_shared_is_not_said():
    assert pair_words("a", "a") != pair_words("a", "b") == pair_words("B", "A.")
    assert overlaps({"one": TEST[:2]}, {"those": ["A cat."]}, {"dev": [("A cat sleeps.", "It rains.")]}) == []
    assert overlaps({}, {"those": ["A cat."]}, {}) == []
