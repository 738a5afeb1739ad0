"""How a meaning becomes a Chinese sentence.

As in English, a sentence leaves much open (synonyms, 把 or 被, what stands first), and a `Wording` chooses.
What makes a sentence longer without saying more is drawn for each sentence alone, so that two sentences
differ in length as much when they mean the same as when they do not.
"""

from collections.abc import Callable

import numpy as np

from contrapose_mini.chinese import lexicon
from contrapose_mini.chinese.words import adjunct_words, noun_words, relation_words, surname_words
from contrapose_mini.concepts import nouns
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import Entity, Fact, Meaning
from contrapose_mini.wording import Tense, Wording

# Rates per sentence, ours.
LEAD_RATE, TAIL_RATE = 0.1, 0.1
HALF_WIDTH_RATE, SPACE_RATE = 0.08, 0.06  # marks as careless writers set them
HALF_WIDTH = str.maketrans({"，": ",", "？": "?", "！": "!", "；": ";", "。": "."})
SPACES = str.maketrans({"，": " ", "；": " "})


def noun_phrase(entity: Entity, wording: Wording) -> str:
    """Return a noun phrase, such as `两位年迈的医生` or `名叫Keller的医生`."""
    words = noun_words()[entity.concept]
    form = wording.pick(f"noun {entity.concept}", words.forms)
    if entity.attribute:
        kind = "living" if nouns()[entity.concept].living else "thing"
        attributes = adjunct_words(kind)[entity.attribute]
        form = wording.pick(f"attribute {entity.attribute}", attributes) + form
    if entity.person:
        person = wording.pick(f"person {entity.person}", surname_words()[entity.person])
        frames = ("名叫{p}的{n}", "一{m}叫{p}的{n}", "{n}{p}", "{p}这{m}{n}")
        return wording.pick("naming", frames).format(p=person, n=form, m=words.measure)
    if entity.count > 1:
        count = wording.pick(f"count {entity.count}", lexicon.COUNT_FORMS[entity.count])
        return count.format(words.measure) + form
    return wording.pick(f"article {entity.concept}", ("", "", "一{}", "那{}")).format(words.measure) + form


def clause(fact: Fact, wording: Wording, tense: Tense) -> str:
    """Return one clause without an end mark.

    In the past tense a verb has 了, in the progressive it may have 正在, in the present it stands alone.
    """
    agent, patient = noun_phrase(fact.agent, wording), noun_phrase(fact.patient, wording)
    words = relation_words()[fact.relation]
    plain = [verb for verb in words.verbs if verb.endswith("~")]
    voices = ["active", "active", "passive"] + ["converse"] * 2 * bool(words.converse)
    if tense != "progressive":
        voices += ["disposal"] * 2 * bool(words.results) + ["event"] * bool(words.event)
        voices += ["cleft"] * fact.happened
    voice = wording.pick(f"voice {fact.relation}", voices)
    subject = patient if voice in ("passive", "converse") else agent
    done = "了" if tense == "past" and fact.happened else ""
    if voice == "converse":
        phrase = _verb_phrase(wording.pick(f"converse {fact.relation}", words.converse), agent, done)
    elif voice == "passive":
        results = words.results if tense == "past" else ()
        verb = wording.pick(f"passive {fact.relation}", [*(each[:-1] for each in plain), *results])
        phrase = f"被{agent}{verb}{done}"
    elif voice == "disposal":
        phrase = f"把{patient}{wording.pick(f'result {fact.relation}', words.results)}{done}"
    elif voice == "event":
        phrase = f"对{patient}进行{done}{words.event}"
    else:
        done = "" if voice == "cleft" else done
        phrase = _verb_phrase(wording.pick(f"verb {fact.relation}", words.verbs), patient, done)
    return _with_adjuncts(fact, "" if voice == "cleft" else subject, phrase, agent, wording, tense)


def _verb_phrase(verb: str, other: str, done: str) -> str:
    head, tail = verb.split("~")
    return f"{head}{other}{tail}{done}" if tail else f"{head}{done}{other}"


def _with_adjuncts(fact: Fact, subject: str, phrase: str, agent: str, wording: Wording, tense: Tense) -> str:
    """Add time, place and manner to a subject and a phrase; a cleft, without subject, ends with the agent."""
    time, place, manner = (
        wording.pick(f"{kind} {key}", adjunct_words(kind)[key]) if (key := getattr(fact, kind)) else ""
        for kind in ("time", "place", "manner")
    )
    front = wording.pick("front", ("none", "none", "time", "place"))
    before = ""
    if front == "time" and time:
        before, time = f"{time}，", ""
    elif front == "place" and place:
        before, place = f"{place}，", ""
    middle = ""
    if not fact.happened:
        middle = wording.pick("denial", lexicon.DENIALS)
    elif tense == "progressive" and wording.pick("progressive", (True, True, False)):
        # 正在 takes in the 在 of a place behind it, and is 正 before 被.
        place = f"正{place}" if place else place
        middle = "" if place else "正" if phrase.startswith(("被", "在")) else "正在"
    if not subject:
        return f"{before}{time}{place}{manner}{phrase}的是{agent}"
    return f"{before}{subject}{time}{place}{middle}{manner}{phrase}"


def joined(meaning: Meaning, wording: Wording, tense: Tense) -> str:
    """Return one clause, or two joined by a connective that adds nothing, in either order."""
    clauses = [clause(fact, wording, tense) for fact in meaning]
    if len(clauses) > 1 and wording.pick("clause order", (False, True)):
        clauses.reverse()
    return clauses[0] if len(clauses) == 1 else wording.pick("connective", lexicon.CONNECTIVES).join(clauses)


def question(meaning: Meaning, wording: Wording) -> str:
    """A question as people ask a search engine or a help desk: `请问，为什么医生没有检查病人？`"""
    body = wording.pick("question", lexicon.QUESTIONS).format(joined(meaning, wording, "past"))
    lead = choice(wording.rng, lexicon.POLITE_LEADS) if chance(wording.rng, LEAD_RATE) else ""
    end = choice(wording.rng, lexicon.QUESTION_ENDS)
    if not chance(wording.rng, TAIL_RATE):
        return lead + body + end
    return f"{lead}{body}{end or '，'}{choice(wording.rng, lexicon.POLITE_TAILS)}"


def prose(meaning: Meaning, wording: Wording) -> str:
    """A sentence of an encyclopedia or a newspaper."""
    return _lengthened(joined(meaning, wording, "past"), wording.rng)


def caption(meaning: Meaning, wording: Wording) -> str:
    """What a picture shows: `一位医生正在公园里检查病人。`"""
    return _lengthened(joined(meaning, wording, "progressive"), wording.rng)


def _lengthened(body: str, rng: np.random.Generator) -> str:
    lead = choice(rng, lexicon.LEADS) if chance(rng, LEAD_RATE) else ""
    return lead + body + (choice(rng, lexicon.TAILS) if chance(rng, TAIL_RATE) else "") + "。"


def _carelessly(text: str, rng: np.random.Generator) -> str:
    """Set half-width marks or spaces in a few sentences."""
    at = float(rng.random())
    if at < HALF_WIDTH_RATE:
        return text.translate(HALF_WIDTH)
    return text.translate(SPACES) if at < HALF_WIDTH_RATE + SPACE_RATE else text


STYLES: dict[str, Callable[[Meaning, Wording], str]] = {
    "question": question,
    "prose": prose,
    "caption": caption,
}


def styled(style: str, meaning: Meaning, wording: Wording) -> str:
    """Return a sentence of one of `STYLES`."""
    return _carelessly(STYLES[style](meaning, wording), wording.rng)
