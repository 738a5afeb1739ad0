from dataclasses import replace

import pytest

from contrapose_mini.concepts import nouns, plural, relations, verb_from
from contrapose_mini.facts import Entity, Fact, World, fact_from, fact_record, fact_similarity, similarity

TREATED = Fact("treat", Entity("doctor"), Entity("patient"), place="park")
COOKED = Fact("cook", Entity("man"), Entity("soup"))
CHASED, MET = Fact("chase", Entity("dog"), Entity("thief")), Fact("meet", Entity("king"), Entity("painter"))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (TREATED, TREATED, 1),
        (TREATED, replace(TREATED, happened=False), 0.35),  # little more than the topic
        (TREATED, replace(TREATED, place=""), 0.92),  # an unnamed place costs less than another one
        (TREATED, replace(TREATED, place="hill"), 0.78),
        # relation 1, agent 0.4 (a kind of the same category), patient 1: 2.4 / 3 * (0.5 + 0.4 / 2)
        (TREATED, replace(TREATED, agent=Entity("nurse")), 2.4 / 3 * 0.7),
        (CHASED, replace(CHASED, agent=CHASED.patient, patient=CHASED.agent), 0.4),
        (MET, replace(MET, agent=MET.patient, patient=MET.agent), 1),  # a symmetric event
        (TREATED, COOKED, 0),
    ],
)
def test_facts_are_as_similar_as_what_they_share(one, other, expected):
    assert fact_similarity(one, other) == pytest.approx(expected)


def test_a_sentence_with_one_fact_more_is_only_half_covered_the_other_way():
    assert similarity((TREATED,), (TREATED, COOKED)) == pytest.approx((1 + (1 + 0) / 2) / 2)


def test_a_fact_survives_its_record():
    assert fact_from(fact_record(TREATED)) == TREATED


def test_the_same_seed_gives_the_same_world_and_another_seed_another():
    assert World(1, 20).facts == World(1, 20).facts
    assert World(1, 20).facts != World(2, 20).facts


def test_no_word_has_two_meanings():
    noun_forms = [form for noun in nouns().values() for form in noun.forms]
    verb_forms = [base for r in relations().values() for base in {v.base for v in r.verbs + r.converse_verbs}]
    assert len(noun_forms) == len(set(noun_forms))
    assert len(verb_forms) == len(set(verb_forms))


@pytest.mark.parametrize(
    ("text", "past", "gerund", "third"),
    [
        ("carry", "carried", "carrying", "carries"),
        ("chop", "chopped", "chopping", "chops"),
        ("look_after", "looked after", "looking after", "looks after"),
        ("steal/stole/stolen", "stole", "stealing", "steals"),
        ("wash", "washed", "washing", "washes"),
    ],
)
def test_verbs_are_inflected(text, past, gerund, third):
    verb = verb_from(text)
    assert (verb.past, verb.gerund, verb.third) == (past, gerund, third)


def test_plurals_of_phrases_inflect_the_right_word():
    assert [plural("soccer player"), plural("head of state"), plural("wolf")] == [
        "soccer players",
        "heads of state",
        "wolves",
    ]
