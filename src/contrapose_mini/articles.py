"""Encyclopedia articles about the world's facts, as untidy as the real ones."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini import lexicon
from contrapose_mini.concepts import nouns
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import Entity, Fact, MadeWorld, Meaning, draw_entity
from contrapose_mini.wording import Tense, Wording, prose_tokens, tidied, untokenised

HEADINGS = (
    "Early life",
    "History",
    "Background",
    "Career",
    "Later years",
    "Legacy",
    "Reception",
    "In the press",
)
SHORT_SENTENCES = (
    "It was a success.", "Little else is known.", "This is disputed.", "Nobody objected.",
    "The reasons are unclear.", "Opinions differ.", "It did not last.", "That was all.",
)  # fmt: skip
ONE_WORD_PARAGRAPHS = ("Overview", "Notes", "Timeline", "Gallery", "Sources")

# Fewer stubs than in Wikipedia (54 % of a sample of 1,000 English articles of November 2023 have fewer
# than ten sentences, 3 % are disambiguation pages): a small world should not lose half of its articles.
ARTICLE_KINDS = (("full", 0.80), ("stub", 0.13), ("list", 0.05), ("empty", 0.02))
# Mostly the past; the others are there so that the word forms of captions and headlines occur.
TENSES: tuple[Tense, ...] = ("past", "past", "past", "past", "present", "present", "progressive")
# Rates per sentence.
SHORT_RATE, LONG_RATE, DUPLICATE_RATE, BREAK_RATE, TWO_FACTS_RATE = 0.06, 0.03, 0.03, 0.03, 0.45


@dataclass(frozen=True)
class Article:
    """One row of the Wikipedia file."""

    id: str
    url: str
    title: str
    text: str


@dataclass(frozen=True)
class Statement:
    """A sentence as it stands in an article (line breaks as spaces) and what it says."""

    text: str
    meaning: Meaning


class ArticleWriter:
    """Writes the articles of one world and remembers what their sentences say.

    Attributes
    ----------
    statements : list of Statement
        Every sentence written so far that says something, in order, duplicates included.
    """

    def __init__(self, world: MadeWorld, seed: int) -> None:
        self.world = world
        self.seed = seed
        self.statements: list[Statement] = []
        rng = generator("mini", seed, "repeated sentences")
        self._repeated = [self._sentence(rng, (choice(rng, world.facts),)) for _ in range(12)]

    def articles(self, count: int) -> Iterator[Article]:
        """Yield `count` articles; a number's article is the same for any `count`."""
        for number in range(count):
            yield self._article(number)

    def _article(self, number: int) -> Article:
        rng = generator("mini", self.seed, "article", number)
        domain = choice(rng, sorted(self.world.by_domain))
        subject = self._subject(rng, domain)
        kind = _drawn_kind(rng)
        title = _title(rng, subject, domain, number)
        text = {"full": self._full, "stub": self._stub, "list": self._list, "empty": _empty}[kind](
            rng, domain, subject
        )
        url = f"https://wiki.example/{title.replace(' ', '_')}"
        return Article(str(1000 + 7 * number), url, title, text)

    def _subject(self, rng: np.random.Generator, domain: str) -> Entity:
        living = sorted({n.category for n in nouns().values() if n.domain == domain and n.living})
        entity = draw_entity(rng, living, named=1.0)
        return replace(entity, attribute="") if entity.person else Entity(entity.concept)

    def _fact(self, rng: np.random.Generator, domain: str, subject: Entity) -> Fact:
        kind = float(rng.random())
        if kind < 0.2:
            return choice(rng, self.world.facts)
        fact = choice(rng, self.world.by_domain[domain])
        # What the article's own subject does is told of it alone; the rest many articles tell.
        own = kind > 0.75 and nouns()[fact.agent.concept].category == nouns()[subject.concept].category
        return replace(fact, agent=subject) if own and fact.patient.concept != subject.concept else fact

    def _sentence(self, rng: np.random.Generator, meaning: Meaning) -> str:
        tense = choice(rng, TENSES)
        text = untokenised(tidied(prose_tokens(meaning, Wording(rng), tense)))
        self.statements.append(Statement(text, meaning))
        return text

    def _next_sentence(self, rng: np.random.Generator, domain: str, subject: Entity) -> str:
        kind = float(rng.random())
        if kind < SHORT_RATE:
            return choice(rng, SHORT_SENTENCES)
        if kind < SHORT_RATE + DUPLICATE_RATE:
            return choice(rng, self._repeated)
        if kind < SHORT_RATE + DUPLICATE_RATE + LONG_RATE:
            return self._long_sentence(rng, domain, subject)
        count = 2 if chance(rng, TWO_FACTS_RATE) else 1
        text = self._sentence(rng, tuple(self._fact(rng, domain, subject) for _ in range(count)))
        return _broken(rng, text) if chance(rng, BREAK_RATE) else text

    def _long_sentence(self, rng: np.random.Generator, domain: str, subject: Entity) -> str:
        """Return a chain of clauses, nearly always above 50 words."""
        parts = [prose_tokens((self._fact(rng, domain, subject),), Wording(rng), "past") for _ in range(5)]
        return untokenised(tidied(" ; ".join(part.removesuffix(" .") for part in parts) + " ."))

    def _paragraph(self, rng: np.random.Generator, domain: str, subject: Entity) -> str:
        return " ".join(self._next_sentence(rng, domain, subject) for _ in range(int(rng.integers(3, 8))))

    def _full(self, rng: np.random.Generator, domain: str, subject: Entity) -> str:
        blocks = [self._paragraph(rng, domain, subject)]
        for _ in range(int(rng.integers(3, 7))):
            blocks.append(f"{choice(rng, HEADINGS)}\n{self._paragraph(rng, domain, subject)}")
            if chance(rng, 0.2):
                blocks.append(self._list_lines(rng))
            if chance(rng, 0.15):
                blocks.append(choice(rng, ONE_WORD_PARAGRAPHS))
        return "\n\n".join([*blocks, _tail(rng, domain)])

    def _stub(self, rng: np.random.Generator, domain: str, subject: Entity) -> str:
        sentences = [self._next_sentence(rng, domain, subject) for _ in range(int(rng.integers(1, 8)))]
        return "\n\n".join([" ".join(sentences), _tail(rng, domain)])

    def _list(self, rng: np.random.Generator, domain: str, subject: Entity) -> str:
        return f"{subject.person or subject.concept.capitalize()} may refer to:\n\n{self._list_lines(rng)}"

    def _list_lines(self, rng: np.random.Generator) -> str:
        lines = []
        for _ in range(int(rng.integers(2, 6))):
            form = choice(rng, choice(rng, tuple(nouns().values())).forms)
            person = f"{choice(rng, lexicon.FIRST_NAMES)} {choice(rng, lexicon.SURNAMES)}"
            lines.append(f" {choice(rng, lexicon.YEARS)}: {person}, {form}")
        return "\n".join(lines)


def _drawn_kind(rng: np.random.Generator) -> str:
    at = float(rng.random())
    for kind, share in ARTICLE_KINDS:
        at -= share
        if at < 0:
            return kind
    return ARTICLE_KINDS[0][0]


def _empty(rng: np.random.Generator, domain: str, subject: Entity) -> str:
    return choice(rng, ("", "References", f"{domain.capitalize()} portal", subject.concept.capitalize()))


def _title(rng: np.random.Generator, subject: Entity, domain: str, number: int) -> str:
    name = (
        f"{choice(rng, lexicon.FIRST_NAMES)} {subject.person}"
        if subject.person
        else subject.concept.capitalize()
    )
    return f"{name} ({domain}, {number})"  # the number keeps titles apart, as Wikipedia's parentheses do


def _broken(rng: np.random.Generator, text: str) -> str:
    """Put a line break where a space was."""
    spaces = [i for i, letter in enumerate(text) if letter == " "]
    at = choice(rng, spaces)
    return f"{text[:at]}\n{text[at + 1 :]}"


def _tail(rng: np.random.Generator, domain: str) -> str:
    place = choice(rng, ("Velmora", "Harwick", "Tolsen", "St. Alwin"))
    year = choice(rng, lexicon.YEARS)
    blocks = ["References", "External links\nOfficial website"] if chance(rng, 0.6) else ["References"]
    return "\n\n".join([*blocks, f"{year} births\nPeople from {place}\n{domain.capitalize()} in {place}"])
