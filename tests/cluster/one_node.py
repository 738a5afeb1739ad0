"""SLURM with this machine as its only node, for tests; or the SLURM that is there already.

    with one_node():
        ...  # sbatch, squeue and srun work

Packages come from Debian.  The configuration, keys, logs and state are in a temporary folder; two links in
/etc/slurm name it for the time being, as the executor gives no `SLURM_CONF` to what it starts.  What a killed
run has left (links, daemons, jobs) is taken away first.  There is no accounting database, and memory is
watched by polling instead of cgroups, which a container may lack.  The two GPUs are no GPUs: jobs can ask for
them, and nothing can be computed on them.
"""

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.cluster.folders import readable_folder

LINKS = (Path("/etc/slurm/slurm.conf"), Path("/etc/slurm/gres.conf"))
DEVICES = ("/dev/null", "/dev/zero")  # SLURM wants devices for its GPUs, and these are there on any machine
PACKAGES = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
REFUSAL = Path("/usr/sbin/policy-rc.d")  # which Debian asks if it may start the services of what it installs
REFUSING = "#!/bin/sh\n# of the tests of Contrapose\nexit 101\n"
SECONDS = 60  # until a daemon is there, or gone
LEAST_CPUS = 4  # that a node says it has: what a job with a GPU asks for
LEAST_MB = 32_000  # as above, of memory: what the second attempt of a training in two processes asks for
CONFIGURATION = """\
ClusterName=contrapose
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={folder}/munge.socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/slurmctld
SlurmdSpoolDir={folder}/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,batch_sched_delay=0
MinJobAge=600
SlurmdParameters=config_overrides
ReturnToService=2
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} Gres=gpu:a100:2
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE
PartitionName=short Nodes={host} MaxTime=60
"""


class NoCluster(Exception):
    """There is no SLURM and none can be started here: says why."""


@contextmanager
def one_node() -> Iterator[None]:
    """Have a SLURM that takes jobs; stop what was started for it.

    Raises
    ------
    NoCluster
        It cannot be started here.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(readable_folder("slurm", _end_daemons))
        for link in LINKS:
            if os.path.lexists(link) and not link.exists() and "/contrapose-slurm-" in os.readlink(link):
                link.unlink()
        if not takes_jobs():
            _install()
            _configure(folder, stack)
            _start(folder, stack)
        yield


def takes_jobs() -> bool:
    """Tell if a SLURM answers that has a node for a job."""
    states = _answer("sinfo", "--noheader", "--format=%T").split()
    return any(state in ("idle", "mixed", "allocated") for state in states)


def _install() -> None:
    missing = {package for program, package in PACKAGES.items() if not _program(program)}
    if os.geteuid():
        raise NoCluster("no SLURM answers, and only root can start one")
    for link in LINKS:
        if os.path.lexists(link):
            raise NoCluster(f"{link} is there, but its SLURM takes no jobs. Without a SLURM, remove it.")
    if not missing:
        return
    if not shutil.which("apt-get"):
        raise NoCluster(f"not installed: {', '.join(sorted(missing))}; they are installed on Debian only")
    ours = not REFUSAL.exists() or REFUSAL.read_text() == REFUSING
    if ours:
        REFUSAL.write_text(REFUSING)
        REFUSAL.chmod(0o755)
    try:
        apt = ["apt-get", "install", "--yes", "--no-install-recommends", *sorted(missing)]
        done = subprocess.run(apt, capture_output=True, text=True, check=False)
    finally:
        if ours:
            REFUSAL.unlink()
    if done.returncode:
        raise NoCluster(f"{' '.join(apt)}: {done.stderr.strip()[-300:]} (`apt-get update` may help)")


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


def _configure(folder: Path, stack: ExitStack) -> None:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(
            host=os.uname().nodename.partition(".")[0],
            folder=folder,
            cpus=max(os.cpu_count() or 1, LEAST_CPUS),
            memory=max(pages // 2**20, LEAST_MB),
        )
    )
    (folder / "gres.conf").write_text("".join(f"Name=gpu Type=a100 File={device}\n" for device in DEVICES))
    (folder / "munge.key").touch(0o600)
    (folder / "munge.key").write_bytes(secrets.token_bytes(1024))
    for name in ("slurmctld", "slurmd"):
        (folder / name).mkdir(exist_ok=True)
    for link in LINKS:
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(folder / link.name)
        stack.callback(link.unlink)


def _start(folder: Path, stack: ExitStack) -> None:
    munge = [f"--{name}-file={folder}/munge.{name}" for name in ("key", "log", "pid", "seed")]
    options = {
        "munged": ["--foreground", f"--socket={folder}/munge.socket", *munge],
        "slurmctld": ["-D", "-c"],
        "slurmd": ["-D"],
    }
    for name, arguments in options.items():
        with (folder / f"{name}.out").open("w") as out:
            daemon = subprocess.Popen([_program(name) or name, *arguments], stdout=out, stderr=out)
        stack.callback(_stop, daemon)
        if name == "munged":
            _wait(lambda: (folder / "munge.socket").exists(), folder)
    stack.callback(_cancel_all)  # before the daemons stop
    _wait(takes_jobs, folder)


def _wait(done, folder: Path) -> None:
    end = time.monotonic() + SECONDS
    while not done():
        if time.monotonic() > end:
            logs = "\n".join(path.read_text()[-600:] for path in sorted(folder.glob("*.[lo][ou][gt]")))
            raise NoCluster(f"SLURM does not start here:\n{logs}")
        time.sleep(0.2)


def _cancel_all() -> None:
    _answer("scancel", f"--user={os.environ.get('USER', 'root')}")
    end = time.monotonic() + SECONDS
    while _answer("squeue", "--noheader") and time.monotonic() < end:
        time.sleep(0.2)


def _end_daemons(folder: Path) -> None:
    """Cancel the jobs and end the daemons of a run that was killed, by the ids in their files."""
    if os.path.realpath(LINKS[0]) == str(folder / LINKS[0].name):
        _cancel_all()
    for file in folder.glob("*.pid"):
        process = Path("/proc") / file.read_text().strip()
        end = time.monotonic() + SECONDS
        # The name, as another process may have the number by now.
        with suppress(OSError):
            while (process / "comm").read_text().startswith(file.stem):
                over = time.monotonic() > end
                os.kill(int(process.name), signal.SIGKILL if over else signal.SIGTERM)
                time.sleep(0.2)


def _stop(daemon: subprocess.Popen) -> None:
    daemon.terminate()
    try:
        daemon.wait(SECONDS)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _answer(*command: str) -> str:
    """Return what a command prints; nothing if it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout
