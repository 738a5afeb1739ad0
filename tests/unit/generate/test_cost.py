import shutil

import pytest

from contrapose.generate.cost import CostSettings, cost_markdown
from contrapose.generate.cost import build as costs_of
from contrapose.generate.paraphrase import build
from contrapose.tables import COMPLETIONS, COST, write_table
from tests.unit.generate.opened import ROLE, costs, model, opened, requests_by, requests_to
from tests.unit.generate.scripted_endpoint import Say, body, corpus, five


def asked(endpoint, folder, rows, shard="0-of-1", prompt="1", **settings):
    """Ask about sentences; return COMPLETIONS."""
    llm = model(endpoint.url, **settings)
    return build(requests_to(llm, prompt), rows, opened(llm, folder, prompt=prompt, shard=shard))[1]


def test_what_nobody_counted_is_unknown_and_named_with_its_most(endpoint, tmp_path):
    def script(request, count):
        prompt = request["messages"][0]["content"]
        content = body(five(prompt))
        if " 0 " in prompt:
            del content["usage"]
        return Say(content=content, reset="middle" if " 1 " in prompt and count == 0 else "")

    endpoint.script = script
    table = costs(tmp_path, asked(endpoint, tmp_path, corpus(range(3))))
    by_outcome = table.set_index("outcome")
    assert by_outcome.unknown.to_dict() == {"accepted": 1, "lost": 1}
    assert by_outcome.requests.to_dict() == {"accepted": 3, "lost": 1}
    assert by_outcome.prompt_tokens.to_dict() == {"accepted": 14, "lost": 0}
    assert table.usd.sum() == pytest.approx(2 * (7 * 2 + 11 * 4) / 1e6)
    most = by_outcome.usd_at_most["lost"]
    assert most == pytest.approx((600 * 4 + 2 * (64 + len("Say: " + corpus(range(2)).text[1]))) / 1e6)
    text = cost_markdown(table, {})
    assert f"Total: $0.0001, at most ${table.usd_at_most.sum():.4f} for 4 requests." in text
    assert "| chatgpt | tiny | 1 | lost | 1 | 0 | 0 | 1 | $0.00, at most $0.0026 |" in text
    # 2 of the 3 accepted told their cost: 1000 * 2 * (7 * 2 + 11 * 4) / 1e6 / 3
    assert "| chatgpt | tiny | wiki | 1 | 4 | 14 | 22 | 2 | $0.0001, at most" in text
    assert "| $0.0387 |" in text.split("## By outcome")[0]
    assert text.endswith(
        "No table that is built now uses the `unused` answers. Requests with `forgotten` answers are sent "
        "again. It is not known whether `unknown` requests were billed; `at most` counts the most that "
        "they can have cost. All other outcomes are listed in docs/reference/outcomes.md.\n"
    )


def test_an_answer_that_was_paid_twice_counts_twice_and_is_used_once(endpoint, tmp_path):
    answers = asked(endpoint, tmp_path, corpus(range(1)))
    shutil.copy(tmp_path / "wiki-prompt1-0-of-1.jsonl", tmp_path / "second.jsonl")
    assert requests_by(costs(tmp_path, answers), "outcome") == {"accepted": 1, "unused": 1}


def test_a_sentence_that_two_corpora_share_is_paid_and_counted_once(endpoint, tmp_path):
    first = asked(endpoint, tmp_path, corpus(range(3)), "a")
    second = asked(endpoint, tmp_path, corpus(range(5)), "b")
    table = costs(tmp_path, first, second)
    assert requests_by(table, "outcome") == {"accepted": 5}
    assert requests_by(table, "shard") == {"a": 3, "b": 2}


def test_every_model_that_was_ever_asked_counts_and_refusals_have_an_example(endpoint, tmp_path):
    asked(endpoint, tmp_path / "old", corpus(range(2)), model="old")
    endpoint.script = lambda request, count: None if count else Say(content=body("I cannot | help."))
    answers = asked(endpoint, tmp_path / "new", corpus(range(3)), model="new")
    path = tmp_path / "completions.parquet"
    write_table(answers, path, COMPLETIONS)
    llm = model(endpoint.url, model="new")
    of_today = {ROLE: str(tmp_path / "new")}, {ROLE: llm.connection(ROLE)}
    table, write = costs_of(CostSettings(codes=["0"]), [str(path)], *of_today, tmp_path)
    requests = {("old", "unused"): 2, ("new", "accepted"): 3, ("new", "prose"): 3}
    assert requests_by(table, "model", "outcome") == requests
    write(tmp_path / "cost.md")
    text = (tmp_path / "cost.md").read_text()
    assert "Total: $0.0005 for 8 requests." in text
    assert "| chatgpt | new | 1 | prose | 3 | 21 | 33 | 0 | $0.0002 |  | I cannot \\| help. |" in text


def test_no_journal_gives_an_empty_table(tmp_path):
    write_table(costs(tmp_path / "none"), tmp_path / "cost.parquet", COST)
    assert "Total: $0.00 for 0 requests." in cost_markdown(costs(tmp_path), {})
