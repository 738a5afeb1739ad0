"""Bring all that some targets need from the internet to this machine, for jobs that have none."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from huggingface_hub import HfApi, constants, snapshot_download
from huggingface_hub.utils import filter_repo_objects

from contrapose.base.errors import ContraposeError
from contrapose.models.folders import model_folder
from contrapose.project import Project
from contrapose.project.lock import write_lock
from contrapose.retrieve.download import download
from contrapose.settings.hub import FETCHED, NOT_FETCHED
from contrapose.tools.arguments import parser_of
from contrapose.tools.check_services import HUB_SECONDS, check_llm, on_hub
from contrapose.tools.command_line import project_of
from contrapose.tools.convert import convert, pickles
from contrapose.tools.dry_run import Job, planned_jobs
from contrapose.tools.fetchable import downloads, shortened_models
from contrapose.tools.finding import Finding, judged, report
from contrapose.tools.needs import needs_of
from contrapose.tools.pinning import pinned

GIGA = 1e9


def main(arguments: list[str]) -> bool:
    """Fetch; the exit code is 0 only if everything is here then."""
    options = parser_of("download").parse_args(arguments)
    project = project_of(options.config)
    targets = options.targets or list(project.studies)
    findings = [
        *(
            _said(each.model, partial(pinned, each, project.files.lock_file))
            for each in shortened_models(project, targets)
        ),
        *(_said(each.source, partial(convert, each)) for each in pickles(project, targets)),
        *(_said(path, partial(_downloaded, project, path)) for path in downloads(project, targets)),
    ]
    project = project_of(options.config)  # which has the whole commits and the converted models
    jobs = planned_jobs(project, targets, everything=False)
    needs = needs_of(project, jobs)
    repositories = on_hub(project, needs).values()
    models = {each.name: each.revision for each in repositories if each.kind == "model"}
    gigabytes = sum(size(*each) for each in models.items()) / GIGA
    print(f"{len(models)} models, of which {gigabytes:.2f} GB remain to be downloaded", flush=True)
    for model, revision in models.items():
        findings.append(_said(model, partial(_fetched, model, revision)))
    if files := [path for job in fetching(project, jobs) for path in job.outputs]:
        findings.append(_made(files, options.config))
    for need in needs:
        findings += check_llm(project, need.name) if need.section == "llms" else []
    print(f"\n{report(findings)}")
    return any(one.level == "missing" for one in findings)


def _downloaded(project: Project, path: str) -> str:
    source = project.catalog.downloads[path]
    sha256 = download(source, Path(path))
    if source.sha256 is None:
        write_lock(project.files.lock_file, {source.url: sha256})
    new = "" if source.sha256 else f", which was not known before and is now in {project.files.lock_file}"
    return f"from {source.url}, SHA-256 {sha256}{new}"


def size(model: str, revision: str) -> int:
    """Return the bytes of a model that are to be fetched; 0 if it is here, or the hub does not answer."""
    try:
        snapshot_download(model, revision=revision, allow_patterns=FETCHED, local_files_only=True)
    except Exception:  # not in the cache, or not whole
        pass
    else:
        return 0
    try:
        info = HfApi(constants.ENDPOINT).repo_info(
            model, revision=revision, timeout=HUB_SECONDS, files_metadata=True
        )
    except Exception:  # the fetch says why
        return 0
    sizes = {each.rfilename: each.size or 0 for each in info.siblings or []}
    wanted = filter_repo_objects(sizes, allow_patterns=FETCHED, ignore_patterns=NOT_FETCHED)
    return sum(sizes[name] for name in wanted)


def fetching(project: Project, jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs that bring data here, of files, the hub or an address, and wait for no other job."""
    makers = {path: job for job in jobs for path in job.outputs}

    def alone(job: Job) -> bool:
        before = (makers[path] for path in job.inputs if path in makers)
        of_corpus = job.rule.startswith("corpus_") and project.rules.of(job.rule).uses
        return bool(job.rule.startswith("retrieve_") or of_corpus) and all(map(alone, before))

    return [job for job in jobs if alone(job)]


def _fetched(model: str, revision: str) -> str:
    return f"{revision[:7]} is in {model_folder(model, revision, 'model')}"


def _made(files: list[str], config: list[str]) -> Finding:
    """Run the jobs that make the data: files that do not need a language model or another model."""
    config_option = ["--config", *config] if config else []
    command = [sys.executable, "-m", "contrapose", "run", "--cores", "1", *config_option, "--", *files]
    if subprocess.run(command, check=False).returncode:
        return Finding("missing", "data", "the data could not be downloaded. See the messages above.")
    return Finding("fine", "data", f"{len(files)} files in {Path(files[0]).parts[0]}/")


def _said(what: str, work: Callable[[], str]) -> Finding:
    """Do some work and say how it ended at once: what follows may take long."""

    def done() -> str:
        try:
            return work()
        except ContraposeError as error:
            print(f"{what}: {error}", file=sys.stderr, flush=True)
            raise

    print(what, flush=True)
    return judged(what, done)
