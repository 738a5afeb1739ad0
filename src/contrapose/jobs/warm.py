"""Scripts that need PyTorch start as forks of one process that has imported it already.

Starting Python and importing PyTorch and transformers takes seconds, a training of a small grid less than
one.  So the first line of such a script is `run_warm()`.  The first script of a Snakemake process goes on
by itself.  The second one starts a server, which imports what scripts import and forks for each of them from
then on: the fork is the job, and the process that Snakemake started waits for it and ends as it does.  Only
the start is another one; rules, files, logs, errors and exit codes are the same.

A server belongs to one Snakemake process, interpreter, folder and environment, so a job gets what it would
have had by itself.  It ends with its Snakemake, or after two minutes without a job.  On Linux only;
`CONTRAPOSE_NO_FORK=1` switches it off.
"""

import ast
import atexit
import ctypes
import fcntl
import gc
import hashlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from io import FileIO
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, NoReturn

from contrapose.base.orphans import end_with_snakemake, process, snakemake_process

COLD = "CONTRAPOSE_NO_FORK"
IDLE = 120  # seconds without a job after which a server gives its memory back
BEGUN = b"begun"  # what a job says, and its number, when it waits for its go; before, nothing has happened
LONGEST = 1 << 16  # bytes of a message
INTERRUPTED = 128 + signal.SIGINT  # exit code, as a shell has it
PR_SET_PDEATHSIG = 1  # prctl(2): which signal a process gets when its parent dies
SERVER = (
    "import sys; sys.path[0] = sys.argv[1]; from contrapose.jobs.warm import serve; serve(int(sys.argv[2]))"
)

# In a job: stays open, so that the waiting process sees no end before that of server and job.
_client: socket.socket | None = None


def run_warm(*modules: str) -> None:
    """Run this script in a fork of the warm server and end as it ends; return if it has to run here.

    It runs here if it is the first of its Snakemake, if `CONTRAPOSE_NO_FORK` is set, or if there can be no
    server; never once the fork has begun.  The server imports `modules`, and what they and the script import.
    """
    if _client or os.environ.get(COLD) or sys.platform != "linux":
        return
    try:
        connection = _connection()
        if connection is None:
            return
        start = {"argv": sys.argv, "path": sys.path[0], "group": os.getpgrp()}
        request = json.dumps({"modules": modules, "start": start})
        wait_for_go, go = os.pipe()
        socket.send_fds(connection, [request.encode()], [0, 1, 2, wait_for_go])
        os.close(wait_for_go)
        begun, _, number = connection.recv(LONGEST).partition(b" ")
        if begun != BEGUN:
            os.close(go)
            return
        job = int(number)
    except OSError:  # a folder that others can write to, a server that ended: nothing has happened yet
        return
    except KeyboardInterrupt:  # Ctrl-C, or a SIGTERM of the run, while the server still imports
        sys.exit(INTERRUPTED)
    # Ctrl-C reaches the job too, which is in this process group; wait for what it makes of it.  Until this
    # line it ends this process, and a job that hears no go with it.  SIGTERM reaches this process alone.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: _ask_to_end(job))
    end_with_snakemake()
    status = b""
    with suppress(ConnectionResetError, BrokenPipeError):
        os.write(go, b"\n")
        status = _awaited(connection)
    _end_with(status)


def _awaited(connection: socket.socket) -> bytes:
    """Return the next message.  recv() ends twice a second, as a signal just before it waits for its end."""
    connection.settimeout(0.5)
    while True:
        with suppress(TimeoutError):
            return connection.recv(LONGEST)


def is_fork() -> bool:
    """Whether this job is a fork: then another process ends it with its Snakemake."""
    return _client is not None


def _ask_to_end(job: int) -> None:
    with suppress(ProcessLookupError):  # it has ended
        os.kill(job, signal.SIGTERM)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent dies; end at once if it is dead.  On Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before
        sys.exit(1)


def _end_with(status: bytes) -> NoReturn:
    """End as the job did: its exit code, or minus the signal that ended it; empty if that is unknown."""
    if not status:
        sys.exit(
            "The process that started this job was killed, and the job ended with it. Run the same "
            f"command again. With the environment variable {COLD}=1, every job starts its own process."
        )
    if (code := int(status)) < 0:
        with suppress(OSError):  # SIGKILL has nothing else
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


def _connection() -> socket.socket | None:
    """Connect to the server of this script's Snakemake; None for the first script that asks.

    A socket file without a listener shows that this is not the first script: then a server is started.
    Raises OSError if there can be no such file or no server.
    """
    snakemake = snakemake_process()
    container = os.readlink("/proc/self/ns/mnt")  # another one may have another Python at the same place
    surroundings = (sys.executable, container, os.getcwd(), sorted(os.environ.items()))
    name = hashlib.sha256(repr(surroundings).encode()).hexdigest()[:16]
    folder = _folder()
    file = folder / f"{snakemake.number}-{snakemake.start}-{name}"
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of many at once, one is the first and one starts the server
        connection = _socket()
        try:
            connection.connect(str(file))
        except FileNotFoundError:
            _remove_what_is_over(folder)
            connection.bind(str(file))
            return None
        except ConnectionRefusedError:
            _start_server(file, snakemake.number)
            connection.connect(str(file))
        return connection
    finally:
        os.close(lock)


def _socket() -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # keeps messages apart


def _folder() -> Path:
    """Return the folder of sockets, which only this user can enter."""
    folder = Path(tempfile.gettempdir(), f"contrapose-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if (status.st_uid, status.st_mode) != (os.getuid(), 0o040700):  # a folder, rwx------
        raise PermissionError(folder)
    return folder


def _remove_what_is_over(folder: Path) -> None:
    for file in folder.iterdir():
        number, start = f"{file.name}-".split("-")[:2]
        with suppress(OSError):
            if process(number).start == start:
                continue
        file.unlink()


def _start_server(file: Path, snakemake: int) -> None:
    """Listen on the socket until the server is up: processes that connect meanwhile wait."""
    file.unlink()
    with _socket() as listener:
        listener.bind(str(file))
        listener.listen(socket.SOMAXCONN)
        # A process group of its own, so that Ctrl-C is for Snakemake and the jobs alone; their session, so
        # that a fork can join the group of its job.
        subprocess.Popen(
            [sys.executable, "-c", SERVER, sys.path[0], str(snakemake)],
            stdin=listener.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )


def serve(snakemake: int) -> None:
    """Fork for every script that connects to the socket on standard input, until `snakemake` has ended."""
    atexit.register(_end_at_once)  # the first one registered is the last one called
    script = _next_job(snakemake, socket.socket(fileno=0))
    if script:  # in a job: the server's calls are left behind, and Python ends it as it ends any script
        try:
            runpy.run_path(script, run_name="__main__")
        except BaseException:
            atexit.unregister(_end_at_once)
            raise


def _end_at_once() -> None:
    """Do not take apart what was imported: for a fork, that takes longer than a small job."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


class _Job(NamedTuple):
    number: int
    process: FileIO  # can be read when it has ended
    connection: socket.socket  # readable once the waiting process has gone


def _next_job(snakemake: int, listener: socket.socket) -> str | None:
    """Return the script in each fork, and None in the server at its end."""
    server = os.getpid()
    selector = selectors.DefaultSelector()
    ended = _until_it_ends(snakemake)
    for watched in (listener, ended):
        selector.register(watched, selectors.EVENT_READ)
    jobs: list[_Job] = []
    needed = True
    while needed or jobs:
        events = selector.select(None if jobs else IDLE)
        if not events:
            break
        event = events[0][0]  # one at a time: the others may be settled by it, and come again if not
        if event.fileobj is listener:
            connection = listener.accept()[0]
            request, streams, _, _ = socket.recv_fds(connection, LONGEST, 4)
            number = _forked(request)
            if number == 0:
                for other in (listener, ended, *(each for job in jobs for each in job[1:])):
                    other.close()  # the waiting process hears of one job only
                selector.close()
                return _begin(server, connection, streams, **json.loads(request)["start"])
            for stream in streams:
                os.close(stream)
            if number is None:
                connection.close()
                continue
            jobs.append(job := _Job(number, _until_it_ends(number), connection))
            for watched in (job.process, job.connection):
                selector.register(watched, selectors.EVENT_READ, job)
        elif event.fileobj is ended:
            selector.unregister(ended)
            needed = False
        else:
            job = event.data
            if event.fileobj is job.connection:
                os.kill(job.number, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(job.number, 0)[1])
            with suppress(OSError):  # the waiting process has gone
                job.connection.send(str(code).encode())
            for watched in (job.process, job.connection):
                selector.unregister(watched)
                watched.close()
            jobs.remove(job)
    return None


def _until_it_ends(process: int) -> FileIO:
    return FileIO(os.pidfd_open(process))  # can be read when the process has ended


def _forked(request: bytes) -> int | None:
    """Fork for a job: its process id, 0 in the job, None without one: then its script runs where it is."""
    if not request:  # it has gone already
        return None
    job = json.loads(request)
    _import_what_is_imported(Path(job["start"]["argv"][0]), job["modules"])
    gc.freeze()  # garbage collection in a fork leaves shared memory alone
    try:
        return os.fork()
    except OSError:  # no room for another process
        return None


def _import_what_is_imported(script: Path, modules: list[str]) -> None:
    """Import modules, and what they and a script import: once for all of its jobs."""
    files = [script, *(Path(module.__file__ or "") for module in map(_imported, modules) if module)]
    for statement in (each for file in files for each in ast.walk(ast.parse(file.read_bytes()))):
        if isinstance(statement, ast.ImportFrom):
            _imported(statement.module or "")
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                _imported(alias.name)


def _imported(name: str) -> ModuleType | None:
    with suppress(Exception):  # the script raises it again, in its own log
        return import_module(name)
    return None


def _begin(
    server: int, connection: socket.socket, streams: list[int], argv: list[str], path: str, group: int
) -> str:
    """Make a fork equivalent to the process that waits for it, report it, and return the script to run."""
    global _client
    _client = connection
    die_with(server)
    os.setpgid(0, group)  # what is sent to the jobs of a terminal or of a killed Snakemake reaches this one
    connection.send(b"%s %d" % (BEGUN, os.getpid()))
    *standard, wait_for_go = streams
    if not os.read(wait_for_go, 1):  # the waiting process has gone
        sys.exit(1)
    os.close(wait_for_go)
    for descriptor, its in enumerate(standard):
        os.dup2(its, descriptor)
        os.close(its)
    sys.stdout.reconfigure(line_buffering=sys.stdout.isatty())  # type: ignore[union-attr]
    sys.argv, sys.path[0] = argv, path
    return argv[0]
