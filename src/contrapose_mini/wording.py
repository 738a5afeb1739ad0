"""Surface realisation: how a meaning becomes words.

Everything a sentence leaves open (which synonym, which voice, which clause first) is a *choice* made by a
`Wording`.  A wording can be made near to or far from another one, so the overlap of two sentences'
words is set independently of what they mean.
"""

from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np

from contrapose_mini import lexicon
from contrapose_mini.concepts import Verb, adjuncts, nouns, plural, relations
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import Entity, Fact, Meaning
from contrapose_mini.words import spaced

T = TypeVar("T")
Tense = Literal["past", "present", "progressive"]

REPORTS = tuple(map(spaced, lexicon.REPORT_FRAMES))
CONNECTIVES = tuple(map(spaced, lexicon.CONNECTIVES))
ADVERBS = tuple(map(spaced, lexicon.NEUTRAL_ADVERBS))


class Wording:
    """The choices behind one sentence.

    Parameters
    ----------
    rng : numpy Generator
    reference : Wording or None
        The wording to be near to or far from.
    keep : float in [0, 1]
        Chance that a choice which the reference has made too is made in the same way; otherwise
        another option is taken where there is one.  An option that stands in a list several times is the
        usual one, and may be taken again.
    """

    def __init__(
        self, rng: np.random.Generator, reference: "Wording | None" = None, keep: float = 0.0
    ) -> None:
        self.rng = rng
        self.keep = keep
        self.chosen: dict[str, object] = {}
        self.reference = reference.chosen if reference else {}

    def pick(self, what: str, options: Sequence[T]) -> T:
        """Choose one of `options` for the open question `what`; asked again, the answer is the same."""
        if what not in self.chosen:
            self.chosen[what] = self._draw(what, options)
        answer = self.chosen[what]
        return answer if answer in options else choice(self.rng, options)  # type: ignore[return-value]

    def _draw(self, what: str, options: Sequence[T]) -> T:
        before = self.reference.get(what)
        if before in options:
            if chance(self.rng, self.keep):
                return before  # type: ignore[return-value]
            rest = list(options)
            rest.remove(before)  # type: ignore[arg-type]
            options = rest or options
        return choice(self.rng, options)


def noun_phrase(entity: Entity, wording: Wording, telegraphic: bool = False) -> str:
    """Return a noun phrase for an entity, such as `two elderly doctors` or `Keller , a surgeon ,`."""
    noun = nouns()[entity.concept]
    form = wording.pick(f"noun {noun.name}", noun.forms)
    kind = "living" if noun.living else "thing"
    attribute = (
        wording.pick(f"attribute {entity.attribute}", adjuncts(kind)[entity.attribute])
        if entity.attribute
        else ""
    )
    described = f"{attribute} {form}".strip()
    if entity.person:
        return _named(entity.person, described, noun.domain, wording)
    if entity.count > 1:
        count = wording.pick(f"count {entity.count}", lexicon.COUNT_FORMS[entity.count])
        return f"{count} {attribute} {plural(form)}".replace("  ", " ")
    if telegraphic:
        return described
    article = wording.pick(f"article {noun.name}", ("a", "a", "the"))
    return with_article(described) if article == "a" else f"the {described}"


def with_article(described: str) -> str:
    """Put `a` or `an` before a noun phrase."""
    return f"{'an' if described[0] in 'aeiou' else 'a'} {described}"


def _named(person: str, described: str, domain: str, wording: Wording) -> str:
    title = "Dr. " if domain in ("medicine", "science") else wording.pick("title", ("", "", "Mr. ", "Mrs. "))
    frame = wording.pick(
        "naming", ("the {d} {p}", "{t}{p} , {a} ,", "{a} named {p}", "{a} called {p}", "{t}{p} the {d}")
    )
    return frame.format(d=described, p=person, t=title, a=with_article(described))


def _is_plural(entity: Entity) -> bool:
    return entity.count > 1


def _adjunct_phrases(fact: Fact, wording: Wording) -> list[str]:
    keys = [(kind, getattr(fact, kind)) for kind in ("place", "time", "manner")]
    phrases = [wording.pick(f"{kind} {key}", adjuncts(kind)[key]) for kind, key in keys if key]
    order = wording.pick("order of adjuncts", (0, 1, 2))
    return phrases[order % max(len(phrases), 1) :] + phrases[: order % max(len(phrases), 1)]


def clause(fact: Fact, wording: Wording, tense: Tense, telegraphic: bool = False) -> str:
    """Return one finite clause, lower-case but for names, tokens separated by spaces, without an end mark.

    `telegraphic` leaves out articles, as headlines do.
    """
    relation = relations()[fact.relation]
    agent, patient = (noun_phrase(entity, wording, telegraphic) for entity in (fact.agent, fact.patient))
    voices = ["active"] * 4 + ["passive"] + ["converse"] * bool(relation.converse_verbs)
    if tense == "past" and not telegraphic:
        voices += ["event"] * bool(relation.event) + ["cleft"] * fact.happened
    voice = wording.pick(f"voice {fact.relation}", voices)
    if voice == "event":
        core = _event_clause(fact, relation.event, agent, patient, wording)
    elif voice == "converse":
        verb = wording.pick(f"converse {fact.relation}", relation.converse_verbs)
        core = _active(patient, verb, agent, _is_plural(fact.patient), fact.happened, tense, wording)
    else:
        verb = wording.pick(f"verb {fact.relation}", relation.verbs)
        if voice == "passive":
            core = _passive(patient, verb, agent, _is_plural(fact.patient), fact.happened, tense, telegraphic)
        elif voice == "cleft":
            core = f"it was {agent} that {verb.past} {patient}"
        else:
            core = _active(agent, verb, patient, _is_plural(fact.agent), fact.happened, tense, wording)
    return _with_adjuncts(core, _adjunct_phrases(fact, wording), wording)


def _active(
    subject: str, verb: Verb, other: str, many: bool, happened: bool, tense: Tense, wording: Wording
) -> str:
    if tense == "progressive":
        be = "are" if many else "is"
        if not happened:
            return f"{subject} {be} not {verb.gerund} {other}"
        there = wording.pick("there", (False, False, True))
        return (
            f"there {be} {subject} {verb.gerund} {other}"
            if there
            else f"{subject} {be} {verb.gerund} {other}"
        )
    if tense == "present":
        finite = verb.base if many else verb.third
        return (
            f"{subject} {finite} {other}"
            if happened
            else f"{subject} {'do' if many else 'does'} not {verb.base} {other}"
        )
    if happened:
        return f"{subject} {verb.past} {other}"
    denial = wording.pick("denial", ("did not", "never", "failed to"))
    return f"{subject} {denial} {verb.past if denial == 'never' else verb.base} {other}"


def _passive(
    subject: str, verb: Verb, by: str, many: bool, happened: bool, tense: Tense, telegraphic: bool
) -> str:
    if telegraphic:
        return f"{subject} {'' if happened else 'not '}{verb.participle} by {by}"
    be = {"past": ("was", "were")}.get(tense, ("is", "are"))[many]
    middle = ("" if happened else "not ") + ("being " if tense == "progressive" else "")
    return f"{subject} {be} {middle}{verb.participle} by {by}"


def _event_clause(fact: Fact, event: str, agent: str, patient: str, wording: Wording) -> str:
    frames = (
        "the {e} of {p} by {a} {took} place",
        "{a} {carried} out the {e} of {p}",
        "there was {no} {e} of {p} by {a}",
    )
    frame = wording.pick("event frame", frames)
    took, carried, no = ("took", "carried", "the") if fact.happened else ("never took", "never carried", "no")
    return frame.format(e=event, a=agent, p=patient, took=took, carried=carried, no=no)


def _with_adjuncts(core: str, phrases: list[str], wording: Wording) -> str:
    if phrases:
        fronted = wording.pick("fronting", (False, False, True))
        if fronted:
            core, phrases = f"{phrases[0]} , {core}", phrases[1:]
    return " ".join([core.removesuffix(" ,") if not phrases else core, *phrases])


def joined(meaning: Meaning, wording: Wording, tense: Tense) -> str:
    """Return one clause, or two joined by a connective that adds nothing, in either order."""
    clauses = [clause(fact, wording, tense) for fact in meaning]
    if len(clauses) > 1 and wording.pick("clause order", (False, True)):
        clauses.reverse()
    if len(clauses) == 1:
        return clauses[0]
    connective = wording.pick("connective", CONNECTIVES)
    return f"{clauses[0]} {'' if connective.startswith((',', ';')) else ', '}{connective} {clauses[1]}"


def _framed(body: str, wording: Wording) -> str:
    frame = wording.pick("frame", ("none",) * 5 + ("report", "adverb", "end"))
    if frame == "report":
        return f"{wording.pick('report', REPORTS)} {body}"
    if frame == "adverb":
        return f"{wording.pick('adverb', ADVERBS)} , {body}"
    return f"{body} , {wording.pick('adverb', ADVERBS)}" if frame == "end" else body


def prose_tokens(meaning: Meaning, wording: Wording, tense: Tense) -> str:
    """Return an encyclopedia-like sentence: tokens separated by spaces, with its end mark."""
    return _framed(joined(meaning, wording, tense), wording) + " ."


def untokenised(tokens: str) -> str:
    """Return ordinary prose from space-separated tokens: a capital, and no space before punctuation."""
    text = tokens
    for mark in (",", ".", ";", "?", "!", ":"):
        text = text.replace(f" {mark}", mark)
    text = text.replace(",,", ",").replace(",.", ".").replace(",;", ";").replace("..", ".")
    return text[:1].upper() + text[1:]


def tidied(tokens: str) -> str:
    """Return tokens without the commas that meet another mark."""
    for wrong, right in ((" , ,", " ,"), (" , .", " ."), (" , ;", " ;"), (" , ?", " ?"), ("  ", " ")):
        tokens = tokens.replace(wrong, right)
    return tokens
