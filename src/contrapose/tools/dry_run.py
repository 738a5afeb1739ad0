"""The jobs of a call, as Snakemake itself plans them."""

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from logging.handlers import BufferingHandler
from typing import Any, NamedTuple, cast

from humanfriendly import parse_size  # Snakemake uses it, too
from snakemake.api import SnakemakeApi
from snakemake.logging import logger
from snakemake.settings import types
from snakemake_interface_logger_plugins.common import LogEvent

from contrapose.base.errors import BackendError
from contrapose.base.home import PROFILE
from contrapose.project import Project
from contrapose.project.at_hand import offered
from contrapose.settings.cli_config import config_file
from contrapose.settings.yaml_files import read_yaml
from snakemake_logger_plugin_contrapose.plain_errors import plain_error


class Job(NamedTuple):
    """One job: its rule, its wildcards, its files, and why it would run."""

    rule: str
    wildcards: dict[str, str]
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    reason: str = ""  # in Snakemake's words
    logs: Sequence[str] = ()


def job_of(record: Mapping[str, Any]) -> Job:
    """Return a job as Snakemake tells its loggers of it."""
    inputs, outputs, logs = ([*map(str, record[which] or [])] for which in ("input", "output", "log"))
    wildcards = dict(record["wildcards"] or {})
    return Job(record["rule_name"], wildcards, inputs, outputs, str(record["reason"]), logs)


def without_targets(jobs: Sequence[Job]) -> list[Job]:
    """Return jobs without those that only ask for others, such as that of a study by its name."""
    return [job for job in jobs if job.outputs or job.logs]


def planned_jobs(project: Project, targets: Sequence[str], everything: bool = True) -> list[Job]:
    """Return the jobs behind some rules or files, from a dry run of Snakemake in this process.

    The working directory has to be that of the project, whose settings are not read again.  Without
    `everything` these are only the jobs that a call would run now.  The workflow sets environment
    variables for its jobs and puts its own code first in `sys.path`: both are afterwards as before.  Raises
    BackendError if Snakemake cannot plan the jobs.
    """
    environment, path = dict(os.environ), [*sys.path]
    log, profile = BufferingHandler(sys.maxsize), cast("dict[str, Any]", read_yaml(PROFILE))
    # A dry run alone is not quiet.
    output = types.OutputSettings(quiet={types.Quietness.ALL}, enable_file_logging=False)
    with SnakemakeApi(output) as snakemake, offered(project):
        logger.addHandler(log)
        logger.propagate = False  # otherwise handlers of this process print every job
        try:
            workflow = snakemake.workflow(
                resource_settings=types.ResourceSettings(cores=1),
                config_settings=types.ConfigSettings(dict(project.given), [config_file().resolve()]),
                snakefile=project.home / "workflow" / "Snakefile",
            )
            settings = types.DAGSettings(
                targets=set(targets),
                forceall=everything,
                force_incomplete=profile["rerun-incomplete"],  # what a stopped run left half made is a job
                rerun_triggers=types.RerunTrigger.parse_choices_set(profile["rerun-triggers"]),
                max_checksum_file_size=parse_size(profile["max-checksum-file-size"]),
            )
            workflow.dag(settings).execute_workflow(executor="dryrun")
        except (Exception, SystemExit) as error:
            if isinstance(error, Exception):  # otherwise the workflow has said it
                snakemake.print_exception(error)
            errors = [record.getMessage() for record in log.buffer if record.levelno >= logging.ERROR]
            said = plain_error([str(error), *errors][-1], type(error).__name__)
            raise BackendError(said) from None
        finally:
            logger.removeHandler(log)
            logger.propagate = True
            os.environ.clear()
            os.environ.update(environment)
            sys.path[:] = path
    records = map(vars, log.buffer)
    return [job_of(each) for each in records if each.get("event") is LogEvent.JOB_INFO]
