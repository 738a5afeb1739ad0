import asyncio
import json
from contextlib import contextmanager
from types import SimpleNamespace

import pandas as pd
import pytest

from contrapose.base.errors import BackendError, BudgetError, ConfigError, TableError
from contrapose.corpus.draw import SampledCorpus
from contrapose.generate import merge, paraphrase
from contrapose.generate.outcomes import judged
from contrapose.generate.session import _all_attempts
from contrapose.generate.shard_rows import read_shard
from contrapose.settings.catalogs import LLM, SamplingParams
from contrapose.tables import SENTENCES, parquet, write_table
from tests.unit.generate.opened import sentences
from tests.unit.generate.scripted_endpoint import body, five

PROMPT = "Paraphrase: {sentence}"
CUT, EMPTY = body("1. x", "length"), body(None)
POOL = ("New one", "New two", "New three")


def requests(replacements=3, **sampling):
    given = {"llm": "chatgpt", "sampling": SamplingParams(model="tiny", **sampling), "prompt": "1"}
    corpus = SampledCorpus(method=1)
    return merge.ReplacementRequests(**given, template=PROMPT, corpus=corpus, replacements=replacements)


class Model:
    """A client of a model in memory: answers by sentence, one after the other, errors to raise among them,
    or five clean paraphrases.

    `journal` holds sentences whose answers it knows without being asked.
    """

    connection = LLM(model="tiny", endpoint="http://x/v1", prompt_price=2.0).connection("chatgpt")
    ledger, retries = SimpleNamespace(spent=0.0, at_most=0.0, check=lambda: None), 0

    def __init__(self, concurrency=4, journal=(), **answers):
        self.connection = self.connection.model_copy(update={"concurrency": concurrency})
        self.journal, self.answers, self.requests = journal, answers, []

    def known(self, request):
        return self.reply(request) if text_of(request) in self.journal else None

    async def ask(self, request):
        if known := self.known(request):
            return known
        reply = self.reply(request)
        await asyncio.sleep(0.001)
        self.requests.append(request)
        return reply

    def reply(self, request):
        text = text_of(request)
        scripted = self.answers.get(text, [])
        content = scripted[min(request.attempt, len(scripted) - 1)] if scripted else five(text)
        if isinstance(content, Exception):
            raise content
        return judged(200, json.dumps(content if isinstance(content, dict) else body(content)))


def text_of(request):
    return request.body["messages"][0]["content"].removeprefix("Paraphrase: ")


@contextmanager
def opened(model):
    yield lambda spec, texts, note="": asyncio.run(_all_attempts(spec, list(texts), model, note))


def shard(model, *texts, spec=None):
    return paraphrase.build(spec or requests(), sentences(*texts), opened(model))


def replaced(model, *texts, pool=POOL, shards=None, can_draw=True):
    """Return sentences, paraphrases, completions and replacements of the merge."""

    def draw(id, number):
        text = pool[(int(id[1:].split(":")[0]) + number - 1) % len(pool)]
        return {"id": f"p:{pool.index(text)}", "text": text, "article_id": "p", "position": 0, "words": 2}

    tables = shards or shard(model, *texts)
    return merge.build(requests(), sentences(*texts), *tables, draw if can_draw else None, opened(model))


def test_five_slots_in_the_order_of_the_answer():
    paraphrases, completions = shard(Model(), "One", "Two")
    assert list(paraphrases.slot) == [0, 1, 2, 3, 4] * 2
    assert list(paraphrases.text[:2]) == ["They saw that One.", "They met that One."]
    first, _ = completions.to_dict("records")
    told = ("sentence_id", "attempt", "model", "refused", "prompt_tokens", "completion_tokens")
    assert [first[name] for name in told] == ["a0:0", 0, "tiny-2025", "", 7, 11]


@pytest.mark.parametrize(
    ("settings", "answers", "refused", "limits"),
    [
        ({}, ["1. too few", EMPTY, five("x: One")], ["fewer", "empty", ""], [600] * 3),
        ({}, ["1. a", "1. b", "1. c"], ["fewer"] * 3, [600] * 3),
        ({"temperature": 1}, ["1. the same"], ["fewer"] * 2, [600] * 2),
        ({"temperature": 0}, ["1. a greedy server only repeats it"], ["fewer"], [600]),
        ({"temperature": 0}, [CUT, five("x: One")], ["cut", ""], [600, 1200]),
        ({"max_tokens": 100}, [CUT, CUT, CUT], ["cut"] * 3, [100, 200, 400]),
        ({}, [body(None, "content_filter")], ["filtered"], [600]),
    ],
)
def test_a_bad_answer_is_asked_again_where_that_may_help(settings, answers, refused, limits):
    model = Model(One=answers)
    paraphrases, completions = shard(model, "One", spec=requests(**settings))
    assert list(completions.refused) == refused  # each paid answer is a row
    assert [request.body["max_tokens"] for request in model.requests] == limits
    assert len(paraphrases) == (0 if refused[-1] else 5)


def test_a_failed_sentence_is_replaced_in_its_place():
    model = Model(Two=["1. a", "1. b", "1. c"])
    rows, paraphrases, completions, replacements = replaced(model, "One", "Two", "Three")
    assert list(rows.text) == ["One", "New two", "Three"]
    assert list(rows.id) == ["a0:0", "p:1", "a2:0"]
    assert list(paraphrases.sentence_id) == ["a0:0"] * 5 + ["p:1"] * 5 + ["a2:0"] * 5
    assert list(completions.sentence_id) == ["a0:0"] + ["a1:0"] * 3 + ["p:1", "a2:0"]
    assert replacements.to_dict("records") == [
        {"sentence_id": "a1:0", "replacement_id": "p:1", "number": 1, "reason": "fewer"}
    ]


def test_where_nothing_can_be_drawn_a_failed_sentence_stays_without_paraphrases(caplog):
    model = Model(Two=["1. a", "1. b", "1. c"])
    with caplog.at_level("INFO"):
        rows, paraphrases, completions, replacements = replaced(model, "One", "Two", can_draw=False)
    assert rows.to_dict() == sentences("One", "Two").to_dict()
    assert set(paraphrases.sentence_id) == {"a0:0"}
    assert list(completions.refused) == ["", "fewer", "fewer", "fewer"]
    assert len(replacements) == 0
    assert "1 of 2 sentences have no valid answer. The first is a1:0: fewer." in caplog.text


@pytest.mark.parametrize(
    ("answers", "first", "pool", "texts", "replacements"),
    [
        (  # one that fails is replaced, too
            {"Two": ["1. a", EMPTY], "New two": [CUT]}, "One", POOL, ["One", "New three"],
            [("a1:0", "p:1", 1, "empty"), ("a1:0", "p:2", 2, "cut")],
        ),
        (  # one that the corpus has is skipped with its number
            {"Two": ["1. a"]}, "new two!", POOL, ["new two!", "New three"], [("a1:0", "p:2", 2, "fewer")],
        ),
        (  # two sentences never get the same
            {"One": ["1. a"], "Two": ["1. a"]}, "One", ("New one", "New one ", "Other"), ["New one", "Other"],
            [("a0:0", "p:0", 1, "fewer"), ("a1:0", "p:2", 2, "fewer")],
        ),
    ],
    ids=["failed", "known", "same"],
)  # fmt: skip
def test_a_replacement_is_new_and_has_five_paraphrases(answers, first, pool, texts, replacements):
    rows, *_, found = replaced(Model(**answers), first, "Two", pool=pool)
    assert list(rows.text) == texts
    assert list(found.itertuples(index=False, name=None)) == replacements


def test_too_many_failed_replacements_stop_with_the_sentence_and_the_setting():
    bad = {text: ["1. a"] for text in ("One", "New one", "New two", "New three")}
    words = r"of 1 sentence, although .* took the place of each .* a0:0: .*fewer.*llms\.chatgpt\.replacements"
    with pytest.raises(BackendError, match=words):
        replaced(Model(**bad), "One")


def test_shards_of_another_corpus_are_refused():
    paraphrases, completions = shards = shard(Model(), "One", "Two", "Three")
    with pytest.raises(TableError, match="sentence a2:0, which is not in the corpus"):
        replaced(Model(), "One", "Two", shards=shards)
    with pytest.raises(TableError, match=r"^completions: it lacks 1 sentence of the corpus, first a1:0"):
        replaced(Model(), "One", "Two", shards=(paraphrases[:5], completions[:1]))


@pytest.mark.parametrize(("rows", "shards"), [(10, 1), (10, 3), (2, 4), (0, 2), (25, 4)])
def test_shards_are_neighbouring_slices_of_equal_size(tmp_path, monkeypatch, rows, shards):
    monkeypatch.setattr(parquet, "ROWS_PER_GROUP", 4)
    table = sentences(*(f"Number {n}" for n in range(rows)))
    write_table(table, tmp_path / "sentences.parquet", SENTENCES)
    parts = [read_shard(tmp_path / "sentences.parquet", number, shards) for number in range(shards)]
    assert pd.concat(parts).id.tolist() == table.id.tolist()
    assert pd.concat(parts).text.tolist() == table.text.tolist()
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_an_error_ends_the_asking_with_what_was_begun():
    model = Model(5, **{"Number 3": [ConfigError("stop")]})
    with pytest.raises(ConfigError, match="stop"):
        shard(model, *(f"Number {n}" for n in range(50)))
    assert len(model.requests) == 4


def test_a_budget_that_is_used_up_says_how_many_sentences_are_answered():
    poor = Model(1, ["Number 7"], **{"Number 3": [BudgetError("llms.chatgpt.budget: used up.")]})
    words = r"4 of 9 sentences are answered\. llms\.chatgpt\.budget: used up\."
    with pytest.raises(BudgetError, match=words):
        shard(poor, *(f"Number {n}" for n in range(9)))
