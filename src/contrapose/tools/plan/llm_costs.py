"""Estimates for asking the language models: requests, tokens, USD and hours."""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from contrapose.fingerprint import canonical
from contrapose.generate.estimate import Estimate, UsageStats, estimated, expected_tokens
from contrapose.generate.llm import LLMRequests
from contrapose.generate.pace import SHARE
from contrapose.tasks import UNTRANSLATED
from contrapose.tools.plan.call import Call

MINUTES, SECONDS = 60.0, 3600.0  # of an hour
# Corpus, what is asked about each of its sentences, number of sentences; None: unknown.
Question = tuple[str, LLMRequests, int | None]


class RequestCounts(NamedTuple):
    """What one language model is asked about one corpus with one prompt."""

    corpus: str
    llm: str
    prompt: str
    estimate: Estimate | None  # None: the size of the corpus is unknown
    hours: float | None  # None: likewise, or the world gives neither a rate limit nor a speed

    @property
    def unknown(self) -> str:
        """What has to be given for a complete estimate; empty if it is complete."""
        if self.estimate is None:
            return f"sentences of corpus {self.corpus}"
        return f"tokens_per_second of llm {self.llm}" if self.hours is None else ""


def request_counts(call: Call) -> list[RequestCounts]:
    """Estimate everything that the jobs of a call ask; answers in the journals are not subtracted."""
    every = [*_paraphrases(call), *_translations(call), *_texts(call), *_backtranslations(call)]
    return [_counts(call, *one) for one in every if call.project.llm_requests.pays(one[1].llm)]


def _paraphrases(call: Call) -> Iterator[Question]:
    """Of corpora of one method and seed a smaller is the head of a larger, which asks only for the rest."""
    project = call.project
    left: dict[tuple[str, str, str], float] = defaultdict(float)  # share of the shards
    for job in call.of("generate_paraphrase"):
        left[job["corpus"], job["llm"], job["prompt"]] += 1 / int(job["shards"])
    questions = project.llm_requests.questions
    answered = [one for one in questions if call.made(project.places.generated(*one, "completions"))]
    counts = {question: call.texts(question[0]).sentences for question in [*left, *answered]}
    known: dict[str, int] = defaultdict(int)
    for question in sorted(counts, key=lambda one: (*one[1:], counts[one] or math.inf)):
        corpus, llm, prompt = question
        family = canonical([llm, prompt, project.corpus(corpus).model_dump(exclude={"size"})])
        count = counts[question]
        new, known[family] = count and count - known[family], count or known[family]
        if question in left:
            wanted = new and round(left[question] * new)
            yield corpus, project.llm_requests.paraphrases(llm, prompt), wanted


def _translations(call: Call) -> Iterator[Question]:
    left = sum(1 / int(job["shards"]) for job in call.of("generate_translate"))
    if left:
        count = call.texts(UNTRANSLATED).sentences
        yield UNTRANSLATED, call.project.llm_requests.translations(), count and round(left * count)


def _texts(call: Call) -> Iterator[Question]:
    for job in call.of("generate_chat_texts"):
        corpus = call.project.entry("synthetic", job["texts"]).corpus
        for each in call.project.llm_requests.instructions(job["texts"]):
            yield corpus, each, call.texts(corpus).sentences


def _backtranslations(call: Call) -> Iterator[Question]:
    """The translations, which are translated back, are about as many and as long as the sentences."""
    for job in call.of("generate_llm_backtranslation"):
        for each in call.project.llm_requests.backtranslations(job["translator"]).values():
            yield job["corpus"], each, call.texts(job["corpus"]).sentences


def _counts(call: Call, corpus: str, requests: LLMRequests, count: int | None) -> RequestCounts:
    llm, prompt = requests.llm, requests.prompt
    if count is None:
        return RequestCounts(corpus, llm, prompt, None, None)
    model, length = call.project.llm(llm), round(call.texts(corpus).length)
    estimate = estimated(0, ["x" * length] * count, UsageStats(), requests, model.connection(llm))
    paced = estimate.minutes / MINUTES / SHARE
    if model.tokens_per_second:
        seconds = expected_tokens(1, length, requests).completion / model.tokens_per_second
        at_once = model.concurrency * call.project.config.shards.generate
        paced = max(paced, estimate.requests * seconds / at_once / SECONDS)
    known = paced or not estimate.requests
    return RequestCounts(corpus, llm, prompt, estimate, paced if known else None)
