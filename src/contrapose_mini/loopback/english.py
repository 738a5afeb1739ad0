"""Rewrite any English sentence by rules: synonyms, moved phrases, active for passive, report frames."""

import re
from functools import lru_cache

import numpy as np

from contrapose_mini.facts import chance, choice
from contrapose_mini.loopback.synonyms import ADDITIONS, CONTRACTIONS, REPORT_FRAMES, WORD_GROUPS

# Sentence openers whose capital is not part of the word; any other first word could be a name.
LOWERED_OPENER_WORDS = """
the a an in on at it he she they this that these those his her its their there after before during when
while although though since because as if for from by with many some most several one two three however
despite according following throughout nevertheless yet upon
"""
LOWERED_OPENERS = frozenset(LOWERED_OPENER_WORDS.split())
TIME_PHRASE = r"(?:In|On|During|After|Before|Since|From|By|At|Until)"
YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
FRONTED_PHRASE = re.compile(rf"^({TIME_PHRASE} [^,.;]{{2,50}}), (.+)$", re.DOTALL)
FINAL_TIME = re.compile(
    rf"^(.+?),? ((?:in|on|during|since|by|until) (?:[A-Z0-9][^,.;()]{{0,20}} )?{YEAR})$", re.DOTALL
)
FRONTED_CLAUSE = re.compile(
    r"^(Although|Though|While|When|Because|After|Before|As|Since|If) ([^,]+), (.+)$", re.DOTALL
)
FINAL_CLAUSE = re.compile(
    r"^(.+?),? (although|because|while|when|after|before) ((?:the|he|she|it|they|a|an) .+)$", re.DOTALL
)
PASSIVE = re.compile(r"^([^,;]+?) (?:was|were) (\w+ed) by ([^,;]+)$")
TWO_CLAUSES = re.compile(r"^(.+?), (and|but) ((?:the|he|she|it|they|this|his|her) .+)$", re.DOTALL)


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in WORD_GROUPS.strip().splitlines():
        forms = [form.replace("_", " ") for form in line.split()]
        found.setdefault(forms[0], tuple(forms[1:]))
    return found


def lowered(text: str) -> str:
    """Lower the first letter where the first word is no name."""
    first = re.split(r"\W", text, maxsplit=1)[0]
    return text[:1].lower() + text[1:] if first.lower() in LOWERED_OPENERS else text


def raised(text: str) -> str:
    """Raise the first letter."""
    return text[:1].upper() + text[1:]


def rewritten(sentence: str, rng: np.random.Generator, divergence: float, addition: float = 0.0) -> str:
    """Return another version of a sentence.

    Parameters
    ----------
    sentence : str
    rng : numpy Generator
    divergence : float in [0, 1]
        Chance of each single change.
    addition : float in [0, 1]
        Chance that something is added which the source does not say.
    """
    text = " ".join(sentence.split())
    end = text[-1] if text and text[-1] in ".!?" else "."
    body = text.removesuffix(end) if text.endswith(end) else text
    body = _restructured(body, rng) if chance(rng, divergence) else body
    body = _with_synonyms(body, rng, divergence)
    body = _contracted(body) if chance(rng, divergence / 2) else body
    if chance(rng, divergence / 3):
        body = framed(body, rng)
    if chance(rng, addition):
        body += choice(rng, ADDITIONS)
    return raised(body) + end


def framed(body: str, rng: np.random.Generator) -> str:
    """Put a report frame before a sentence without its end mark."""
    return choice(rng, REPORT_FRAMES).format(lowered(body))


def _restructured(body: str, rng: np.random.Generator) -> str:
    """Apply one of the structural rules that fit; without a fit the sentence stays as it is."""
    versions = [version for rule in RULES if (version := rule(body)) is not None]
    return choice(rng, versions) if versions else body


def _fronted_to_end(body: str) -> str | None:
    match = FRONTED_PHRASE.match(body)
    return f"{raised(match[2])} {match[1][0].lower()}{match[1][1:]}" if match else None


def _time_to_front(body: str) -> str | None:
    match = FINAL_TIME.match(body)
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


RULES = (_fronted_to_end, _time_to_front, _clause_to_end, _clause_to_front, _active, _clauses_exchanged)


def _with_synonyms(body: str, rng: np.random.Generator, rate: float) -> str:
    def swap(match: re.Match[str]) -> str:
        word = match[0]
        options = _synonyms().get(word.lower())
        if not options or (word[0].isupper() and match.start() > 0) or not chance(rng, rate):
            return word
        other = choice(rng, options)
        return raised(other) if word[0].isupper() else other

    return re.sub(r"\b[A-Za-z]+\b", swap, body)


def _contracted(body: str) -> str:
    for full, short in CONTRACTIONS:
        body = body.replace(full, short) if full in body else body.replace(short, full)
    return body
