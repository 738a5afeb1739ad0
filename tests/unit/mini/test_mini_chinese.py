import json
from collections import Counter

import pandas as pd
import pytest
from scipy.stats import spearmanr

from contrapose.retrieve.benchmarks import read_benchmark
from contrapose.seeds import generator
from contrapose.settings.worlds import BenchmarkFiles
from contrapose_mini.chinese import words
from contrapose_mini.chinese.lexicon import COUNT_FORMS
from contrapose_mini.chinese.pairs import PAIR_SETS, SAME_MEANING, labelled_pairs
from contrapose_mini.chinese.wording import STYLES, clause, styled
from contrapose_mini.chinese.words import adjunct_words, noun_words, relation_words, surname_words
from contrapose_mini.concepts import nouns
from contrapose_mini.facts import Entity, Fact, World, draw_fact, fact_from
from contrapose_mini.wording import Wording
from contrapose_mini.words import KINDS
from tests.unit.mini.conftest import PAIRS, first_words

SETS = {pair_set.name: pair_set for pair_set in PAIR_SETS}
WORLD = World(7, 600)
CAUGHT = Fact("arrest", Entity("policeman"), Entity("thief"), place="park")


@pytest.fixture(scope="module")
def pairs():
    return {name: list(labelled_pairs(each, WORLD, 7, "test", 600)) for name, each in SETS.items()}


def forms_by_concept() -> dict[str, set[str]]:
    forms = {f"noun {name}": set(each.forms) for name, each in noun_words().items()}
    for name, each in relation_words().items():
        verbs = {verb.strip("~") for verb in each.verbs + each.converse + each.results}
        forms[f"relation {name}"] = verbs | ({each.event} if each.event else set())
    for kind in KINDS:
        forms |= {f"{kind} {key}": set(found) for key, found in adjunct_words(kind).items()}
    forms |= {f"count {count}": {form.format("") for form in found} for count, found in COUNT_FORMS.items()}
    return forms | {f"person {name}": set(found) for name, found in surname_words().items()}


FORMS = forms_by_concept()
CONCEPTS = {form: concept for concept, forms in FORMS.items() for form in forms}
LONGEST = max(map(len, CONCEPTS))


def said(text: str) -> Counter:
    """Read the concepts off a sentence: from the left, always the longest form that stands there."""
    # A verb that encloses its object is read by what stands behind it.
    parts = {form.rpartition("~")[2]: concept for form, concept in CONCEPTS.items()}
    found, at = Counter(), 0
    while at < len(text):
        size = next((n for n in range(LONGEST, 0, -1) if text[at : at + n] in parts), 0)
        if size:
            found[parts[text[at : at + size]]] += 1
        at += size or 1
    return found


def meant(fact: Fact) -> Counter:
    found = Counter([f"relation {fact.relation}"])
    for entity in (fact.agent, fact.patient):
        kind = "living" if nouns()[entity.concept].living else "thing"
        found.update([f"noun {entity.concept}"])
        found.update([f"{kind} {entity.attribute}"] * bool(entity.attribute))
        found.update([f"person {entity.person}"] * bool(entity.person))
        found.update([f"count {entity.count}"] * (entity.count > 1))
    found.update(f"{kind} {key}" for kind in KINDS[:3] if (key := getattr(fact, kind)))
    return found


def worded(fact: Fact, voice: str, tense: str = "past", **choices: object) -> str:
    usual = {"attribute old": "年老的", "front": "none", "denial": "没有", "progressive": True}
    return clause(fact, first_words(words, fact, voice, **usual | choices), tense)


def test_every_concept_has_two_forms_and_no_form_has_two_concepts():
    assert min(map(len, FORMS.values())) >= 2
    assert sum(map(len, FORMS.values())) == len(CONCEPTS)


def test_a_clause_says_its_fact_and_nothing_else():
    rng = generator("test clauses")
    for number in range(600):
        fact = draw_fact(rng)
        tense = ("past", "present", "progressive")[number % 3]
        text = clause(fact, Wording(rng), tense)
        assert said(text) == meant(fact), text


TAUGHT = Fact("teach", Entity("teacher"), Entity("pupil", count=2), time="morning")
CONVERSE = {"converse teach": "向~学习", "count 2": "两{}", "front": "time"}
DENIED = Fact("arrest", Entity("policeman"), Entity("thief", "old"), manner="quickly", happened=False)
NAMED = Fact("arrest", Entity("judge", person="Keller"), Entity("thief"))
NAME = {"person Keller": "Keller", "naming": "一{m}叫{p}的{n}"}


@pytest.mark.parametrize(
    ("fact", "voice", "tense", "choices", "text"),
    [
        (CAUGHT, "active", "past", {}, "警察在公园里逮捕了小偷"),
        (CAUGHT, "active", "progressive", {}, "警察正在公园里逮捕小偷"),
        (CAUGHT, "active", "present", {}, "警察在公园里逮捕小偷"),
        (CAUGHT, "passive", "past", {"passive arrest": "逮捕"}, "小偷在公园里被警察逮捕了"),
        (CAUGHT, "disposal", "past", {"result arrest": "抓住"}, "警察在公园里把小偷抓住了"),
        (CAUGHT, "event", "past", {}, "警察在公园里对小偷进行了抓捕"),
        (CAUGHT, "cleft", "past", {}, "在公园里逮捕小偷的是警察"),
        (TAUGHT, "converse", "past", CONVERSE, "早上，两名学生向老师学习了"),  # encloses its object
        (DENIED, "active", "past", {}, "警察没有迅速地逮捕年老的小偷"),  # no sign of the past
        (DENIED, "disposal", "past", {"result arrest": "抓住"}, "警察没有迅速地把年老的小偷抓住"),
        (NAMED, "active", "past", NAME, "一位叫Keller的法官逮捕了小偷"),
    ],
)
def test_a_fact_can_be_said_in_many_ways(fact, voice, tense, choices, text):
    assert worded(fact, voice, tense, **choices) == text


@pytest.mark.parametrize("style", STYLES)
def test_the_same_words_may_stand_in_sentences_of_different_length(style):
    first = Wording(generator("first"))
    styled(style, (CAUGHT,), first)
    texts = {styled(style, (CAUGHT,), Wording(generator("again", n), first, keep=1.0)) for n in range(60)}
    assert len({len(text) for text in texts}) > 5
    assert len({json.dumps(said(text), sort_keys=True) for text in texts}) == 1


def test_the_label_is_the_meanings_and_not_the_words(pairs):
    for name in ("ATEC", "BQ", "LCQMC", "PAWSX"):
        assert {p.label == (p.similarity >= SAME_MEANING) for p in pairs[name]} == {True}
        share = sum(pair.label for pair in pairs[name]) / 600
        assert share == pytest.approx(SETS[name].positive, abs=0.06)  # three standard errors
    grades = [pair.label for pair in pairs["STS-B"]]
    assert set(grades) == set(range(6))
    assert spearmanr([pair.similarity for pair in pairs["STS-B"]], grades)[0] > 0.9


@pytest.mark.parametrize("name", ["ATEC", "BQ", "LCQMC", "PAWSX"])
def test_neither_shared_characters_nor_length_give_the_label(pairs, name):
    labels = [pair.label for pair in pairs[name]]
    texts = [(pair.first.text, pair.second.text) for pair in pairs[name]]
    shared = [len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in texts]
    assert spearmanr(shared, labels)[0] < 0.3
    for length in ([abs(len(a) - len(b)) for a, b in texts], [len(a + b) for a, b in texts]):
        assert abs(spearmanr(length, labels)[0]) < 0.15


def test_scrambled_pairs_share_most_characters_whatever_their_label(pairs):
    shares = {0: [], 1: []}
    for pair in pairs["PAWSX"]:
        one, two = set(pair.first.text), set(pair.second.text)
        shares[pair.label].append(len(one & two) / len(one | two))
    means = [sum(values) / len(values) for values in shares.values()]
    assert min(means) > 0.55
    assert means[0] == pytest.approx(means[1], abs=0.08)


def test_the_same_seed_gives_the_same_pairs_and_another_seed_others(pairs):
    assert list(labelled_pairs(SETS["BQ"], WORLD, 7, "test", 600)) == pairs["BQ"]
    assert list(labelled_pairs(SETS["BQ"], WORLD, 8, "test", 600)) != pairs["BQ"]


def test_questions_recur_in_the_sets_whose_pairs_were_made_of_a_pool(pairs):
    def distinct(name):
        texts = [text for pair in pairs[name] for text in (pair.first.text, pair.second.text)]
        return len(set(texts)) / len(texts)

    assert distinct("BQ") < distinct("LCQMC") < distinct("ATEC")
    assert distinct("BQ") < 0.6
    together = {frozenset((pair.first.text, pair.second.text)) for pair in pairs["BQ"]}
    assert len(together) == 600


def test_files_are_read_by_the_reader_of_the_real_ones(world):
    tasks = {"ATEC": "atec", "BQ": "bq", "LCQMC": "lcqmc", "PAWSX": "pawsx_zh", "STS-B": "stsb_zh"}
    for name, pair_set in SETS.items():
        source = BenchmarkFiles(kind="senteval_cn", task=tasks[name], path=name)
        table, missing = read_benchmark(world / "senteval_cn" / name, source)
        splits = {"train": "train", "dev": "valid", "test": "test"}
        rows = {split: PAIRS * pair_set.units[file] for split, file in splits.items()}
        assert table.split.value_counts().to_dict() == rows
        assert set(table.score) <= set(range(6 if pair_set.positive is None else 2))
        assert not missing
        for file in splits.values():
            text = (world / "senteval_cn" / name / f"{name}.{file}.data").read_bytes().decode()
            assert "\r" not in text


def test_sentences_have_the_marks_digits_and_placeholders_of_the_real_ones(pairs):
    texts = {name: [side.text for p in made for side in (p.first, p.second)] for name, made in pairs.items()}
    assert set("？?，,！!。.；;1１") <= set("".join(texts["LCQMC"] + texts["PAWSX"]))
    assert 2 <= texts["PAWSX"].count("NS") <= 20  # 8.4 expected
    assert "NS" not in texts["LCQMC"]


def test_what_the_translated_questions_say_is_known(world):
    known = pd.read_parquet(world / "llm" / "knowledge_zh.parquet")
    texts = set()
    for name in ("BQ", "LCQMC"):
        lines = (world / "senteval_cn" / name / f"{name}.test.data").read_text().splitlines()
        texts |= {text for line in lines for text in line.split("\t")[:2]}
    assert set(known.text) == texts
    assert known.text.is_unique
    for row in known.itertuples():
        facts = [fact_from(record) for record in json.loads(row.facts)]
        assert said(row.text) == sum(map(meant, facts), Counter()), row.text
