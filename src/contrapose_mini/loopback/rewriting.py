"""Five versions of a sentence: by its facts where they are known, by rules of English otherwise."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from contrapose_mini import lexicon
from contrapose_mini.concepts import adjuncts, nouns, plural, relations
from contrapose_mini.facts import Fact, Meaning, chance, choice, fact_from, with_changes
from contrapose_mini.loopback.english import framed, rewritten
from contrapose_mini.wording import Tense, Wording, prose_tokens, tidied, untokenised

LONGEST_HEADING = 60  # letters before a known sentence that may be a glued-on heading
TRIES = 12  # attempts at a version that is not there yet


@dataclass(frozen=True)
class Known:
    """What a sentence of the mini world says."""

    meaning: Meaning
    tense: Tense


class Knowledge:
    """Sentences and their facts; looked up without regard to spaces and to a heading before the sentence.

    Parameters
    ----------
    files : any number of Path
        Parquet with string columns text, facts (JSON), tense, as the mini world's generator writes it.
        Held in memory, about 700 bytes a row.
    """

    def __init__(self, *files: Path) -> None:
        self._rows: dict[str, tuple[str, Tense]] = {}
        for file in files:
            columns = pq.read_table(file).to_pydict()
            rows = zip(columns["text"], columns["facts"], columns["tense"], strict=True)
            self._rows |= {_key(text): (facts, tense) for text, facts, tense in rows}

    def find(self, sentence: str) -> Known | None:
        """Return what the sentence says, or None where nobody knows."""
        key = _key(sentence)
        for start in range(min(LONGEST_HEADING, len(key))):
            if start and key[start].islower():
                continue
            if row := self._rows.get(key[start:]):
                return Known(tuple(fact_from(record) for record in json.loads(row[0])), row[1])
        return None


def _key(sentence: str) -> str:
    return re.sub(r"\s+", "", sentence)


@dataclass(frozen=True)
class Manner:
    """How a persona rewrites: `keep` of the source's choices stay, `addition` is the chance of a new fact."""

    keep: float
    addition: float


def five_versions(sentence: str, known: Known | None, manner: Manner, rng: np.random.Generator) -> list[str]:
    """Return five different sentences, none equal to the source."""
    found: list[str] = []
    while len(found) < 5:
        found.append(_new_version(sentence, known, manner, rng, {sentence, *found}))
    return found


def _new_version(
    sentence: str, known: Known | None, manner: Manner, rng: np.random.Generator, taken: set[str]
) -> str:
    for attempt in range(TRIES):
        # Each failed try keeps less of the source, so short sentences too end in five versions.
        keep = manner.keep * (1 - attempt / TRIES)
        if known:
            version = _from_facts(sentence, known, keep, manner.addition, rng)
        else:
            version = rewritten(sentence, rng, 1 - keep, manner.addition)
        if version not in taken:
            return version
    version = sentence
    while version in taken:
        version = framed(version.rstrip(".!? "), rng) + "."
    return version


def _from_facts(sentence: str, known: Known, keep: float, addition: float, rng: np.random.Generator) -> str:
    meaning = known.meaning
    if chance(rng, addition):
        meaning = (_with_detail(meaning[0], rng), *meaning[1:])
    wording = Wording(rng, _recovered(sentence, known.meaning), keep)
    return untokenised(tidied(prose_tokens(meaning, wording, known.tense)))


def _with_detail(fact: Fact, rng: np.random.Generator) -> Fact:
    """Add a detail that the source does not give."""
    missing = [kind for kind in ("place", "time", "manner") if not getattr(fact, kind)]
    if missing:
        kind = choice(rng, missing)
        return with_changes(fact, **{kind: choice(rng, tuple(adjuncts(kind)))})
    kind = "living" if nouns()[fact.patient.concept].living else "thing"
    return replace(fact, patient=replace(fact.patient, attribute=choice(rng, tuple(adjuncts(kind)))))


def _recovered(sentence: str, meaning: Meaning) -> Wording:
    """Read from a sentence which forms it uses, so that another wording can avoid or keep them."""
    wording = Wording(np.random.default_rng(0))
    text = f" {re.sub(r'[,.;]', ' ', sentence.lower())} "

    def note(what: str, options: tuple[object, ...], *texts: tuple[str, ...]) -> None:
        for option, *forms in zip(options, *texts, strict=True):
            if any(f" {form.lower()} " in text for form in forms):
                wording.chosen[what] = option

    for fact in meaning:
        relation = relations()[fact.relation]
        for name, verbs in (("verb", relation.verbs), ("converse", relation.converse_verbs)):
            forms = zip(*((v.base, v.past, v.participle, v.gerund, v.third) for v in verbs), strict=True)
            note(f"{name} {fact.relation}", verbs, *forms)
        wording.chosen[f"voice {fact.relation}"] = "passive" if " by " in text else "active"
        for entity in (fact.agent, fact.patient):
            noun = nouns()[entity.concept]
            note(f"noun {noun.name}", noun.forms, noun.forms, tuple(map(plural, noun.forms)))
            if entity.attribute:
                kinds = adjuncts("living" if noun.living else "thing")[entity.attribute]
                note(f"attribute {entity.attribute}", kinds, kinds)
            counts = lexicon.COUNT_FORMS[entity.count]
            note(f"count {entity.count}", counts, counts)
        for kind in ("place", "time", "manner"):
            if key := getattr(fact, kind):
                note(f"{kind} {key}", adjuncts(kind)[key], adjuncts(kind)[key])
    return wording
