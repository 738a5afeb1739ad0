"""A script that a fork of the warm server runs does what it does by itself; nothing is lost or left over."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from contrapose.jobs.warm import COLD
from tests.faults.running import alive, until

SOURCE = Path(__file__).parents[3] / "src"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != COLD}
ENVIRONMENT["PYTHONPATH"] = str(SOURCE)
SERVER = "print(os.getppid())"
SECONDS = 600  # after which something hangs; no test takes as long
# One long sleep might begin just after a signal came, and Python would see to that 600 seconds later.
SLEEPING = "[time.sleep(0.1) for _ in range(6000)]"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every script runs by itself")


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Let scripts hear Ctrl-C, which who started the tests may ignore, as nohup in the background does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Scripts:
    """Scripts that one process starts, which stands for Snakemake: this one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def start(self, *lines: str, cold: bool = False) -> subprocess.Popen:
        self.count += 1
        path = self.folder / f"{self.count}.py"
        first = (
            "from contrapose.jobs.warm import run_warm",
            "run_warm()",
            "import atexit, json, os, sys, time",
        )
        path.write_text("\n".join([*first, *lines]))
        return subprocess.Popen(
            [sys.executable, str(path)],
            cwd=self.folder,
            env={**ENVIRONMENT, COLD: "1"} if cold else ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def run(self, *lines: str, cold: bool = False) -> tuple[int, str, str]:
        """Return exit code, output and errors."""
        script = self.start(*lines, cold=cold)
        output, errors = script.communicate(timeout=SECONDS)
        return script.returncode, output, errors

    def server(self) -> int:
        return int(self.run(SERVER)[1])


@pytest.fixture
def scripts(tmp_path: Path) -> Iterator[Scripts]:
    """Scripts of which the first has run: from here on they are forks."""
    scripts = Scripts(tmp_path)
    assert scripts.server() == os.getpid()
    server = scripts.server()
    yield scripts
    for process in {server, scripts.server()} - {os.getpid()}:
        if alive(process):
            os.kill(process, signal.SIGKILL)


def test_the_first_script_runs_by_itself_and_the_others_are_forks_of_one_process(scripts: Scripts):
    server = scripts.server()
    assert server != os.getpid()
    assert "contrapose.jobs.warm" in Path(f"/proc/{server}/cmdline").read_text()
    assert scripts.server() == server
    assert int(scripts.run(SERVER, cold=True)[1]) == os.getpid()


def test_a_fork_has_what_a_script_has_by_itself(scripts: Scripts):
    scripts.count = 10  # the same file name for both
    lines = (
        "environment = {name: value for name, value in os.environ.items() if name != 'CONTRAPOSE_NO_FORK'}",
        "names = [__name__, __file__, sys.argv, sys.path, os.getcwd(), sys.modules['__main__'].__file__]",
        "streams = [os.readlink('/proc/self/fd/0'), sys.stdout.line_buffering, sys.stdin.read()]",
        "print(json.dumps([environment, names, streams, os.umask(0), os.nice(0)]))",
    )
    warm = scripts.run(*lines)
    scripts.count = 10
    cold = scripts.run(*lines, cold=True)
    assert (cold[0], cold[2]) == (0, "")
    assert warm == cold


def test_no_script_imports_files_beside_it_or_of_the_working_directory(scripts: Scripts, monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "PYTHONSAFEPATH", "1")  # as workflow/rules/common.smk sets it
    (scripts.folder / "queue.py").write_text("open('ran', 'w')")
    assert scripts.server() == os.getpid()  # the first one of this environment
    for cold in (False, True):
        assert scripts.run("import queue", "print(queue.Queue.__name__)", cold=cold) == (0, "Queue\n", "")
    assert not (scripts.folder / "ran").exists()


ENDS = [
    ["print('no line break', end='')"],
    ["sys.exit(3)"],
    ["sys.exit('an error in words')"],
    ["atexit.register(print, 'at the end')", "print('before', file=sys.stderr)"],
    ["import threading", "threading.Timer(0.2, print, ['of a thread']).start()"],
    ["os._exit(5)"],
    ["os.kill(os.getpid(), 9)"],
    ["os.kill(os.getpid(), 2)"],
    ["sys.stdin.close()", "raise KeyError('x')"],
    [
        "from contrapose.base.errors import ConfigError",
        "from contrapose.jobs.stage import log_to",
        "with log_to(f'{os.environ.get(\"CONTRAPOSE_NO_FORK\", 0)}.log'):",
        "    print('to the log')",
        "    raise ConfigError('x: wrong.')",
    ],
]


def test_a_fork_ends_as_a_script_ends_by_itself(scripts: Scripts):
    for lines in ENDS:
        warm, cold = scripts.run(*lines), scripts.run(*lines, cold=True)
        assert warm[:2] == cold[:2], lines
        # A traceback begins with the server's own lines.
        assert warm[2].splitlines()[-1:] == cold[2].splitlines()[-1:], lines
    one, other = (path.read_text() for path in scripts.folder.glob("*.log"))
    assert one == other


def working(scripts: Scripts) -> tuple[subprocess.Popen, int]:
    """Return a script that sleeps and the process that runs it."""
    script = scripts.start(
        f"try: print(os.getpid(), flush=True); {SLEEPING}", "finally: open('cleaned', 'w')"
    )
    assert script.stdout
    return script, int(script.stdout.readline())


def test_a_job_dies_when_the_process_that_snakemake_started_is_killed_and_no_other_job_does(scripts: Scripts):
    (script, job), (other, other_job) = working(scripts), working(scripts)
    assert job != script.pid
    script.kill()
    until(lambda: not alive(job))
    assert alive(other_job)
    os.kill(other_job, signal.SIGTERM)
    assert other.wait(SECONDS) == -signal.SIGTERM


def test_ctrl_c_reaches_the_job_which_may_clean_up(scripts: Scripts):
    script, job = working(scripts)
    os.killpg(script.pid, signal.SIGINT)  # as a terminal does
    assert script.wait(SECONDS) == -signal.SIGINT
    assert (scripts.folder / "cleaned").exists()
    assert not alive(job)


def test_a_job_whose_server_is_killed_ends_with_an_error_and_the_next_one_has_a_new_server(scripts: Scripts):
    server = scripts.server()
    script, job = working(scripts)
    os.kill(server, signal.SIGKILL)
    _, errors = script.communicate(timeout=SECONDS)
    assert script.returncode == 1
    assert "The process that started this job was killed, and the job ended with it." in errors
    assert not alive(job)
    assert scripts.server() not in (server, os.getpid())


WATCHED = """
import runpy, sys, torch
touched = []
for name in ("is_available", "device_count", "init", "_lazy_init"):
    setattr(torch.cuda, name, lambda name=name: touched.append(name))
from contrapose.jobs import warm
for script in sys.argv[1:]:
    warm._import_what_is_imported(warm.Path(script), [])
assert "transformers" in sys.modules
print(touched)
"""


@pytest.mark.slow
def test_no_import_of_a_script_looks_for_a_gpu_which_no_fork_could_use_after_that():
    stages = ("retrieve", "generate", "score", "train", "evaluate")
    files = [file for stage in stages for file in sorted((SOURCE / "contrapose" / stage).glob("*.py"))]
    command = [sys.executable, "-c", WATCHED, *map(str, files)]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


PARENT = "import subprocess, sys; [print(subprocess.getoutput(line), flush=True) for line in sys.stdin]"


def test_the_server_ends_with_its_snakemake_but_not_before_its_jobs(tmp_path: Path):
    first = "import os, time\nfrom contrapose.jobs.warm import run_warm\nrun_warm()\n"
    (tmp_path / "quick.py").write_text(first + SERVER)
    until_told = "while not os.path.exists('told'): time.sleep(0.01)"
    (tmp_path / "slow.py").write_text(f"{first}open('going', 'w')\n{until_told}\nopen('done', 'w')")
    snakemake = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=tmp_path, env=ENVIRONMENT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert snakemake.stdin
    assert snakemake.stdout
    for script in ("quick.py", "quick.py", "slow.py"):
        snakemake.stdin.write(f"{sys.executable} {script}\n")
        snakemake.stdin.flush()
    first, server = (int(snakemake.stdout.readline()) for _ in range(2))
    assert first != server
    until((tmp_path / "going").exists)
    snakemake.kill()
    snakemake.wait()
    time.sleep(0.5)  # a server that does not wait for its jobs ends in that time, and the job with it
    assert alive(server)
    (tmp_path / "told").touch()
    until(lambda: not alive(server))
    assert (tmp_path / "done").exists()


def test_a_folder_of_sockets_that_others_can_enter_is_not_used(tmp_path: Path, monkeypatch):
    (tmp_path / f"contrapose-{os.getuid()}").mkdir()
    (tmp_path / f"contrapose-{os.getuid()}").chmod(0o777)
    monkeypatch.setitem(ENVIRONMENT, "TMPDIR", str(tmp_path))
    scripts = Scripts(tmp_path)
    assert {scripts.server() for _ in range(3)} == {os.getpid()}


def test_who_is_asked_to_end_asks_its_fork_and_waits_for_what_it_makes_of_it(scripts: Scripts):
    saving = "signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.2), print('saved'), sys.exit(7)))"
    script = scripts.start("import signal", saving, "print('there', flush=True)", SLEEPING)
    assert script.stdout
    assert script.stdout.readline() == "there\n"
    script.terminate()
    assert script.communicate(timeout=SECONDS)[0] == "saved\n"
    assert script.returncode == 7


def test_of_many_scripts_at_once_one_runs_by_itself_and_all_others_wait_for_one_server(tmp_path: Path):
    scripts = Scripts(tmp_path)
    started = [scripts.start(SERVER) for _ in range(12)]
    parents = [int(script.communicate(timeout=SECONDS)[0]) for script in started]
    assert parents.count(os.getpid()) == 1
    assert len(set(parents)) == 2
    os.kill(next(parent for parent in parents if parent != os.getpid()), signal.SIGKILL)


def test_who_is_interrupted_while_the_server_still_imports_ends_without_a_word(tmp_path: Path, monkeypatch):
    slow = "import os, pathlib, time\npathlib.Path('importing').write_text(str(os.getpid()))\n"
    (tmp_path / "library").mkdir()
    (tmp_path / "library/slow_to_import.py").write_text(f"{slow}{SLEEPING}\n")
    monkeypatch.setitem(ENVIRONMENT, "PYTHONPATH", f"{SOURCE}{os.pathsep}{tmp_path / 'library'}")
    scripts, importing = Scripts(tmp_path), tmp_path / "importing"
    assert scripts.server() == os.getpid()
    script = scripts.start("import slow_to_import")
    until(lambda: importing.is_file() and importing.read_text() != "")
    script.send_signal(signal.SIGINT)
    assert script.wait(SECONDS) == 128 + signal.SIGINT
    os.kill(int(importing.read_text()), signal.SIGKILL)  # it holds the script's output open
    assert script.communicate() == ("", "")
