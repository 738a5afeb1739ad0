import pytest

from contrapose.generate import paraphrase
from contrapose.generate.estimate import UsageStats, estimated
from contrapose.generate.requests import FRAME_TOKENS, Usage, request
from tests.unit.generate.opened import estimated as estimated_by_prompt
from tests.unit.generate.opened import model, opened, requests_to, sentences
from tests.unit.generate.scripted_endpoint import Say, body, five

# As the thesis: prompt 2, a sentence of 25 words, 0.002 USD per 1000 tokens of either kind.
PROMPT = (
    "Generate 5 new sentences, which are semantically similar but lexically and syntactically divergent from "
    "the following: {sentence}"
)
SENTENCE = (
    "In 1902, the old bridge near the mill was destroyed by a large flood of the river, and it was never "
    "rebuilt by the people of the town"
)


def llm(**settings):
    return model(completion_price=2.0, **settings)


def requests(prompt="2", template=PROMPT, **settings):
    return requests_to(llm(**settings), prompt, template)


def worst_case(attempts, **settings):
    """Return the tokens that so many attempts take at most by their requests."""
    spec = requests(**settings)
    limits = [(n, spec.sampling.max_tokens * 2**n) for n in range(attempts)]
    return sum(sum(request("a", SENTENCE, spec, *each).worst_case) for each in limits)


def of(texts, known=0, past=UsageStats(), **settings):  # noqa: B008
    return estimated(known, texts, past, requests(**settings), llm(**settings).connection("chatgpt"))


def test_at_most_is_every_try_with_its_longest_answer():
    one = of([SENTENCE] * 2, max_tokens=100, max_attempts=3)
    prompt = len((PROMPT + SENTENCE).encode()) + FRAME_TOKENS
    assert one.at_most == pytest.approx(2 * 2.0 * (3 * prompt + 100 + 200 + 400) / 1e6)
    assert one.at_most >= 2 * worst_case(3, max_tokens=100) * 2.0 / 1e6


def test_what_answers_took_counts_more_than_the_length_of_the_text():
    one = of(["x"] * 10, known=4, past=UsageStats(4, 6, Usage(200, 1000)))
    assert (one.sentences, one.known, one.requests, one.tokens) == (14, 4, 15, 3000)
    assert one.dollars == pytest.approx(3000 * 2 / 1e6)


def test_the_tighter_limit_gives_the_time():
    limited = of([SENTENCE] * 600, requests_per_minute=60)
    assert limited.minutes == 10
    reserved = of([SENTENCE] * 600, requests_per_minute=60, tokens_per_minute=10_000)
    assert 600 * 600 / 10_000 < reserved.minutes < 600 * 700 / 10_000
    used = of([SENTENCE] * 600, tokens_per_minute=10_000, tokens_counted="used")
    assert used.minutes == pytest.approx(used.tokens / 10_000)


def test_the_table_of_all_questions_asks_nothing_and_knows_what_the_journal_has(endpoint, tmp_path):
    table = sentences(*(f"{SENTENCE} {n}" for n in range(4)))
    answer = {**body(five(f"x: {SENTENCE}")), "usage": {"prompt_tokens": 50, "completion_tokens": 150}}
    endpoint.script = lambda request, count: Say(content=answer)
    reached = model(endpoint.url)
    paraphrase.build(requests(), table[:2], opened(reached, tmp_path, prompt="2"))
    found = estimated_by_prompt([requests(), requests("1", "Say: {sentence}")], table, llm(), tmp_path)
    assert found[["corpus", "prompt", "sentences", "known", "requests"]].to_numpy().tolist() == [
        ["own", "2", "4", "2", "2"],
        ["own", "1", "4", "0", "4"],
        ["all", "", "8", "2", "6"],
    ]
    assert found.tokens[0] == "400"
    assert found.cost[0] == "$0.0008"
    assert len(endpoint.requests) == 2
