"""A grammar of simple English clauses: reads who does what to whom and when, and says it in another form."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from contrapose_mini.loopback.synonyms import INTRANSITIVE
from contrapose_mini.loopback.words import (
    BE,
    DETERMINERS,
    HAVE,
    NUMBERS,
    PREPOSITIONS,
    event_nouns,
    found_at,
    nominal,
    senses,
    tokens_of,
    words_of,
)

MODAL_WORDS = "will would can could may might must should"
MODALS = frozenset(MODAL_WORDS.split())
OBJECT_FORMS = {"he": "him", "she": "her", "they": "them", "we": "us", "i": "me"}
SUBJECT_FORMS = {other: own for own, other in OBJECT_FORMS.items()}
PRONOUNS = frozenset(OBJECT_FORMS) | frozenset(SUBJECT_FORMS) | {"it", "you", "nobody", "everyone", "someone"}
MARKS = re.compile(r"[^\w\s]")
STOP_WORDS = "that who which when where while and or but whereas than because if"
STOPS = PREPOSITIONS - {"of"} | BE | HAVE | frozenset(STOP_WORDS.split())
PARTICLES = {"up", "down", "off", "out", "away", "back", "over"}
OTHER_OPENERS = {"there", "although", "though", "as", "thus", "however", "then"}
OPENERS = DETERMINERS | NUMBERS | PRONOUNS | STOPS | OTHER_OPENERS  # whose capital is not part of the word
APPOSITION = 9  # words at most between the commas of `Rossi, a painter,`


@dataclass(frozen=True)
class Clause:
    """One clause: texts with names alone in capitals.

    `forms` are those of `inflection.Verb` that are known: of a verb outside the lexicon some.  `tense` is
    past, present, progressive, was (past progressive), perfect, had, or a modal verb.
    """

    subject: str
    forms: Mapping[str, str]
    tense: str
    negated: bool
    object: str
    adjuncts: tuple[str, ...]


@dataclass(frozen=True)
class _Group:
    """A verb with its auxiliaries, and where it ends."""

    end: int
    forms: Mapping[str, str]
    tense: str
    negated: bool = False
    passive: bool = False


def lowered(text: str) -> str:
    """Lower the first letter where the first word is no name."""
    words = words_of(tokens_of(text))
    known = bool(words) and (words[0] in OPENERS or bool(found_at(words, 0)[1]) or words[0].endswith("ly"))
    return text[:1].lower() + text[1:] if known and not re.match("[A-Z]{2}", text) else text


def raised(text: str) -> str:
    """Raise the first letter."""
    return text[:1].upper() + text[1:]


def parsed(text: str) -> Clause | None:
    """Read a text without its end mark, or return None where it is no clause that this grammar knows."""
    tokens = tokens_of(lowered(text))
    return _Reader(tokens, words_of(tokens)).clause()


class _Reader:
    """Reads tokens from left to right; positions are into `words`, and 0 as an end says that nothing fits."""

    def __init__(self, tokens: list[str], words: list[str]) -> None:
        self.tokens, self.words = tokens, words

    def clause(self) -> Clause | None:
        """Read adjuncts with commas, subject, verb, object and adjuncts, to the last word or not at all."""
        adjuncts, at = [], 0
        while (end := self.adjunct(at)) and self.word(end) == ",":
            adjuncts.append(self.text(at, end))
            at = end + 1
        found = self.event(at) or self.existential(at) or self.plain(at) or self.bare(at)
        if not found or not found[0]:
            return None
        subject, group, other, at = found
        while at < len(self.words):
            comma = self.word(at) == ","
            if not (end := self.adjunct(at + comma)):
                return None
            adjuncts.append(self.text(at + comma, end))
            at = end
        return Clause(subject, group.forms, group.tense, group.negated, other, tuple(adjuncts))

    def word(self, at: int) -> str:
        """Return a word in lower case; empty behind the last."""
        return self.words[at] if at < len(self.words) else ""

    def text(self, start: int, end: int) -> str:
        """Return a part of the text."""
        return "".join(self.tokens[start:end]).strip()

    def capital(self, at: int) -> bool:
        """Return whether a word begins with a capital."""
        return at < len(self.tokens) and self.tokens[at].lstrip()[0].isupper()

    def plain(self, at: int) -> tuple[str, _Group, str, int] | None:
        """Read `S V O`, `O is V-ed by S` or `It was S that V O`."""
        if self.word(at) == "it" and self.word(at + 1) in ("was", "is"):
            end = self.noun_phrase(at + 2)
            if not end or self.word(end) not in ("that", "who"):
                return None
            subject, group = self.text(at + 2, end), self.verb(end + 1)
        else:
            end = self.subject(at)
            subject, group = self.text(at, end), self.verb(end) if end else None
        if not group:
            return None
        start = group.end + group.passive
        end = self.noun_phrase(start)
        other = self.text(start, end)
        if not other:
            return None
        return (other, group, subject, end) if group.passive else (subject, group, other, end)

    def bare(self, at: int) -> tuple[str, _Group, str, int] | None:
        """Read a clause without an object up to its adjuncts, all of it as its subject."""
        for middle in range(at + 1, len(self.words)):
            end = 0
            if self.word(middle) in ("is", "are", "was", "were"):
                start = middle + 1 + (self.word(middle + 1) == "not")
                end = self.verb_form(start, ("participle",))[1]
                end = end if end > start else self.noun_phrase(start)
            elif group := self.verb(middle):
                end = group.end
            if end:
                whole = self.noun_phrase(at, middle) == middle
                return (self.text(at, end), _Group(end, {}, ""), "", end) if whole else None
        return None

    def existential(self, at: int) -> tuple[str, _Group, str, int] | None:
        """Read `there is S V-ing O`."""
        if self.word(at) != "there" or self.word(at + 1) not in ("is", "are", "was", "were"):
            return None
        for middle in range(at + 3, len(self.words)):
            forms, end = self.verb_form(middle, ("gerund",))
            if forms and not nominal(self.words, middle):
                last = self.noun_phrase(end)
                tense = "progressive" if self.word(at + 1) in ("is", "are") else "was"
                return self.text(at + 2, middle), _Group(end, forms, tense), self.text(end, last), last
        return None

    def event(self, at: int) -> tuple[str, _Group, str, int] | None:
        """Read `the destruction of O by S took place`, `there was no ...`, `S carried out the ... of O`."""
        verbs = {noun: verb for verb, noun in reversed(event_nouns().items())}
        subject, no = "", False
        if self.word(at) == "there" and self.word(at + 1) == "was":
            no, at = self.word(at + 2) == "no", at + 3
        elif self.word(at) == "the" and self.word(at + 1) in verbs:
            at += 1
        else:
            end = self.subject(at, "carried", "never")
            subject, no = self.text(at, end), self.word(end) == "never"
            at = end + no + 3
            if not end or self.words[end + no : at] != ["carried", "out", "the"]:
                return None
        if self.word(at) not in verbs or self.word(at + 1) != "of":
            return None
        forms = asdict(next(each.verb for each in senses()[verbs[self.word(at)]] if each.verb))
        end = self.noun_phrase(at + 2)
        other = self.text(at + 2, end)
        if not subject:
            if self.word(end) != "by":
                return None
            last = next((i for i in range(end, len(self.words)) if self.word(i) in ("took", "never")), None)
            start, end = end + 1, self.noun_phrase(end + 1, last)
            subject = self.text(start, end)
            took = self.words[end : end + 3]
            no = no or took[:1] == ["never"]
            end += 3 if took == ["never", "took", "place"] else 2 if took[:2] == ["took", "place"] else 0
        return subject, _Group(end, forms, "past", no), other, end

    def subject(self, at: int, *verbs: str) -> int:
        """Return where a subject ends because a verb begins, or one of the given words."""
        for end in range(at + 1, len(self.words)):
            if self.word(end) in verbs or (not verbs and self.verb(end)):
                return end if self.noun_phrase(at, end) == end else 0
        return 0

    def noun_phrase(self, at: int, limit: int | None = None) -> int:
        """Return where a noun phrase ends: before a preposition but `of`, an adverb, a mark or the limit."""
        limit = len(self.words) if limit is None else limit
        end = at
        while end < limit:
            word = self.word(end)
            if word == "," and end > at and self.capital(end - 1) and self.word(end + 1) in ("a", "an"):
                close = next((i for i in range(end, end + APPOSITION) if self.word(i + 1) in (",", "")), 0)
                return min(close + 2, limit) if close else 0
            back = word == "back" and self.word(end + 1) in PREPOSITIONS
            if word in STOPS or MARKS.fullmatch(word) or back or (end > at and self.adverb(end)):
                break
            end += 1
        own = self.words[at:end]
        return end if self.word(at) not in PARTICLES and any(word not in DETERMINERS for word in own) else 0

    def adverb(self, at: int) -> int:
        """Return where an adverb or a fixed phrase ends."""
        length, known = found_at(self.words, at)
        if any(each.kind == "adverb" for each in known) and not nominal(self.words, at):
            return at + length
        word = self.word(at)
        return (
            at + 1
            if re.fullmatch(r"\w{3,}ly|again|together|alone", word) and not nominal(self.words, at)
            else 0
        )

    def adjunct(self, at: int) -> int:
        """Return where an adverb or a phrase with a preposition ends."""
        if end := self.adverb(at):
            return end
        start = at + (self.word(at) == "back")
        return self.noun_phrase(start + 1) if self.word(start) in PREPOSITIONS - {"of"} else 0

    def verb(self, at: int) -> _Group | None:
        """Read a finite verb with its auxiliaries."""
        word, after = self.word(at), self.word(at + 1)
        negated = after == "not"
        start = at + 1 + negated
        if word in ("is", "are", "was", "were"):
            return self.with_be(start, "past" if word in ("was", "were") else "present", negated)
        if (word in ("did", "does", "do") and negated) or (word, after) == ("failed", "to"):
            start, tense = at + 2, "past" if word in ("did", "failed") else "present"
            return self.group(start, ("base",), tense, True)
        if word == "never":
            return self.group(at + 1, ("past",), "past", True) or self.group(
                at + 1, ("third",), "present", True
            )
        if word in MODALS:
            return self.group(start, ("base",), word, negated)
        if word in HAVE:
            return self.group(start, ("participle",), "had" if word == "had" else "perfect", negated)
        named = word in ("named", "called") and self.capital(at + 1)
        if nominal(self.words, at) or named or self.capital(at):
            return None
        return self.group(at, ("past",), "past") or self.group(at, ("third", "base"), "present")

    def with_be(self, start: int, tense: str, negated: bool) -> _Group | None:
        """Read a passive with its agent, or a progressive, behind a form of be."""
        being = self.word(start) == "being"
        progressive = "was" if tense == "past" else "progressive"
        forms, end = self.verb_form(start + being, ("participle",))
        if forms and self.word(end) == "by":
            return _Group(end, forms, progressive if being else tense, negated, passive=True)
        return self.group(start, ("gerund",), progressive, negated)

    def group(self, at: int, slots: tuple[str, ...], tense: str, negated: bool = False) -> _Group | None:
        """Read a verb in one of the forms."""
        forms, end = self.verb_form(at, slots)
        return _Group(end, forms, tense, negated) if forms else None

    def verb_form(self, at: int, slots: tuple[str, ...]) -> tuple[Mapping[str, str], int]:
        """Return the forms of a verb of the lexicon, or what a regular ending says of another one."""
        length, known = found_at(self.words, at)
        for each in known:
            if each.verb and each.slot in slots and each.category != INTRANSITIVE:
                return asdict(each.verb), at + length
        word = self.word(at)
        if {"past", "participle"} & set(slots) and re.fullmatch(r"\w{2,}ed", word):
            return {"past": word, "participle": word}, at + 1
        return (
            ({"gerund": word}, at + 1) if "gerund" in slots and re.fullmatch(r"\w{3,}ing", word) else ({}, at)
        )


def plural(phrase: str) -> bool:
    """Return whether a noun phrase takes a plural verb."""
    words = words_of(tokens_of(phrase))
    if words[0] in (NUMBERS - {"one", "no"}) | {"these", "those", "they", "we", "you"}:
        return True
    if re.match(r"a (?:large )?(?:number|pair|trio|couple|lot) of", phrase):
        return True
    head = re.split(r" (?:of|named|called)\b|,", phrase)[0].split()[-1]
    known = {each.slot for each in senses().get(head, ()) if each.kind == "noun"}
    return head[0].islower() and ("plural" in known if known else bool(re.search(r"[^s]s$", head)))


def verb_group(clause: Clause, voice: str = "active") -> str:
    """Return verb and auxiliaries; raise KeyError where a form is not known."""
    many = plural(clause.subject if voice == "active" else clause.object)
    no, tense, forms = " not" * clause.negated, clause.tense, clause.forms
    be = {"past": ("was", "were"), "was": ("was", "were")}.get(tense, ("is", "are"))[many]
    if tense in MODALS:
        main = forms["base"] if voice == "active" else f"be {forms['participle']}"
        return f"{tense}{no} {main}"
    if tense in ("perfect", "had"):
        have = "had" if tense == "had" else "have" if many else "has"
        return f"{have}{no} {'been ' * (voice == 'passive')}{forms['participle']}"
    if tense in ("progressive", "was"):
        return f"{be}{no} {forms['gerund'] if voice == 'active' else 'being ' + forms['participle']}"
    if voice == "passive":
        return f"{be}{no} {forms['participle']}"
    if clause.negated:
        return f"{'did' if tense == 'past' else 'do' if many else 'does'} not {forms['base']}"
    return forms["past"] if tense == "past" else forms["base"] if many else forms["third"]


def _active(clause: Clause) -> str:
    return f"{clause.subject} {verb_group(clause)} {clause.object}"


def _passive(clause: Clause) -> str:
    agent = OBJECT_FORMS.get(clause.subject, clause.subject)
    return f"{SUBJECT_FORMS.get(clause.object, clause.object)} {verb_group(clause, 'passive')} by {agent}"


def _agent_cleft(clause: Clause) -> str:
    return f"it {_was(clause)} {clause.subject} that {verb_group(clause)} {clause.object}"


def _patient_cleft(clause: Clause) -> str:
    return f"it {_was(clause)} {clause.object} that {clause.subject} {verb_group(clause)}"


def _the_one(clause: Clause) -> str:
    one = ("the one", "the ones")[plural(clause.subject)]
    be = {"was": ("was", "were"), "is": ("is", "are")}[_was(clause)][plural(clause.subject)]
    return f"{clause.subject} {be} {one} that {verb_group(clause)} {clause.object}"


def _event(clause: Clause) -> str:
    if clause.tense != "past":
        raise KeyError("an event took place")
    noun, agent = event_nouns()[clause.forms["base"]], OBJECT_FORMS.get(clause.subject, clause.subject)
    return f"the {noun} of {clause.object} by {agent} {'did not take' if clause.negated else 'took'} place"


def _carried_out(clause: Clause) -> str:
    if clause.tense != "past" or clause.negated:
        raise KeyError("was carried out")
    return f"{clause.subject} carried out the {event_nouns()[clause.forms['base']]} of {clause.object}"


def _was(clause: Clause) -> str:
    return "was" if clause.tense in ("past", "was", "had") else "is"


FORMS = (_active, _passive, _passive, _agent_cleft, _patient_cleft, _the_one, _event, _carried_out)


def versions(clause: Clause) -> list[str]:
    """Return a clause without its adjuncts in every form that its verb is known in."""
    if not clause.object:
        return [clause.subject]
    found = []
    for form in FORMS:
        try:
            found.append(form(clause))
        except KeyError:
            continue
    return found
