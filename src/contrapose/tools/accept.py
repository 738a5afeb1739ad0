"""`contrapose mark-valid`: keep results behind which code has changed without changing them."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from contrapose.base.directory import call, seen, settings
from contrapose.base.errors import BackendError, ConfigError, counted
from contrapose.jobs.manifest import digests, manifest_file, read_manifest
from contrapose.project.staleness import made_today
from contrapose.settings.cli_config import snakemake_config
from contrapose.tables.parquet import change_provenance
from contrapose.tools.arguments import parser_of
from contrapose.tools.dry_run import planned_jobs
from contrapose.tools.publish.chain import built_chain
from contrapose.tools.run import workflow_options
from contrapose.tools.verify import findings, repeated

LOG = "accepted.jsonl"  # in the folder of results
# Snakemake's reasons to run a job if only its code digest, or that of a job before it, has changed.
CODE_ALONE = re.compile(
    r"(Input files updated by another job: [^;]*)?(; )?"
    r"(Params have changed since last execution: [^:]*: before: '?[0-9a-f]{16}'? now: '?[0-9a-f]{16}'? ?)?"
)


def main(arguments: list[str]) -> None:
    """Write today's code digests into the results of all built tables; nothing runs again for them.

    Raises ConfigError, before anything is written, if a setting or an input file has changed, too.
    """
    options = parser_of("mark-valid").parse_args(arguments)
    chain = built_chain(options.config)
    behind = {Path(path) for job in chain.jobs for path in job.outputs}  # files and folders
    stale = findings(chain.results, chain.project)
    stale_files = [one for one in stale if not behind.isdisjoint((one.path, *one.path.parents))]
    for one in stale_files:
        if one.kind != "code":
            again = repeated(stale_files, chain.project, options.config, "mark-valid", "--reason REASON")
            raise _refused(str(one.path), one.reason, options.config, *again)
    targets = list(chain.targets.values())
    # Not every result is a Parquet file, and none records its input files: Snakemake does.
    for job in planned_jobs(chain.project, targets, everything=False):
        if not CODE_ALONE.fullmatch(job.reason):
            raise _refused(", ".join(job.outputs) or job.rule, job.reason, options.config)
    with (chain.results / LOG).open("a", encoding="utf-8") as log:
        for one in stale_files:
            manifest = read_manifest(manifest_file(one.path))
            _, code = made_today(chain.project, manifest.made)
            tables = {name: path for name, path in manifest.paths.items() if path.suffix == ".parquet"}
            for path in tables.values():
                change_provenance(path, code=code)
            entry = {
                "file": str(one.path),
                "before": manifest.made["code"],
                "code": code,
                "reason": options.reason,
            }
            manifest.made["code"] = code
            manifest.outputs |= {name: digests(path) for name, path in tables.items()}
            manifest.write()
            print(json.dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **entry}), file=log)
    # Snakemake's records of params and input files are updated, too.
    command = [sys.executable, "-m", "snakemake", *workflow_options("."), "--cores", "1", "--quiet", "all"]
    given = snakemake_config(options.config)
    touch = ["--touch", "--forceall", *(["--config", *given] if given else [])]
    done = subprocess.run([*command, *touch, "--", *targets], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BackendError(f"Snakemake could not record the accepted results:\n{done.stderr.strip()}")
    marked = f"The results of {counted(len(stale_files), 'job')} are marked as up to date."
    kept = f"{marked} {seen(chain.results / LOG)} keeps the reason."
    print(kept if stale_files else "All results are up to date, so none was marked.")


def _refused(what: str, why: str, config: Sequence[str], *more: str) -> ConfigError:
    return ConfigError(
        f"{what}: {why}. More than the code has changed, so this result cannot be marked as valid. "
        f"Nothing was written. Build it again: {call('run', settings(config))}"
        + "".join(f"\n{line}" for line in more)
    )
