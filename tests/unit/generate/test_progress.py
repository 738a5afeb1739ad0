import logging
from types import SimpleNamespace

from contrapose.generate.progress import Progress
from snakemake_logger_plugin_contrapose.running import log_state


def test_the_bar_has_the_costs_and_what_the_journal_knew_does_not_count_for_the_speed(
    capsys, caplog, monkeypatch, tmp_path
):
    monkeypatch.setattr("contrapose.generate.progress.LOG_SECONDS", 0)
    caplog.set_level(logging.INFO)
    ledger = SimpleNamespace(spent=0.1234, at_most=0.15)
    progress = Progress("chatgpt, prompt 2", 1000, SimpleNamespace(ledger=ledger, retries=7))
    for _ in range(99):
        progress.count(300, False)
    with progress:
        progress.count(300, True)
    costs = "30000 tokens, $0.1234, at most $0.1500 in all jobs, 7 retries, 1 without a valid answer"
    before, *_, last = capsys.readouterr().err.strip().split("\r")
    assert "99/1000 [00:00<?, ? sentences/s]" in before
    assert costs in last
    assert caplog.messages == [f"chatgpt, prompt 2: 100 of 1000 sentences, {costs}"]
    (tmp_path / "log").write_text(last)
    assert log_state([tmp_path / "log"]).step == "100 of 1000 sentences", last
