import fugashi
import ipadic
import pytest
from langdetect import DetectorFactory, detect_langs

from contrapose.seeds import generator
from contrapose_mini import lexicon
from contrapose_mini.chinese import words as chinese
from contrapose_mini.concepts import adjuncts, nouns, relations
from contrapose_mini.facts import Entity, Fact, draw_fact, negate
from contrapose_mini.japanese import words as japanese
from contrapose_mini.japanese.wording import STYLES, clause, styled, unspaced
from contrapose_mini.japanese.words import adjunct_words, noun_words, relation_words, verb_from
from contrapose_mini.wording import Wording
from contrapose_mini.words import KINDS
from tests.unit.mini.conftest import first_words

CAUGHT = Fact("arrest", Entity("policeman"), Entity("thief"), place="park")


@pytest.fixture(scope="module")
def sentences():
    """Sentences of both styles with their words apart, some of two facts, some of what did not happen."""
    rng = generator("test japanese")
    made = []
    for number in range(400):
        fact = draw_fact(rng)
        meaning = (negate(rng, fact) if number % 7 == 0 else fact, draw_fact(rng))[: 1 + (number % 3 == 0)]
        made.append((meaning, styled(tuple(STYLES)[number % 2], meaning, Wording(rng))))
    return made


def worded(fact: Fact, voice: str, tense: str = "past", **choices: object) -> str:
    usual = {"fronting": False, "topic": "は", "by": "に", "copula": "だ", "style": "plain"}
    return clause(fact, first_words(japanese, fact, voice, **usual | choices), tense)


@pytest.mark.parametrize("words", [chinese, japanese])
def test_every_language_has_words_for_the_same_concepts(words):
    assert set(words.noun_words()) == set(nouns())
    assert set(words.relation_words()) == set(relations())
    assert set(words.surname_words()) == set(lexicon.SURNAMES)
    for kind in KINDS:
        assert set(words.adjunct_words(kind)) == set(adjuncts(kind))


def test_every_concept_has_two_forms_and_no_form_has_two_concepts():
    forms = {f"noun {name}": words.forms for name, words in noun_words().items()}
    forms |= {f"{kind} {key}": found for kind in KINDS for key, found in adjunct_words(kind).items()}
    assert min(map(len, forms.values())) >= 2
    assert len({form for found in forms.values() for form in found}) == sum(map(len, forms.values()))
    verbs = {name: {verb.perfect for verb in words.verbs} for name, words in relation_words().items()}
    assert min(map(len, verbs.values())) >= 2
    assert len(set.union(*verbs.values())) == sum(map(len, verbs.values()))


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("書/カ", "書い た, 書き まし た, 書か なかっ た, 書か れ た, 書い て いる"),
        ("運/バ", "運ん だ, 運び まし た, 運ば なかっ た, 運ば れ た, 運ん で いる"),
        ("買/ワ", "買っ た, 買い まし た, 買わ なかっ た, 買わ れ た, 買っ て いる"),
        ("食べ/る", "食べ た, 食べ まし た, 食べ なかっ た, 食べ られ た, 食べ て いる"),
        ("検査/する", "検査 し た, 検査 し まし た, 検査 し なかっ た, 検査 さ れ た, 検査 し て いる"),
    ],
)
def test_verbs_are_conjugated_by_their_row(verb, forms):
    made = verb_from(verb)
    past, polite, not_so = made.past(True, False), made.past(True, True), made.past(False, False)
    passive = made.passivised().past(True, False)
    assert ", ".join((past, polite, not_so, passive, made.progressive(True, False))) == forms


TAUGHT = Fact("teach", Entity("teacher"), Entity("pupil", count=2), time="morning")
PASSIVE = {"passive arrest": relation_words()["arrest"].verbs[0]}
CONVERSE = {"converse teach": verb_from("から:学/バ"), "count 2": "2 {} の", "style": "polite"}


@pytest.mark.parametrize(
    ("fact", "voice", "tense", "choices", "text"),
    [
        (CAUGHT, "active", "past", {}, "警官は公園で泥棒を逮捕した"),
        (CAUGHT, "active", "progressive", {}, "警官は公園で泥棒を逮捕している"),
        (CAUGHT, "passive", "past", PASSIVE, "泥棒は公園で警官に逮捕された"),
        (CAUGHT, "event", "past", {"event frame": "carried out"}, "警官は公園で泥棒に対する逮捕を行った"),
        (CAUGHT, "cleft", "past", {}, "公園で泥棒を逮捕したのは警官だ"),
        (TAUGHT, "converse", "past", CONVERSE, "2人の生徒は朝に教師から学びました"),  # has its own particle
    ],
)
def test_a_fact_can_be_said_in_many_ways(fact, voice, tense, choices, text):
    assert unspaced(worded(fact, voice, tense, **choices)) == text


def test_what_a_sentence_says_has_its_words_in_it(sentences):
    for meaning, text in sentences:
        for fact in meaning:
            for entity in (fact.agent, fact.patient):
                assert any(form in text for form in noun_words()[entity.concept].forms), text
            for kind in ("place", "time", "manner"):
                if key := getattr(fact, kind):
                    assert any(form in text for form in adjunct_words(kind)[key]), text


def test_words_are_those_of_mecab(sentences):
    tagger = fugashi.GenericTagger(ipadic.MECAB_ARGS)
    cut = [[word.surface for word in tagger(unspaced(text))] == text.split() for _, text in sentences]
    assert sum(cut) > 0.97 * len(cut)
    lengths = sorted(len(text.split()) for _, text in sentences)
    assert lengths[4] >= 6  # 99 % of them
    assert lengths[-5] <= 49


def test_the_language_is_seen(sentences):
    DetectorFactory.seed = 0
    for _, text in sentences[:40]:
        best = detect_langs(unspaced(text))[0]
        assert best.lang == "ja"
        assert best.prob > 0.99
