"""What asking the language models will take: tokens, money and hours."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from contrapose.fingerprint import canonical
from contrapose.forecast.dag import Job
from contrapose.forecast.texts import asked_texts, corpus_texts
from contrapose.generate.estimate import Estimate, Seen, estimated, expected_tokens
from contrapose.generate.prompts import Tokens
from contrapose.jobs import AskingJob
from contrapose.plan import Plan
from contrapose.tasks import UNTRANSLATED

HOUR = 3600.0  # seconds


@dataclass(frozen=True)
class Asking:
    """One language model is asked about one corpus with one prompt."""

    corpus: str
    llm: str
    prompt: str
    estimate: Estimate
    each: Tokens  # of a request
    seconds: float | None  # a request takes; None: the world does not say how fast the model is
    at_once: int  # requests in flight, of all jobs together

    @property
    def hours(self) -> float | None:
        """With all requests in flight that the settings allow, and no rate limit."""
        if self.seconds is None:
            return None
        return self.estimate.requests * self.seconds / self.at_once / HOUR

    @property
    def dollars_per_million(self) -> float:
        """Cost of a million sentences, in USD."""
        return 1e6 * self.estimate.dollars / max(self.estimate.requests, 1)


def every_asking(plan: Plan, jobs: Iterable[Job]) -> list[Asking]:
    """Forecast everything that some jobs ask: paraphrases, translations, texts of chat models."""
    of_rule: dict[str, list[dict[str, str]]] = defaultdict(list)
    for job in jobs:
        of_rule[job.rule].append(job.wildcards)
    questions = [(known["corpus"], known["llm"], known["prompt"]) for known in of_rule["generate_merge"]]
    asked = askings(plan, questions)
    asked += [translating(plan)] if of_rule["generate_translate"] else []
    return asked + [one for known in of_rule["generate_asked"] for one in instructed(plan, known["texts"])]


def askings(plan: Plan, questions: Iterable[tuple[str, str, str]]) -> list[Asking]:
    """Forecast everything that is asked, from nothing: what journals hold already is not taken off.

    A sentence takes one request (at most: all its `tries`) of

        prompt tokens = (bytes of the prompt's text + bytes of the sentence) / 4
        completion tokens = 5 x (bytes of the sentence / 4 + 4)

    and completion tokens / `tokens_per_second` seconds.  Corpora of one method and seed are heads of one
    another and the journal knows a request by its text, so a larger one asks only for what the smaller ones
    have left.

    Parameters
    ----------
    plan : Plan
    questions : iterable of (corpus, llm, prompt)

    Returns
    -------
    list of Asking
        By language model and prompt, smaller corpora first.
    """
    asked: dict[str, int] = defaultdict(int)
    found = []
    for corpus, llm, prompt in sorted(questions, key=lambda one: (*one[1:], asked_texts(plan, one[0]).count)):
        texts = asked_texts(plan, corpus)
        family = canonical([llm, prompt, plan.corpus(corpus).model_dump(exclude={"size"})])
        known = asked[family]
        asked[family] = texts.count
        job = plan.generate_paraphrase(corpus, llm, prompt)
        found.append(_asking(plan, corpus, job, known, texts.count - known, round(texts.length)))
    return found


def translating(plan: Plan) -> Asking:
    """Forecast what translating takes, from nothing: a token for a character, and one in its translation."""
    texts, llm = asked_texts(plan, UNTRANSLATED), plan.translating_llm
    assert llm is not None
    return _asking(plan, UNTRANSLATED, plan.generate_translate(llm), 0, texts.count, round(texts.length))


def instructed(plan: Plan, texts: str) -> list[Asking]:
    """Forecast what texts of a chat model take, from nothing: one request for each label and entry."""
    corpus = plan.synthetic(texts).corpus
    sentences = corpus_texts(plan, corpus)
    assert sentences is not None
    return [
        _asking(plan, corpus, job, 0, sentences.count, round(sentences.length))
        for job in plan.generate_asked(texts).instructions
    ]


def _asking(plan: Plan, corpus: str, job: AskingJob, known: int, new: int, length: int) -> Asking:
    model = plan.llm(job.llm)
    each = expected_tokens(1, length, job)
    return Asking(
        corpus,
        job.llm,
        job.prompt,
        estimated(known, ["x" * length] * new, Seen(), job, plan.connection(job.llm)),
        each,
        each.completion / model.tokens_per_second if model.tokens_per_second else None,
        model.concurrency * plan.config.shards.generate,
    )
