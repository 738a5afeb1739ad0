from pathlib import Path

import pytest

from contrapose.base.errors import BackendError
from contrapose.jobs.queue import check_none_left_behind, comment_of

TRAINING = comment_of("train_encoder", ["paraphrase+llm=vicuna", "simcse", "42"])


SQUEUE = """#!/bin/sh
for argument; do
    case $argument in --states=*) states=${argument#*=} ;; --format=*) format=${argument#*=} ;; esac
done
while read -r state job user folder comment; do
    case ,$states, in
        *,$state,*) echo "$format" | sed "s#%A#$job#; s#%u#$user#; s#%Z#$folder#; s#%k#$comment#" ;;
    esac
done <<'END'
"""


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """Give a function that says what is in the queue: state, id, user, folder and comment of each job."""

    def holds(*jobs: str, squeue: str = SQUEUE) -> None:
        command = tmp_path / "squeue"
        command.write_text(squeue + "\n".join(jobs) + "\nEND\n")
        command.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return holds


def test_a_comment_is_the_one_that_the_executor_writes():
    assert TRAINING == "rule_train_encoder_wildcards_paraphrase+llm=vicuna_simcse_42"
    assert comment_of("evaluate_suite", ["a/b"]) == "rule_evaluate_suite_wildcards_a_b"
    assert comment_of("corpus_punkt", []) == "rule_corpus_punkt"


def test_all_jobs_of_all_users_are_named(queue):
    queue(*(f"PENDING {job} {user} /study {TRAINING}" for job, user in ((1, "bob"), (2, "ann"), (3, "bob"))))
    with pytest.raises(
        BackendError, match=r"3 of the jobs to submit are in the queue already, submitted by ann, bob"
    ):
        check_none_left_behind({"rule_a", TRAINING, "rule_z"}, Path("/study"))


@pytest.mark.parametrize("state", ["PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "COMPLETING"])
def test_a_job_that_may_still_write_is_left_behind(queue, state):
    queue(f"{state} 17 ann /study a|comment|of rule_x")
    with pytest.raises(BackendError):
        check_none_left_behind({"a|comment|of rule_x"}, Path("/study"))


def test_jobs_of_another_folder_or_of_another_target_or_at_an_end_are_no_obstacle(queue):
    queue(
        f"RUNNING 17 ann /other {TRAINING}",
        "RUNNING 18 ann /study rule_corpus_punkt",
        "RUNNING 19 bob /study (null)",
        f"COMPLETED 20 ann /study {TRAINING}",
    )
    check_none_left_behind({TRAINING}, Path("/study"))


@pytest.mark.parametrize("end", ["sleep 9", "echo '17|ann|/study|rule_x'; exit 1"])
def test_a_scheduler_that_gives_no_answer_is_no_obstacle(queue, monkeypatch, end):
    monkeypatch.setattr("contrapose.jobs.queue.SECONDS", 0.2)
    queue(squeue=f"#!/bin/sh\n{end}\nexit\ncat <<'END'\n")
    check_none_left_behind({"rule_x"}, Path("/study"))
