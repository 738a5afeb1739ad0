from dataclasses import replace

import pytest

from contrapose_mini.concepts import nouns, plural, relations, verb_from
from contrapose_mini.facts import (
    Entity,
    Fact,
    World,
    fact_from,
    fact_record,
    fact_similarity,
    similarity,
)

TREATED = Fact("treat", Entity("doctor"), Entity("patient"), place="park")
COOKED = Fact("cook", Entity("man"), Entity("soup"))


def test_a_fact_means_what_it_means():
    assert fact_similarity(TREATED, TREATED) == 1


def test_a_negated_fact_shares_little_more_than_its_topic():
    assert fact_similarity(TREATED, replace(TREATED, happened=False)) == pytest.approx(0.35)


def test_another_place_costs_more_than_an_unnamed_one():
    unnamed, other = replace(TREATED, place=""), replace(TREATED, place="hill")
    assert fact_similarity(TREATED, unnamed) == pytest.approx(0.92)
    assert fact_similarity(TREATED, other) == pytest.approx(0.78)


def test_a_sibling_of_the_agent_makes_a_somewhat_similar_fact():
    # relation 1, agent 0.4 (a kind of the same category), patient 1: 2.4 / 3 * (0.5 + 0.4 / 2)
    nursed = replace(TREATED, agent=Entity("nurse"))
    assert fact_similarity(TREATED, nursed) == pytest.approx(2.4 / 3 * 0.7)


def test_exchanged_roles_are_another_event():
    chased = Fact("chase", Entity("dog"), Entity("thief"))
    swapped = replace(chased, agent=chased.patient, patient=chased.agent)
    assert fact_similarity(chased, swapped) == pytest.approx(0.4)


def test_exchanged_roles_of_a_symmetric_event_are_the_same_event():
    met = Fact("meet", Entity("king"), Entity("painter"))
    assert fact_similarity(met, replace(met, agent=met.patient, patient=met.agent)) == 1


def test_foreign_facts_share_nothing():
    assert fact_similarity(TREATED, COOKED) == 0


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
