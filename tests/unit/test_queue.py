from pathlib import Path

import pytest

from contrapose.errors import BackendError
from contrapose.queue import check_none_left_behind, comment_of

TRAINING = comment_of("train_encoder", ["paraphrase,llm=vicuna", "simcse", "42"])


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """Give a function that says what `squeue` prints."""

    def prints(*lines: str) -> None:
        command = tmp_path / "squeue"
        command.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n")
        command.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return prints


def test_a_comment_is_the_one_that_the_executor_writes():
    assert TRAINING == "rule_train_encoder_wildcards_paraphrase,llm=vicuna_simcse_42"
    assert comment_of("evaluate_run", ["a/b"]) == "rule_evaluate_run_wildcards_a_b"
    assert comment_of("corpus_punkt", []) == "rule_corpus_punkt"


def test_jobs_left_behind_are_named(queue):
    queue(f"17|ann|/study|{TRAINING}", "18|ann|/study|rule_corpus_punkt")
    with pytest.raises(BackendError, match=r"1 of the jobs .* by ann: .* scancel 17\."):
        check_none_left_behind({TRAINING}, Path("/study"))


def test_jobs_of_another_folder_or_of_another_target_are_no_obstacle(queue):
    queue(f"17|ann|/other|{TRAINING}", "18|ann|/study|rule_corpus_punkt", "19|bob|/study|(null)")
    check_none_left_behind({TRAINING}, Path("/study"))


def test_a_scheduler_that_gives_no_answer_is_no_obstacle(monkeypatch):
    monkeypatch.setenv("PATH", "")
    check_none_left_behind({TRAINING}, Path("/study"))
