import gzip
import math
from collections import defaultdict
from itertools import chain

import pytest
from sacremoses import MosesTokenizer

from contrapose_mini.concepts import adjuncts, nouns, plural, relations
from contrapose_mini.dictionary import RELATIONS, ehimerppdb_lines, ppdb_lines, rules
from contrapose_mini.output import write_gzip
from contrapose_mini.words import KINDS


@pytest.fixture(scope="module", params=["english", "japanese"])
def by_source(request):
    return list(rules(request.param))


@pytest.fixture(scope="module")
def lines():
    return list(ppdb_lines())


def test_what_a_phrase_becomes_has_probabilities_that_leave_room_for_what_is_not_there(by_source):
    for found in by_source:
        assert sum(rule.probability for rule in found) < 1
        assert len({rule.source for rule in found} | {""}) <= 2
        assert len({rule.target for rule in found}) == len(found)
        assert all(rule.source != rule.target for rule in found)
    assert len({found[0].source for found in by_source if found}) == sum(map(bool, by_source))


def test_a_higher_threshold_leaves_more_good_rules_but_not_only_good_ones(by_source):
    every = list(chain.from_iterable(by_source))
    shares = []
    for threshold in (0.02, 0.1, 0.2, 0.3, 0.4, 0.5):
        left = [rule.quality for rule in every if rule.probability >= threshold]
        shares.append(left.count("good") / len(left))
        assert {"wrong", "ungrammatical"} < set(left)
    assert shares == sorted(shares)
    assert shares[0] < 0.5 < shares[-1]


def test_good_rules_keep_the_meaning_and_wrong_ones_do_not():
    meaning = defaultdict(set)
    for noun in nouns().values():
        for form in noun.forms:
            meaning[form].add(noun.name)
            meaning[plural(form)].add(noun.name)
    for name, relation in relations().items():
        for verb in relation.verbs:
            meaning[verb.past].add(name)
    for kind in KINDS:
        for key, forms in adjuncts(kind).items():
            for form in forms:
                meaning[form].add(f"{kind} {key}")
    judged = {"good": [], "wrong": []}
    for rule in chain.from_iterable(rules("english")):
        known = rule.source in meaning and rule.target in meaning
        if known and rule.quality in judged:
            judged[rule.quality].append(bool(meaning[rule.source] & meaning[rule.target]))
    assert all(judged["good"])
    assert not any(judged["wrong"])
    assert min(map(len, judged.values())) > 500


def test_lines_are_those_of_ppdb(lines):
    fields = [line.split(" ||| ") for line in lines]
    whole = [each for each in fields if len(each) == 6 and "n/a" not in each[3]]
    assert 0 < len(fields) - len(whole) < 5
    probability = {(r.source, r.target): r.probability for r in chain.from_iterable(rules("english"))}
    labels, values, over, missing = defaultdict(set), defaultdict(list), 0, 0
    for label, source, target, features, _, entailment in whole:
        named = dict(feature.split("=") for feature in features.split())
        value = float(named["-logp(e2|e1)"])
        total = value + float(named["-logp(e1|e2)"])
        assert float(named["PPDB1.0Score"]) == pytest.approx(total, abs=2e-5)
        assert entailment in RELATIONS.values()
        over += value < 0
        missing += named["AGigaSim"] == "NA"
        labels[source, target].add(label)
        values[source, target].append(value)
    assert over > 10
    assert missing > 1000
    assert sum(len(found) > 1 for found in labels.values()) > 500
    assert sum("[NP,1]" in source for source, _ in labels) == len(relations())
    for pair, found in values.items():
        if pair in probability and min(found) > 0:
            assert math.exp(-min(found)) == pytest.approx(probability[pair], abs=1e-5)


def test_phrases_are_in_the_words_of_the_sentences_they_are_looked_for_in(by_source):
    moses = MosesTokenizer("en")
    for found in by_source:
        for rule in found[:1]:
            assert len(rule.source.split()) <= 7
            if rule.source.isascii():
                written = rule.source.replace(" '", "'")
                assert moses.tokenize(written, escape=False) == rule.source.split()


def test_lines_are_those_of_ehimerppdb():
    for line in ehimerppdb_lines():
        source, target, probability, pivots = line.split(" ||| ")
        assert source.split()
        assert target.split()
        assert 0 < float(probability) < 1
        assert pivots


def test_the_same_lines_are_the_same_bytes_at_any_time(tmp_path, monkeypatch):
    contents = []
    for time in (1.0e9, 2.0e9):
        monkeypatch.setattr("time.time", lambda now=time: now)
        path = tmp_path / f"{time}.gz"
        write_gzip(path, ["one", "two"])
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    assert gzip.decompress(contents[0]) == b"one\ntwo\n"
