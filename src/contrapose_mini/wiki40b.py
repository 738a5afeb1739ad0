"""Articles as Wiki-40B has them, English and Japanese: pages of prose with markers between their parts.

Wiki-40B has no lists, tables or tails; some sentences are of another language, very short or very long.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini import articles as english
from contrapose_mini.concepts import nouns
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import Fact, MadeWorld, Meaning, negate
from contrapose_mini.japanese import wording as japanese
from contrapose_mini.japanese.words import noun_words
from contrapose_mini.output import write_parquet
from contrapose_mini.wording import Wording, prose_tokens, tidied, untokenised

# Rates per sentence, ours: so that every filter finds something.
FOREIGN_RATE, SHORT_RATE, LONG_RATE, DUPLICATE_RATE = 0.02, 0.05, 0.03, 0.03
TWO_FACTS_RATE, DENIED_RATE = 0.3, 0.08
PARAGRAPH_BREAK_RATE = 0.25  # that `_NEWLINE_` stands behind a sentence
LONG_FACTS = 5  # clauses of a long sentence, nearly always above 50 words


@dataclass(frozen=True)
class Prose:
    """How articles of one language are written; `link` joins the sentences of a paragraph."""

    sentence: Callable[[np.random.Generator, Meaning], str]
    long: Callable[[np.random.Generator, Sequence[Fact]], str]
    short: tuple[str, ...]
    headings: tuple[str, ...]
    forms: Callable[[str], tuple[str, ...]]
    link: str


def _english_sentence(rng: np.random.Generator, meaning: Meaning) -> str:
    return untokenised(tidied(prose_tokens(meaning, Wording(rng), choice(rng, english.TENSES))))


def _long_english(rng: np.random.Generator, facts: Sequence[Fact]) -> str:
    parts = [prose_tokens((fact,), Wording(rng), "past").removesuffix(" .") for fact in facts]
    return untokenised(tidied(" ; ".join(parts) + " ."))


def _japanese_sentence(rng: np.random.Generator, meaning: Meaning) -> str:
    return japanese.unspaced(japanese.styled("prose", meaning, Wording(rng)))


def _long_japanese(rng: np.random.Generator, facts: Sequence[Fact]) -> str:
    parts = [japanese.clause(fact, Wording(rng), "past", final=False) for fact in facts]
    return japanese.unspaced(" し 、 ".join(parts) + " 。")


LANGUAGES = {
    "en": Prose(
        _english_sentence,
        _long_english,
        english.SHORT_SENTENCES,
        english.HEADINGS,
        lambda concept: nouns()[concept].forms,
        " ",
    ),
    "ja": Prose(
        _japanese_sentence,
        _long_japanese,
        (
            "大成功だった。",
            "詳細は不明。",
            "異論もある。",
            "長くは続かなかった。",
            "それだけだ。",
            "理由は謎だ。",
        ),
        ("概要", "歴史", "背景", "経歴", "晩年", "評価", "反響", "脚注"),
        lambda concept: tuple(form.replace(" ", "") for form in noun_words()[concept].forms),
        "",
    ),
}


def write_wiki40b(folder: Path, world: MadeWorld, seed: int, count: int) -> None:
    """Write `wiki40b/en/` and `wiki40b/ja/`, each with `count` articles of some 20 sentences."""
    for number, language in enumerate(LANGUAGES):
        texts = [article(language, world, seed, each) for each in range(count)]
        columns = {
            "wikidata_id": [f"Q{20_000 + 11 * each + number}" for each in range(count)],
            "text": texts,
            "version_id": [str(15_000_000_000 + 7919 * each + number) for each in range(count)],
        }
        write_parquet(folder / "wiki40b" / language / "train-00000-of-00001.parquet", columns)


def article(language: str, world: MadeWorld, seed: int, number: int) -> str:
    """Return the text of one article, a function of the arguments alone."""
    rng = generator("mini", seed, "wiki40b", language, number)
    prose = LANGUAGES[language]
    domain = choice(rng, sorted(world.by_domain))
    subjects = [name for name, noun in nouns().items() if noun.domain == domain]
    title = choice(rng, prose.forms(choice(rng, subjects)))
    parts = ["", "_START_ARTICLE_", f"{title[:1].upper()}{title[1:]} ({number})"]
    for section in range(1 + int(rng.integers(2, 5))):
        if section:
            parts += ["_START_SECTION_", choice(rng, prose.headings)]
        parts += ["_START_PARAGRAPH_", _paragraphs(rng, prose, world, domain)]
    return "\n".join(parts)


def _paragraphs(rng: np.random.Generator, prose: Prose, world: MadeWorld, domain: str) -> str:
    sentences = [_sentence(rng, prose, world, domain) for _ in range(int(rng.integers(3, 9)))]
    text = sentences[0]
    for sentence in sentences[1:]:
        text += ("_NEWLINE_" if chance(rng, PARAGRAPH_BREAK_RATE) else prose.link) + sentence
    return text


def _sentence(rng: np.random.Generator, prose: Prose, world: MadeWorld, domain: str) -> str:
    at = float(rng.random())
    facts = [_fact(rng, world, domain) for _ in range(LONG_FACTS)]
    repeated = world.by_domain[domain][0]
    for rate, make in (
        (SHORT_RATE, lambda: choice(rng, prose.short)),
        (LONG_RATE, lambda: prose.long(rng, facts)),
        (
            DUPLICATE_RATE,
            lambda: prose.sentence(generator("mini", "repeated", domain), (repeated,)),
        ),
        (FOREIGN_RATE, lambda: _foreign(rng, prose, facts[0])),
    ):
        at -= rate
        if at < 0:
            return make()
    return prose.sentence(rng, tuple(facts[: 1 + chance(rng, TWO_FACTS_RATE)]))


def _foreign(rng: np.random.Generator, prose: Prose, fact: Fact) -> str:
    """Return a sentence of the other language, on a line of its own."""
    (other,) = (each for each in LANGUAGES.values() if each is not prose)
    return f"_NEWLINE_{other.sentence(rng, (fact,))}_NEWLINE_"


def _fact(rng: np.random.Generator, world: MadeWorld, domain: str) -> Fact:
    fact = choice(rng, world.by_domain[domain] if chance(rng, 0.8) else world.facts)
    return negate(rng, fact) if chance(rng, DENIED_RATE) else fact
