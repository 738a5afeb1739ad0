import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.faults.running import until

# Python can lose a signal while it starts or imports; here the job ignores Ctrl-C.
SNAKEFILE = """
rule deaf:
    output: "made"
    shell: "trap '' INT; touch begun; sleep 900"
"""


def test_a_job_that_has_missed_ctrl_c_is_asked_again(tmp_path: Path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    command = [sys.executable, "-m", "snakemake_logger_plugin_contrapose", "--cores", "1"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, process_group=0)
    until((tmp_path / "begun").exists, lambda: run.poll() is None)
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate(timeout=600)[1]
    assert run.returncode == 130
    assert "Stopping. Trainings finish their step and save it" in said
