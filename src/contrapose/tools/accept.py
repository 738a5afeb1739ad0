"""`contrapose accept`: keep results behind which code has changed without changing them."""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from contrapose.errors import BackendError, ConfigError
from contrapose.home import HOME
from contrapose.project.given import given_config
from contrapose.project.today import made_today
from contrapose.tables.parquet import change_provenance, read_provenance
from contrapose.tools.publish.chain import built_chain
from contrapose.tools.run import workflow_options
from contrapose.tools.verify import findings

LOG = "accepted.jsonl"  # in the folder of results


def main(arguments: list[str]) -> None:
    """Write today's code digests into the results of all tables that are built; nothing runs again for them.

    Raises ConfigError, before anything is written, if one of them was made by other settings.
    """
    parser = argparse.ArgumentParser(prog="contrapose accept", description=__doc__)
    parser.add_argument(
        "--config", nargs="*", default=[], metavar="key=value", help="as for snakemake --config"
    )
    parser.add_argument(
        "--reason", required=True, help="how it is known that the results are equal; goes into the log"
    )
    given = parser.parse_args(arguments)
    chain = built_chain(given_config(given.config), HOME)
    behind = {Path(path) for job in chain.jobs for path in job.outputs}
    found = [one for one in findings(chain.results, chain.project) if _belongs(one.path, behind)]
    for one in found:
        if one.kind != "code":
            raise ConfigError(
                f"{one.path}: {one.reason}. That is no change of code, so it cannot be accepted, and nothing "
                "was written. Build it again: contrapose run"
            )
    with (chain.results / LOG).open("a", encoding="utf-8") as log:
        for one in found:
            made = read_provenance(one.path)
            _, code = made_today(chain.project, made)
            change_provenance(one.path, code=code)
            entry = {"file": str(one.path), "before": made["code"], "code": code, "reason": given.reason}
            print(json.dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **entry}), file=log)
    # What Snakemake has recorded of its params is brought up to date, too.
    command = [sys.executable, "-m", "snakemake", *workflow_options("."), "--cores", "1", "--quiet", "all"]
    config = ["--config", *given.config] if given.config else []
    done = subprocess.run(
        [*command, "--touch", "--forceall", *config, "--", *chain.targets.values()],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    if done.returncode:
        raise BackendError(f"Snakemake could not take up what was accepted:\n{done.stdout.strip()}")
    print(f"{len(found)} files accepted, see {chain.results / LOG}.")


def _belongs(path: Path, outputs: set[Path]) -> bool:
    """Tell whether a file is one of some outputs, or in a folder that is."""
    return not outputs.isdisjoint((path, *path.parents))
