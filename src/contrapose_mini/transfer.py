"""SentEval's transfer tasks in the mini world's words: what a text says decides its class.

Sentiment is a verdict or an event that is good or bad for somebody, each of which may be denied; subjective
is what holds a verdict; the class of a question is what it asks for; paraphrases share their facts.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from contrapose.base.seeds import generator
from contrapose_mini.benchmarks import Look, PairMaker, normalised
from contrapose_mini.concepts import adjuncts, nouns, plural, relations
from contrapose_mini.draws import chance, choice
from contrapose_mini.facts import Entity, Fact, unnamed
from contrapose_mini.styles import styled
from contrapose_mini.wording import Wording, clause, noun_phrase, tidied

VERDICTS = ("criticise", "praise")  # relations whose participles are a verdict, of label 0 and 1
JUDGES = ("audience", "fan", "customer", "writer")
DENIED = 0.2  # share of verdicts and events that are denied
FILMS = (
    "a film {v} in which {c} .", "{c} , and all of it is {v} .", "the scene in which {c} is {v} .",
    "it tells how {c} , and the result is {v} .", "even when {c} , the story is {v} and {w} .",
    "{v} and {w} .", "this film is {v} .",
)  # fmt: skip
FILM_PARTS = ("a film {v}", "{v} from the first scene to the last", "{v} and {w}", "is {v}", "a story {v}")
PRODUCTS = (
    "the {p} is {v} .", "i bought it because {c} , and the {p} is {v} .", "the {p} and the {q} are {v} .",
    "after a week the {p} was {v} .", "my neighbour says the {p} is {v} , even when {c} .",
)  # fmt: skip
PARTS = ("battery", "screen", "sound", "manual", "zoom", "keyboard", "remote", "player", "camera", "case")
# Events by what they are for the patient, of label 0 and 1.
EVENTS = (
    ("frighten", "criticise", "attack", "accuse", "dismiss", "oppose", "reject", "damage", "destroy"),
    ("treat", "delight", "praise", "rescue", "help", "defend", "support", "approve", "release", "hug"),
)
PHRASES = ("{past} {p}", "{gerund} {p}", "was {gerund} {p}", "will {base} {p}")
DENIED_PHRASES = ("failed to {base} {p}", "would never {base} {p}", "not {gerund} {p}")
SHORT_FORMS = ("U.S.", "St.", "Dr.", "Mr.", "Mrs.")
QUESTIONS = {  # class: finer classes, and what asks for them
    "ABBR": (("exp", "What does `` {s} '' stand for in the story of {a} and {p} ?"),),
    "DESC": (("reason", "Why did {a} {base} {p}{d} ?"), ("manner", "How did {a} {base} {p}{d} ?")),
    "ENTY": (("other", "What did {a} {base}{d} ?"),),
    "HUM": (("ind", "Who {past} {p}{d} ?"),),
    "LOC": (("other", "Where did {a} {base} {p}{t} ?"),),
    "NUM": (("date", "When did {a} {base} {p}{l} ?"), ("count", "How many {n} did {a} {base}{d} ?")),
}
CAFE = 0.05  # questions that end in a word that is not ASCII, which makes the files Latin-1
PARAPHRASE = 0.6  # similarity of facts from which a pair is one: about as many as not


class TextMaker:
    """Makes the texts of one world's transfer tasks.

    Parameters
    ----------
    maker : PairMaker
        Its world, seed and sentences that are taken.
    """

    def __init__(self, maker: PairMaker) -> None:
        self.maker = maker
        facts = maker.world.facts
        self.events = [[fact for fact in facts if fact.relation in names] for names in EVENTS]

    def texts(self, name: str, kind: str, label: int, count: int) -> Iterator[str]:
        """Yield so many texts of a kind (`KINDS`) and a label for the file `name`, all of them new."""
        make = KINDS[kind]
        for number in range(count):
            yield self._new(name, number, lambda rng: tidied(make(self, rng, label)))

    def questions(self, name: str, count: int) -> Iterator[str]:
        """Yield lines of TREC: `CLASS:finer class`, and a question that asks for it."""
        for number in range(count):
            turn, place = divmod(number, len(QUESTIONS))
            main, finer = list(QUESTIONS.items())[place]
            kind, frame = finer[turn % len(finer)]
            question = self._new(name, number, partial(self._question, frame))
            yield f"{main}:{kind} {question}"

    def paraphrases(self, name: str, count: int) -> Iterator[tuple[str, str, int]]:
        """Yield pairs of news sentences, and 1 if they are paraphrases."""
        for number in range(count):
            pair = self.maker.pair(name, number, Look("news", 0.4))
            yield pair.first, pair.second, int(pair.similarity >= PARAPHRASE)

    def _new(self, name: str, number: int, make: Callable[[np.random.Generator], str]) -> str:
        for attempt in range(100):
            text = make(generator("mini", self.maker.seed, name, number, attempt))
            if normalised(text) not in self.maker.taken:
                self.maker.taken.add(normalised(text))
                return text
        raise AssertionError(f"100 attempts gave no new text for {name} {number}")

    def _fact(self, rng: np.random.Generator) -> Fact:
        return choice(rng, self.maker.world.facts)

    def film(self, rng: np.random.Generator, label: int) -> str:
        """Return a sentence of a review of a film."""
        return self._filled(rng, choice(rng, FILMS), label)

    def film_part(self, rng: np.random.Generator, label: int) -> str:
        """Return a sentence of a review, or often a part of one."""
        return self._filled(rng, choice(rng, FILM_PARTS if chance(rng, 0.5) else FILMS), label)

    def product(self, rng: np.random.Generator, label: int) -> str:
        """Return a sentence of a review of a product."""
        return self._filled(rng, choice(rng, PRODUCTS), label)

    def opinion_or_plot(self, rng: np.random.Generator, label: int) -> str:
        """Return a sentence with a verdict (0), or one that only tells what happens (1)."""
        if label == 0:
            return self._filled(rng, choice(rng, FILMS), int(chance(rng, 0.5)))
        return styled("news", (self._fact(rng),), Wording(rng))

    def phrase(self, rng: np.random.Generator, label: int) -> str:
        """Return some words about an event that is good for somebody or not; denied, it is the other way."""
        denied = chance(rng, DENIED)
        fact = unnamed(choice(rng, self.events[label ^ denied]))
        verb = choice(rng, relations()[fact.relation].verbs)
        patient = noun_phrase(fact.patient, Wording(rng))
        frame = choice(rng, DENIED_PHRASES if denied else PHRASES)
        return frame.format(p=patient, past=verb.past, gerund=verb.gerund, base=verb.base)

    def _filled(self, rng: np.random.Generator, frame: str, label: int) -> str:
        parts = rng.permutation(PARTS)
        return frame.format(
            v=_verdict(rng, label),
            w=_verdict(rng, label),
            c=clause(unnamed(self._fact(rng)), Wording(rng), "present"),
            p=parts[0],
            q=parts[1],
        )

    def _question(self, frame: str, rng: np.random.Generator) -> str:
        fact, wording = self._fact(rng), Wording(rng)
        verb = choice(rng, relations()[fact.relation].verbs)
        place, time = (
            f" {choice(rng, adjuncts(field)[key])}" if (key := getattr(fact, field)) else ""
            for field in ("place", "time")
        )
        agent = noun_phrase(fact.agent, wording)
        text = frame.format(
            a=f"`` {agent} ''" if fact.agent.person and "," not in agent else agent.removesuffix(" ,"),
            p=noun_phrase(fact.patient, wording).removesuffix(" ,"),
            n=plural(nouns()[fact.patient.concept].forms[0]),
            s=choice(rng, SHORT_FORMS),
            base=verb.base,
            past=verb.past,
            d=choice(rng, (place, time)),
            l=place,
            t=time,
        )
        return text.replace(" ?", " at the café ?") if chance(rng, CAFE) else text


def _verdict(rng: np.random.Generator, label: int) -> str:
    """Return `praised by the crowd`, or `never condemned by a fan`."""
    denied = chance(rng, DENIED)
    verb = choice(rng, relations()[VERDICTS[label ^ denied]].verbs)
    judge = noun_phrase(Entity(choice(rng, JUDGES)), Wording(rng))
    return f"{'never ' * denied}{verb.participle} by {judge}"


KINDS: dict[str, Callable[[TextMaker, np.random.Generator, int], str]] = {
    "film": TextMaker.film,
    "film part": TextMaker.film_part,
    "product": TextMaker.product,
    "opinion or plot": TextMaker.opinion_or_plot,
    "phrase": TextMaker.phrase,
}
