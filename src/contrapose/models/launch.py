"""One job in several processes of one machine: `accelerate launch` runs its script in each of them.

The launcher finds a free port, gives each process its number, and ends all when one has ended badly.  Their
output comes through it, in lines that begin with the number of the process.
"""

import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any, NoReturn

from contrapose.base.errors import ConfigError
from contrapose.jobs.processes import LAUNCHER, is_launched
from contrapose.jobs.warm import COLD, die_with

if TYPE_CHECKING:
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

# Between asking the others to end and killing them: time to write a checkpoint of some gigabytes.
SECONDS_TO_END = 100


def in_processes(count: int, threads: int, device: str) -> int:
    """Return in each of `count` processes of this script; the one that started them ends as they do.

    With a count of 1 it returns where it is called.  `threads` are those of the whole job, the result those
    of each process.  On CUDA each process has a GPU of its own.  Raises ConfigError if the machine lacks the
    device, or enough of it.
    """
    threads_each = max(1, threads // count)
    if is_launched():
        die_with(int(os.environ[LAUNCHER]))
    elif count > 1:
        _launch(count, threads_each, device)
    return threads_each


def _launch(count: int, threads: int, device: str) -> NoReturn:
    from accelerate.commands.launch import launch_command, launch_command_parser
    from accelerate.utils import patch_environment
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

    from contrapose.models.devices import chosen_device

    if chosen_device(device, count).type == "mps":
        raise ConfigError(
            f"nproc_per_node is {count} but the device is mps, which is one GPU. Set nproc_per_node to 1."
        )
    environment: dict[str, Any] = {
        LAUNCHER: os.getpid(),
        COLD: 1,  # they start at once, and are not forks of the warm server
        "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": SECONDS_TO_END,
        "TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE": "[${rank}] ",
    }
    # Sets everything that a user's own accelerate configuration could set. `--multi_gpu` means several
    # processes, also on a CPU; port 0 means any free port.
    settings = (
        f"--multi_gpu --num_processes {count} --num_machines 1 --main_process_port 0 --gpu_ids all "
        f"--mixed_precision no --dynamo_backend no --num_cpu_threads_per_process {threads} --tee 3"
    )
    with tempfile.TemporaryDirectory() as folder, patch_environment(**environment):
        command = [*settings.split(), "--log_dir", folder, *sys.argv]
        try:
            launch_command(launch_command_parser().parse_args(command))
        except ChildFailedError as error:
            sys.exit(_words(error, count))
        except SignalException as signal:
            sys.exit(f"{signal.sigval.name}: the {count} processes of this job have ended.")
    sys.exit()


def _words(error: "ChildFailedError", count: int) -> str:
    number, failure = error.get_first_failure()
    how = f"exit code {failure.exitcode}" if failure.exitcode > 0 else f"signal {-failure.exitcode}"
    return (
        f"Process {number} of {count} (counted from 0) ended with {how}, so the others were stopped. "
        f"Its output is above, in lines that begin with [{number}]."
    )
