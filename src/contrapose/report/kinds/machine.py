"""A table of the machine and the software with which a paper's tables were rebuilt."""

import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import pandas as pd

from contrapose.base.markdown import bullets, markdown_table
from contrapose.jobs.stage import packages
from contrapose.report.about import About
from contrapose.report.files import deviation_parts, joined
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.report.published import read_published
from contrapose.tables import MACHINE

GPU_QUERY = ("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader")
TIMEOUT = 30.0  # seconds to wait for the driver's answer


class MachineTable(TableSettings):
    """The table shows the hardware and software of this run, as papers print theirs."""

    kind: Literal["machine"]

    papers: ClassVar[str] = ""


def build(
    spec: MachineTable, about: About, published: Annotated[pd.DataFrame | None, read_published]
) -> Report:
    """Return a Report of a MACHINE table of attributes and values, with the paper's machine below ours."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    attributes = {
        "Operating system": _operating_system(),
        "CPU": f"{_processor()}, {os.cpu_count()} cores",
        "Memory": f"{memory / 2**30:.0f} GiB",
        "GPU": _gpus(),
        "Python": platform.python_version(),
        **packages(),
    }
    rows = {"attribute": list(attributes), "value": list(attributes.values())}
    tidy = pd.DataFrame(rows).assign(table=about.name, catalog=about.catalog)[MACHINE.columns]
    note = "This is the machine that wrote this table. Jobs of a cluster may have run on other machines."
    parts = [f"# {about.name}", spec.caption, markdown_table(tidy[["attribute", "value"]]), bullets([note])]
    if published is not None:
        parts += ["## The machine of the paper", f"As printed in: {about.source}.", markdown_table(published)]
    text = joined([*parts, *deviation_parts(about.deviations)])
    return Report(tidy, MACHINE, tidy.drop(columns="table"), text)


def _operating_system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.platform()


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _gpus() -> str:
    if shutil.which(GPU_QUERY[0]) is None:
        return "none"
    try:
        done = subprocess.run(GPU_QUERY, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        return f"not known ({type(error).__name__})"
    return "; ".join(done.stdout.split("\n")).strip("; ") or "none"
