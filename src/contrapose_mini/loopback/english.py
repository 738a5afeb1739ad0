"""Rewrite any English sentence: other words, another voice, moved phrases, report frames."""

import re

import numpy as np

from contrapose_mini.draws import chance, choice
from contrapose_mini.loopback.clauses import lowered, parsed, plural, raised, versions
from contrapose_mini.loopback.synonyms import ADDITIONS, CONTRACTIONS, REPORT_FRAMES
from contrapose_mini.loopback.words import (
    DETERMINERS,
    NUMBERS,
    exchanged,
    found_at,
    tokens_of,
    with_article,
    words_of,
)

TIME_PHRASE = r"(?:In|On|During|After|Before|Since|From|By|At|Until)"
YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
FRONTED_PHRASE = re.compile(rf"^({TIME_PHRASE} [^,.;]{{2,50}}), (.+)$", re.DOTALL)
FINAL_PHRASE = re.compile(
    rf"^(.+?),? ((?:in|on|during|since|by|until) (?:[A-Z0-9][^,.;()]{{0,20}} )?{YEAR}"
    r"|(?:on|at|in|during|after|before|throughout|with) (?:the |his |her |its |their |[A-Z])[^,.;()]{3,50})$",
    re.DOTALL,
)
FRONTED_CLAUSE = re.compile(
    r"^(Although|Though|While|When|Because|After|Before|As|Since|If) ([^,]+), (.+)$", re.DOTALL
)
FINAL_CLAUSE = re.compile(
    r"^(.+?),? (although|because|while|when|after|before) ((?:the|he|she|it|they|a|an) .+)$", re.DOTALL
)
PASSIVE = re.compile(r"^([^,;]+?) (?:was|were) (\w+ed) by ([^,;]+)$")
# Somebody says what the sentence says.
SAY = (
    r"(?:says?|said|shows?|claims?|wrote|reports?|reported|states?|stated|confirms?|believes?|happens|knows)"
)
ASIDE = r"in fact|indeed|of course|in the end|to be precise|by all accounts"
FRAME = re.compile(
    rf"^((?:it (?:is|was|has been) \w+ that|(?:[\w']+ ){{1,4}}?{SAY} that|according to [^,]+,|"
    rf"as [^,]{{2,40}} {SAY},|(?:{ASIDE}),) )(.+)$",
    re.IGNORECASE | re.DOTALL,
)
FINAL_FRAME = re.compile(rf"^(.+), (?:{ASIDE}|as [^,]{{2,40}} {SAY})$", re.IGNORECASE | re.DOTALL)
JOINED = r"and at the same time,?|and besides,|in addition to which,?|meanwhile,|and|but|while|whereas"
CONNECTIVE = re.compile(rf"(?:[,;] (?:{JOINED})|;) ")
TWO_CLAUSES = re.compile(r"^(.+?), (and|but) ((?:the|he|she|it|they|this|his|her) .+)$", re.DOTALL)
COPULA = re.compile(r"^([^,;]{3,60}?) (is|was|are|were) ((?:an?|the|one|home|part) [^;]+)$", re.DOTALL)
CONNECTIVES = (", and ", ", while ", "; ", "; at the same time, ", ", whereas ", "; in addition, ")
NAMED = re.compile(r"\b(an?) ((?:[a-z-]+ ){1,2})(?:named|called) ([A-Z][\w'-]+)")
APPOSED = re.compile(r"\b((?:(?:Dr|Mr|Mrs)\. )?[A-Z][\w'-]+), (an?) ((?:[a-z-]+ ?){1,3}),")


def rewritten(
    sentence: str,
    rng: np.random.Generator,
    change: float,
    exchange: float,
    added: float = 0.0,
    lost: float = 0.0,
) -> str:
    """Return another version of a sentence.

    Parameters
    ----------
    sentence : str
    rng : numpy Generator
    change, exchange : float in [0, 1]
        Chance of each single change of form, and of each exchange of a word.
    added, lost : float in [0, 1]
        Chance that something is added which the source does not say, and that a phrase is left out.
    """
    text = " ".join(sentence.split())
    end = text[-1] if text and text[-1] in ".!?" else "."
    body, framing = _unframed(text.removesuffix(end))
    parts = CONNECTIVE.split(body)
    joints = CONNECTIVE.findall(body)
    read = [parsed(part) is not None for part in parts]
    if len(parts) == 2 and any(read):
        ways = [_restructured(part, rng, change, lost) for part in parts]
        joint, free = joints[0], all(read) and "but" not in joints[0]
        joint = choice(rng, CONNECTIVES) if free and chance(rng, change) else joint
        if free and chance(rng, change / 2):
            ways.reverse()
        body = ways[0] + joint + lowered(ways[1])
    else:
        body = _restructured(body, rng, change, lost)
    body = exchanged(_described(_renamed(body, rng, change), rng, change / 3), rng, exchange)
    body = _contracted(body) if chance(rng, change / 2) else body
    if chance(rng, change / 3):
        body = framed(body, rng)
    elif framing and not chance(rng, change):
        body = framing + lowered(body)
    return raised(body) + (choice(rng, ADDITIONS) if chance(rng, added) else "") + end


def framed(body: str, rng: np.random.Generator) -> str:
    """Put a report frame before a sentence without its end mark."""
    return choice(rng, REPORT_FRAMES).format(lowered(body))


def _unframed(body: str) -> tuple[str, str]:
    """Return what is reported, and the report frame before it; one at the end is left out."""
    if match := FINAL_FRAME.match(body):
        body = match[1]
    match = FRAME.match(body)
    return (raised(match[2]), match[1]) if match else (body, "")


def _restructured(body: str, rng: np.random.Generator, change: float, lost: float) -> str:
    """Write a clause that the grammar reads in another form, adjuncts elsewhere; else move what can be."""
    clause = parsed(body)
    if not clause:
        ways = [version for rule in RULES if (version := rule(body)) is not None]
        return choice(rng, ways) if ways and chance(rng, change) else body
    forms, adjuncts = versions(clause), list(clause.adjuncts)
    if adjuncts and chance(rng, lost):
        adjuncts.pop(int(rng.integers(len(adjuncts))))
    if not chance(rng, change):
        return body if len(adjuncts) == len(clause.adjuncts) else " ".join([forms[0], *adjuncts])
    core = choice(rng, forms)
    if adjuncts and chance(rng, 0.5):  # before the clause as often as behind it
        front = adjuncts.pop(int(rng.integers(len(adjuncts))))
        return raised(f"{front}, {core} {' '.join(adjuncts[::-1])}".strip())
    return raised(" ".join([core, *adjuncts[::-1]]))


def _fronted_to_end(body: str) -> str | None:
    match = FRONTED_PHRASE.match(body)
    return f"{raised(match[2])} {match[1][0].lower()}{match[1][1:]}" if match else None


def _phrase_to_front(body: str) -> str | None:
    match = FINAL_PHRASE.match(body)
    return f"{raised(match[2])}, {lowered(match[1])}" if match else None


def _clause_to_end(body: str) -> str | None:
    match = FRONTED_CLAUSE.match(body)
    return f"{raised(match[3])} {match[1].lower()} {match[2]}" if match else None


def _clause_to_front(body: str) -> str | None:
    match = FINAL_CLAUSE.match(body)
    return f"{raised(match[2])} {match[3]}, {lowered(match[1])}" if match else None


def _active(body: str) -> str | None:
    match = PASSIVE.match(body)
    return f"{raised(match[3])} {match[2]} {lowered(match[1])}" if match else None


def _clauses_exchanged(body: str) -> str | None:
    match = TWO_CLAUSES.match(body)
    return f"{raised(match[3])}, {match[2]} {lowered(match[1])}" if match else None


def _inverted(body: str) -> str | None:
    match = COPULA.match(body)
    return f"{raised(match[3])} {match[2]} what {lowered(match[1])} {match[2]}" if match else None


RULES = (
    _fronted_to_end, _phrase_to_front, _clause_to_end, _clause_to_front, _active, _clauses_exchanged,
    _inverted,
)  # fmt: skip


def _renamed(body: str, rng: np.random.Generator, rate: float) -> str:
    """Write `a painter named Rossi` as `Rossi, a painter,`, and the other way round."""
    if chance(rng, rate):
        body = NAMED.sub(r"\3, \1 \2,", body).replace(" ,", ",").replace(",,", ",")
    elif chance(rng, rate):
        body = APPOSED.sub(lambda match: f"{match[2]} {match[3].strip()} called {match[1]}", body)
    return body.removesuffix(",")


def _described(body: str, rng: np.random.Generator, rate: float) -> str:
    """Write `a tired soldier` as `a soldier that is tired`."""
    tokens = tokens_of(body)
    words = words_of(tokens)
    past = bool(re.search(r"\b(?:was|were|had|did|\w+ed)\b", body))
    made: list[str] = []
    for at, token in enumerate(tokens):
        kinds = [{each.kind for each in found_at(words, place)[1]} for place in (at - 1, at, at + 1)]
        described = (
            at > 1 and "adjective" in kinds[0] and "noun" in kinds[1] and not kinds[2] & {"noun", "verb"}
        )
        if described and words[at - 2] in DETERMINERS | NUMBERS and chance(rng, rate):
            be = ("is", "was", "are", "were")[past + 2 * plural(f"{words[at - 2]} {words[at]}")]
            token = f"{token} that {be}{made.pop()}"
            made = with_article(made, words[at])
        made.append(token)
    return "".join(made)


def _contracted(body: str) -> str:
    for full, short in CONTRACTIONS:
        body = body.replace(full, short) if full in body else body.replace(short, full)
    return body
