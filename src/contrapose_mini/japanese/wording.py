"""How a meaning becomes a Japanese sentence, its words apart as MeCab cuts them.

As in English, a sentence leaves much open (synonyms, voice, what stands first, plain or polite), and a
`Wording` chooses.
"""

from collections.abc import Callable

from contrapose_mini.concepts import nouns
from contrapose_mini.draws import chance
from contrapose_mini.facts import Entity, Fact, Meaning
from contrapose_mini.japanese import lexicon
from contrapose_mini.japanese.words import (
    JapaneseVerb,
    adjunct_words,
    noun_words,
    relation_words,
    surname_words,
)
from contrapose_mini.wording import Tense, Wording

# Rates per sentence of prose, ours.
LEAD_RATE, REPORT_RATE = 0.2, 0.12
COPULAS = ("だ", "だっ た", "で ある", "です", "でし た")


def noun_phrase(entity: Entity, wording: Wording) -> str:
    """Return a noun phrase, such as `二 人 の 高齢 の 医者` or `ケラー という 医者`."""
    words = noun_words()[entity.concept]
    form = wording.pick(f"noun {entity.concept}", words.forms)
    if entity.attribute:
        kind = "living" if nouns()[entity.concept].living else "thing"
        attributes = adjunct_words(kind)[entity.attribute]
        form = f"{wording.pick(f'attribute {entity.attribute}', attributes)} {form}"
    if entity.person:
        frame = wording.pick("naming", ("{p} という {n}", "{n} の {p}", "{p} という 名 の {n}"))
        return frame.format(p=surname_words()[entity.person], n=form)
    if entity.count > 1:
        count = wording.pick(f"count {entity.count}", lexicon.COUNT_FORMS[entity.count])
        return f"{count.format(words.measure)} {form}"
    return f"{wording.pick(f'article {entity.concept}', ('', '', 'ある', 'その'))} {form}".lstrip()


def clause(fact: Fact, wording: Wording, tense: Tense, final: bool = True) -> str:
    """Return one clause without its end mark.

    `final` is whether it ends the sentence: only there is it polite or explains (`の で ある`).
    """
    agent, patient = noun_phrase(fact.agent, wording), noun_phrase(fact.patient, wording)
    words = relation_words()[fact.relation]
    voices = ["active", "active"] + ["converse"] * 2 * bool(words.converse)
    voices += ["passive"] * any(verb.particle == "を" for verb in words.verbs)
    if tense == "past":
        voices += ["event"] * bool(words.event) + ["cleft"] * (fact.happened and final)
    voice = wording.pick(f"voice {fact.relation}", voices)
    topic = wording.pick("topic", ("は", "は", "が") if final else ("が",))
    end = _ending(fact.happened, wording, tense, final)
    if voice == "event":
        return _event(fact, words.event, (agent, patient, topic), wording, end)
    if voice == "converse":
        verb = wording.pick(f"converse {fact.relation}", words.converse)
        return _ordered(fact, f"{patient} {topic}", f"{agent} {verb.particle} {end(verb)}", wording)
    if voice == "passive":
        verbs = [verb for verb in words.verbs if verb.particle == "を"]
        verb = wording.pick(f"passive {fact.relation}", verbs).passivised()
        by = wording.pick("by", ("に", "に", "によって"))
        return _ordered(fact, f"{patient} {topic}", f"{agent} {by} {end(verb)}", wording)
    verb = wording.pick(f"verb {fact.relation}", words.verbs)
    if voice == "cleft":
        said = _ordered(fact, "", f"{patient} {verb.particle} {verb.past(True, False)}", wording)
        return f"{said} の は {agent} {wording.pick('copula', COPULAS)}"
    return _ordered(fact, f"{agent} {topic}", f"{patient} {verb.particle} {end(verb)}", wording)


def _ending(happened: bool, wording: Wording, tense: Tense, final: bool) -> Callable[[JapaneseVerb], str]:
    """Return how a verb ends the clause."""
    style = wording.pick("style", ("plain", "plain", "polite", "explanation")) if final else "plain"
    if tense == "progressive":
        return lambda verb: verb.progressive(happened, style == "polite")
    if style != "explanation":
        return lambda verb: verb.past(happened, style == "polite")
    explained = wording.pick("explanation", ("の で ある", "の だ", "の です", "の だっ た"))
    return lambda verb: f"{verb.past(happened, False)} {explained}"


def _event(
    fact: Fact, event: str, words: tuple[str, str, str], wording: Wording, end: Callable[[JapaneseVerb], str]
) -> str:
    agent, patient, topic = words
    done = JapaneseVerb("を", "行わ", "行い", "行っ", "行わ れ")
    if wording.pick("event frame", ("carried out", "took place")) == "carried out":
        return _ordered(fact, f"{agent} {topic}", f"{patient} に対する {event} を {end(done)}", wording)
    return _ordered(fact, f"{agent} による {patient} の {event} {topic}", end(done.passivised()), wording)


def _ordered(fact: Fact, subject: str, predicate: str, wording: Wording) -> str:
    """Put place, time and manner between subject and predicate, or the first of them in front."""
    keys = [(kind, getattr(fact, kind)) for kind in ("time", "place", "manner")]
    phrases = [wording.pick(f"{kind} {key}", adjunct_words(kind)[key]) for kind, key in keys if key]
    turn = wording.pick("order of adjuncts", (0, 0, 1, 2)) % max(len(phrases), 1)
    phrases = phrases[turn:] + phrases[:turn]
    front = ""
    if phrases and subject and wording.pick("fronting", (False, False, True)):
        front, phrases = f"{phrases[0]} 、 ", phrases[1:]
    return front + " ".join(filter(None, [subject, *phrases, predicate]))


def joined(meaning: Meaning, wording: Wording, tense: Tense) -> str:
    """Return one clause, or two joined by a connective that adds nothing, in either order."""
    if len(meaning) == 1:
        return clause(meaning[0], wording, tense)
    one, two = reversed(meaning) if wording.pick("clause order", (False, True)) else meaning
    link = wording.pick("connective", lexicon.CONNECTIVES)
    return f"{clause(one, wording, tense, final=False)} {link} {clause(two, wording, tense)}"


def prose(meaning: Meaning, wording: Wording) -> str:
    """A sentence of an encyclopedia or a newspaper."""
    if chance(wording.rng, REPORT_RATE):
        wording.chosen |= {"style": "plain", "copula": "だ"}
        body = f"{joined(meaning, wording, 'past')} {wording.pick('report', lexicon.REPORTS)}"
    else:
        body = joined(meaning, wording, "past")
    lead = f"{wording.pick('lead', lexicon.LEADS)} " if chance(wording.rng, LEAD_RATE) else ""
    return f"{lead}{body} 。"


def caption(meaning: Meaning, wording: Wording) -> str:
    """What a picture shows: `医者 が 公園 で 患者 を 診察 し て いる 。`"""
    return f"{joined(meaning, wording, 'progressive')} 。"


STYLES: dict[str, Callable[[Meaning, Wording], str]] = {"prose": prose, "caption": caption}


def styled(style: str, meaning: Meaning, wording: Wording) -> str:
    """Return a sentence of one of `STYLES`."""
    return STYLES[style](meaning, wording)


def unspaced(tokens: str) -> str:
    """Return a sentence as Japanese is written."""
    return tokens.replace(" ", "")
