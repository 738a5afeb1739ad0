"""Paraphrase dictionaries in the mini world's words: lines of PPDB 2.0 and of EhiMerPPDB.

As in the real ones, which were extracted from parallel texts, a rule of high probability is often a good one
and not always: beside synonyms there are words of another meaning, and others that do not fit in their place.
The rules are a function of the lexicons alone, the same in every world.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from contrapose.base.seeds import generator
from contrapose.settings.spec import Language
from contrapose_mini import lexicon
from contrapose_mini.concepts import Relation, Verb, adjuncts, nouns, plural, relations
from contrapose_mini.draws import chance, choice
from contrapose_mini.japanese import lexicon as japanese_lexicon
from contrapose_mini.japanese import words as japanese
from contrapose_mini.wording import ADVERBS, REPORTS
from contrapose_mini.words import KINDS

Quality = Literal["good", "wrong", "ungrammatical"]
# Ours: at probability 0.5 and above most rules are good and more than half of the sentences have one; at 0.1
# half of the rules are good and a sentence has some ten.
WEIGHTS: dict[Quality, float] = {"good": 1.7, "wrong": 0.6, "ungrammatical": 0.6}
MOST: dict[Quality, int] = {"good": 6, "wrong": 3, "ungrammatical": 2}  # targets of a source
HIGHEST = 1.04  # the weight of a target has a heavy tail: u^2 / (1.04 - u) of a uniform u
LEFTOVER = (4.0, 13.0)  # range of the weight of what a source was aligned with and the dictionary has not
FLOOR = 0.02  # less probable rules are left out, as the released sizes do
# PPDB's classes are a classifier's guesses of how phrases are related, no marks; here each quality has one.
RELATIONS: dict[Quality, str] = {
    "good": "Equivalence", "wrong": "OtherRelated", "ungrammatical": "Independent",
}  # fmt: skip
OVERFLOWS = 0.01  # rules of PPDB whose value is negative, a probability above 1
SECOND_LABEL = 0.3  # rules of PPDB that stand there under another left-hand side, too
BROKEN = (
    "[NN] ||| doctor ||| physician",
    "[VBD] ||| treated ||| healed ||| PPDB2.0Score=3.1 -logp(e2|e1)=n/a ||| 0-0 ||| Equivalence",
    "[NP] ||| the ||| ||| PPDB2.0Score=1.0 ||| 0-0 ||| Independent",
)


Targets = dict[Quality, tuple[str, ...]]


@dataclass(frozen=True)
class Phrase:
    """A phrase, the targets of each quality, and PPDB's labels of such a phrase."""

    phrase: str
    targets: Targets
    labels: tuple[str, ...] = ("X",)


@dataclass(frozen=True)
class Rule:
    """One rewriting rule; words are separated by spaces."""

    source: str
    target: str
    probability: float
    quality: Quality
    labels: tuple[str, ...]


def rules(language: Language) -> Iterator[list[Rule]]:
    """Yield the rules of each source."""
    sources = {"english": _english_sources, "japanese": _japanese_sources}[language]
    known: set[str] = set()
    for source in sources():
        if source.phrase not in known:  # `set up` is a past and a participle
            known.add(source.phrase)
            yield _weighted(source, generator("mini", "dictionary", language, source.phrase))


def _weighted(source: Phrase, rng: np.random.Generator) -> list[Rule]:
    drawn: dict[str, tuple[Quality, float]] = {}
    for quality, targets in source.targets.items():
        others = sorted(set(targets) - {source.phrase, ""} - set(drawn))
        for at in rng.permutation(len(others))[: MOST[quality]]:
            uniform = float(rng.random())
            drawn[others[at]] = quality, WEIGHTS[quality] * uniform**2 / (HIGHEST - uniform)
    total = float(rng.uniform(*LEFTOVER)) + sum(weight for _, weight in drawn.values())
    return [
        Rule(source.phrase, target, weight / total, quality, source.labels)
        for target, (quality, weight) in drawn.items()
        if weight / total >= FLOOR
    ]


def _other_forms(table: dict[str, tuple[str, ...]], key: str) -> tuple[str, ...]:
    return tuple(form for other, forms in table.items() if other != key for form in forms)


def _english_sources() -> Iterator[Phrase]:
    yield from _english_nouns()
    for relation in relations().values():
        yield from _english_verbs(relation)
    for kind in KINDS:
        table = adjuncts(kind)
        attribute = kind in ("living", "thing")
        for key, forms in table.items():
            for form in forms:
                mangled = (f"{form}ly", f"more {form} than") if attribute else _without_function_words(form)
                targets = _targets(forms, _other_forms(table, key), mangled)
                yield Phrase(_moses(form), targets, ("JJ", "ADJP") if attribute else ("PP", "ADVP"))
    for frames, label in ((REPORTS, "S"), (ADVERBS, "ADVP")):
        for frame in frames:
            yield Phrase(frame, _targets(frames, (), _without_function_words(frame)), (label,))
    for count, frames in lexicon.COUNT_FORMS.items():
        for frame in frames:
            others = _other_forms({str(n): forms for n, forms in lexicon.COUNT_FORMS.items()}, str(count))
            yield Phrase(frame, _targets(frames, others, (f"{frame} the", "a")), ("QP",))


def _targets(good: Sequence[str], wrong: Sequence[str], ungrammatical: Sequence[str]) -> Targets:
    return {
        "good": tuple(map(_moses, good)),
        "wrong": tuple(map(_moses, wrong)),
        "ungrammatical": tuple(map(_moses, ungrammatical)),
    }


def _moses(phrase: str) -> str:
    """Return a phrase with its words as Moses cuts them."""
    return phrase.replace("o'clock", "o 'clock")


def _english_nouns() -> Iterator[Phrase]:
    for noun in nouns().values():
        near = [other for other in nouns().values() if other.domain == noun.domain and other != noun]
        others = tuple(form for other in near for form in other.forms)
        many, others_many = tuple(map(plural, noun.forms)), tuple(map(plural, others))
        for form in noun.forms:
            yield Phrase(form, _targets(noun.forms, others, many), ("NN", "NP\\DT"))
            yield Phrase(plural(form), _targets(many, others_many, noun.forms), ("NNS", "NP\\CD"))


INFLECTIONS: dict[str, tuple[Callable[[Verb], str], tuple[str, ...]]] = {
    "past": (lambda verb: verb.past, ("VBD", "VBN")),
    "participle": (lambda verb: verb.participle, ("VBN",)),
    "third": (lambda verb: verb.third, ("VBZ",)),
    "gerund": (lambda verb: verb.gerund, ("VBG", "VP/NP")),
    "base": (lambda verb: verb.base, ("VB", "VBP")),
}


def _near(relation: Relation) -> list[Relation]:
    """Return relations of another meaning: the opposite, and those that happen to such patients."""
    return [
        other
        for other in relations().values()
        if other != relation
        and (other.name == relation.opposite or set(other.patients) & set(relation.patients))
    ]


def _english_verbs(relation: Relation) -> Iterator[Phrase]:
    near = _near(relation)
    for verbs, others in (
        (relation.verbs, tuple(verb for other in near for verb in other.verbs)),
        (relation.converse_verbs, relation.verbs),
    ):
        for inflected, labels in INFLECTIONS.values():
            same, strange = tuple(map(inflected, verbs)), tuple(map(inflected, others))
            mangled = tuple(
                other(verb) for other, _ in INFLECTIONS.values() for verb in verbs if other(verb) not in same
            )
            for verb in verbs:
                yield Phrase(inflected(verb), _targets(same, strange, mangled), labels)
            if labels == ("VBN",):  # phrases of a passive
                by = [tuple(f"{form} by" for form in forms) for forms in (same, strange)]
                for form in same:
                    yield Phrase(f"{form} by", _targets(by[0], by[1], same), ("VP/NP",))


def _without_function_words(phrase: str) -> tuple[str, ...]:
    words = phrase.split()
    if len(words) == 1:
        return (phrase.removesuffix("ly"), f"{phrase} of")
    return " ".join(words[1:]), " ".join([*words[:-1], "of"]), " ".join(words[:-1])


def _japanese_sources() -> Iterator[Phrase]:
    for name, words in japanese.noun_words().items():
        domain = nouns()[name].domain
        near = [other for other, noun in nouns().items() if noun.domain == domain and other != name]
        others = tuple(form for other in near for form in japanese.noun_words()[other].forms)
        for form in words.forms:
            strange = tuple(f"{other} {particle}" for other in words.forms for particle in ("を", "に", "し"))
            yield Phrase(form, {"good": words.forms, "wrong": others, "ungrammatical": strange})
    yield from _japanese_verbs()
    for kind in KINDS:
        table = {key: japanese.adjunct_words(kind)[key] for key in adjuncts(kind)}
        for key, forms in table.items():
            for form in forms:
                cut = tuple(other.rpartition(" ")[0] or f"{other} が" for other in forms)
                yield Phrase(form, {"good": forms, "wrong": _other_forms(table, key), "ungrammatical": cut})
    leads = japanese_lexicon.LEADS
    for lead in leads:
        yield Phrase(lead, {"good": leads, "ungrammatical": tuple(each.rpartition(" ")[0] for each in leads)})


JAPANESE_FORMS: tuple[Callable[[japanese.JapaneseVerb], str], ...] = (
    lambda verb: verb.past(True, False),
    lambda verb: verb.past(True, True),
    lambda verb: verb.past(False, False),
    lambda verb: verb.past(False, True),
    lambda verb: verb.progressive(True, False),
    lambda verb: verb.progressive(True, True),
    lambda verb: verb.progressive(False, False),
    lambda verb: verb.passivised().past(True, False),
    lambda verb: verb.passivised().past(True, True),
    lambda verb: verb.passivised().progressive(True, False),
    lambda verb: verb.passivised().progressive(True, True),
)


def _japanese_verbs() -> Iterator[Phrase]:
    for name, words in japanese.relation_words().items():
        near = _near(relations()[name])
        others = [verb for other in near for verb in japanese.relation_words()[other.name].verbs]
        for verb, alike in chain(
            ((verb, words.verbs) for verb in words.verbs), ((verb, words.converse) for verb in words.converse)
        ):
            same = [other for other in alike if other.particle == verb.particle]
            strange = [other for other in others if other.particle == verb.particle]
            for inflected in JAPANESE_FORMS:
                forms = tuple(map(inflected, same))
                targets: Targets = {
                    "good": forms,
                    "wrong": tuple(map(inflected, strange)),
                    "ungrammatical": tuple(form.rpartition(" ")[0] for form in forms),
                }
                yield Phrase(inflected(verb), targets)


def ppdb_lines() -> Iterator[str]:
    """Yield the lines of a dictionary in the format of PPDB 2.0, some of them broken."""
    rng = generator("mini", "dictionary lines")
    for rule in chain.from_iterable(rules("english")):
        value = -0.6 * float(rng.random()) if chance(rng, OVERFLOWS) else -math.log(rule.probability)
        first, *others = rule.labels
        yield _ppdb_line(rng, first, rule, value)
        for label in others:
            if chance(rng, SECOND_LABEL):
                yield _ppdb_line(rng, label, rule, value + float(rng.random()))
    for relation in relations().values():
        verb = relation.verbs[0]
        syntactic = Rule(
            f"[NP,1] {verb.past} [NP,2]", f"[NP,2] was {verb.participle} by [NP,1]", 0.2, "good", ("S",)
        )
        yield _ppdb_line(rng, "S", syntactic, -math.log(syntactic.probability))
    yield from BROKEN


def _ppdb_line(rng: np.random.Generator, label: str, rule: Rule, value: float) -> str:
    backwards = 5 * float(rng.random())
    words = [sum("[" not in word for word in phrase.split()) for phrase in (rule.source, rule.target)]
    guess = 0.5 + 0.5 * float(rng.random())
    features: dict[str, str] = {
        "PPDB2.0Score": f"{2 + 3 * float(rng.random()):.5f}",
        "PPDB1.0Score": f"{backwards + value:.6f}",
        "-logp(LHS|e1)": f"{float(rng.random()):.5f}",
        "-logp(LHS|e2)": f"{float(rng.random()):.5f}",
        "-logp(e1|LHS)": f"{8 + 8 * float(rng.random()):.5f}",
        "-logp(e1|e2)": f"{backwards:.5f}",
        "-logp(e1|e2,LHS)": f"{backwards:.5f}",
        "-logp(e2|LHS)": f"{8 + 8 * float(rng.random()):.5f}",
        "-logp(e2|e1)": f"{value:.5f}",
        "-logp(e2|e1,LHS)": f"{value:.5f}",
        "AGigaSim": choice(rng, ("NA", f"{float(rng.random()):.5f}")),
        "Abstract": "0",
        "CharCountDiff": str(len(rule.target) - len(rule.source)),
        "Equivalence": f"{guess if rule.quality == 'good' else 1 - guess:.6f}",
        "GoogleNgramSim": "0",
        "Lexical": str(int(max(words) == 1)),
        "MVLSASim": choice(rng, ("NA", f"{float(rng.random()):.5f}")),
        "Monotonic": "1",
        "SourceWords": str(words[0]),
        "TargetWords": str(words[1]),
    }
    aligned = " ".join(f"{at}-{at}" for at in range(min(words)))
    text = " ".join(f"{name}={number}" for name, number in features.items())
    fields = (f"[{label}]", rule.source, rule.target, text, aligned, RELATIONS[rule.quality])
    return " ||| ".join(fields)


def ehimerppdb_lines() -> Iterator[str]:
    """Yield the lines of a dictionary in the format of EhiMerPPDB, with made-up English pivots."""
    rng = generator("mini", "dictionary pivots")
    forms = [form for noun in nouns().values() for form in noun.forms]
    for rule in chain.from_iterable(rules("japanese")):
        pivots = ", ".join(sorted({choice(rng, forms) for _ in range(3)}))
        yield f"{rule.source} ||| {rule.target} ||| {rule.probability!r} ||| {pivots}"
