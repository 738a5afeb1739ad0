"""What surrounds every job: its log holds all output, and an error for people is its last line."""

import json
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

SOURCE = Path(__file__).parents[3] / "src"


def job(folder: Path, *lines: str) -> tuple[CompletedProcess, str]:
    """Run a script whose work is `lines` in a process of its own; return it and its log."""
    work = "\n".join(f"    {line}" for line in lines)
    script = (
        "import errno, os\nfrom contrapose.base.errors import TableError\n"
        "from contrapose.jobs.stage import log_to\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{script}with log_to('job.log'):\n{work}\n"],
        cwd=folder,
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done, (folder / "job.log").read_text()


def test_output_of_the_job_and_of_its_children_is_in_the_log(tmp_path: Path):
    done, log = job(tmp_path, "print('one', flush=True)", "os.system('echo two; echo three >&2')")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert log.split() == ["one", "two", "three"]


def test_an_error_for_people_ends_the_log_with_its_message_alone(tmp_path: Path):
    done, log = job(tmp_path, "raise TableError('x.parquet: wrong. Make it right.')")
    assert done.returncode == 1
    assert log == "TableError: x.parquet: wrong. Make it right.\n"


def test_a_full_or_read_only_disk_is_told_in_the_words_of_the_system(tmp_path: Path):
    for name, words in (("ENOSPC", "No space left on device"), ("EROFS", "Read-only file system")):
        raised = f"raise OSError(errno.{name}, os.strerror(errno.{name}), 'results/x.parquet')"
        done, log = job(tmp_path, raised)
        assert done.returncode == 1
        assert words in log
        assert "results/x.parquet" in log
        assert "What was made before is kept." in log
        assert "Traceback" not in log


def test_a_mistake_of_ours_keeps_its_traceback(tmp_path: Path):
    done, log = job(tmp_path, "[][0]")
    assert done.returncode == 1
    assert "Traceback (most recent call last)" in log
    assert log.endswith("IndexError: list index out of range\n")


def test_what_a_job_took_stands_beside_its_log_whether_it_ended_well(tmp_path: Path):
    job(tmp_path, "raise TableError('x.parquet: wrong. Make it right.')")
    assert json.loads((tmp_path / "job.took.json").read_text())["finished"] is False
    job(tmp_path, "pass")
    assert json.loads((tmp_path / "job.took.json").read_text())["finished"] is True


def test_a_full_log_leaves_the_message_of_the_job_to_the_terminal(tmp_path: Path):
    # /dev/full takes nothing, as a log on a full disk.
    full = "os.dup2(os.open('/dev/full', os.O_WRONLY), 2)"
    done, log = job(tmp_path, full, "raise TableError('x.parquet: wrong. Make it right.')")
    assert (bool(done.returncode), log) == (True, "")  # 120, as Python cannot write at its end either
    says = "job.log: No space left on device. TableError: x.parquet: wrong. Make it right.\n"
    assert done.stderr == says
    done, _ = job(tmp_path, full, "print('on', file=os.sys.stderr, flush=True)")
    assert done.returncode
    assert "Traceback" not in done.stderr
    assert "job.log: No space left on device. OSError: No space left on device. What was made" in done.stderr
