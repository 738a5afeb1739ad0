from pathlib import Path

import pytest
from contrapose.plan import Plan

from contrapose.forecast.generation import askings, translating

HOME = Path(__file__).parents[3]
HUB = Plan({"world": "hub"}, HOME)


@pytest.fixture(autouse=True)
def nothing_is_built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_thesiss_own_facts_come_out_for_the_hub_world():
    (one,) = askings(HUB, [("wiki-1-1", "chatgpt", "2")])
    # "Each API response takes around 10 seconds and uses 300 tokens", about 500 dollars for a million; 300
    # tokens at 0.002 dollars per thousand would be 600.
    assert sum(one.each) == pytest.approx(300, rel=0.2)
    assert one.seconds == pytest.approx(10, rel=0.1)
    assert one.dollars_per_million == pytest.approx(500, rel=0.1)
    assert one.estimate.dollars == pytest.approx(one.dollars_per_million)


def test_a_larger_corpus_of_the_same_draws_asks_only_for_the_rest():
    names = ["wiki-1-1", "wiki-1-1-prompts", "wiki-1-1-small"]
    asked = askings(HUB, [(name, "chatgpt", "2") for name in names])
    assert [(one.corpus, one.estimate.requests) for one in asked] == [
        ("wiki-1-1-prompts", 100),
        ("wiki-1-1-small", 149_900),
        ("wiki-1-1", 850_000),
    ]


def test_another_draw_prompt_or_model_is_asked_anew():
    others = [("wiki-1-2-draw", "chatgpt", "2"), ("wiki-1-1", "chatgpt", "1"), ("wiki-1-1", "vicuna", "2")]
    asked = askings(HUB, [("wiki-1-1", "chatgpt", "2"), *others])
    assert [one.estimate.requests for one in asked] == [1_000_000] * 4


def test_more_jobs_at_once_take_less_time_and_an_unknown_speed_gives_none():
    questions = [("wiki-1-1", "chatgpt", "2"), ("wiki-1-1", "vicuna", "1")]
    two, unknown = askings(HUB, questions)
    # A million answers of 5 x (140 // 4 + 4) = 195 tokens at 20 a second, 2 x 8 in flight.
    assert two.hours == pytest.approx(1e6 * 195 / 20 / 16 / 3600)
    four, _ = askings(Plan({"world": "hub", "shards": {"generate": 4}}, HOME), questions)
    assert four.hours == pytest.approx(two.hours / 2)
    assert unknown.hours is None


def test_what_only_the_plan_asks_for_is_in_no_jobs_settings():
    run = {"pairs": "dropout", "recipe": "simcse", "seed": "42"}
    question = {"corpus": "wiki-1-1", "llm": "chatgpt", "prompt": "2"}
    jobs = {"retrieve_articles": {}, "train_encoder": run, "generate_merge": question}
    text = " ".join(HUB.settings(rule, wildcards) for rule, wildcards in jobs.items())
    assert "gpt-3.5-turbo" in text
    assert "google-bert/bert-base-uncased" in text
    assert not {"tokens_per_second", "shape", "rows"} & set(text.split('"'))


def test_both_sentences_of_22500_pairs_are_translated_for_six_dollars_at_the_prices_of_2023():
    one = translating(Plan({"world": "hub", "studies": ["prdsimcse"]}, HOME))
    assert one.estimate.requests == 2 * (10000 + 12500)
    assert one.each == (52, 15)  # 150 bytes of prompt, 15 characters, as many tokens of English
    assert one.estimate.dollars == pytest.approx(45000 * 67.5 * 2 / 1e6, rel=0.01)
