"""Errors in their own words, without what Snakemake and Python put around them.

Snakemake's log in .snakemake/log and the logs of the jobs keep all of it.
"""

import os
import re
import shlex
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from snakemake_logger_plugin_contrapose.at_work import at_work_in, hidden_of, is_job, locking_run, other_owner
from snakemake_logger_plugin_contrapose.running import BAR, tail

OWN = (
    "Config",
    "Table",
    "Unavailable",
    "Backend",
    "Budget",
    "Stopped",
)  # Errors of src/contrapose/base/errors.py
CLASSES = f"(?:{'|'.join(OWN)})Error: "
IN_RULES = re.compile(rf"Error:\n  {CLASSES}(.*?)\nWildcards:", re.DOTALL)  # of a function of the rules
IN_LOG = re.compile(
    rf"(?:^|(?<=[\r\]])){CLASSES}|^(?=\w*Error: .*What was made before is kept\.)", re.MULTILINE
)
WRAPPED = re.compile(r'\A\w+(?: in [^\n]*)?:\n(.*?)(?:\n  File "[^\n]*)*\Z', re.DOTALL)
DENIED = re.compile(r"PermissionError: \[Errno \d+\] (.*?): '(.+)'\s*\Z")  # as of ~/.cache/snakemake
NO_RULE = re.compile(r"No rule to produce (.*?) \(if you use")
WILDCARDS = "Target rules may not contain wildcards"
RULES = ("-U", "--until", "-R", "--forcerun")  # take rules, and as files what is none
LOG_BYTES = 1 << 16  # of the end of a log, in which the message of an error is
TRACEBACK = "Traceback (most recent call last)"
KILLED = (
    "The job was probably killed, because its log ends without an error. The system kills a process "
    "when memory runs out (`dmesg` names it), and a scheduler kills one at its limits. With a "
    "smaller --cores, fewer jobs run at once."
)
AFTER = ("At least one job did not complete successfully", "Exiting because a job execution failed")


def plain_error(text: str, exception: str, start: Path | None = None) -> str:
    """Return what an error of Snakemake says; empty if another message says it.

    `exception` is the name of its class, `start` the folder of the call, if the error is about its folder.
    """
    if text.startswith(AFTER) or any(f":\n{each}" in text for each in AFTER):
        return ""
    if exception == "RuleException" and "CalledProcessError" in text:  # of a script: its log says more
        return ""
    if exception == "LockException" and start:
        return locked(start)
    if denied := DENIED.search(text):
        return (
            f"{denied[2]}: this file or folder cannot be used ({denied[1]}). Change its permissions. The "
            "folders of caches can be elsewhere: set XDG_CACHE_HOME, and HF_HOME for models of the hub."
        )
    if WILDCARDS in text:
        from contrapose.base.directory import call  # not above, as in unknown_target

        return (
            "A target is a rule that makes many files, such as train_encoder. Name a target of "
            f"`{call('list')}`, or add --until RULE to limit the run to a rule."
        )
    if own := IN_RULES.search(text):
        return own[1]
    if exception == "MissingRuleException" and (target := NO_RULE.search(text)):
        return unknown_target(target[1])
    wrapped = WRAPPED.match(text) if exception == "WorkflowError" else None
    return wrapped[1] if wrapped else text


def error_in_log(logs: Collection[Path]) -> str:
    """Return the message of a job that ended with an error of ours, or in silence; empty after others."""
    text = "".join(tail(log, LOG_BYTES) for log in logs)
    said = IN_LOG.split(text)[-1] if IN_LOG.search(text) else ""
    if TRACEBACK in (said or text):
        return ""
    if not said:
        return KILLED if any(map(Path.is_file, logs)) else ""
    return "\n".join(line for line in said.splitlines() if not BAR.search(line)).strip()


def unknown_target(target: str) -> str:
    """Say that nothing makes a target, and which one a person may have meant."""
    # Not above: the workflow decides which package of that name it runs.
    from contrapose.base.directory import call
    from contrapose.base.errors import ContraposeError
    from contrapose.settings.cli_config import CONFIG
    from contrapose.tools.command_line import RunArguments
    from contrapose.tools.listing import near_target

    given = RunArguments.of(sys.argv[1:])
    for option in RULES:
        named = target in given.words(option) or f"{option}={target}" in given.options
        if named and target not in given.targets:
            return (
                f"{option} {target}: there is no rule, study or file of this name. "
                f"`{call('run', '--list-rules')}` shows all rules, and `{call('list')}` shows all studies, "
                "tables and figures."
            )
    near = ""
    with suppress(ContraposeError):  # settings that are only whole with those of the call
        near = near_target(target)
    if not Path(CONFIG).is_file():
        return (
            f"{Path.cwd()} is not a project, because it has no {CONFIG}. Name the folder of a project with "
            "`contrapose run --directory FOLDER`, or create one with `contrapose init FOLDER`."
        )
    hint = f" Did you mean '{near}'?" if near else ""
    shows = f"`{call('list')}` shows all studies, tables and figures."
    return f"There is no study, table or file '{target}'.{hint} {shows}"


def locked(start: Path) -> str:
    """Say who has locked the files of this folder, or how to unlock them, from the folder of the call."""
    folder, run, owner = Path.cwd(), locking_run(), other_owner()
    found = at_work_in(folder)
    others = [str(run)] if run and run.alive else [f"process {each}" for each in found if not is_job(each)]
    if others:
        return (
            f"Another run uses the same files in {folder} ({others[0]}). Wait until it ends, or stop "
            "it with Ctrl-C in its terminal."
        )
    if found:
        jobs = " ".join(map(str, found))
        return (
            f"The run in {folder} was killed, but jobs of it still work there (process {jobs}). They keep "
            "what they make, such as answers of a language model. Wait until they end, or stop them with the "
            f"command: kill {jobs}"
        )
    said = (
        "was killed, so the folder is still locked. No process of this machine uses the folder. If "
        "no other machine uses it"
    )
    if run and not run.here:
        said = f"has locked the folder: {run}. This machine cannot see whether it still runs. If it has ended"
    elif not run and (hidden := hidden_of(owner)):
        said = (
            f"of {owner} has locked the folder. {owner} runs Snakemake on this machine (process "
            f"{hidden[0]}), but in a folder that only {owner} can see. If that is another folder"
        )
    # Not above: the workflow decides which package of that name it runs.
    from contrapose.tools.command_line import RunArguments

    place, config = os.path.relpath(folder, start), RunArguments.of(sys.argv[1:]).config
    options = ["--unlock", *([] if place == "." else ["--directory", place])]
    options += ["--config", *config] if config else []  # a catalog may need the folder of its data
    return (
        f"A run in {folder} {said}, unlock the folder:\n    contrapose run "
        f"{shlex.join(options)}\nThen run the same command again to continue."
    )
